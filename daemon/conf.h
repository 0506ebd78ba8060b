/* SPDX-License-Identifier: ISC */
/* The settings of dtd and the table of devices. */
#ifndef DAEMON_CONF_H
#define DAEMON_CONF_H

#include <stdint.h>

struct conf {
	char cf_directory[80];	   /* of the listening sockets */
	int cf_allowdt;		   /* 0: open fails with EPERM */
	uint64_t cf_ringbytes;	   /* rings of all opens */
	uint64_t cf_ringbytes_uid; /* rings of one user but root */
	uint32_t cf_followmax;	   /* processes followed at once, all opens */
	uint32_t cf_pairmax;	   /* firsts of pairs, of an open */
	uint64_t cf_costlimit;	   /* millionths of the machine, 0: none */
	char cf_kprobeattach[16];  /* auto, or the name of a method */
	int cf_monitor;		   /* enum monitor_mode */
	char cf_debuginfod[400];   /* URLs; empty: nobody is asked */
	char cf_debugfolder[256];  /* what comes from there */
	uint64_t cf_debugbytes;	   /* in it */
	int cf_owndespite;	   /* TRACE_OWN where ptrace is confined */
	int cf_testdev;		   /* offer the tests' device */
	int cf_private;		   /* one client only; no setting */
};

extern struct conf conf;

/*
 * Reads "key = value" lines; # starts a comment.  A mistake is told with
 * file and line on stderr and ends the program: it is start-up's.
 */
void conf_read(const char *path);

#endif /* DAEMON_CONF_H */
