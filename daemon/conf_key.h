/* SPDX-License-Identifier: ISC */
/*
 * What a setting is: a row of conf_keys, for conf.c, conf_value.c and
 * conf_parse.c.
 */
#ifndef DAEMON_CONF_KEY_H
#define DAEMON_CONF_KEY_H

#include <stddef.h>
#include <stdint.h>

#include "conf.h"

#define CONF_RELOAD 0x1 /* may change while dtd runs */

/*
 * A value goes to a field of struct conf by ck_set, or, where a field is not
 * enough, to ck_say, which says by itself what is wrong.
 */
struct conf_key {
	const char *ck_name;
	/* 0, or -1: that is no such value, and *field is as it was. */
	int (*ck_set)(void *field, const char *value);
	size_t ck_off;	     /* of the field */
	size_t ck_size;	     /* bytes of it */
	const char *ck_want; /* what ck_set takes, in words */
	int ck_flags;	     /* CONF_RELOAD */
	/* 0, or -1 with the reason in why, which may begin with "N:" for the
	 * N-th character of the value. */
	int (*ck_say)(const char *value, char *why, size_t len);
};

#define CONF(name, set, field, want, flags) \
	{ \
		name, set, offsetof(struct conf, field), \
		    sizeof(((struct conf *)0)->field), want, flags, NULL \
	}

extern const struct conf_key conf_keys[]; /* ends with ck_name NULL */

int conf_bool(void *, const char *);
int conf_bytes(void *, const char *);	/* uint64_t */
int conf_percent(void *, const char *); /* uint64_t, millionths */
int conf_pairs(void *, const char *);
int conf_seconds(void *, const char *); /* uint64_t */
int conf_processes(void *, const char *);
int conf_kprobeattach(void *, const char *);
int conf_monitor(void *, const char *);
int conf_directory(void *, const char *);
int conf_urls(void *, const char *);
int conf_folder(void *, const char *);

#endif /* DAEMON_CONF_KEY_H */
