/* SPDX-License-Identifier: ISC */
/*
 * Demangles names with libiberty.  A short mangled name may stand for one of
 * gigabytes, so a callback receives the output in pieces and leaves libiberty
 * with longjmp() when the buffer is full.  At that point libiberty has
 * allocated only the buffer of a Rust identifier in punycode, which leaks.
 */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

#include "symbolizer/demangle.h"

struct sink {
	char *sk_out;
	size_t sk_n;
	jmp_buf sk_full;
};

static void
sink_put(const char *s, size_t n, void *arg)
{
	struct sink *sk = arg;
	size_t room = SYMREQ_NAME - sk->sk_n;

	memcpy(sk->sk_out + sk->sk_n, s, n < room ? n : room);
	sk->sk_n += n < room ? n : room;
	if (n >= room)
		longjmp(sk->sk_full, 1);
}

static void
cut(char out[SYMREQ_NAME])
{
	memcpy(out + SYMREQ_NAME - 4, "...", 4);
}

static int
demangle(const char *mangled, int options, char out[SYMREQ_NAME])
{
	struct sink sk = { .sk_out = out };
	int done;

	if (setjmp(sk.sk_full) != 0) {
		cut(out);
		return 1;
	}
	done = rust_demangle_callback(mangled, 0, sink_put, &sk);
	if (!done) {
		sk.sk_n = 0;
		done = cplus_demangle_v3_callback(mangled, options, sink_put,
		    &sk);
	}
	out[sk.sk_n] = '\0';
	return done && sk.sk_n > 0;
}

static int
is_mangled(const char *s)
{
	return strncmp(s, "_Z", 2) == 0 || strncmp(s, "_R", 2) == 0 ||
	    strncmp(s, "__Z", 3) == 0 || strncmp(s, "___Z", 4) == 0;
}

static void
demangle_with(const char *raw, size_t len, int options, char out[SYMREQ_NAME])
{
	char mangled[SYMNAME_MAX]; /* longer names are not demangled */
	const char *at;

	at = len > 1 ? memchr(raw + 1, '@', len - 1) : NULL;
	if (at != NULL)
		len = at - raw;
	if (len < sizeof(mangled)) {
		memcpy(mangled, raw, len);
		mangled[len] = '\0';
		if (is_mangled(mangled) && demangle(mangled, options, out))
			return;
	}
	if (len < SYMREQ_NAME) {
		memcpy(out, raw, len);
		out[len] = '\0';
		return;
	}
	memcpy(out, raw, SYMREQ_NAME);
	cut(out);
}

void
demangle_name(const char *raw, size_t len, char out[SYMREQ_NAME])
{
	/* Without parameters, as perf(1) does. */
	demangle_with(raw, len, DMGL_NO_OPTS, out);
}

void
demangle_signature(const char *raw, size_t len, char out[SYMREQ_NAME])
{
	demangle_with(raw, len, DMGL_PARAMS | DMGL_ANSI, out);
}
