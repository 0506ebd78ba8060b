/* SPDX-License-Identifier: ISC */
/*
 * The command after "--": forked before the recording starts, executed once it
 * has started, so that none of its events is missed.
 */
#ifndef CLI_SESSION_COMMAND_H
#define CLI_SESSION_COMMAND_H

#include <sys/types.h>

struct command {
	pid_t cd_pid;  /* 0: none */
	int cd_pidfd;  /* readable when it has ended; -1: none */
	int cd_gofd;   /* writing a byte starts it; -1: it was started */
	int cd_status; /* as a shell's $?; valid after its end */
	int cd_ended;
	/*
	 * called in the child before execve; set before command_start(); or
	 * NULL
	 */
	void (*cd_prepare)(void *);
	void *cd_arg;
};

/*
 * Returns the file that execvp(3) finds for a name, which the caller frees; or
 * NULL with errno.
 */
char *command_find(const char *name);
void command_init(struct command *);
/* Forks; the child waits.  Exits like env(1) if there is no such command. */
void command_start(struct command *, char **argv);
/* Starts the execution. */
void command_go(struct command *);
/* Sends a signal to the command. */
void command_kill(const struct command *, int signo);
/*
 * Reaps the command if it has ended (with block, waits until it has).  Returns
 * 1 if it has.
 */
int command_wait(struct command *, int block);

#endif /* CLI_SESSION_COMMAND_H */
