/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AddressSanitizer's options while an engine fuzzes. Freed memory is kept from use for its next megabyte of allocations, not
 * for 256: an execution allocates far less, and memory that is used again at once needs no new pages, which took up to half
 * of the time of a small target.
 */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "quarantine_size_mb=1";
}
