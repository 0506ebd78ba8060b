/* SPDX-License-Identifier: ISC */
/* Derives the identity of a mapped file, and compares it with known files. */
#include <string.h>

#include "daemon/procs/file_id.h"

/* Memory by other names than "//anon". */
static const char *const anons[] = { "/dev/zero", "/SYSV", "/anon_hugepage",
	"[anon" };

static const char DELETED[] = " (deleted)";

static int
has_prefix(const struct inode_id *ii, const char *prefix)
{
	size_t len = strlen(prefix);

	return ii->ii_pathlen >= len && memcmp(ii->ii_path, prefix, len) == 0;
}

static int
is_anon(const struct inode_id *ii)
{
	size_t i;

	if (ii->ii_pathlen == 0 || has_prefix(ii, "//anon"))
		return 1;
	for (i = 0; i < sizeof(anons) / sizeof(anons[0]); i++)
		if (has_prefix(ii, anons[i]))
			return 1;
	return 0;
}

static void
key_name(struct file_id *fid, const char *name)
{
	fid->fid_id = (struct inode_id){ .ii_path = name,
		.ii_pathlen = strlen(name) };
}

static uint64_t
key_hash(const struct inode_id *ii)
{
	uint64_t h = 14695981039346656037ULL ^ ii->ii_ino;
	size_t i;

	for (i = 0; i < ii->ii_pathlen; i++)
		h = (h ^ (uint8_t)ii->ii_path[i]) * 1099511628211ULL;
	return h;
}

void
file_id_make(struct file_id *fid, const struct inode_id *ii, int is32)
{
	const size_t len = sizeof(DELETED) - 1;

	*fid = (struct file_id){ .fid_id = *ii };
	if (has_prefix(ii, "[vdso]")) {
		fid->fid_kind = MAPPED_FILE_VDSO;
		key_name(fid, "[vdso]");
		fid->fid_id.ii_ino = is32 ? FILE_ID_VDSO32 : 0;
	} else if (is_anon(ii)) {
		fid->fid_kind = MAPPED_FILE_ANON;
		key_name(fid, "//anon");
	} else if (ii->ii_path[0] == '[') { /* [heap], [stack], [vsyscall] */
		fid->fid_kind = MAPPED_FILE_ANON;
		fid->fid_id.ii_dev = fid->fid_id.ii_ino = 0;
	} else if (ii->ii_pathlen > len &&
	    memcmp(ii->ii_path + ii->ii_pathlen - len, DELETED, len) == 0) {
		fid->fid_deleted = 1;
		fid->fid_id.ii_pathlen -= len;
	}
	fid->fid_hash = key_hash(&fid->fid_id);
}

int
file_id_is(const struct mapped_file *mf, const struct file_id *fid)
{
	const struct inode_id *ii = &fid->fid_id;

	return mf->mf_hash == fid->fid_hash && mf->mf_dev == ii->ii_dev &&
	    mf->mf_ino == ii->ii_ino &&
	    (mf->mf_gen == 0 || ii->ii_gen == 0 || mf->mf_gen == ii->ii_gen) &&
	    strncmp(mf->mf_path, ii->ii_path, ii->ii_pathlen) == 0 &&
	    mf->mf_path[ii->ii_pathlen] == '\0';
}
