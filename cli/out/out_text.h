/* SPDX-License-Identifier: ISC */
/* Parts shared by the text formats. */
#ifndef CLI_OUT_OUT_TEXT_H
#define CLI_OUT_OUT_TEXT_H

#include "cli/base/val.h"
#include "cli/out/out.h"

/* out_text_counts.c: limits of a table. */
struct text_space {
	size_t txr_rows;  /* requested rows, at most those that exist */
	size_t txr_lines; /* lines of the terminal; SIZE_MAX: none */
	size_t txr_width;
};

/* The table of stat. */
void text_counts(struct out *, const struct out_counts *);
/* Returns whether the values are times, which are printed with their units. */
int text_istime(const struct out_counts *);
/* A value, in text. */
const char *
text_value(char text[VAL_NSECS], const struct out_counts *, int64_t value);
/* Its line for hits that the kernel could not count by key. */
void text_full(struct out *, const struct out_counts *);
/* Prints the line before the counts of an interval, for a run none. */
void text_interval(struct buf *, const struct out_counts *);
/* Returns the limits of a table of nrows, by --top or the terminal. */
struct text_space text_space(const struct out *, size_t nrows, int isinterval);
/* Its columns of numbers, for one row, and their names. */
void text_counts_numbers(struct buf *, const struct out_counts *,
    uint64_t count, int64_t sum, const struct hist *);
void text_counts_numbers_head(struct buf *, const struct out_counts *);
/* Returns the events of all rows. */
uint64_t text_nevents(const struct out_counts *);
/* Pads what was appended since `from` to its column. */
void text_cell(struct buf *, size_t from, unsigned int width, int isright,
    int islast);
/* Prints the rows that fit, at least one, and how many more there are. */
void text_rows(struct out *, const struct text_space *, size_t nrows,
    void (*row)(struct buf *, const void *arg, size_t i), const void *arg);

/*
 * out_text_syscalls.c: the table; the number of calls and ntimes columns of
 * times, which are fewer on a narrow terminal; "ENOENT 12, EAGAIN 3"
 */
#define TEXT_SYSCALLS_NTIMES 5
void text_syscalls(struct out *, const struct out_syscalls *);
void text_syscalls_numbers(struct buf *, const struct out_syscall *,
    unsigned int ntimes);
void text_syscalls_numbers_head(struct buf *, unsigned int ntimes);
void text_syscalls_failures(struct buf *, const struct out_syscall *);

/*
 * out_text_profile.c: the tables of profile.  text_frame() appends one of
 * their frames: "main (prog) prog.c:12"; text_weight() a weight and its share:
 * "  9.50%      123".
 */
void text_profile(struct out *, const struct out_profile *);
void text_weight(struct buf *, const struct out_profile *, uint64_t weight);
void text_frame(struct buf *, const struct frame *);

/* out_text_trace.c: the thread and time of a call; the blanks before its result */
void text_trace_head(struct out *, const struct dt_event *);
void text_trace_pad(struct buf *, size_t from);

/*
 * out_text_signal.c: prints signals and exits of dt trace; returns whether the
 * event is one of these, or hidden.
 */
int text_signal(struct out *, const struct call *);

/*
 * out_text_wrap.c: breaks the lines that were appended since from, between
 * words, at the width of the terminal.
 */
void text_wrap(struct buf *, size_t from);

/* out_text_tree.c: the stacks as a tree of calls */
void text_tree(struct out *, const struct out_profile *);

/* out_text_hist.c: the histogram of one key, and of nrows keys */
void
text_hist(struct out *, const struct out_counts *, const struct out_count *);
void text_hists(struct out *, const struct out_counts *, size_t nrows);

/* out_text_where.c */
void text_where(struct out *, const struct out_where *);

/* out_text_kcov.c */
void text_kcov(struct out *, const struct out_kcov *);

/* out_text_doctor.c */
void text_doctor(struct out *out, const struct out_doctor *od);

#endif /* CLI_OUT_OUT_TEXT_H */
