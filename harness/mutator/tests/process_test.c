/* SPDX-License-Identifier: Apache-2.0 */
/* process.c: runs itself, as a command that says by its exit status what it was given. */
#include <time.h>

#include "process.h"
#include "test.h"

enum { GOOD = 7, BAD = 8, SECONDS = 1, MOST_SECONDS = 20 };

/* All that has a meaning where the arguments are one line, as on Windows. */
static char *arguments[] = {
    "", "a b", "\t", "\"", "\\", "\\\"", "\\\\\"a b\\\\", "a\\\\\"b", "c:\\a folder\\",
    "\"a b\" c", "$x", "^|&", "%PATH%", "* ? [a-z", "'a' b'", "--trim", "@@"};
#define ARGUMENTS (sizeof arguments / sizeof arguments[0])

static int check_arguments(char **argv)
{
    for (size_t i = 0; i < ARGUMENTS; i++)
        if (argv[i] == NULL || strcmp(argv[i], arguments[i]) != 0)
            return BAD;
    return argv[ARGUMENTS] == NULL ? GOOD : BAD;
}

static int wait_long(void)
{
    const time_t start = time(NULL);
    while (difftime(time(NULL), start) < 2 * MOST_SECONDS)
        ;
    return BAD;
}

static int be_run(char **argv)
{
    if (strcmp(argv[0], "arguments") == 0)
        return check_arguments(argv + 1);
    if (strcmp(argv[0], "input") == 0)
        return fgetc(stdin) == EOF ? GOOD : BAD;
    return wait_long();
}

static void check_status(char **command, unsigned long expected)
{
    unsigned long status = 0;
    CHECK(process_run(command, command[1][0] == 'w' ? SECONDS : MOST_SECONDS, &status));
    CHECK_UINT(expected, status);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return be_run(argv + 1);
    char *command[ARGUMENTS + 3] = {argv[0], "arguments"};
    for (size_t i = 0; i < ARGUMENTS; i++)
        command[i + 2] = arguments[i];
    check_status(command, GOOD);

    /* Nothing of what there is to read here. */
    CHECK(freopen(argv[0], "rb", stdin) != NULL);
    check_status((char *[]){argv[0], "input", NULL}, GOOD);

    const time_t start = time(NULL);
    check_status((char *[]){argv[0], "wait", NULL}, PROCESS_TIMEOUT);
    CHECK(difftime(time(NULL), start) < MOST_SECONDS);

    unsigned long status = 0;
    CHECK(!process_run((char *[]){"./there is no such command", NULL}, SECONDS, &status));
    return test_result();
}
