/* SPDX-License-Identifier: ISC */
/* What makes two files the same, see file_id.h. */
#include <string.h>

#include "daemon/procs/file_id.h"

/* Memory by other names than "//anon". */
static const char *const anons[] = { "/dev/zero", "/SYSV", "/anon_hugepage",
	"[anon" };

static const char DELETED[] = " (deleted)";

static int
has_prefix(const struct symid *si, const char *prefix)
{
	size_t len = strlen(prefix);

	return si->si_pathlen >= len && memcmp(si->si_path, prefix, len) == 0;
}

static int
is_anon(const struct symid *si)
{
	size_t i;

	if (si->si_pathlen == 0 || has_prefix(si, "//anon"))
		return 1;
	for (i = 0; i < sizeof(anons) / sizeof(anons[0]); i++)
		if (has_prefix(si, anons[i]))
			return 1;
	return 0;
}

static void
key_name(struct file_id *sk, const char *name)
{
	sk->sk_id = (struct symid){ .si_path = name,
		.si_pathlen = strlen(name) };
}

static uint64_t
key_hash(const struct symid *si)
{
	uint64_t h = 14695981039346656037ULL ^ si->si_ino;
	size_t i;

	for (i = 0; i < si->si_pathlen; i++)
		h = (h ^ (uint8_t)si->si_path[i]) * 1099511628211ULL;
	return h;
}

void
symkey_make(struct file_id *sk, const struct symid *si, int is32)
{
	const size_t len = sizeof(DELETED) - 1;

	*sk = (struct file_id){ .sk_id = *si };
	if (has_prefix(si, "[vdso]")) {
		sk->sk_kind = SYMFILE_VDSO;
		key_name(sk, "[vdso]");
		sk->sk_id.si_ino = is32 ? SYMKEY_VDSO32 : 0;
	} else if (is_anon(si)) {
		sk->sk_kind = SYMFILE_ANON;
		key_name(sk, "//anon");
	} else if (si->si_path[0] == '[') { /* [heap], [stack], [vsyscall] */
		sk->sk_kind = SYMFILE_ANON;
		sk->sk_id.si_dev = sk->sk_id.si_ino = 0;
	} else if (si->si_pathlen > len &&
	    memcmp(si->si_path + si->si_pathlen - len, DELETED, len) == 0) {
		sk->sk_deleted = 1;
		sk->sk_id.si_pathlen -= len;
	}
	sk->sk_hash = key_hash(&sk->sk_id);
}

int
symkey_is(const struct symfile *sf, const struct file_id *sk)
{
	const struct symid *si = &sk->sk_id;

	return sf->sf_hash == sk->sk_hash && sf->sf_dev == si->si_dev &&
	    sf->sf_ino == si->si_ino &&
	    (sf->sf_gen == 0 || si->si_gen == 0 || sf->sf_gen == si->si_gen) &&
	    strncmp(sf->sf_path, si->si_path, si->si_pathlen) == 0 &&
	    sf->sf_path[si->si_pathlen] == '\0';
}
