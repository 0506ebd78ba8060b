/* SPDX-License-Identifier: ISC */
/*
 * The settings of dtd.  Settings of other modules are listed in conf_modules.c.
 *
 * Fields that may change while dtd runs are numbers, which the control thread
 * writes in one store; any thread may read them at any time.
 */
#ifndef DAEMON_BASE_CONF_H
#define DAEMON_BASE_CONF_H

#include <stdint.h>

#define CONF_UNSET UINT64_MAX

struct conf {
	char cf_directory[80]; /* where the listening sockets are */
	int cf_allowdt;	       /* 0: open fails with EPERM */
	uint64_t cf_namesidle; /* s until a session stops following unused
			        * processes */
	uint32_t cf_followmax; /* processes followed at once, by all sessions */
	uint32_t cf_pairmax;   /* pending first hits of pairs, per session */
	uint64_t cf_costlimit; /* millionths of all CPUs' time, 0: unlimited */
	uint64_t cf_costlimit_open; /* the same, per session */
	/* the same, including hits of named processes; CONF_UNSET: derived */
	uint64_t cf_costlimit_named;
	char cf_kprobeattach[16]; /* auto, or an attach method's name */
	char cf_debuginfod[400];  /* URLs; empty: debuginfod is not used */
	char cf_debugfolder[256]; /* cache of downloaded files */
	uint64_t cf_debugbytes;	  /* maximum size of the cache */
	int cf_owndespite;	  /* TRACE_OWN even if an LSM confines ptrace */
	uint64_t cf_unwindbytes;  /* of unwind tables, on the machine */
	int cf_testdev;		  /* offer the tests' device */
	int cf_private;		  /* serves one client; not a setting */
};

extern struct conf conf;

#ifndef DT_CONF
#define DT_CONF "/etc/dt/dtd.conf" /* default configuration file */
#endif

/*
 * Reads a file of "key = value" lines; # starts a comment.  Logs each mistake
 * with file, line and column.  Returns the number of mistakes; an unreadable
 * file counts as one.  Records the path for conf_reload().  At start-up.
 */
unsigned int conf_read(const char *path);
/* Reads DT_CONF likewise, if it exists. */
unsigned int conf_read_default(void);
/*
 * Reads the same files again.  Settings that may change while dtd runs take
 * effect; changes to others are logged as requiring a restart.  If there is a
 * mistake, nothing changes.  Returns the number of mistakes.  Control thread.
 */
unsigned int conf_reload(void);

#endif /* DAEMON_BASE_CONF_H */
