/* SPDX-License-Identifier: ISC */
/*
 * Calls ncurses, and restores the terminal at the end.  A signal that ends dt restores the terminal
 * without ncurses, whose functions must not be called in a handler.
 */
#include <dlfcn.h>
#include <err.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include "cli/top/top_screen.h"

#define SCREEN_LIBRARY "libncursesw.so.6"

/*
 * The part of the ABI of this version of the library that is used.  With these
 * lines, dt is built without headers of ncurses.
 */
struct screen_window;
#define CURSES_ERR	 (-1)
#define CURSES_KEY	 0400 /* the first key besides characters */
#define CURSES_DOWN	 0402
#define CURSES_UP	 0403
#define CURSES_LEFT	 0404
#define CURSES_RIGHT	 0405
#define CURSES_HOME	 0406
#define CURSES_BACKSPACE 0407
#define CURSES_PAGEDOWN	 0522
#define CURSES_PAGEUP	 0523
#define CURSES_ENTER	 0527
#define CURSES_END	 0550
#define CURSES_RESIZE	 0632
#define CURSES_UNDERLINE (1U << 17)
#define CURSES_REVERSE	 (1U << 18)
#define CURSES_BOLD	 (1U << 21)
#define SCREEN_ESCMSEC	 50 /* of ESC, after which no sequence follows */

/* The functions that are used: result, name, arguments. */
#define SCREEN_FUNCTIONS(X) \
	X(void *, newterm, (const char *, FILE *, FILE *)) \
	X(int, endwin, (void)) \
	X(int, cbreak, (void)) \
	X(int, noecho, (void)) \
	X(int, nonl, (void)) \
	X(int, curs_set, (int)) \
	X(int, set_escdelay, (int)) \
	X(int, keypad, (struct screen_window *, unsigned char)) \
	X(int, nodelay, (struct screen_window *, unsigned char)) \
	X(int, wgetch, (struct screen_window *)) \
	X(int, werase, (struct screen_window *)) \
	X(int, wmove, (struct screen_window *, int, int)) \
	X(int, waddnstr, (struct screen_window *, const char *, int)) \
	X(int, wattr_set, \
	    (struct screen_window *, unsigned int, short, void *)) \
	X(int, wrefresh, (struct screen_window *)) \
	X(int, clearok, (struct screen_window *, unsigned char)) \
	X(int, reset_prog_mode, (void)) \
	X(int, getmaxx, (const struct screen_window *)) \
	X(int, getmaxy, (const struct screen_window *)) \
	X(char *, tigetstr, (const char *))

#define SCREEN_POINTER(result, name, args) result(*sf_##name) args;
#define SCREEN_NAME(result, name, args)	   #name,

static struct {
	SCREEN_FUNCTIONS(SCREEN_POINTER)
} screen_lib;

static const char *const screen_names[] = { SCREEN_FUNCTIONS(SCREEN_NAME) };

#define CALL(name, ...) (screen_lib.sf_##name(__VA_ARGS__))

static struct screen_window *screen_window;
static struct screen_window *const *screen_stdscr; /* set by newterm() */
static int screen_isopen;
static int screen_stderr = -1, screen_kept = -1;
static struct termios screen_termios;
static char screen_restore[256]; /* sequences that end the full screen */
static volatile sig_atomic_t screen_continued;
static int screen_isresized;

