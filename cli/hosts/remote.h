/* SPDX-License-Identifier: ISC */
/* 'dt remote', which a dt on another machine starts by ssh(1). */
#ifndef CLI_HOSTS_REMOTE_H
#define CLI_HOSTS_REMOTE_H

/* The command that the other dt requests. */
struct remote_request {
	int rmr_argc;
	char **rmr_argv; /* terminated by NULL; the name of the program first */
	int rmr_fd;	 /* for the output of dt */
	int rmr_isexact; /* profiles need addresses */
};

/*
 * Receives the request and returns in a child that has to run it.  The parent
 * forwards the child's output and the other dt's signals, and exits after it.
 */
void remote_begin(struct remote_request *);

#endif /* CLI_HOSTS_REMOTE_H */
