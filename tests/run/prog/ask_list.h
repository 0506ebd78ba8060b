/* SPDX-License-Identifier: ISC */
/*
 * The step of ask.c about lists: the reply to arrays of each size, and that the
 * array's other bytes stay unchanged.
 */
#ifndef ASK_LIST_H
#define ASK_LIST_H

#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libdt.h>

#include "tests/run/prog/ask_handle.h"
#include "tests/run/prog/ask_name.h"
#include "tests/run/prog/ask_open.h"

/* The commands that fill an array; their structs differ only in its type. */
struct list {
	unsigned long ls_cmd;
	size_t ls_entsize;
	const char *ls_pattern;
	uint32_t ls_pbn;
};

static int
ask_list_call(struct handle *h, const struct list *ls, size_t *size,
    void *array)
{
	union {
		struct dtioc_probe probe;
		struct dtioc_prov prov;
		struct dtioc_lookup lookup;
		struct dtioc_arg arg;
		struct dtioc_argname argname;
	} u;
	size_t *sizep;
	int r;

	memset(&u, 0, sizeof(u));
	switch (ls->ls_cmd) {
	case DTIOCLOOKUP:
		u.lookup = (struct dtioc_lookup){ ls->ls_pattern, *size,
			array };
		sizep = &u.lookup.dtlk_size;
		break;
	case DTIOCGARGS:
		u.arg = (struct dtioc_arg){ ls->ls_pbn, *size, array };
		sizep = &u.arg.dtar_size;
		break;
	case DTIOCGARGNAMES:
		u.argname = (struct dtioc_argname){ ls->ls_pbn, *size, array };
		sizep = &u.argname.dtan_size;
		break;
	case DTIOCGPROVS:
		u.prov = (struct dtioc_prov){ *size, array };
		sizep = &u.prov.dtpo_size;
		break;
	default:
		u.probe = (struct dtioc_probe){ *size, array };
		sizep = &u.probe.dtpr_size;
		break;
	}
	r = dt_ioctl(h->h_dt, ls->ls_cmd, &u);
	*size = *sizep;
	return r;
}

/* Expands a pattern: unchanged, or %N for N letters. */
static const char *
ask_pattern(const char *s)
{
	static char letters[1024];

	if (s == NULL || *s != '%')
		return s;
	memset(letters, 'a', sizeof(letters));
	letters[name_num(s + 1) % sizeof(letters)] = '\0';
	return letters;
}

/* Finds the list: GPLIST, GPROVS, LOOKUP=PATTERN, GARGS=PBN, GARGNAMES=PBN. */
static void
ask_list_which(struct handle *h, const struct words *w, struct list *ls)
{
	const char *s = name_word(w, 1), *eq = strchr(s, '=');
	struct dtioc_probe_info *pi;
	char name[32];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(s, "="), s);
	memset(ls, 0, sizeof(*ls));
	ls->ls_cmd = ask_command(name);
	ls->ls_entsize = sizeof(struct dtioc_probe_info);
	if (ls->ls_cmd == DTIOCLOOKUP)
		ls->ls_pattern = ask_pattern(eq != NULL ? eq + 1 : NULL);
	if (ls->ls_cmd == DTIOCGPROVS)
		ls->ls_entsize = sizeof(struct dtioc_prov_info);
	if (ls->ls_cmd != DTIOCGARGS && ls->ls_cmd != DTIOCGARGNAMES)
		return;
	ls->ls_entsize = ls->ls_cmd == DTIOCGARGS
	    ? sizeof(struct dtioc_arg_info)
	    : sizeof(struct dtioc_argname_info);
	if (isdigit((unsigned char)eq[1]))
		ls->ls_pbn = name_num(eq + 1);
	else if (dt_lookup(h->h_dt, eq + 1, &pi) > 0) {
		ls->ls_pbn = pi->dtpi_pbn;
		free(pi);
	}
}

/* Returns whether buf[from, to) was not written. */
static int
ask_is_poison(const uint8_t *buf, size_t from, size_t to)
{
	for (; from < to; from++)
		if (buf[from] != ASK_POISON)
			return 0;
	return 1;
}

/* Requests a list with a buffer of size bytes and checks the bytes written. */
static void
ask_list_try(struct handle *h, const struct list *ls, size_t size,
    const uint8_t *all, size_t total, struct answer *an)
{
	size_t room = size + total + 4096, told = size;
	size_t fits = size / ls->ls_entsize * ls->ls_entsize;
	uint8_t *buf = malloc(room);
	int error = 0;

	if (buf == NULL)
		err(2, NULL);
	memset(buf, ASK_POISON, room);
	if (ask_list_call(h, ls, &told, buf) == -1)
		error = errno;
	if (fits > total)
		fits = total;
	if (error != 0 && error != ENOSPC)
		ask_say(an, "%s", name_errno(error));
	else if (told != (error == 0 ? total : size))
		ask_say(an, "SIZE");
	else if (memcmp(buf, all, fits) != 0 || !ask_is_poison(buf, fits, room))
		ask_say(an, "CONTENT");
	else
		ask_say(an, "%s", error == 0 ? "0" : "ENOSPC");
	free(buf);
}

/*
 * list WHICH [ask|exact|larger|odd|small|one|null]: ask returns the number of
 * elements.  The others give a buffer: for all, for more than all, for all and
 * part of an element, for one less, for less than one, and NULL.
 */
static void
ask_list(struct handle *h, const struct words *w, struct answer *an)
{
	const char *how = w->wd_n > 2 ? w->wd_v[2] : "ask";
	size_t total = 0, size;
	struct list ls;
	uint8_t *all;

	ask_list_which(h, w, &ls);
	if (ask_list_call(h, &ls, &total, NULL) == -1 ||
	    strcmp(how, "ask") == 0) {
		if (total % ls.ls_entsize != 0)
			ask_say(an, "SIZE");
		else if (total == 0)
			ask_say_result(an, errno == 0 ? 0 : -1);
		else
			ask_say(an, "%zu", total / ls.ls_entsize);
		return;
	}
	size = total;
	if ((all = malloc(total + 1)) == NULL)
		err(2, NULL);
	if (total > 0 && ask_list_call(h, &ls, &size, all) == -1)
		ask_say(an, "%s", name_errno(errno));
	else if (strcmp(how, "null") == 0)
		ask_say_result(an, ask_list_call(h, &ls, &size, NULL));
	else {
		size = total;
		size += strcmp(how, "larger") == 0 ? 5 * ls.ls_entsize : 0;
		size += strcmp(how, "odd") == 0 ? 3 : 0;
		size -= strcmp(how, "small") == 0 ? 1 : 0;
		size = strcmp(how, "one") == 0 ? 1 : size;
		ask_list_try(h, &ls, size, all, total, an);
	}
	free(all);
}

#endif /* ASK_LIST_H */
