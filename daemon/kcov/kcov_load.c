/* SPDX-License-Identifier: ISC */
/*
 * Loads the programs of kcov and their maps at the first KIOENABLE, and keeps
 * them.  The programs of exit and exec are attached only while a thread is
 * traced.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/kcov_shared.h"

#include "daemon/base/reason.h"
#include "daemon/device/grace_period.h"
#include "daemon/kcov/kcov_softc.h"
#include "daemon/kernel/btf.h"
#include "daemon/kernel/load_error.h"
#include "kcov.skel.h"
#include "kcov_hot.skel.h"

static pthread_mutex_t load_mtx = PTHREAD_MUTEX_INITIALIZER;
/* Set under load_mtx, constant afterwards.  The table is set last. */
static struct bpf_object *object;
static struct bpf_program *entry;
static int threadsfd, bufsfd;
static struct kcov_table *_Atomic table; /* mapped */
static unsigned int nhooked;		 /* [K] */
static struct bpf_link *hooks[2];	 /* [K] */

/* Opens an object of bpf/ by its skeleton. */
#define OBJECT(name) \
	static struct bpf_object_skeleton *open_##name( \
	    const struct bpf_object_open_opts *opts) \
	{ \
		struct name##_bpf *skel = name##_bpf__open_opts(opts); \
		struct bpf_object_skeleton *sk = NULL; \
\
		if (skel != NULL) { \
			sk = skel->skeleton; \
			skel->skeleton = NULL; \
		} \
		return sk; \
	}

OBJECT(kcov)
OBJECT(kcov_hot)

/* Returns the memory of .bss, which is the table. */
static struct kcov_table *
object_table(const struct bpf_object_skeleton *sk)
{
	int i;

	for (i = 0; i < sk->map_cnt; i++)
		if (strstr(sk->maps[i].name, ".bss") != NULL)
			return *sk->maps[i].mmaped;
	return NULL;
}

static int
load_object(const struct attach_method *am,
    struct bpf_object_skeleton *(*open)(const struct bpf_object_open_opts *))
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf_path());
	struct bpf_object_skeleton *sk = open(&opts);
	int error;

	if (sk == NULL)
		return errno;
	object = *sk->obj;
	entry = bpf_object__find_program_by_name(object, "kcov_entry");
	bpf_program__set_autoload(entry, true);
	bpf_program__set_expected_attach_type(entry, am->am_type);
	if ((error = -bpf_object__load_skeleton(sk)) != 0) {
		bpf_object__destroy_skeleton(sk);
		return error;
	}
	threadsfd = bpf_object__find_map_fd_by_name(object, "kcov_threads");
	bufsfd = bpf_object__find_map_fd_by_name(object, "kcov_bufs");
	if (object_table(sk) == NULL) { /* as in dt_maps_seen() */
		bpf_object__destroy_skeleton(sk);
		return EOPNOTSUPP;
	}
	table = object_table(sk);
	return 0;
}

int
kcov_load(const struct attach_method *am, struct reason *rs)
{
	int error = 0;

	pthread_mutex_lock(&load_mtx);
	if (table == NULL && (error = grace_period_init()) == 0 &&
	    (error = load_object(am, open_kcov)) != 0)
		error = load_object(am, open_kcov_hot);
	pthread_mutex_unlock(&load_mtx);
	if (error != 0)
		reason_set(rs, "this kernel refuses the programs of kcov: %s",
		    dt_refused(error));
	return error;
}

int
kcov_progfd(void)
{
	return bpf_program__fd(entry);
}

int
kcov_bufsfd(void)
{
	return bufsfd;
}

struct kcov_entry *
kcov_row(unsigned int slot)
{
	return table != NULL ? &table->kct_entry[slot] : NULL;
}

uint64_t
kcov_prog_missed(void)
{
	struct bpf_prog_info info;
	uint32_t len = sizeof(info);

	memset(&info, 0, sizeof(info));
	if (bpf_obj_get_info_by_fd(kcov_progfd(), &info, &len) != 0)
		return 0;
	return info.recursion_misses;
}

/*
 * Traced threads and processes.  A bit represents several ids, of threads and
 * of processes; programs may set one, too, when exec changes an id.
 */

static uint64_t *
bits_word(uint64_t key)
{
	return (uint64_t *)&table->kct_bits[KCOV_WORD((uint32_t)key)];
}

static void
bits_set(uint64_t key)
{
	__atomic_or_fetch(bits_word(key), KCOV_BIT((uint32_t)key),
	    __ATOMIC_SEQ_CST);
}

int
kcov_key_add(uint64_t key, unsigned int slot)
{
	uint32_t value = slot;

	bits_set(key);
	if (bpf_map_update_elem(threadsfd, &key, &value, BPF_ANY) != 0)
		return errno;
	return 0;
}

void
kcov_key_del(uint64_t key)
{
	(void)bpf_map_delete_elem(threadsfd, &key);
}

/*
 * Clears the bit, then sets it again if another session needs it, so that a bit
 * that a program sets meanwhile is kept.
 */
void
kcov_bit_del(uint64_t key)
{
	const struct kcov_dev *kd;
	uint64_t other;

	__atomic_and_fetch(bits_word(key), ~KCOV_BIT((uint32_t)key),
	    __ATOMIC_SEQ_CST);
	TAILQ_FOREACH(kd, &kcov_devs, kd_entry) {
		if (!kd->kd_isarmed)
			continue;
		other = kd->kd_isremote ? kd->kd_key
					: kcov_row(kd->kd_slot)->kcl_tid;
		if (other != 0)
			bits_set(other);
	}
}

static void
hooks_detach(void)
{
	size_t i;

	for (i = 0; i < 2; i++) {
		bpf_link__destroy(hooks[i]);
		hooks[i] = NULL;
	}
}

static struct bpf_link *
hook_attach(const char *name)
{
	return bpf_program__attach(
	    bpf_object__find_program_by_name(object, name));
}

int
kcov_hooks_get(struct reason *rs)
{
	int error;

	if (nhooked == 0) {
		hooks[0] = hook_attach("kcov_exit");
		hooks[1] = hook_attach("kcov_exec");
		if (hooks[0] == NULL || hooks[1] == NULL) {
			error = errno;
			hooks_detach();
			return reason_fail(rs, error,
			    "cannot attach to exit and exec: %s",
			    strerror(error));
		}
	}
	nhooked++;
	return 0;
}

void
kcov_hooks_put(void)
{
	if (--nhooked == 0)
		hooks_detach();
}
