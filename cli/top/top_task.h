/* SPDX-License-Identifier: ISC */
/*
 * Processes and threads that used a CPU lately, and what /proc reports of them.
 * Their files stay open, since most of the cost of reading /proc is the lookup.
 */
#ifndef CLI_TOP_TOP_TASK_H
#define CLI_TOP_TOP_TASK_H

#include <stdint.h>
#include <sys/types.h>

#include "cli/base/hash.h"

#define TOP_TASK_MAXOPEN 200 /* tasks with open files */
#define TOP_TASK_KEEP	 10  /* readings for which an idle task is kept */

struct top_task {
	uint32_t ttk_pid, ttk_tid; /* ttk_tid 0: the whole process */
	int ttk_fd;		   /* of its stat; -1: not open */
	int ttk_iofd;
	int ttk_iskept;	       /* even if it is idle */
	unsigned int ttk_idle; /* readings since it used a CPU */
	unsigned int ttk_hits; /* samples since the last reading */
	uint64_t ttk_cpu;      /* ns in all, as of the last reading; 0: none */
	double ttk_share;      /* percent of one CPU */
	char ttk_comm[16];
	char ttk_state;
	uid_t ttk_uid;
	uint64_t ttk_rss;      /* bytes */
	uint64_t ttk_iotime;   /* of the last reading of ttk_bytes, ns */
	uint64_t ttk_bytes[2]; /* read and written in all */
	double ttk_rates[2];   /* bytes per second; NAN: unknown */
};

struct top_tasks {
	struct hash tts_map; /* pid and tid -> struct top_task */
	unsigned int tts_nopen;
};

/*
 * Adds samples of a process (tid 0) or a thread.  comm: name of a thread, for
 * tasks that exit before they are read.
 */
void top_tasks_hit(struct top_tasks *, uint32_t pid, uint32_t tid,
    const char comm[16], unsigned int n);
/* Also reads a process that uses no CPU. */
void top_tasks_keep(struct top_tasks *, uint32_t pid);
/*
 * Reads all tasks, of which hz samples per second were counted for secs, and
 * calls the function for each that has used a CPU lately.  One that has exited
 * is valid during this call only.
 */
void top_tasks_read(struct top_tasks *, unsigned int hz, double secs,
    void (*fn)(void *, struct top_task *), void *arg);
/* Reads the bytes that a process reads and writes. */
void top_task_io(struct top_task *, uint64_t now);
void top_tasks_free(struct top_tasks *);

#endif /* CLI_TOP_TOP_TASK_H */
