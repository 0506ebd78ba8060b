/* SPDX-License-Identifier: ISC */
/* Shared by the files of unwind_tables. */
#ifndef UNWIND_TABLES_H
#define UNWIND_TABLES_H

#include <stdint.h>
#include <sys/types.h>

#include "bpf/unwind_shared.h"

#define UNWIND_CASES \
	UNWIND_CASE(start) \
	UNWIND_CASE(libc) \
	UNWIND_CASE(evict) \
	UNWIND_CASE(none) \
	UNWIND_CASE(hang) \
	UNWIND_CASE(change) \
	UNWIND_CASE(busy) \
	UNWIND_CASE(brief) \
	UNWIND_CASE(copies)

#define UNWIND_CASE(name) void case_##name(void);
UNWIND_CASES
#undef UNWIND_CASE

/* Addresses of a child's code. */
struct told {
	uint64_t td_libc, td_vdso, td_self, td_new;
};

struct child {
	pid_t ch_pid;
	int ch_sock;
	struct told ch_told;
};

int child_main(void);
void child_start(struct child *);
void child_start_as(struct child *, uid_t);
/* Has it execute itself again ('e'), or map a page (ch_told.td_new). */
void child_do(struct child *, char what);
void child_end(struct child *);

/* Returns a block's memory, mapped from the map that programs see. */
char *block_at(uint32_t place);
/* Returns whether the process has an entry. */
int proc_get(const struct child *, struct unwind_proc *);
/* Returns the mapping of an address in the process's entry; NULL. */
const struct unwind_map *map_at(const struct child *, uint64_t addr);
/* Exits if there is none. */
struct unwind_pagekey key_of(const struct child *, uint64_t addr);

/* Returns a program's report as of now. */
struct unwind_miss
miss_of(const struct child *, uint32_t exec, enum unwind_what);

/* What to wait for: an address, a program, or a page. */
struct wanted {
	const struct child *wn_child;
	uint64_t wn_addr;
	uint32_t wn_exec;
	struct unwind_pagekey wn_key;
	struct unwind_page wn_page;
};

int is_mapped(void *wanted);
int is_exec(void *wanted);
int is_gone(void *wanted);
int is_settled(void *wanted);
/*
 * Waits until fn is true, after a miss if there is one; returns after how many
 * ms.
 */
double until(int (*fn)(void *), struct wanted *, const struct unwind_miss *,
    const char *what);
/* Has the process's entry made, which must have an address; ms. */
double
learn(const struct child *, uint32_t exec, uint64_t addr, const char *what);
/* Has a page made; ms. */
double build(const struct child *, struct unwind_pagekey, struct unwind_page *);

/* Is a symbolizer that hangs, if dtd started this program as one. */
int is_symbolizer(void);
int fake_symbolizer(void);

#endif /* UNWIND_TABLES_H */
