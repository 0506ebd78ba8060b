/* SPDX-License-Identifier: ISC */
/*
 * Copies the BTF types that dtd's programs need from the kernel's BTF.
 *
 * It copies all structs, unions and typedefs whose names bpf/ uses
 * (btf_names.h, which the build generates from the objects) and what they
 * contain.  Pointed-to types are omitted: CO-RE relocations restart after a
 * pointer.
 *
 * A program of the kinds tp_btf and iter is loaded with the id of a type in the
 * kernel's own BTF.  libbpf would search that BTF, so a handler for these
 * sections replaces its own.  libbpf also reads the BTF for programs of type
 * TRACING, so they receive this type afterwards, just before they are loaded.
 *
 * The kernel's BTF is well-formed, since the kernel verified it; another
 * version is rejected.
 */
#include <sys/mman.h>

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "btf_names.h"
#include "common/btf_file.h"
#include "daemon/base/log.h"
#include "daemon/kernel/btf.h"

#define BTF_TYPEDEF  "btf_trace_" /* prefix of the types of hooks */
#define BTF_FUNCTION "bpf_iter_"

/* The kernel's types, while they are read. */
struct kernel {
	struct btf_file ke_file;
	uint32_t *ke_offset; /* offset of a type, by its number */
	uint32_t *ke_new;    /* a type's number in our list, 0: missing */
	uint32_t ke_n;	     /* types, from number 1 */
};

/* A growing array of bytes. */
struct bytes {
	char *by_data;
	size_t by_n, by_max;
	int by_failed;
};

/* Our list. */
struct ours {
	struct bytes ou_queue; /* the kernel's numbers, in our order */
	struct bytes ou_types;
	struct bytes ou_strings;
};

/* Functions that programs attach to: number, name, and so on. */
static struct bytes hooks;	     /* by the first call, then constant */
static struct btf_cast_ids cast_ids; /* likewise */
static int init_error;		     /* likewise */
static char path[32];

static size_t
bytes_add(struct bytes *by, const void *data, size_t n)
{
	size_t at = by->by_n, max = by->by_max;
	char *p;

	while (max < at + n)
		max = max == 0 ? 4096 : 2 * max;
	if (max > by->by_max) {
		if (by->by_failed || (p = realloc(by->by_data, max)) == NULL) {
			by->by_failed = 1;
			return 0;
		}
		by->by_data = p;
		by->by_max = max;
	}
	memcpy(by->by_data + at, data, n);
	by->by_n += n;
	return at;
}

static const struct btf_type *
kernel_type(const struct kernel *ke, uint32_t id)
{
	return (const void *)(ke->ke_file.bff_types + ke->ke_offset[id]);
}

static const char *
kernel_name(const struct kernel *ke, const struct btf_type *t)
{
	return ke->ke_file.bff_strings + t->name_off;
}

/*
 * The kernel's list
 */

static void
kernel_close(struct kernel *ke)
{
	btf_file_close(&ke->ke_file);
	free(ke->ke_offset);
	free(ke->ke_new);
}

/*
 * Our list
 */

static const char *const wanted[] = { BTF_NAMES };

#define NWANTED (sizeof(wanted) / sizeof(wanted[0]))

/* By the first three letters: whether a wanted name has them. */
static uint8_t wanted_begins[4096];

static uint8_t *
wanted_begin(const char *name)
{
	const unsigned char *p = (const unsigned char *)name;
	unsigned int n = p[0];

	if (p[0] != '\0')
		n += p[1] * 7U + (p[1] != '\0' ? p[2] * 61U : 0);
	return &wanted_begins[n % sizeof(wanted_begins)];
}

static void
wanted_init(void)
{
	size_t i;

	for (i = 0; i < NWANTED; i++)
		*wanted_begin(wanted[i]) = 1;
}

static int
is_wanted(const char *name)
{
	size_t i;

	if (!*wanted_begin(name))
		return 0;
	for (i = 0; i < NWANTED; i++)
		if (name[0] == wanted[i][0] && strcmp(name, wanted[i]) == 0)
			return 1;
	return 0;
}

/* Returns the number in our list of one of the kernel's types. */
static uint32_t
ours_id(struct kernel *ke, struct ours *ou, uint32_t id)
{
	if (id != 0 && ke->ke_new[id] == 0) {
		bytes_add(&ou->ou_queue, &id, sizeof(id));
		ke->ke_new[id] = ou->ou_queue.by_n / sizeof(id);
	}
	return ke->ke_new[id];
}

static void
hook_add(uint32_t id, const char *name)
{
	bytes_add(&hooks, &id, sizeof(id));
	bytes_add(&hooks, name, strlen(name) + 1);
}

