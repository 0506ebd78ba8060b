/* SPDX-License-Identifier: ISC */
/* Stores the frames, strings and modules of frames.h. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sym/frames.h"

/* Identity of a frame; pointers come from frames_str(). */
struct frames_key {
	const char *frk_name;
	const char *frk_file;
	const struct module *frk_module;
	uint64_t frk_pc;
	uint32_t frk_line;
	uint8_t frk_flags; /* 1: kernel, 2: inlined, 4: has a function */
	uint8_t frk_back;
	uint8_t frk_pad[2];
};

/* By DTFR_*; NULL: described by the errno. */
static const char *const frames_whys[DTFR_NREASON] = {
	[DTFR_NAMED] = "no name",
	[DTFR_NOSYM] = "no symbol",
	[DTFR_NOPROC] = "unknown process",
	[DTFR_NOMAP] = "no code was mapped there",
	[DTFR_NOFILE] = NULL,
	[DTFR_OTHER] = "its file was replaced",
	[DTFR_NOTELF] = "its file has no symbols",
	[DTFR_WORKER] = "its file could not be read",
	[DTFR_ANON] = "code without a file",
	[DTFR_DENIED] = "not allowed",
};

const char *
frames_why(unsigned int why, int error)
{
	if (why < DTFR_NREASON && frames_whys[why] != NULL)
		return frames_whys[why];
	return error != 0 ? strerror(error) : "no name";
}

const char *
frames_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

void
frames_free(struct frames *fs)
{
	hash_clear(&fs->fs_strs);
	hash_free(&fs->fs_modules);
	hash_free(&fs->fs_map);
	free(fs->fs_list);
	memset(fs, 0, sizeof(*fs));
}

const char *
frames_str(struct frames *fs, const char *s)
{
	if (s == NULL)
		return NULL;
	return (const char *)hash_get(&fs->fs_strs, s, strlen(s) + 1)->he_key;
}

const struct module *
frames_module(struct frames *fs, const char *path, const uint8_t *buildid,
    unsigned int len)
{
	struct {
		const char *path;
		uint8_t buildid[24];
	} key = { .path = frames_str(fs, path) };
	struct hash_entry *e;
	struct module *mo;

	if (path == NULL)
		return NULL;
	if (buildid == NULL || len > sizeof(key.buildid))
		len = 0;
	if (len > 0)
		memcpy(key.buildid, buildid, len);
	e = hash_get(&fs->fs_modules, &key, sizeof(key));
	if (e->he_ptr != NULL)
		return e->he_ptr;
	if ((mo = calloc(1, sizeof(*mo))) == NULL)
		err(1, "names");
	mo->mo_path = key.path;
	mo->mo_name = frames_base(key.path);
	memcpy(mo->mo_buildid, key.buildid, sizeof(mo->mo_buildid));
	mo->mo_buildidlen = len;
	mo->mo_id = fs->fs_modules.ha_n - 1;
	return e->he_ptr = mo;
}

const struct module *
frames_module_named(const struct frames *fs, const char *name)
{
	const struct module *mo;
	size_t i;

	for (i = 0; i < fs->fs_n; i++) {
		mo = fs->fs_list[i]->fr_module;
		if (mo != NULL && strcmp(mo->mo_name, name) == 0)
			return mo;
	}
	return NULL;
}

/* Returns the frame of this key, filled from the key. */
static struct frame *
frames_get(struct frames *fs, const struct frames_key *key)
{
	struct hash_entry *e = hash_get(&fs->fs_map, key, sizeof(*key));
	struct frame *fr;

	if (e->he_ptr != NULL)
		return e->he_ptr;
	if ((fr = calloc(1, sizeof(*fr))) == NULL)
		err(1, "names");
	fr->fr_id = fs->fs_n;
	fr->fr_name = key->frk_name;
	fr->fr_func = key->frk_flags & 4 ? key->frk_name : NULL;
	fr->fr_module = key->frk_module;
	fr->fr_file = key->frk_file;
	fr->fr_line = key->frk_line;
	fr->fr_iskernel = key->frk_flags & 1;
	fr->fr_isinlined = (key->frk_flags & 2) != 0;
	if (fs->fs_n == fs->fs_max) {
		fs->fs_max = fs->fs_max ? fs->fs_max * 2 : 1024;
		fs->fs_list = realloc(fs->fs_list,
		    fs->fs_max * sizeof(*fs->fs_list));
		if (fs->fs_list == NULL)
			err(1, "names");
	}
	fs->fs_list[fs->fs_n++] = fr;
	return e->he_ptr = fr;
}

