/* SPDX-License-Identifier: ISC */
/*
 * Attaches programs to kernel functions by the best available method, and
 * detaches them in the background, since that is slow.
 */
#ifndef DAEMON_KERNEL_ATTACH_H
#define DAEMON_KERNEL_ATTACH_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* A function and the cookie that identifies its hits. */
struct attach_func {
	uint64_t af_addr;
	uint64_t af_cookie;
	size_t af_nth;	   /* the caller's index */
	uint32_t af_btfid; /* id of its BTF type; 0: none or ambiguous */
};

/* The links of one session.  One thread at a time. */
struct attach_links {
	int *al_fds;
	size_t al_n, al_max;
	uint32_t al_slots; /* slots of programs from attach_loader */
	size_t al_nkret;   /* perf events of returns, each with a fixed pool */
};

/* Kinds of programs, as they must be loaded. */
enum attach_kind {
	ATTACH_ENTRY,
	ATTACH_RETURN,
	ATTACH_SESSION, /* both in one; the kernel distinguishes them */
	ATTACH_QUICK,	/* quick variants of these, see dt_isquick() */
	/* variants that unwind user stacks by tables */
	ATTACH_TABLES = 2 * ATTACH_QUICK,
	ATTACH_NPROG = 3 * ATTACH_QUICK
};

#define ATTACH_ISQUICK(prog)  ((prog) >= ATTACH_QUICK && (prog) < ATTACH_TABLES)
#define ATTACH_ISTABLES(prog) ((prog) >= ATTACH_TABLES)
/* ATTACH_ENTRY, _RETURN or _SESSION. */
#define ATTACH_WHERE(prog) ((prog) % ATTACH_QUICK)

/* am_where */
#define ATTACH_BIT(where) (1U << (where))
#define ATTACH_EITHER	  (ATTACH_BIT(ATTACH_ENTRY) | ATTACH_BIT(ATTACH_RETURN))
#define ATTACH_ANY	  (ATTACH_EITHER | ATTACH_BIT(ATTACH_SESSION))

/*
 * A method of attaching.  daemon/kernel/attach.c lists them, the best first.  A
 * method for a few probes is used only for these; if it does not work for one,
 * or there are more, a method for any number is used.
 */
struct attach_method {
	const char *am_name;	 /* name in dtd.conf */
	const char *am_what;	 /* description in messages */
	unsigned int am_where;	 /* ATTACH_BIT: supported kinds */
	unsigned int am_type;	 /* BPF_TRACE_* of entry and return, 0: none */
	unsigned int am_session; /* BPF_TRACE_* of session, 0: unsupported */
	size_t am_piece;	 /* functions per attachment */
	size_t am_few;		 /* maximum of probes; 0: unlimited */
	size_t am_fewpool;	 /* the same if all other methods have a pool */
	/* Returns NULL if it works on this kernel, else why not. */
	const char *(*am_missing)(void);
	int (*am_attach)(struct attach_links *, int progfd, enum attach_kind,
	    const struct attach_func *, size_t n);
};

/*
 * Returns the best working method for this program of a session with this
 * number of probes, or the method that the configuration names; *why: why no
 * better one is used, NULL for the best.  NULL: none works, for that reason.
 * Blocks in the kernel the first time.
 */
const struct attach_method *
attach_method(enum attach_kind, size_t nprobes, const char **why);
#define ATTACH_MULTI SIZE_MAX
/*
 * Returns whether kprobe.multi needs a node of a pool for each pending call,
 * and skips both hits of a call if the pool is empty.  The pool is allocated
 * with the link.  Other kernels keep returns on a stack of the thread.  Perf
 * events of returns always have such a pool, of max(10, 2 per CPU) calls; fexit
 * has none. Reads the kernel's BTF the first time.
 */
int attach_haspool(void);
/*
 * Returns the first method of this name, for callers with their own programs;
 * NULL: none.
 */
const struct attach_method *attach_named(const char *name);

/*
 * Attaches in pieces; returns ECANCELED soon after *cancel was set.  The links
 * contain what was attached by then.  *nth: the function that failed.
 */
int attach_funcs(const struct attach_method *, struct attach_links *,
    int progfd, enum attach_kind, const struct attach_func *, size_t n,
    const atomic_int *cancel, size_t *nth);
/*
 * Returns hits that the kernel skipped for these links; -1: it does not count
 * them.
 */
int64_t attach_missed(const struct attach_links *);

/*
 * detach.c
 */
/* Detaches the links in the background and takes ownership at once. */
void attach_release(struct attach_links *);
/*
 * Waits until no detaching is in progress, since attaching many functions at
 * the same time multiplies the kernel's work for both; ECANCELED soon after
 * *cancel was set.
 */
int attach_settle(const atomic_int *cancel);
/*
 * Before a process exits whose child closes the remaining links: returns when no
 * link is being closed.  A thread that dies while it detaches a uprobe leaves it
 * in the traced programs ("leaking uprobe").
 */
void attach_leave(void);
/* Before a service exits: returns when all links are detached. */
void attach_fini(void);

/*
 * Loads programs of one function each, for fentry and fexit: a module that has
 * them registers these functions before anything is attached that way.
 * ald_load returns a descriptor, or a negative errno (ENOENT: the function has
 * no types; ENOSPC); ald_unload releases *slot, as the bit 1 << slot.
 */
#define KFENTRY_MAX 32 /* in all sessions, bits of a uint32_t */
struct attach_loader {
	int (*ald_load)(enum attach_kind, uint32_t btfid, unsigned int *slot);
	void (*ald_unload)(uint32_t slots);
};
void attach_set_loader(const struct attach_loader *);
/* Calls ald_unload if a loader is registered. */
void attach_unload(uint32_t slots);

/* Adds a descriptor, and takes ownership even on failure: ENOMEM. */
int attach_links_add(struct attach_links *, int fd);

#endif /* DAEMON_KERNEL_ATTACH_H */
