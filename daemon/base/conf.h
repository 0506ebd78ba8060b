/* SPDX-License-Identifier: ISC */
/*
 * The settings of dtd.  Modules with settings of their own are in settings.c.
 *
 * Fields that may change while dtd runs are numbers, written whole by the
 * control thread; others may read them at any time.
 */
#ifndef DAEMON_BASE_CONF_H
#define DAEMON_BASE_CONF_H

#include <stdint.h>

#define CONF_UNSET UINT64_MAX

struct conf {
	char cf_directory[80]; /* of the listening sockets */
	int cf_allowdt;	       /* 0: open fails with EPERM */
	uint64_t cf_namesidle; /* s that an open follows processes unused */
	uint32_t cf_followmax; /* processes followed at once, all opens */
	uint32_t cf_pairmax;   /* firsts of pairs, of an open */
	uint64_t cf_costlimit; /* millionths of the machine, 0: none */
	uint64_t cf_costlimit_open; /* the same, of one open */
	/* the same, including hits of named processes; CONF_UNSET: derived */
	uint64_t cf_costlimit_named;
	char cf_kprobeattach[16]; /* auto, or the name of a method */
	char cf_debuginfod[400];  /* URLs; empty: nobody is asked */
	char cf_debugfolder[256]; /* what comes from there */
	uint64_t cf_debugbytes;	  /* in it */
	int cf_owndespite;	  /* TRACE_OWN where ptrace is confined */
	int cf_testdev;		  /* offer the tests' device */
	int cf_private;		  /* one client only; no setting */
};

extern struct conf conf;

#ifndef DT_CONF
#define DT_CONF "/etc/dt/dtd.conf" /* read where no other file is named */
#endif

/*
 * Reads a file of "key = value" lines; # starts a comment.  Each mistake is
 * logged with file, line and column.  Returns their number; a file that cannot
 * be read is one.  At start-up; the file is known to conf_reload().
 */
unsigned int conf_read(const char *path);
/* The same for DT_CONF, which need not exist. */
unsigned int conf_read_default(void);
/*
 * Reads these files again: what may change while dtd runs holds from now on,
 * of the rest it is logged that it has to wait for a start.  If there is a
 * mistake, nothing changes.  Returns how many there are.  Control thread.
 */
unsigned int conf_reload(void);

#endif /* DAEMON_BASE_CONF_H */
