/* SPDX-License-Identifier: ISC */
/*
 * What a setting is, and the kinds of values.  A module's settings are rows of
 * a table, which daemon/settings.c lists.
 */
#ifndef DAEMON_BASE_CONF_KEY_H
#define DAEMON_BASE_CONF_KEY_H

#include <stddef.h>
#include <stdint.h>

#define CONF_RELOAD 0x1 /* may change while dtd runs */

/*
 * A value goes to a variable by ck_set, or, where a variable is not enough, to
 * ck_say, which says by itself what is wrong.
 */
struct conf_key {
	const char *ck_name;
	/* 0, or -1: that is no such value, and *var is as it was. */
	int (*ck_set)(void *var, const char *value);
	void *ck_var;
	size_t ck_size;	     /* bytes of it */
	const char *ck_want; /* what ck_set takes, in words */
	int ck_flags;	     /* CONF_RELOAD */
	/* 0, or -1 with the reason in why, which may begin with "N:" for the
	 * N-th character of the value. */
	int (*ck_say)(const char *value, char *why, size_t len);
};

#define CONF(name, set, var, want, flags) \
	{ \
		name, set, &(var), sizeof(var), want, flags, NULL \
	}

/* What a module has beside its table may be NULL. */
struct conf_module {
	const struct conf_key *cm_keys; /* ends with ck_name NULL */
	void (*cm_begin)(void);	 /* the files are about to be read again */
	void (*cm_commit)(void); /* they are right, and hold from now on */
	void (*cm_abort)(void);	 /* they are wrong: nothing changes */
};

extern const struct conf_module conf_modules[]; /* ends with cm_keys NULL */
extern const struct conf_key conf_keys[];	/* the fields of struct conf */

int conf_bool(void *, const char *);
int conf_bytes(void *, const char *);	/* uint64_t */
int conf_percent(void *, const char *); /* uint64_t, millionths */
int conf_pairs(void *, const char *);
int conf_seconds(void *, const char *); /* uint64_t */
int conf_processes(void *, const char *);
int conf_kprobeattach(void *, const char *);
int conf_directory(void *, const char *);
int conf_urls(void *, const char *);
int conf_folder(void *, const char *);

#endif /* DAEMON_BASE_CONF_KEY_H */
