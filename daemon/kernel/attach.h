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
struct kmember {
	uint64_t km_addr;
	uint64_t km_cookie;
	size_t km_nth;	   /* the caller's own number */
	uint32_t km_btfid; /* of its types; 0: none, or of another's, too */
};

/* Links of one open.  One thread at a time. */
struct klinks {
	int *kl_fds;
	size_t kl_n, kl_max;
	uint32_t kl_slots; /* of programs of their own: kattach_loader */
	size_t kl_nkret; /* perf events of returns: a pool of fixed size each */
};

/* Programs, as they have to be loaded. */
enum kattach_prog {
	KATTACH_ENTRY,
	KATTACH_RETURN,
	KATTACH_SESSION, /* both in one, told apart by the kernel */
	KATTACH_QUICK, /* more than one of these: the same, see dt_isquick() */
	KATTACH_NPROG = 2 * KATTACH_QUICK
};

#define KATTACH_ISQUICK(prog) ((prog) >= KATTACH_QUICK)
/* KATTACH_ENTRY, _RETURN or _SESSION. */
#define KATTACH_WHERE(prog) ((prog) % KATTACH_QUICK)

/* km_where */
#define KATTACH_BIT(where) (1U << (where))
#define KATTACH_EITHER \
	(KATTACH_BIT(KATTACH_ENTRY) | KATTACH_BIT(KATTACH_RETURN))
#define KATTACH_ANY (KATTACH_EITHER | KATTACH_BIT(KATTACH_SESSION))

/*
 * A way of attaching.  The table of them is in daemon/kernel/attach.c, the best
 * first.  One that is for a few probes is taken for these, each that it does
 * not work for, and all if they are more, are left to one for any number.
 */
struct kmethod {
	const char *km_name;	 /* as dtd.conf has it */
	const char *km_what;	 /* for people */
	unsigned int km_where;	 /* KATTACH_BIT: what it is taken for */
	unsigned int km_type;	 /* BPF_TRACE_* of the first two, 0: none */
	unsigned int km_session; /* the same of the third, 0: it has none */
	size_t km_piece;	 /* functions that are attached at once */
	size_t km_few;		 /* probes, at most; 0: any number */
	size_t km_fewpool;	 /* the same where all others have a pool */
	/* NULL: it works here; else why not */
	const char *(*km_lacks)(void);
	int (*km_attach)(struct klinks *, int progfd, enum kattach_prog,
	    const struct kmember *, size_t n);
};

/*
 * The best method that works here for this program of an open that has so many
 * probes, or the one that the configuration names; *why: why not a better one,
 * NULL for the best.  NULL: none works, for that reason.  Waits for the kernel
 * the first time.
 */
const struct kmethod *
kattach_method(enum kattach_prog, size_t nprobes, const char **why);
#define KATTACH_MANY SIZE_MAX
/*
 * Whether kprobe.multi needs a node of a pool for each call that has not
 * returned, and skips both hits of a call that finds the pool empty.  The pool
 * is allocated with the link.  Other kernels keep returns on a stack of the
 * thread.  Perf events of returns always have such a pool, of max(10, 2 per
 * CPU) calls; fexit has none.  Reads the kernel's types the first time.
 */
int kattach_haspool(void);
/* The first of this name, for who has programs of his own; NULL: none. */
const struct kmethod *kattach_named(const char *name);

/*
 * Attaches piece by piece; returns ECANCELED soon after *cancel was set.  What
 * was attached by then is in the links.  *nth: the function that failed.
 */
int
kattach(const struct kmethod *, struct klinks *, int progfd, enum kattach_prog,
    const struct kmember *, size_t n, const atomic_int *cancel, size_t *nth);
/* Hits that the kernel skipped for these links; -1: it does not count them. */
int64_t kattach_missed(const struct klinks *);

/*
 * detach.c
 */
/* The links are let go of in the background; they belong to it at once. */
void kattach_release(struct klinks *);
/* Waits until nothing is being let go of; ECANCELED soon after *cancel was set:
 * who attaches many functions at the same time has the kernel do either work
 * several times over. */
int kattach_settle(const atomic_int *cancel);
/* Before the daemon ends: returns when all have been let go of.  detached:
 * that may happen behind its end, so that nobody waits for it. */
void kattach_fini(int detached);

/*
 * Programs of one function each, for fentry and fexit: a module that has them
 * registers these two, before anything is attached that way.  ka_load returns a
 * descriptor, or a negative errno (ENOENT: the function has no types; ENOSPC);
 * *slot is to be given back by ka_unload, as the bit 1 << slot.
 */
#define KFENTRY_MAX 32 /* of all sessions at once, bits of a uint32_t */
struct kattach_loader {
	int (*ka_load)(enum kattach_prog, uint32_t btfid, unsigned int *slot);
	void (*ka_unload)(uint32_t slots);
};
void kattach_set_loader(const struct kattach_loader *);
/* ka_unload, if there are any. */
void kattach_unload(uint32_t slots);

/* A descriptor is the links' from now on, also if that fails: ENOMEM. */
int klinks_add(struct klinks *, int fd);

#endif /* DAEMON_KERNEL_ATTACH_H */
