/* SPDX-License-Identifier: ISC */
/*
 * dt top: a view shows what processes, calls, functions or devices do and cost.
 * A view counts in the kernel, or reads /proc, only while it is shown.
 */
#ifndef CLI_TOP_TOP_H
#define CLI_TOP_TOP_H

#include <stddef.h>
#include <stdint.h>

#include "cli/opts/opts.h"
#include "cli/top/top_session.h"

#define TOP_NNUMS    6	 /* numbers of a row */
#define TOP_NCOLUMNS 9	 /* columns of a view, without the name */
#define TOP_NSCOPES  8	 /* depth of drilling down */
#define TOP_TITLE    64	 /* bytes of what a scope is */
#define TOP_TAG	     16	 /* bytes of a short text */
#define TOP_HZ	     97	 /* samples per second of a CPU */
#define TOP_CGROUP   512 /* bytes of a path, for other machines */

/* A row; numbers that are unknown are NAN. */
struct top_row {
	uint32_t tow_pid, tow_tid; /* 0: none */
	uint64_t tow_id;	   /* a further id; 0: the name */
	unsigned int tow_host;	   /* of -H, from 1 on; 0: none */
	double tow_nums[TOP_NNUMS];
	char tow_tags[2][TOP_TAG]; /* untrusted, like the name */
	char *tow_name;
	void *tow_arg;	    /* of the view */
	int tow_iscomplete; /* tov_detail was called */
};

enum top_kind {
	TOP_NONE = 0,
	TOP_PID,
	TOP_TID,
	TOP_NUMBER,
	TOP_PERCENT,
	TOP_BYTES,
	TOP_NSECS,
	TOP_TEXT,
};

/* A column; its number or tag has this index. */
struct top_column {
	const char *toc_name;
	enum top_kind toc_kind;
	unsigned int toc_index;
	unsigned int toc_width;
};

/* A selection of rows and a view; drilling down adds one. */
struct top_scope {
	const struct top_view *tsc_view;
	struct top_filter tsc_filter;
	char tsc_title[TOP_TITLE]; /* "" for everything; untrusted */
	unsigned int tsc_sort;
	unsigned int tsc_host;	     /* of -H, from 1 on; 0: all */
	char tsc_cgroup[TOP_CGROUP]; /* path of tof_cgroup, once entered */
};

struct top_hosts;

struct top_run {
	struct opts *top_opts;
	struct top_hosts *top_hosts; /* NULL: this machine */
	uint64_t top_nsecs;	     /* between two screens */
	struct top_scope top_scopes[TOP_NSCOPES];
	unsigned int top_depth; /* index of the current one */
	struct top_session top_session;
	void *top_state; /* of the view */
	struct top_row *top_rows;
	size_t top_n, top_max;
	int top_isreverse;
	int top_isfrozen;
	char top_filter[TOP_TITLE]; /* part of a name; "": all */
	uint64_t top_last; /* CLOCK_MONOTONIC of the last reading, ns */
	struct top_cost {
		uint64_t tct_self, tct_dtd; /* ns of CPU time so far */
		double tct_selfshare;	    /* of one CPU; NAN: unknown */
		double tct_dtdshare;
		double tct_programs;
		uint64_t tct_lost;
	} top_cost;
	unsigned int top_ncpus;
	unsigned int top_nlines; /* about machines above the rows, at most */
	int top_error;		 /* of the output of top_batch() */
};

/* A view; functions may be NULL except tov_read. */
struct top_view {
	const char *tov_name;
	int tov_key; /* selects it; 0: only by drilling down */
	const char *tov_what;
	const char *tov_label; /* heading of the names */
	struct top_column tov_columns[TOP_NCOLUMNS];
	unsigned int tov_sort; /* index of the first sort column */
	int tov_isofpid;       /* needs a process */
	/* begins; exits on failure */
	void (*tov_open)(struct top_run *);
	void (*tov_close)(struct top_run *);
	/* adds the rows of the last secs */
	void (*tov_read)(struct top_run *, double secs);
	/* completes a row that is shown */
	void (*tov_detail)(struct top_run *, struct top_row *);
	/*
	 * sets the scope below a row, initially a copy of the current one;
	 * returns 0: there is none
	 */
	int (*tov_enter)(const struct top_row *, struct top_scope *);
};

extern const struct top_view top_processes, top_threads, top_calls, top_callers,
    top_functions, top_files, top_disks, top_cgroups, top_stacks;
/* All views, ended by NULL. */
extern const struct top_view *const top_views[];

static inline struct top_scope *
top_scope(struct top_run *tp)
{
	return &tp->top_scopes[tp->top_depth];
}

/* Adds a row without numbers. */
struct top_row *top_add(struct top_run *, const char *name);
/* Returns whether the current scope is of processes. */
int top_isofpid(const struct top_run *);
/* The scope of a process, shown by its calls: a tov_enter. */
int top_enter_process(const struct top_row *, struct top_scope *);

/* top.c: begins and ends the current view; reads its rows, which it sorts. */
void top_begin(struct top_run *, const struct opts *);
void top_open(struct top_run *);
void top_close(struct top_run *);
/* Closes the last view; returns the exit status. */
int top_end(struct top_run *);
void top_read(struct top_run *);
/* Sorts the rows again. */
void top_sort(struct top_run *);
/* Completes the rows from first to end. */
void top_details(struct top_run *, size_t first, size_t end);
/* Stores the name of a process, "" if it has exited. */
void top_comm(uint32_t pid, char comm[TOP_TAG]);

/* top_keys.c: the full screen, until a signal, a key or n screens (0: any). */
void top_interact(struct top_run *, uint64_t n);
/* top_batch.c: the same as text on stdout. */
void top_batch(struct top_run *, uint64_t n);

#endif /* CLI_TOP_TOP_H */
