/* SPDX-License-Identifier: ISC */
/*
 * The format in which a dt passes its result to a dt on another machine, which
 * merges it (-H).  Both have the same version, so it may change.
 *
 * A line is a letter and fields, each after a tab.  Tabs, newlines and
 * backslashes of a field are \t, \n and \\.  The cells of a table are as dt
 * prints them, so only their order and widths are left to do.
 */
#ifndef CLI_OUT_OUT_WIRE_H
#define CLI_OUT_OUT_WIRE_H

/*
 * Other lines than those below are JSON objects, or have WIRE_TEXT before text
 * that is printed as it is.
 */
#define WIRE_TEXT '='

/*
 * A table: ns, whether it is of an interval, its end (seconds, ns), events, the
 * names of the numbers.
 */
#define WIRE_TABLE  'T'
#define WIRE_COLUMN 'C' /* name, least and most width, whether right-aligned */
/* sort key, numbers, a cell per column; lines below the row, which may miss */
#define WIRE_ROW     'R'
#define WIRE_NOTE    'N' /* text below the table */
#define WIRE_END     'E' /* of a table or profile */

#define WIRE_NTABLE  6 /* fields */
#define WIRE_NCOLUMN 4

/*
 * A profile: unit, name, samples or hits, idle, without value, judged, complete,
 * by table, period, start (seconds, ns), duration; then hits and ns of each of
 * PROFILE_NWAITS kinds of wait.
 */
#define WIRE_PROFILE 'P'
#define WIRE_WHY     'W' /* count, reason */
/*
 * kernel, inlined, has a function, name, module, build id in hex, file, line,
 * address, offset in the file, offset in the function.  Frames are numbered from
 * 0.
 */
#define WIRE_FRAME 'F'
/*
 * weight, hits, wait, process, several processes, name of the process, kernel
 * frames, has a user stack, ends of both stacks, reason if incomplete, and the
 * numbers of its frames with commas between
 */
#define WIRE_STACK    'S'

#define WIRE_NPROFILE (12 + 2 * PROFILE_NWAITS)
#define WIRE_NWHY     2
#define WIRE_NFRAME   11
#define WIRE_NSTACK   12

struct buf;
/* Appends a field; NULL: an empty one. */
void out_wire_text(struct buf *, const char *);

#endif /* CLI_OUT_OUT_WIRE_H */