/* Adds a type of the kernel's list if programs use it. */
static void
ours_look(struct kernel *ke, struct ours *ou, uint32_t id)
{
	const struct btf_type *t = kernel_type(ke, id);
	const char *name = kernel_name(ke, t);

	switch (btf_kind(t)) {
	case BTF_KIND_STRUCT:
		if (strcmp(name, "task_struct") == 0)
			cast_ids.task = id;
		/* FALLTHROUGH */
	case BTF_KIND_UNION:
		if (is_wanted(name))
			(void)ours_id(ke, ou, id);
		break;
	case BTF_KIND_TYPEDEF:
		if (strncmp(name, BTF_TYPEDEF, sizeof(BTF_TYPEDEF) - 1) == 0)
			hook_add(id, name);
		if (is_wanted(name))
			(void)ours_id(ke, ou, id);
		break;
	case BTF_KIND_FUNC: /* most types */
		if (name[0] != BTF_FUNCTION[0])
			break;
		if (strncmp(name, BTF_FUNCTION, sizeof(BTF_FUNCTION) - 1) == 0)
			hook_add(id, name);
		if (strcmp(name, "bpf_rdonly_cast") == 0)
			cast_ids.cast = id;
		break;
	}
}

static int
ours_choose(struct kernel *ke, struct ours *ou)
{
	uint32_t max = ke->ke_file.bff_typelen / sizeof(struct btf_type) + 1,
		 off;
	size_t size;

	/* large enough to be mapped, so only used parts cost memory */
	if ((ke->ke_offset = calloc(max, sizeof(uint32_t))) == NULL ||
	    (ke->ke_new = calloc(max, sizeof(uint32_t))) == NULL)
		return ENOMEM;
	ke->ke_n = 1;
	for (off = 0; off < ke->ke_file.bff_typelen; off += size) {
		ke->ke_offset[ke->ke_n] = off;
		size = btf_file_typesize(kernel_type(ke, ke->ke_n));
		if (size == 0 || size > ke->ke_file.bff_typelen - off)
			return EINVAL;
		ours_look(ke, ou, ke->ke_n++);
	}
	return 0;
}

static uint32_t
ours_string(struct kernel *ke, struct ours *ou, uint32_t name)
{
	const char *s = ke->ke_file.bff_strings + name;

	return name == 0 ? 0 : bytes_add(&ou->ou_strings, s, strlen(s) + 1);
}

/* Translates the numbers in the members of a type into ours. */
static void
ours_members(struct kernel *ke, struct ours *ou, struct btf_type *t)
{
	struct btf_member *m = btf_members(t);
	struct btf_array *a;
	unsigned int i;

	switch (btf_kind(t)) {
	case BTF_KIND_ARRAY:
		a = btf_array(t);
		a->type = ours_id(ke, ou, a->type);
		a->index_type = ours_id(ke, ou, a->index_type);
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		for (i = 0; i < btf_vlen(t); i++, m++) {
			m->name_off = ours_string(ke, ou, m->name_off);
			m->type = ours_id(ke, ou, m->type);
		}
		break;
	case BTF_KIND_PTR:
		t->type = 0;
		break;
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		t->type = ours_id(ke, ou, t->type);
		break;
	}
}

/*
 * Programs do not look up values of enums by name, nor types that a struct
 * cannot contain.  These become types without content.
 */
static int
is_opaque(const struct btf_type *t)
{
	switch (btf_kind(t)) {
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_FUNC:
	case BTF_KIND_FUNC_PROTO:
	case BTF_KIND_VAR:
	case BTF_KIND_DATASEC:
	case BTF_KIND_DECL_TAG:
		return 1;
	}
	return 0;
}

static int
ours_write(struct kernel *ke, struct ours *ou, uint32_t id)
{
	const struct btf_type *from = kernel_type(ke, id);
	size_t at, size = btf_file_typesize(from);
	struct btf_type *t;

	if (is_opaque(from))
		size = sizeof(*from);
	at = bytes_add(&ou->ou_types, from, size);
	if (ou->ou_types.by_failed)
		return ENOMEM;
	t = (struct btf_type *)(ou->ou_types.by_data + at);
	t->name_off = ours_string(ke, ou, t->name_off);
	if (is_opaque(from)) { /* of the size that it has */
		t->info = BTF_KIND_ENUM << 24;
		return 0;
	}
	ours_members(ke, ou, t);
	return 0;
}

/* Writes all types of the queue, and adds the types of their members to it. */
static int
ours_make(struct kernel *ke, struct ours *ou)
{
	uint32_t id;
	size_t i;
	int error;

	bytes_add(&ou->ou_strings, "", 1);
	for (i = 0; i < ou->ou_queue.by_n; i += sizeof(id)) {
		memcpy(&id, ou->ou_queue.by_data + i, sizeof(id));
		if ((error = ours_write(ke, ou, id)) != 0)
			return error;
	}
	return ou->ou_queue.by_failed || ou->ou_strings.by_failed ||
		hooks.by_failed
	    ? ENOMEM
	    : 0;
}

