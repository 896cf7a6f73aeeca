/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Confines the process before it reads hostile input: from then on it can only read the files it was given, and write to
 * what is open. By Landlock and seccomp, on Linux; elsewhere, and where the kernel has neither, nothing changes.
 */
#ifndef ETLPROOF_IO_SANDBOX_H
#define ETLPROOF_IO_SANDBOX_H

/*
 * `files`: `count` paths that are read later. If one of them is a folder, every file may be read, since its links may lead
 * anywhere. A system call that is not allowed ends the process with a message and exit code 70.
 */
void tool_sandbox_enter(char *const *files, int count);

#endif
