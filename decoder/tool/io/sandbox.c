/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives up, for good, what reading a trace does not need. Landlock limits which files can be opened, seccomp which system
 * calls can be made. decode, validate, map and layout call this before they open their input.
 */
#define _GNU_SOURCE
#include "io/sandbox.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if TOOL_LANDLOCK

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The rights that a kernel knows by the version of its interface: 1 and later, 2 and later, 3 and later. */
static uint64_t known_rights(long version)
{
    enum { FIRST = 13, MOST = 15 }; /* number of rights */
    const long count = version + FIRST - 1;
    return (UINT64_C(1) << (count < MOST ? count : MOST)) - 1;
}

/* True if every path is a file, or cannot be opened. Then only these files can be read from now on. */
static bool allow_files(int ruleset, char *const *files, int count)
{
    for (int i = 0; i < count; i++) {
        struct landlock_path_beneath_attr rule = {.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE};
        struct stat about;
        rule.parent_fd = open(files[i], O_PATH | O_CLOEXEC);
        if (rule.parent_fd < 0)
            continue;
        const bool folder = fstat(rule.parent_fd, &about) == 0 && S_ISDIR(about.st_mode);
        /* Fails for pipes, which need no rule. */
        (void)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0u);
        (void)close(rule.parent_fd);
        if (folder)
            return false;
    }
    return true;
}

static int make_ruleset(uint64_t rights)
{
    const struct landlock_ruleset_attr attributes = {.handled_access_fs = rights};
    return (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0u);
}

static void limit_files(char *const *files, int count)
{
    const uint64_t reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
    const long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1)
        return;
    int ruleset = make_ruleset(known_rights(version));
    if (ruleset >= 0 && !allow_files(ruleset, files, count)) {
        (void)close(ruleset);
        ruleset = make_ruleset(known_rights(version) & ~reading);
    }
    if (ruleset < 0)
        return;
    (void)syscall(SYS_landlock_restrict_self, ruleset, 0u);
    (void)close(ruleset);
}

#else

static void limit_files(char *const *files, int count)
{
    (void)files;
    (void)count;
}

#endif

#if TOOL_SECCOMP

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include "io/command.h"

static const int allowed[] = {
    SCMP_SYS(read),           SCMP_SYS(pread64),       SCMP_SYS(write),        SCMP_SYS(writev),
    SCMP_SYS(lseek),          SCMP_SYS(_llseek),       SCMP_SYS(close),        SCMP_SYS(fstat),
    SCMP_SYS(fstat64),        SCMP_SYS(stat),          SCMP_SYS(stat64),       SCMP_SYS(lstat),
    SCMP_SYS(lstat64),        SCMP_SYS(newfstatat),    SCMP_SYS(fstatat64),    SCMP_SYS(statx),
    SCMP_SYS(getdents64),     SCMP_SYS(fcntl),         SCMP_SYS(fcntl64),      SCMP_SYS(brk),
    SCMP_SYS(munmap),         SCMP_SYS(mremap),        SCMP_SYS(madvise),      SCMP_SYS(futex),
    SCMP_SYS(clock_gettime),  SCMP_SYS(clock_gettime64), SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),   SCMP_SYS(restart_syscall), SCMP_SYS(getrandom),  SCMP_SYS(exit),
    SCMP_SYS(exit_group),     SCMP_SYS(rseq),          SCMP_SYS(set_robust_list), /* these two: each new thread */
    SCMP_SYS(sysinfo), /* qsort asks how much memory there is */
};

#if defined(__s390__)
#define CLONE_FLAGS 1 /* number of the argument */
#else
#define CLONE_FLAGS 0
#endif

/* Allowed if the bits of `mask` of an argument are `value`. */
static const struct {
    int call;
    unsigned argument;
    scmp_datum_t mask, value;
} conditional[] = {
    {SCMP_SYS(open), 1, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY},
    {SCMP_SYS(openat), 2, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY},
    {SCMP_SYS(mmap), 2, PROT_EXEC, 0},
    {SCMP_SYS(mmap2), 2, PROT_EXEC, 0},
    {SCMP_SYS(mprotect), 2, PROT_EXEC, 0},
    {SCMP_SYS(clone), CLONE_FLAGS, CLONE_THREAD, CLONE_THREAD}, /* a thread, not a process */
    {SCMP_SYS(ioctl), 1, UINT32_MAX, TCGETS},
    {SCMP_SYS(ioctl), 1, UINT32_MAX, TIOCGWINSZ},
};

static void print_text(const char *text)
{
    const ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written;
}

static void on_refused_call(int number, siginfo_t *info, void *context)
{
    char digits[8] = "";
    size_t first = sizeof digits - 1;
    (void)number;
    (void)context;
    for (int call = info->si_syscall; call > 0 && first > 0; call /= 10)
        digits[--first] = (char)('0' + call % 10);
    print_text("etlproof: internal error: the sandbox refuses system call ");
    print_text(digits + first);
    print_text("; run again with --no-sandbox\n");
    _exit(TOOL_EXIT_INTERNAL);
}

static void limit_calls(void)
{
    const struct sigaction action = {.sa_sigaction = on_refused_call, .sa_flags = SA_SIGINFO};
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_TRAP);
    if (filter == NULL || sigaction(SIGSYS, &action, NULL) != 0)
        return;
    int failed = 0;
    for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++)
        failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
    for (size_t i = 0; i < sizeof conditional / sizeof conditional[0]; i++)
        failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, conditional[i].call, 1,
                                   SCMP_CMP(conditional[i].argument, SCMP_CMP_MASKED_EQ, conditional[i].mask,
                                            conditional[i].value));
    /* Its flags are in memory, where no filter looks. The C library then calls clone. */
    failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    if (failed == 0)
        (void)seccomp_load(filter);
    seccomp_release(filter);
}

#else

static void limit_calls(void)
{
}

#endif

#if TOOL_LANDLOCK || TOOL_SECCOMP

#include <sys/prctl.h>

void tool_sandbox_enter(char *const *files, int count)
{
    /* Both need it: a program started later could not gain rights back. */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return;
    limit_files(files, count);
    limit_calls();
}

#else

void tool_sandbox_enter(char *const *files, int count)
{
    limit_files(files, count);
    limit_calls();
}

#endif