/* The file, which stays open. */
static int
ours_file(const struct ours *ou)
{
	const struct btf_header bh = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(bh),
		.type_len = ou->ou_types.by_n,
		.str_off = ou->ou_types.by_n,
		.str_len = ou->ou_strings.by_n,
	};
	int fd = memfd_create("dt_btf", MFD_CLOEXEC), error = EIO;

	if (fd == -1)
		return errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, &bh, sizeof(bh)) == (ssize_t)sizeof(bh) &&
	    write(fd, ou->ou_types.by_data, bh.type_len) ==
		(ssize_t)bh.type_len &&
	    write(fd, ou->ou_strings.by_data, bh.str_len) ==
		(ssize_t)bh.str_len &&
	    access(path, R_OK) == 0)
		return 0;
	close(fd);
	return error;
}

/*
 * Programs
 */

/* Returns the number of a type in the kernel's list, 0 if there is none. */
static uint32_t
hook_find(const char *prefix, const char *name)
{
	size_t at, n = strlen(prefix);
	uint32_t id;

	for (at = 0; at < hooks.by_n; at += strlen(hooks.by_data + at) + 1) {
		memcpy(&id, hooks.by_data + at, sizeof(id));
		at += sizeof(id);
		if (strncmp(hooks.by_data + at, prefix, n) == 0 &&
		    strcmp(hooks.by_data + at + n, name) == 0)
			return id;
	}
	return 0;
}

static int
prog_prepare(struct bpf_program *prog, struct bpf_prog_load_opts *opts,
    long prefix)
{
	const char *name = strchr(bpf_program__section_name(prog), '/') + 1;

	opts->attach_btf_id = hook_find((const char *)prefix, name);
	if (opts->attach_btf_id == 0)
		return -ESRCH;
	return bpf_program__set_type(prog, BPF_PROG_TYPE_TRACING);
}

/*
 * Programs of these sections are opened as raw tracepoints, which need no types
 * of the kernel; prog_prepare() sets their true type.
 */
static int
prog_handle(const char *section, const char *prefix,
    enum bpf_attach_type attach)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = (long)prefix,
	    .prog_prepare_load_fn = prog_prepare);

	return libbpf_register_prog_handler(section,
	    BPF_PROG_TYPE_RAW_TRACEPOINT, attach, &opts);
}

static int
prog_init(void)
{
	int handler = prog_handle("tp_btf/", BTF_TYPEDEF, BPF_TRACE_RAW_TP);

	if (handler < 0)
		return -handler;
	if (prog_handle("iter/", BTF_FUNCTION, BPF_TRACE_ITER) < 0) {
		libbpf_unregister_prog_handler(handler);
		return EINVAL;
	}
	return 0;
}

static void
btf_init(void)
{
	struct kernel ke = { 0 };
	struct ours ou = { 0 };
	int error;

	wanted_init();
	if ((error = btf_file_open(&ke.ke_file)) != 0 ||
	    (error = ours_choose(&ke, &ou)) != 0 ||
	    (error = ours_make(&ke, &ou)) != 0 ||
	    (error = ours_file(&ou)) != 0 || (error = prog_init()) != 0) {
		log_debug("types of the kernel are left to libbpf: %s",
		    strerror(error));
		path[0] = '\0';
	} else
		log_debug("%zu of %u types of the kernel are set apart",
		    ou.ou_queue.by_n / sizeof(uint32_t), ke.ke_n - 1);
	init_error = error;
	kernel_close(&ke);
	free(ou.ou_queue.by_data);
	free(ou.ou_types.by_data);
	free(ou.ou_strings.by_data);
}

const char *
btf_path(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, btf_init);
	return path[0] != '\0' ? path : NULL;
}

void
btf_cast_ids(struct btf_cast_ids *ids)
{
	(void)btf_path();
	*ids = cast_ids;
}

int
btf_rawtps(int (*fn)(const char *, void *), void *arg)
{
	const size_t prefix = sizeof(BTF_TYPEDEF) - 1;
	const char *name;
	size_t at;
	int error;

	(void)btf_path();
	error = init_error;
	for (at = 0; error == 0 && at < hooks.by_n;
	     at += strlen(hooks.by_data + at) + 1) {
		name = hooks.by_data + (at += sizeof(uint32_t));
		if (strncmp(name, BTF_TYPEDEF, prefix) == 0)
			error = fn(name + prefix, arg);
	}
	return error;
}
