/* SPDX-License-Identifier: ISC */
/*
 * Attaching programs to functions of the kernel, in the best way that it has;
 * and letting go of them, which takes it long.
 */
#ifndef DAEMON_KERNEL_ATTACH_H
#define DAEMON_KERNEL_ATTACH_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* A function, and what its hits tell the program. */
struct attach_func {
	uint64_t af_addr;
	uint64_t af_cookie;
	size_t af_nth;	   /* the caller's own number */
	uint32_t af_btfid; /* of its types; 0: none, or of another's, too */
};

/* Links of one open.  One thread at a time. */
struct attach_links {
	int *al_fds;
	size_t al_n, al_max;
	uint32_t al_slots; /* of programs of their own: attach_loader */
	size_t al_nkret; /* perf events of returns: a pool of fixed size each */
};

/* Programs, as they have to be loaded. */
enum attach_kind {
	ATTACH_ENTRY,
	ATTACH_RETURN,
	ATTACH_SESSION, /* both in one, told apart by the kernel */
	ATTACH_QUICK,	/* more than one of these: the same, see dt_isquick() */
	ATTACH_NPROG = 2 * ATTACH_QUICK
};

#define ATTACH_ISQUICK(prog) ((prog) >= ATTACH_QUICK)
/* ATTACH_ENTRY, _RETURN or _SESSION. */
#define ATTACH_WHERE(prog) ((prog) % ATTACH_QUICK)

/* am_where */
#define ATTACH_BIT(where) (1U << (where))
#define ATTACH_EITHER	  (ATTACH_BIT(ATTACH_ENTRY) | ATTACH_BIT(ATTACH_RETURN))
#define ATTACH_ANY	  (ATTACH_EITHER | ATTACH_BIT(ATTACH_SESSION))

/*
 * A way of attaching.  The table of them is in daemon/kernel/attach.c, the best
 * first.  One that is for a few probes is taken for these, each that it does
 * not work for, and all if they are more, are left to one for any number.
 */
struct attach_method {
	const char *am_name;	 /* as dtd.conf has it */
	const char *am_what;	 /* for people */
	unsigned int am_where;	 /* ATTACH_BIT: what it is taken for */
	unsigned int am_type;	 /* BPF_TRACE_* of the first two, 0: none */
	unsigned int am_session; /* the same of the third, 0: it has none */
	size_t am_piece;	 /* functions that are attached at once */
	size_t am_few;		 /* probes, at most; 0: any number */
	size_t am_fewpool;	 /* the same where all others have a pool */
	/* NULL: it works here; else why not */
	const char *(*am_lacks)(void);
	int (*am_attach)(struct attach_links *, int progfd, enum attach_kind,
	    const struct attach_func *, size_t n);
};

/*
 * The best method that works here for this program of an open that has so many
 * probes, or the one that the configuration names; *why: why not a better one,
 * NULL for the best.  NULL: none works, for that reason.  Waits for the kernel
 * the first time.
 */
const struct attach_method *
attach_method(enum attach_kind, size_t nprobes, const char **why);
#define ATTACH_MULTI SIZE_MAX
/*
 * Whether kprobe.multi needs a node of a pool for each call that has not
 * returned, and skips both hits of a call that finds the pool empty.  The pool
 * is allocated with the link.  Other kernels keep returns on a stack of the
 * thread.  Perf events of returns always have such a pool, of max(10, 2 per
 * CPU) calls; fexit has none.  Reads the kernel's types the first time.
 */
int attach_haspool(void);
/* The first of this name, for who has programs of his own; NULL: none. */
const struct attach_method *attach_named(const char *name);

/*
 * Attaches piece by piece; returns ECANCELED soon after *cancel was set.  What
 * was attached by then is in the links.  *nth: the function that failed.
 */
int attach_funcs(const struct attach_method *, struct attach_links *,
    int progfd, enum attach_kind, const struct attach_func *, size_t n,
    const atomic_int *cancel, size_t *nth);
/* Hits that the kernel skipped for these links; -1: it does not count them. */
int64_t attach_missed(const struct attach_links *);

/*
 * detach.c
 */
/* The links are let go of in the background; they belong to it at once. */
void attach_release(struct attach_links *);
/* Waits until nothing is being let go of; ECANCELED soon after *cancel was set:
 * who attaches many functions at the same time has the kernel do either work
 * several times over. */
int attach_settle(const atomic_int *cancel);
/* Before the daemon ends: returns when all have been let go of.  detached:
 * that may happen behind its end, so that nobody waits for it. */
void attach_fini(int detached);

/*
 * Programs of one function each, for fentry and fexit: a module that has them
 * registers these two, before anything is attached that way.  ald_load returns
 * a descriptor, or a negative errno (ENOENT: the function has no types;
 * ENOSPC); *slot is to be given back by ald_unload, as the bit 1 << slot.
 */
#define KFENTRY_MAX 32 /* of all sessions at once, bits of a uint32_t */
struct attach_loader {
	int (*ald_load)(enum attach_kind, uint32_t btfid, unsigned int *slot);
	void (*ald_unload)(uint32_t slots);
};
void attach_set_loader(const struct attach_loader *);
/* ald_unload, if there are any. */
void attach_unload(uint32_t slots);

/* A descriptor is the links' from now on, also if that fails: ENOMEM. */
int attach_links_add(struct attach_links *, int fd);

#endif /* DAEMON_KERNEL_ATTACH_H */
