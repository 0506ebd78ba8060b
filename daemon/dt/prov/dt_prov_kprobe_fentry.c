/* SPDX-License-Identifier: ISC */
/*
 * Loads programs for one function each: a trampoline calls fentry and fexit,
 * which is the kernel's cheapest way to call a program, but a loaded program
 * contains the number of its function.
 *
 * libbpf prepares the program once. Instead of loading it, this file keeps the
 * instructions, and libbpf loads an empty program. A copy of the instructions
 * is loaded with the number of each function.
 *
 * dt_cost.c watches programs by descriptors that stay open: one per possible
 * program, of the current program or of an empty one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/dt_kprobe_table.h"
#include "daemon/dt/dt_cost.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/prov/dt_prov_kprobe_load.h"
#include "daemon/kernel/btf.h"
#include "daemon/unwind/unwind.h"
#include "dt_prov_kprobe_fentry.skel.h"

extern const struct dt_provider dt_prov_kprobe;

/* A program as libbpf would have loaded it. */
struct fentry_kept {
	struct bpf_insn *fkp_insns;
	size_t fkp_n;
	void *fkp_funcs; /* function records of its BTF */
	uint32_t fkp_nfuncs, fkp_funcsize;
	int fkp_btffd; /* the object's */
};

static const struct bpf_insn nothing[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K }, /* r0 = 0 */
	{ .code = BPF_JMP | BPF_EXIT },
};

#define NNOTHING (sizeof(nothing) / sizeof(nothing[0]))

static const struct {
	const char *section; /* NULL: there is none */
	enum bpf_attach_type type;
} kinds[ATTACH_NPROG] = {
	[ATTACH_ENTRY] = { "dt_fentry", BPF_TRACE_FENTRY },
	[ATTACH_RETURN] = { "dt_fexit", BPF_TRACE_FEXIT },
	[ATTACH_TABLES +
	    ATTACH_ENTRY] = { "dt_fentry_tables", BPF_TRACE_FENTRY },
	[ATTACH_TABLES +
	    ATTACH_RETURN] = { "dt_fexit_tables", BPF_TRACE_FEXIT },
	[ATTACH_QUICK + ATTACH_ENTRY] = { "dt_fentry_quick", BPF_TRACE_FENTRY },
	[ATTACH_QUICK + ATTACH_RETURN] = { "dt_fexit_quick", BPF_TRACE_FEXIT },
};

/* All by kprobe_load_lock(). */
static struct fentry_kept kept[ATTACH_NPROG];
static int iskept[2]; /* without and with unwind tables: 1: loaded */
static int watched[KFENTRY_MAX] = { [0 ... KFENTRY_MAX - 1] = -1 };
static uint32_t used; /* slots */
static int emptyfd = -1;

/* Keeps the instructions, and gives libbpf an empty program. */
static int
prog_keep(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long which)
{
	struct fentry_kept *kp = &kept[which];
	size_t nbytes = bpf_program__insn_cnt(prog) * sizeof(*kp->fkp_insns);
	size_t nfuncs = (size_t)opts->func_info_cnt * opts->func_info_rec_size;

	free(kp->fkp_insns);
	free(kp->fkp_funcs);
	kp->fkp_insns = malloc(nbytes);
	kp->fkp_funcs = malloc(nfuncs + 1);
	if (kp->fkp_insns == NULL || kp->fkp_funcs == NULL)
		return -ENOMEM;
	memcpy(kp->fkp_insns, bpf_program__insns(prog), nbytes);
	memcpy(kp->fkp_funcs, opts->func_info, nfuncs);
	kp->fkp_n = bpf_program__insn_cnt(prog);
	kp->fkp_nfuncs = opts->func_info_cnt;
	kp->fkp_funcsize = opts->func_info_rec_size;
	kp->fkp_btffd = opts->prog_btf_fd;
	opts->func_info_cnt = 0;
	opts->line_info_cnt = 0;
	opts->prog_btf_fd = 0;
	opts->expected_attach_type = 0;
	return bpf_program__set_insns(prog, (struct bpf_insn *)nothing,
	    NNOTHING);
}

