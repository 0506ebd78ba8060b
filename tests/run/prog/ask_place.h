/* SPDX-License-Identifier: ISC */
/*
 * Memory that the arguments of a call point to, for ask_worker.h.  32-bit calls
 * can use its addresses.  An argument is a number, or:
 *
 *	@text:S		the string S
 *	@long:N		a string of N characters, that begins with '/'
 *	@edge:S		S, whose NUL is the last byte before unmapped memory
 *	@cut:S		S without its NUL, next to unmapped memory
 *	@fresh:S	S, in a page that was never touched
 *	@bad		unmapped memory
 *	@mem:HEX	bytes
 *	@nsecs:N	a struct timespec
 *	@memedge:HEX	bytes, next to unmapped memory
 *	@vec:S+S+...	pointers to strings, and NULL; @vec32: of 4 bytes
 *	@many:N:LEN	pointers to N strings of LEN characters, and NULL; @many32
 *	@endless:N	N pointers to strings, next to unmapped memory
 *	@last		the result of the previous call (no memory)
 */
#ifndef ASK_PLACE_H
#define ASK_PLACE_H

#include <sys/mman.h>

#include <err.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/run/prog/ask_name.h"

#ifdef MAP_32BIT
#define PLACE_FLAGS MAP_32BIT
#else
#define PLACE_FLAGS 0
#endif

static size_t
place_page(void)
{
	return (size_t)getpagesize();
}

/* Maps size bytes, followed by an unmapped page.  Returns their end. */
static char *
place_room(size_t size)
{
	size_t page = place_page();
	size_t n = (size + page - 1) / page * page + page;
	char *p = mmap(NULL, n, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | PLACE_FLAGS, -1, 0);

	if (p == MAP_FAILED)
		err(2, "mmap");
	munmap(p + n - page, page);
	return p + n - page;
}

/* Copies bytes to memory, with or without mapped memory after them. */
static char *
place_bytes(const void *bytes, size_t n, int edge)
{
	size_t room = edge ? n : n + 2 * place_page();

	return memcpy(place_room(room) - room, bytes, n);
}

static char *
place_text(const char *s)
{
	return place_bytes(s, strlen(s) + 1, 0);
}

static char *
place_edge(const char *s)
{
	return place_bytes(s, strlen(s) + 1, 1);
}

static char *
place_cut(const char *s)
{
	return place_bytes(s, strlen(s), 1);
}

static char *
place_long(const char *s)
{
	size_t n = name_num(s);
	char *p = place_room(n + 1) - n - 1;

	memset(p, 'a', n);
	p[0] = '/';
	return p;
}

/* Maps a file, so that the page is not in this process's page table. */
static char *
place_fresh(const char *s)
{
	int fd = memfd_create("fresh", MFD_CLOEXEC);
	size_t n = strlen(s) + 1;
	char *p;

	if (fd == -1 || write(fd, s, n) != (ssize_t)n)
		err(2, "memfd");
	p = mmap(NULL, n, PROT_READ, MAP_PRIVATE | PLACE_FLAGS, fd, 0);
	if (p == MAP_FAILED)
		err(2, "mmap");
	close(fd);
	return p;
}

static char *
place_bad(const char *s)
{
	(void)s;
	return place_room(1);
}

static char *
place_hex(const char *s, int edge)
{
	uint8_t buf[1024];

	return place_bytes(buf, name_hex(s, buf, sizeof(buf)), edge);
}

static char *
place_mem(const char *s)
{
	return place_hex(s, 0);
}

static char *
place_memedge(const char *s)
{
	return place_hex(s, 1);
}

/* Writes pointers of the given size, then NULL unless memory ends there. */
static char *
place_pointers(char *const *v, size_t n, size_t size, int endless)
{
	char *p, *to;
	size_t i;

	to = p = endless ? place_room(n * size) - n * size
			 : place_room((n + 1) * size) - (n + 1) * size;
	for (i = 0; i < n; i++, to += size)
		memcpy(to, &v[i], size); /* the low bytes */
	return p;
}

static char *
place_words(const char *s, size_t size)
{
	char *copy = strdup(s), *save = NULL, *word, *v[32], *p;
	size_t n = 0;

	for (word = strtok_r(copy, "+", &save); word != NULL && n < 32;
	     word = strtok_r(NULL, "+", &save))
		v[n++] = place_text(word);
	p = place_pointers(v, n, size, 0);
	free(copy);
	return p;
}

static char *
place_vec(const char *s)
{
	return place_words(s, sizeof(char *));
}

static char *
place_vec32(const char *s)
{
	return place_words(s, 4);
}

/* Writes N pointers to one string of LEN characters. */
static char *
place_same(const char *s, size_t size, int endless)
{
	size_t n = strtoul(s, NULL, 0), i;
	const char *len = strchr(s, ':');
	char **v = calloc(n + 1, sizeof(*v)), *p;

	for (i = 0; i < n; i++)
		v[i] = i > 0 ? v[0] : place_long(len != NULL ? len + 1 : "1");
	p = place_pointers(v, n, size, endless);
	free(v);
	return p;
}

static char *
place_many(const char *s)
{
	return place_same(s, sizeof(char *), 0);
}

static char *
place_many32(const char *s)
{
	return place_same(s, 4, 0);
}

static char *
place_endless(const char *s)
{
	return place_same(s, sizeof(char *), 1);
}

static long place_result; /* of the previous call */

static char *
place_nsecs(const char *s)
{
	long long n = strtoll(s, NULL, 0);
	struct timespec ts = { n / 1000000000, n % 1000000000 };

	return place_bytes(&ts, sizeof(ts), 0);
}

static char *
place_last(const char *s)
{
	(void)s;
	return (char *)place_result;
}

static const struct {
	const char *name;
	char *(*fn)(const char *);
} place_rows[] = {
	{ "@text", place_text },
	{ "@long", place_long },
	{ "@edge", place_edge },
	{ "@cut", place_cut },
	{ "@fresh", place_fresh },
	{ "@bad", place_bad },
	{ "@mem", place_mem },
	{ "@nsecs", place_nsecs },
	{ "@memedge", place_memedge },
	{ "@vec", place_vec },
	{ "@vec32", place_vec32 },
	{ "@many", place_many },
	{ "@many32", place_many32 },
	{ "@endless", place_endless },
	{ "@last", place_last },
};

#define PLACE_NROWS (sizeof(place_rows) / sizeof(place_rows[0]))

/* Returns the value of an argument, given as a text of len characters. */
static long
place_value(const char *s, size_t len)
{
	char *text = strndup(s, len), *colon;
	long v = 0;
	size_t i;

	if (text[0] != '@') {
		v = strtol(text, NULL, 0);
		free(text);
		return v;
	}
	colon = strchr(text, ':');
	if (colon != NULL)
		*colon++ = '\0';
	for (i = 0; i < PLACE_NROWS; i++)
		if (strcmp(place_rows[i].name, text) == 0)
			break;
	if (i == PLACE_NROWS)
		errx(2, "there is no place %s", text);
	v = (long)place_rows[i].fn(colon != NULL ? colon : "");
	free(text);
	return v;
}

#endif /* ASK_PLACE_H */
