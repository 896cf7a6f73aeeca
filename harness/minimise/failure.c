/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the kind and the place of a failure from what the run printed. Called by attempt.c.
 */
#include "failure.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols.h"

/* How many frames, inside that of the check, report a broken promise: the same number for every promise. */
enum { NOTICING = 2 };

/* Length of the line that starts at the text. */
static size_t length_of(const char *line)
{
    return strcspn(line, "\n");
}

static const char *next_line(const char *line)
{
    const size_t length = length_of(line);
    return line[length] ? line + length + 1 : NULL;
}

/* The text between two others, within a line or up to its end; false if there is none. Drops numbers, which differ from
   input to input. */
static bool take_between(const char *line, const char *before, const char *after, char *out, size_t most)
{
    const size_t length = length_of(line);
    const char *at = strstr(line, before);
    size_t size = 0;
    if (!at || at + strlen(before) > line + length)
        return false;
    at += strlen(before);
    const char *end = *after ? strstr(at, after) : NULL;
    if (!end || end > line + length)
        end = line + length;
    for (; at < end && size + 1 < most; at++)
        if (!isdigit((unsigned char)*at) || (size != 0 && isalnum((unsigned char)out[size - 1])))
            out[size++] = *at;
    out[size] = '\0';
    return size != 0;
}

static bool starts_with(const char *line, const char *start)
{
    return strncmp(line, start, strlen(start)) == 0;
}

/* The function that an engine calls for an input: frames outside it are not of the target. */
static const char outermost[] = "LLVMFuzzerTestOneInput";

/* Compilers move rare parts of a function into NAME.cold. */
static bool is_outermost(const char *name)
{
    const size_t length = sizeof outermost - 1;
    return strncmp(name, outermost, length) == 0 && (name[length] == '\0' || name[length] == '.');
}

/* Stores the frames of the first stack in the text. */
static void take_frames(const char *text, minimise_failure *failure)
{
    failure->count = 0;
    bool inside = false;
    for (const char *line = text; line; line = next_line(line)) {
        const char *at = line + strspn(line, " ");
        if (at[0] != '#' || !isdigit((unsigned char)at[1])) {
            if (inside)
                return;
            continue;
        }
        inside = true;
        const char *number = strstr(at, "0x");
        if (!number || number > line + length_of(line))
            continue;
        const uintptr_t address = (uintptr_t)strtoull(number, NULL, 16);
        const char *name = minimise_symbols_find(address);
        if (failure->count < MINIMISE_FAILURE_FRAMES && name)
            failure->frames[failure->count++] = address;
        if (name && is_outermost(name))
            return;
    }
}

/* Adds READ or WRITE to the kind, where the report has such a line. */
static void add_access(const char *text, minimise_failure *failure)
{
    const size_t size = strlen(failure->kind);
    const char *write = strstr(text, "WRITE "), *read = strstr(text, "READ ");
    if (write || read)
        (void)snprintf(failure->kind + size, sizeof failure->kind - size, write ? " WRITE" : " READ");
}

/* The stack after the last line before `end` that starts with `what`; NULL if there is none. */
static const char *notice_before(const char *text, const char *end, const char *what)
{
    const char *last = NULL;
    for (const char *line = text; line && line < end; line = next_line(line))
        if (starts_with(line, what))
            last = next_line(line);
    return last;
}

static void read_oracle(const char *text, const char *line, minimise_failure *failure)
{
    char name[64] = "";
    take_between(line, "oracle ", " broken", name, sizeof name);
    (void)snprintf(failure->kind, sizeof failure->kind, "oracle %s", name);
    const char *stack = notice_before(text, line, "a broken promise is noticed here:");
    if (!stack) {
        take_frames(line, failure);
        return;
    }
    take_frames(stack, failure);
    const size_t left_out = failure->count > NOTICING ? NOTICING : 0;
    failure->count -= left_out;
    memmove(failure->frames, failure->frames + left_out, failure->count * sizeof *failure->frames);
}

/* "FILE:LINE:COLUMN: runtime error: TEXT": the kind includes file and line of the source. */
static void read_undefined(const char *line, minimise_failure *failure)
{
    char what[sizeof failure->kind / 2] = "";
    const size_t place = (size_t)(strstr(line, ": runtime error: ") - line);
    take_between(line, ": runtime error: ", "", what, sizeof what);
    const char *name = line + place;
    while (name > line && name[-1] != '/')
        name--;
    (void)snprintf(failure->kind, sizeof failure->kind, "%s at %.*s", what, (int)(line + place - name), name);
    take_frames(line, failure);
}

/* The word after "ERROR: AddressSanitizer: " and the like. */
static bool read_sanitizer(const char *line, minimise_failure *failure)
{
    char word[64] = "";
    if (!take_between(line, "Sanitizer: ", " ", word, sizeof word))
        return false;
    (void)snprintf(failure->kind, sizeof failure->kind, "%s", word);
    add_access(line, failure);
    take_frames(line, failure);
    return true;
}

/* Reads the first line that reports a failure; later lines are its consequences. */
static bool read_line(const char *text, const char *line, minimise_failure *failure)
{
    const char *end = line + length_of(line);
    const char *undefined = strstr(line, ": runtime error: ");
    if (starts_with(line, "oracle ") && strstr(line, " broken") && strstr(line, " broken") < end) {
        read_oracle(text, line, failure);
        return true;
    }
    if (undefined && undefined < end) {
        read_undefined(line, failure);
        return true;
    }
    const char *error = strstr(line, "ERROR: "), *warning = strstr(line, "WARNING: MemorySanitizer");
    const bool is_report = (error && error < end) || (warning && warning < end);
    return starts_with(line, "==") && is_report && read_sanitizer(line, failure);
}

minimise_failure minimise_failure_read(const char *text, minimise_end end)
{
    minimise_failure failure = {.failed = true, .timed_out = end.timed_out};
    if (end.timed_out || end.out_of_memory) {
        (void)snprintf(failure.kind, sizeof failure.kind, end.timed_out ? "timeout" : "memory");
        return failure;
    }
    for (const char *line = text; line; line = next_line(line))
        if (read_line(text, line, &failure))
            return failure;
    failure.failed = end.signal != 0 || end.status != 0;
    if (end.signal != 0)
        (void)snprintf(failure.kind, sizeof failure.kind, "signal %d", end.signal);
    else
        (void)snprintf(failure.kind, sizeof failure.kind, "exit %d", end.status);
    take_frames(text, &failure);
    return failure;
}

static bool is_same_frame(uintptr_t one, uintptr_t other, bool strict)
{
    return one == other || (!strict && minimise_symbols_start(one) == minimise_symbols_start(other));
}

bool minimise_failure_same(const minimise_failure *one, const minimise_failure *other, size_t frames, bool strict)
{
    if (one->failed != other->failed || strcmp(one->kind, other->kind) != 0)
        return false;
    for (size_t i = 0; i < frames && (i < one->count || i < other->count); i++)
        if (i >= one->count || i >= other->count || !is_same_frame(one->frames[i], other->frames[i], strict))
            return false;
    return true;
}

void minimise_failure_text(const minimise_failure *failure, char *text, size_t most)
{
    const char *function = failure->count ? minimise_symbols_find(failure->frames[0]) : NULL;
    (void)snprintf(text, most, "%s%s%s", failure->kind, function ? " in " : "", function ? function : "");
}
