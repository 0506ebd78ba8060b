/* SPDX-License-Identifier: ISC */
/*
 * Output.  A subcommand hands values to the writer below and never prints;
 * a format is a file out_NAME.c with one struct out_format, and a row in the
 * table of out.c.  What a format has no function for, it does not show.
 */
#ifndef CLI_OUT_H
#define CLI_OUT_H

#include <stdint.h>
#include <time.h>

#include <libdt.h>
#include <sys/kcov.h>

#include "buf.h"
#include "by.h"
#include "columns.h"
#include "frames.h"
#include "hist.h"
#include "ledger.h"
#include "names.h"
#include "opts.h"

struct out;
struct procs;
struct shape;

/*
 * What a line is about: an event, or the entry and the return of a call that
 * were joined.
 */
struct out_event {
	const struct probe *oe_probe;  /* of oe_ev */
	const struct dt_event *oe_ev;  /* joined: the return */
	const struct probe *oe_eprobe; /* of the entry, or NULL */
	/* of a return, if it is known; of the second of a pair, the first */
	const struct dt_event *oe_entry;
	/* with OUT_PAIRED: oe_ev without what is the first's */
	const struct dt_event *oe_second;
	unsigned int oe_flags;	      /* OUT_* */
	struct procs *oe_procs;	      /* what descriptors mean, or NULL */
	const struct shape *oe_shape; /* of the entry, or NULL */
};

#define OUT_APART      0x1  /* of a return whose entry had its own line */
#define OUT_UNFINISHED 0x2  /* oe_ev is an entry: the call goes on */
#define OUT_RESUMED    0x4  /* such a call: oe_ev returns, or with NORETURN */
#define OUT_NORETURN   0x8  /* oe_ev is an entry: the call will not return */
#define OUT_PAIRED     0x10 /* joined by the kernel, whatever the two are */

/* A row of stat. */
struct out_count {
	const void *oc_key; /* of by_key() */
	uint64_t oc_count;
	int64_t oc_sum;
	const struct hist *oc_hist; /* with ot_ishist; NULL: no value came */
};

/* A table of counts: of the whole run, or of an interval. */
struct out_counts {
	struct by *ot_by;		   /* what by, and what was added up */
	const struct out_count *ot_counts; /* the highest first */
	size_t ot_n;
	uint64_t ot_nothers; /* events of keys that had no room */
	int64_t ot_othersum;
	uint64_t ot_nsecs; /* time that it covers */
	int ot_isinterval;
	int ot_ishist; /* instead of a table: how the values are spread */
	struct timespec ot_end; /* CLOCK_REALTIME, of an interval */
};

/* What profile found: functions and stacks, the most frequent first. */
struct out_func {
	const struct frame *of_frame; /* one of its frames */
	uint64_t of_self;	      /* samples in it */
	uint64_t of_total;	      /* and in what it called */
	size_t of_last;		      /* who counts: the stack it was seen in */
};

struct out_stack {
	uint64_t os_count;
	uint32_t os_pid;
	int os_isseveral; /* processes, not one */
	const char *os_comm;
	/* innermost first: os_nkernel frames of the kernel, then the user's */
	const struct frame *const *os_frames;
	unsigned int os_nframes, os_nkernel;
	int os_hasuser;		  /* a user stack was asked for */
	const char *os_why;	  /* why it is not complete; NULL: it is */
	uint8_t os_kend, os_uend; /* enum dt_stack_end */
};

/* Why stacks are not complete. */
struct out_why {
	const char *oy_why;
	uint64_t oy_count;
};

struct out_profile {
	const struct out_func *op_funcs;
	size_t op_nfuncs;
	const struct out_stack *op_stacks;
	size_t op_nstacks;
	const struct out_why *op_whys;
	size_t op_nwhys;
	uint64_t op_total;    /* samples in the tables */
	uint64_t op_idle;     /* samples left out as idle */
	uint64_t op_judged;   /* of them, with a user stack */
	uint64_t op_complete; /* of these, complete */
	size_t op_top;	      /* lines wanted of each */
	uint64_t op_period;   /* ns between samples of a CPU; 0: not known */
	struct timespec op_start; /* CLOCK_REALTIME; 0: not known */
	uint64_t op_nsecs;	  /* that it took, 0: not known */
};

/* What kcov found: a place in code that was reached. */
struct out_place {
	const char *oa_func;   /* what to call it, never NULL */
	const char *oa_module; /* file without folders; NULL: the kernel */
	const char *oa_file;   /* source; NULL: not known */
	unsigned int oa_line;
	uint64_t oa_offset; /* in the function; 0 if there is a line */
	int oa_iscmp;	    /* it is a comparison, with */
	uint64_t oa_type;   /* KCOV_CMP_*, and its operands; else these are 0 */
	uint64_t oa_arg1, oa_arg2;
	uint64_t oa_count;
	uint64_t oa_before; /* in the earlier run */
	uint64_t oa_first;  /* the number of its first record, from 1 on */
};

struct out_kcov {
	const struct out_place *ok_places; /* in the order to be shown */
	size_t ok_n;
	int ok_iscmp;		 /* they are comparisons */
	int ok_isdiff;		 /* beside an earlier run */
	int ok_isuser;		 /* of the command's own code: nobody counts */
	struct kio_stat ok_stat; /* else */
	int ok_isgone;		 /* the service: ok_stat is not known */
	uint64_t ok_read;	 /* records that were read */
	uint64_t ok_nothers;	 /* of them, of places that had no room */
	uint64_t ok_nfull;	 /* so often the memory was found full */
	int ok_islate;		 /* and the command may have lost some then */
};