static void
screen_load(void)
{
	void *lib = dlopen(SCREEN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	void *p = &screen_lib, *f;
	size_t i;

	if (lib == NULL)
		errx(1,
		    "the screen needs " SCREEN_LIBRARY
		    " (package libncursesw6); dt top -b works without");
	for (i = 0; i < sizeof(screen_names) / sizeof(screen_names[0]); i++) {
		if ((f = dlsym(lib, screen_names[i])) == NULL)
			errx(1, SCREEN_LIBRARY " lacks %s", screen_names[i]);
		memcpy((char *)p + i * sizeof(f), &f, sizeof(f));
	}
	if ((screen_stdscr = dlsym(lib, "stdscr")) == NULL)
		errx(1, SCREEN_LIBRARY " lacks stdscr");
}

/* Ends */

/* Copies what was written to stderr meanwhile.  Async-signal-safe. */
static void
screen_messages(void)
{
	char text[4096];
	ssize_t n;
	off_t at = 0;

	if (screen_kept == -1)
		return;
	while ((n = pread(screen_kept, text, sizeof(text), at)) > 0) {
		if (write(screen_stderr, text, n) == -1)
			break;
		at += n;
	}
	dup2(screen_stderr, STDERR_FILENO);
	screen_kept = -1;
}

static void
screen_signal(int signo)
{
	size_t len = strlen(screen_restore);

	if (screen_isopen) {
		screen_isopen = 0;
		tcsetattr(STDIN_FILENO, TCSANOW, &screen_termios);
		if (write(STDOUT_FILENO, screen_restore, len) == -1)
			_exit(1);
		screen_messages();
	}
	signal(signo, SIG_DFL);
	raise(signo); /* takes effect when the handler returns */
}

static void
screen_cont(int signo)
{
	(void)signo;
	screen_continued = 1;
}

static void
screen_signals(void)
{
	static const int fatal[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT,
		SIGQUIT, SIGXCPU, SIGSYS, SIGPIPE };
	struct sigaction sa = { .sa_handler = screen_signal };
	size_t i;

	for (i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		sigaction(fatal[i], &sa, NULL);
	sa.sa_handler = screen_cont;
	sa.sa_flags = SA_RESTART;
	sigaction(SIGCONT, &sa, NULL);
}

/* Collects the sequences that undo what ncurses does to a terminal. */
static void
screen_sequences(void)
{
	static const char *const names[] = { "sgr0", "rmkx", "cnorm", "rmcup" };
	const char *s;
	size_t i, n = 0;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		s = CALL(tigetstr, names[i]);
		if (s != NULL && s != (const char *)-1 &&
		    n + strlen(s) < sizeof(screen_restore))
			n += snprintf(screen_restore + n,
			    sizeof(screen_restore) - n, "%s", s);
	}
}

void
top_screen_open(void)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		errx(1, "the screen needs a terminal; dt top -b prints text");
	setlocale(LC_CTYPE, "");
	screen_load();
	tcgetattr(STDIN_FILENO, &screen_termios);
	if (CALL(newterm, NULL, stdout, stdin) == NULL)
		errx(1,
		    "this terminal ($TERM) is unknown or has no screen; dt "
		    "top -b prints text");
	screen_window = *screen_stdscr;
	screen_sequences();
	screen_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	screen_kept = memfd_create("stderr", MFD_CLOEXEC);
	if (screen_stderr != -1 && screen_kept != -1)
		dup2(screen_kept, STDERR_FILENO);
	screen_isopen = 1;
	atexit(top_screen_close);
	screen_signals();
	CALL(set_escdelay, SCREEN_ESCMSEC);
	CALL(cbreak);
	CALL(noecho);
	CALL(nonl);
	CALL(curs_set, 0);
	CALL(keypad, screen_window, 1);
	CALL(nodelay, screen_window, 1);
}

void
top_screen_close(void)
{
	if (!screen_isopen)
		return;
	screen_isopen = 0;
	CALL(endwin);
	screen_messages();
}

/* Output */

unsigned int
top_screen_lines(void)
{
	return CALL(getmaxy, screen_window);
}

unsigned int
top_screen_width(void)
{
	return CALL(getmaxx, screen_window);
}

/*
 * A terminal moves lines when its size changes.  ncurses does not know their new
 * places, so everything is written again.
 */
void
top_screen_clear(void)
{
	static unsigned int lines, width;

	CALL(werase, screen_window);
	if (screen_isresized || top_screen_lines() != lines ||
	    top_screen_width() != width)
		CALL(clearok, screen_window, 1);
	screen_isresized = 0;
	lines = top_screen_lines();
	width = top_screen_width();
}

void
top_screen_put(unsigned int line, const char *text, size_t len,
    enum top_look look)
{
	static const unsigned int attrs[] = {
		[TOP_PLAIN] = 0,
		[TOP_HEAD] = CURSES_BOLD | CURSES_UNDERLINE,
		[TOP_SELECTED] = CURSES_REVERSE,
		[TOP_LOSS] = CURSES_BOLD | CURSES_REVERSE,
	};

	CALL(wattr_set, screen_window, attrs[look], 0, NULL);
	CALL(wmove, screen_window, line, 0);
	CALL(waddnstr, screen_window, text, len);
	CALL(wattr_set, screen_window, 0, 0, NULL);
}

void
top_screen_show(void)
{
	if (screen_continued) { /* another program used the terminal */
		screen_continued = 0;
		CALL(reset_prog_mode);
		CALL(clearok, screen_window, 1);
	}
	CALL(wrefresh, screen_window);
}

/* Input */

int
top_screen_key(void)
{
	static const struct {
		int from, to;
	} keys[] = {
		{ CURSES_UP, SCREEN_UP },
		{ CURSES_DOWN, SCREEN_DOWN },
		{ CURSES_LEFT, SCREEN_LEFT },
		{ CURSES_RIGHT, SCREEN_RIGHT },
		{ CURSES_PAGEUP, SCREEN_PAGEUP },
		{ CURSES_PAGEDOWN, SCREEN_PAGEDOWN },
		{ CURSES_HOME, SCREEN_HOME },
		{ CURSES_END, SCREEN_END },
		{ CURSES_ENTER, SCREEN_ENTER },
		{ CURSES_BACKSPACE, SCREEN_BACKSPACE },
		{ CURSES_RESIZE, SCREEN_RESIZE },
		{ '\n', SCREEN_ENTER },
		{ '\b', SCREEN_BACKSPACE },
	};
	int key = CALL(wgetch, screen_window);
	size_t i;

	if (key == CURSES_ERR)
		return SCREEN_NOKEY;
	screen_isresized |= key == CURSES_RESIZE;
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].from == key)
			return keys[i].to;
	return key < CURSES_KEY ? key : SCREEN_OTHER;
}
