/* SPDX-License-Identifier: ISC */
/*
 * The command behind "--": started before the recording, let go when that
 * is on, so that nothing of it is missed.
 */
#ifndef CLI_SESSION_COMMAND_H
#define CLI_SESSION_COMMAND_H

#include <sys/types.h>

struct command {
	pid_t cd_pid;  /* 0: none */
	int cd_pidfd;  /* readable when it has ended; -1: none */
	int cd_gofd;   /* a byte lets it go; -1: it went */
	int cd_status; /* as a shell's $?; valid when ended */
	int cd_ended;
	/* before command_start(): called in the child, before it executes; or
	 * NULL */
	void (*cd_prepare)(void *);
	void *cd_arg;
};

/* The file that a name means, as execvp(3) finds it, for free(3); or NULL with
 * errno. */
char *command_find(const char *name);
void command_init(struct command *);
/* Forks; the child waits.  Exits as env(1) if there is no such command. */
void command_start(struct command *, char **argv);
/* Lets it execute. */
void command_go(struct command *);
/* Ends it if it waits still. */
void command_cancel(struct command *);
/* Passes a signal on to it. */
void command_kill(const struct command *, int signo);
/* Collects it if it has ended (or waits until it has).  1 if it has. */
int command_wait(struct command *, int block);

#endif /* CLI_SESSION_COMMAND_H */