/* What doctor found: a line each. */
enum out_verdict {
	OUT_OK,
	OUT_FACT, /* neither good nor bad */
	OUT_WARNING,
	OUT_MISSING,
};

struct out_check {
	const char *ox_section; /* key of it, and of the check in it */
	const char *ox_title;	/* of the section, for people */
	char ox_name[64];
	enum out_verdict ox_verdict;
	char ox_found[512];
	const char *ox_advice; /* NULL: nothing has to be done */
	const char *ox_for;    /* what it is good for */
};

/* A probe that was tried. */
struct out_trial {
	const char *ol_probe; /* NULL: it did not come to this */
	int ol_works;
	uint64_t ol_made, ol_read; /* hits that there should be, were */
	uint64_t ol_enable;	   /* ns that each step took */
	uint64_t ol_record;
	uint64_t ol_event; /* from the first hit to its arrival */
};

struct out_doctor {
	const char *od_release; /* of dt */
	int od_works;
	const struct out_check *od_checks;
	size_t od_nchecks;
	const struct out_trial *od_trials;
	size_t od_ntrials;
};

struct out_format {
	const char *f_name;
	int f_joins;   /* entry and return of a call in one line */
	int f_isexact; /* profiles tell processes and addresses apart */
	void (*f_begin)(struct out *);
	void (*f_probe)(struct out *, const struct probe *);
	void (*f_prov)(struct out *, const struct dtioc_prov_info *);
	void (*f_enabled)(struct out *, const struct probe *);
	void (*f_event)(struct out *, const struct out_event *);
	/* what the numbers of records meant: of a descriptor (AT_FDCWD: of the
	 * working directory), of a cgroup */
	void (*f_file)(struct out *, uint32_t pid, int fd, const char *path);
	void (*f_cgroup)(struct out *, uint64_t id, const char *path);
	void (*f_counts)(struct out *, const struct out_counts *);
	void (*f_profile)(struct out *, const struct out_profile *);
	void (*f_kcov)(struct out *, const struct out_kcov *);
	void (*f_doctor)(struct out *, const struct out_doctor *);
	void (*f_ledger)(struct out *, const struct dt_ledger *,
	    const struct ledger_run *);
	/* the recording goes on, but what there is shall be safe now; the
	 * ledger is of this moment */
	void (*f_save)(struct out *, const struct dt_ledger *,
	    const struct ledger_run *);
	/* passes on what it has collected apart from the buffer; unless that
	 * is urgent it may keep it back for a while, and returns 1 then */
	int (*f_flush)(struct out *, int urgent);
	void (*f_free)(struct out *);
};

struct out {
	const struct out_format *out_format;
	const struct opts *out_opts;
	struct names *out_names;
	struct columns out_columns; /* in front of events */
	struct map out_cgroups;	    /* ids whose path was handed on */
	uint64_t out_lastcgroup;    /* the one of the last event */
	struct buf out_buf;
	int out_colour;	   /* escape sequences are welcome */
	uint64_t out_late; /* events so far that came after younger ones */
	struct ledger_newest out_newest; /* that a file has of them */
	/* for the format: no event that is older than this will come any more
	 * (dt_lowwater()); 0: events come in order, or it isn't known */
	uint64_t out_lowwater;
	/* for the format, when it begins anew: calls out_file_path() with all
	 * descriptors that are known; may be NULL */
	void (*out_again)(void *);
	void *out_againarg;
	int out_isfull;		/* the format takes no more events */
	int out_istold;		/* and has told why, if that is a failure; or
				   who uses the format tells it */
	uint64_t out_unwritten; /* events that it took, and could not keep */
	void *out_priv;		/* the format's */
};

extern const struct out_format out_text;
extern const struct out_format out_json;
extern const struct out_format out_folded;
extern const struct out_format out_svg;
extern const struct out_format out_html;
extern const struct out_format out_pprof;
extern const struct out_format out_file;
extern const struct out_format out_flight;

/* Chooses the format by the options and opens the output; exits if a file
 * can't be made. */
void out_open(struct out *, const struct opts *, struct names *);
/* Whether no more can be put out: it is full, or has failed. */
int out_isover(const struct out *);
/* Each returns 0, or -1 when the output is over. */
int out_probe(struct out *, const struct probe *);
int out_prov(struct out *, const struct dtioc_prov_info *);
int out_enabled(struct out *, uint32_t pbn);
int out_event(struct out *, const struct out_event *);
int out_file_path(struct out *, uint32_t pid, int fd, const char *path);
int out_cgroup_path(struct out *, uint64_t id, const char *path);
int out_counts(struct out *, const struct out_counts *);
int out_profile(struct out *, const struct out_profile *);
int out_kcov(struct out *, const struct out_kcov *);
int out_doctor(struct out *, const struct out_doctor *);
int
out_ledger(struct out *, const struct dt_ledger *, const struct ledger_run *);
/* What there is shall be safe, the recording goes on. */
int out_save(struct out *, const struct dt_ledger *, const struct ledger_run *);
/* Nothing happens at the moment: what there is may go out.  Returns 1 if the
 * format kept something back, and wants to be called again soon. */
int out_idle(struct out *);
/* Flushes and closes.  0, or the errno with which the output failed. */
int out_close(struct out *);

#endif /* CLI_OUT_H */