const struct frame *
frames_kernel(struct frames *fs, uint64_t pc, unsigned int back,
    const char *func, uint64_t offset)
{
	struct frames_key key = { .frk_flags = 1 };
	struct frame *fr;
	char hex[32];

	snprintf(hex, sizeof(hex), "%#llx", (unsigned long long)pc);
	key.frk_name = frames_str(fs, func != NULL ? func : hex);
	key.frk_module = frames_module(fs, MODULE_KERNEL, NULL, 0);
	if (func != NULL)
		key.frk_flags |= 4;
	if (fs->fs_isexact) {
		key.frk_pc = pc;
		key.frk_back = back;
	}
	fr = frames_get(fs, &key);
	if (fs->fs_isexact) {
		fr->fr_pc = pc;
		fr->fr_fileoff = pc - back;
		fr->fr_offset = offset + back;
	}
	return fr;
}

/* Writes the name of an address without a function. */
static void
frames_noname(char *name, size_t size, uint32_t pid, unsigned int back,
    const struct dt_frame *df)
{
	if (df->df_module != NULL && df->df_why != DTFR_ANON)
		snprintf(name, size, "%.400s+%#llx", frames_base(df->df_module),
		    (unsigned long long)df->df_fileoff + back);
	else
		snprintf(name, size, "[%u: %s]", pid,
		    frames_why(df->df_why, df->df_error));
}

const struct frame *
frames_user(struct frames *fs, uint32_t pid, uint64_t pc, unsigned int back,
    const struct dt_frame *df)
{
	struct frames_key key = { 0 };
	const char *func = df->df_func;
	struct frame *fr;
	char name[512];

	if (func == NULL)
		frames_noname(name, sizeof(name), pid, back, df);
	key.frk_name = frames_str(fs, func != NULL ? func : name);
	key.frk_module = frames_module(fs, df->df_module, df->df_buildid,
	    df->df_buildidlen);
	key.frk_file = frames_str(fs, df->df_file);
	key.frk_line = df->df_file != NULL ? df->df_line : 0;
	key.frk_flags = (df->df_inlined ? 2 : 0) | (func != NULL ? 4 : 0);
	if (fs->fs_isexact) {
		key.frk_pc = pc;
		key.frk_back = back;
	}
	fr = frames_get(fs, &key);
	if (fs->fs_isexact) {
		fr->fr_pc = pc;
		fr->fr_fileoff = df->df_fileoff;
		fr->fr_offset = df->df_offset + back;
	}
	return fr;
}

const struct frame *
frames_copy(struct frames *fs, const struct frame *from)
{
	const struct module *mo = from->fr_module;
	struct frames_key key = {
		.frk_name = frames_str(fs, from->fr_name),
		.frk_file = frames_str(fs, from->fr_file),
		.frk_line = from->fr_file != NULL ? from->fr_line : 0,
		.frk_flags = (from->fr_iskernel ? 1 : 0) |
		    (from->fr_isinlined ? 2 : 0) |
		    (from->fr_func != NULL ? 4 : 0),
	};
	struct frame *fr;

	if (mo != NULL)
		key.frk_module = frames_module(fs, mo->mo_path, mo->mo_buildid,
		    mo->mo_buildidlen);
	if (fs->fs_isexact)
		key.frk_pc = from->fr_pc;
	fr = frames_get(fs, &key);
	if (fs->fs_isexact) {
		fr->fr_pc = from->fr_pc;
		fr->fr_fileoff = from->fr_fileoff;
		fr->fr_offset = from->fr_offset;
	}
	return fr;
}

const struct frame *
frames_alone(struct frame_alone *fa, uint32_t pid, uint64_t pc,
    unsigned int back, const struct dt_frame *df)
{
	struct frame *fr = &fa->fal_frame;

	memset(fr, 0, sizeof(*fr));
	memset(&fa->fal_module, 0, sizeof(fa->fal_module));
	fr->fr_func = fr->fr_name = df->df_func;
	if (df->df_func == NULL) {
		frames_noname(fa->fal_name, sizeof(fa->fal_name), pid, back,
		    df);
		fr->fr_name = fa->fal_name;
	}
	if (df->df_module != NULL) {
		fa->fal_module.mo_path = df->df_module;
		fa->fal_module.mo_name = frames_base(df->df_module);
		fr->fr_module = &fa->fal_module;
	}
	fr->fr_isinlined = df->df_inlined;
	fr->fr_file = df->df_file;
	fr->fr_line = df->df_line;
	fr->fr_pc = pc;
	fr->fr_fileoff = df->df_fileoff;
	fr->fr_offset = df->df_offset + back;
	return fr;
}
