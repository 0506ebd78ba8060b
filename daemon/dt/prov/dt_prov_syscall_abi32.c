/* SPDX-License-Identifier: ISC */
/*
 * Checks whether the kernel runs system calls of 32-bit programs; it may be
 * built or booted without. Makes one such call that has no side effects.
 */
#include <signal.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/dt/dt_softc.h"

#if defined(__x86_64__)
#define GETPID_I386 20

static void
abi32_refused(int sig __attribute__((unused)))
{
	_exit(1);
}

/*
 * In a child, as who refuses it ends the process: the kernel by SIGSEGV; by
 * SIGSYS a filter that is ours alone, and tells nothing of other programs.
 */
int
dt_has_abi32(void)
{
	pid_t pid;
	int status;

	if ((pid = fork()) == -1)
		return 1; /* not known: let it be tried */
	if (pid == 0) {
		signal(SIGSEGV, abi32_refused);
		__asm__ volatile("int $0x80"
				 :
				 : "a"((long)GETPID_I386)
				 : "r8", "r9", "r10", "r11", "memory");
		_exit(0);
	}
	return waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status) == 0;
}
#else
/* No call: the personality of 32-bit programs is to be had, or is not. */
int
dt_has_abi32(void)
{
	int old = personality(0xffffffff);

	if (old == -1 || personality(PER_LINUX32) == -1)
		return 0;
	personality((unsigned long)old);
	return 1;
}
#endif
