/* SPDX-License-Identifier: ISC */
/*
 * Describes settings and the parsers of their values.  Each module's settings
 * are rows of a table, which daemon/conf_modules.c lists.
 */
#ifndef DAEMON_BASE_CONF_KEY_H
#define DAEMON_BASE_CONF_KEY_H

#include <stddef.h>
#include <stdint.h>

#define CONF_RELOAD 0x1 /* may change while dtd runs */

/*
 * A setting.  ck_set stores its value in a variable; a setting that needs more
 * than that has ck_say instead, which reports its errors itself.
 */
struct conf_key {
	const char *ck_name;
	/* Returns 0, or -1 if the value is invalid; *var is then unchanged. */
	int (*ck_set)(void *var, const char *value);
	void *ck_var;
	size_t ck_size;	     /* sizeof of the variable */
	const char *ck_want; /* the values that ck_set accepts, as text */
	int ck_flags;	     /* CONF_RELOAD */
	/*
	 * Returns 0, or -1 with the reason in why, which may begin with "N:" to
	 * refer to the N-th character of the value.
	 */
	int (*ck_say)(const char *value, char *why, size_t len);
};

#define CONF(name, set, var, want, flags) \
	{ \
		name, set, &(var), sizeof(var), want, flags, NULL \
	}

/* Functions that a module does not need are NULL. */
struct conf_module {
	const struct conf_key *cm_keys; /* ends with ck_name NULL */
	void (*cm_begin)(void);		/* before the files are read again */
	void (*cm_commit)(void); /* the files are valid: use the new values */
	void (*cm_abort)(void);	 /* the files are invalid: discard the new
				  * values */
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
