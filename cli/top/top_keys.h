/* SPDX-License-Identifier: ISC */
/* The state of the full screen: the cursor, and what it shows. */
#ifndef CLI_TOP_TOP_KEYS_H
#define CLI_TOP_TOP_KEYS_H

#include "cli/top/top_screen.h"

/* The state of the screen. */
struct keys_screen {
	struct top_run *ksc_top;
	size_t ksc_first;	   /* row at the top */
	size_t ksc_selected;	   /* row of the cursor */
	struct top_row ksc_wanted; /* identifies the selected row */
	char ksc_wantedname[256];
	int ksc_isshown; /* the cursor was moved */
	int ksc_ishelp;
	int ksc_isquit;
	int ksc_isediting;	 /* the filter is typed */
	const char *ksc_message; /* NULL: none */
	uint64_t ksc_due;	 /* time of the next reading */
};

/* A key, or two for one purpose; other 0: one. */
struct keys_row {
	int kro_key, kro_other;
	void (*kro_func)(struct keys_screen *);
	const char *kro_name, *kro_help; /* NULL: not in the help */
};

/* All keys except the views' digits; the last row has no function. */
extern const struct keys_row keys_table[];

/* Returns the number of rows that fit on the screen. */
size_t top_draw_nrows(struct top_run *);
/* top_draw.c: writes the whole screen. */
void top_draw(struct keys_screen *);

#endif /* CLI_TOP_TOP_KEYS_H */
