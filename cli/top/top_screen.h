/* SPDX-License-Identifier: ISC */
/*
 * The terminal, by ncurses, which is loaded when a screen is opened: linking it
 * would slow down each start of dt.
 */
#ifndef CLI_TOP_TOP_SCREEN_H
#define CLI_TOP_TOP_SCREEN_H

#include <stddef.h>

#include "cli/top/top_layout.h"

/* Keys besides characters. */
enum screen_key {
	SCREEN_NOKEY = -1,
	SCREEN_UP = 0x100000,
	SCREEN_DOWN,
	SCREEN_LEFT,
	SCREEN_RIGHT,
	SCREEN_PAGEUP,
	SCREEN_PAGEDOWN,
	SCREEN_HOME,
	SCREEN_END,
	SCREEN_RESIZE,
	SCREEN_OTHER,
};

#define SCREEN_ENTER	 '\r'
#define SCREEN_ESCAPE	 0x1b
#define SCREEN_BACKSPACE 0x7f

/*
 * Opens the screen; exits if there is no terminal.  From then on stderr is kept
 * and printed when the screen has been closed: at exit, or by a signal that ends
 * dt.
 */
void top_screen_open(void);
void top_screen_close(void);
unsigned int top_screen_lines(void);
unsigned int top_screen_width(void);
void top_screen_clear(void);
void top_screen_put(unsigned int line, const char *, size_t, enum top_look);
/* Shows what was put. */
void top_screen_show(void);
/* Returns the next key, or SCREEN_NOKEY. */
int top_screen_key(void);

#endif /* CLI_TOP_TOP_SCREEN_H */
