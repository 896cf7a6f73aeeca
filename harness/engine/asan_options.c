/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AddressSanitizer's options while an engine fuzzes. Freed memory is kept from use until another megabyte is freed, not
 * 256: an execution frees far less, and memory that is used again soon needs no new pages. Those took 43 % of the time of
 * fuzz_event.
 */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "quarantine_size_mb=1";
}