/* Keeps the programs with unwind tables, or the others. */
static int
keep_all(int tables)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf_path());
	struct dt_prov_kprobe_fentry_bpf *skel; /* maps, types stay */
	int error;

	if ((skel = dt_prov_kprobe_fentry_bpf__open_opts(&opts)) == NULL)
		return errno;
	bpf_program__set_autoload(skel->progs.dt_kprobe_fentry_tables, tables);
	bpf_program__set_autoload(skel->progs.dt_kprobe_fexit_tables, tables);
	bpf_program__set_autoload(skel->progs.dt_kprobe_fentry, !tables);
	bpf_program__set_autoload(skel->progs.dt_kprobe_fexit, !tables);
	bpf_program__set_autoload(skel->progs.dt_kquick_fentry, !tables);
	bpf_program__set_autoload(skel->progs.dt_kquick_fexit, !tables);
	skel->rodata->dt_ncpu = dt_ncpu;
	if ((error = kprobe_load_share(skel->skeleton, skel->maps.bss,
		 skel->maps.dt_kholes)) != 0 ||
	    (tables && (error = unwind_share(skel->obj)) != 0) ||
	    (error = -dt_prov_kprobe_fentry_bpf__load(skel)) != 0) {
		dt_prov_kprobe_fentry_bpf__destroy(skel);
		return error;
	}
	emptyfd = bpf_program__fd(tables ? skel->progs.dt_kprobe_fentry_tables
					 : skel->progs.dt_kprobe_fentry);
	return 0;
}

/* Under the lock. */
static int
keep(int tables)
{
	int handlers[ATTACH_NPROG], error = 0;
	long i;

	if (iskept[tables])
		return 0;
	for (i = 0; i < ATTACH_NPROG; i++) {
		LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = i,
		    .prog_prepare_load_fn = prog_keep);

		handlers[i] = -1;
		if (kinds[i].section == NULL)
			continue;
		handlers[i] = libbpf_register_prog_handler(kinds[i].section,
		    BPF_PROG_TYPE_SOCKET_FILTER, kinds[i].type, &opts);
		if (handlers[i] < 0)
			error = -handlers[i];
	}
	if (error == 0)
		error = keep_all(tables);
	for (i = 0; i < ATTACH_NPROG; i++)
		if (handlers[i] >= 0)
			(void)libbpf_unregister_prog_handler(handlers[i]);
	iskept[tables] = error == 0;
	return error;
}

/* Returns a slot that now has a program, or a negative errno. */
static int
slot_take(int progfd)
{
	unsigned int i;

	for (i = 0; i < KFENTRY_MAX && (used & (1U << i)) != 0; i++)
		;
	if (i == KFENTRY_MAX)
		return -ENOSPC;
	if (watched[i] == -1) {
		watched[i] = fcntl(progfd, F_DUPFD_CLOEXEC, 0);
		if (watched[i] == -1)
			return -errno;
		dt_cost_watch(watched[i], &dt_prov_kprobe, 0);
	} else if (dup3(progfd, watched[i], O_CLOEXEC) == -1)
		return -errno;
	used |= 1U << i;
	return i;
}

/* Under the lock. */
static int
load(enum attach_kind which, uint32_t btfid, unsigned int *slotp)
{
	const struct fentry_kept *kp = &kept[which];
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
	    .expected_attach_type = kinds[which].type, .attach_btf_id = btfid);
	int fd, slot;

	if ((fd = -keep(ATTACH_ISTABLES(which))) < 0)
		return fd;
	opts.prog_btf_fd = kp->fkp_btffd;
	opts.func_info = kp->fkp_funcs;
	opts.func_info_cnt = kp->fkp_nfuncs;
	opts.func_info_rec_size = kp->fkp_funcsize;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, kinds[which].section, "GPL",
	    kp->fkp_insns, kp->fkp_n, &opts);
	if (fd < 0)
		return fd;
	if ((slot = slot_take(fd)) < 0) {
		close(fd);
		return slot;
	}
	*slotp = slot;
	return fd;
}

static int
kprobe_fentry_load(enum attach_kind which, uint32_t btfid, unsigned int *slot)
{
	int fd;

	if (btfid == 0)
		return -ENOENT;
	kprobe_load_lock();
	fd = load(which, btfid, slot);
	kprobe_load_unlock();
	return fd;
}

static void
kprobe_fentry_unload(uint32_t slots)
{
	unsigned int i;

	kprobe_load_lock();
	for (i = 0; i < KFENTRY_MAX; i++)
		if (slots & (1U << i))
			(void)dup3(emptyfd, watched[i], O_CLOEXEC);
	used &= ~slots;
	kprobe_load_unlock();
}

const struct attach_loader kfentry_loader = { kprobe_fentry_load,
	kprobe_fentry_unload };
