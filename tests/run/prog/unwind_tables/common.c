/* SPDX-License-Identifier: ISC */
/* Functions shared by the cases of unwind_tables. */
#include <dlfcn.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "daemon/unwind/unwind_impl.h"
#include "daemon/unwind/unwind_maps.h"
#include "tests/run/prog/prog.h"
#include "tests/run/prog/unwind_tables/unwind_tables.h"
#include "wire/unwind.h"

/*
 * The child sends addresses of its code, and executes commands
 */

int
child_main(void)
{
	struct told td = { (uintptr_t)dlsym(RTLD_NEXT, "getpid"),
		getauxval(AT_SYSINFO_EHDR) + 0x800, (uintptr_t)child_main, 0 };
	char *argv[] = { "unwind_tables", "child", NULL };
	char what;
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		if (write(0, &td, sizeof(td)) != sizeof(td) ||
		    read(0, &what, 1) != 1)
			return 0;
		if (what == 'e')
			execv("/proc/self/exe", argv);
		fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
		td.td_new = (uintptr_t)mmap(NULL, getpagesize(),
		    PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		close(fd);
	}
}

static void
child_hear(struct child *ch)
{
	if (read(ch->ch_sock, &ch->ch_told, sizeof(ch->ch_told)) !=
	    sizeof(ch->ch_told))
		errx(1, "the child has ended");
}

void
child_start_as(struct child *ch, uid_t uid)
{
	char *argv[] = { "unwind_tables", "child", NULL };
	int sv[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) == -1)
		err(1, "socketpair");
	if ((ch->ch_pid = prog_fork()) == 0) {
		dup2(sv[1], 0);
		if (setresuid(uid, uid, uid) == 0)
			execv("/proc/self/exe", argv);
		_exit(127);
	}
	close(sv[1]);
	ch->ch_sock = sv[0];
	child_hear(ch);
}

void
child_start(struct child *ch)
{
	child_start_as(ch, getuid());
}

void
child_do(struct child *ch, char what)
{
	if (write(ch->ch_sock, &what, 1) != 1)
		err(1, "write");
	child_hear(ch);
}

void
child_end(struct child *ch)
{
	int status;

	close(ch->ch_sock);
	if (waitpid(ch->ch_pid, &status, 0) != ch->ch_pid || status != 0)
		errx(1, "child: status %x", status);
}

/*
 * The maps, as a program reads them
 */

/* Returns a block's memory, mapped from the map that programs see. */
char *
block_at(uint32_t place)
{
	static char *slabs[UNWIND_MAXSLABS];
	static uint32_t ids[UNWIND_MAXSLABS];
	uint32_t i = UNWIND_PLACE_SLAB(place), id;
	int fd;

	if (bpf_map_lookup_elem(unwind_maps[UNWIND_SLABS].umr_fd, &i, &id) != 0)
		errx(1, "there is no slab %u", i);
	if (ids[i] != id) {
		if ((fd = bpf_map_get_fd_by_id(id)) < 0)
			errx(1, "map %u: %s", id, strerror(-fd));
		if (slabs[i] != NULL)
			munmap(slabs[i], UNWIND_SLAB);
		slabs[i] = mmap(NULL, UNWIND_SLAB, PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, 0);
		if (slabs[i] == MAP_FAILED)
			err(1, "mmap of a slab");
		close(fd);
		ids[i] = id;
	}
	return slabs[i] + UNWIND_PLACE_OFF(place);
}

int
proc_get(const struct child *ch, struct unwind_proc *pr)
{
	uint32_t pid = ch->ch_pid;

	return bpf_map_lookup_elem(unwind_maps[UNWIND_PROCS].umr_fd, &pid,
		   pr) == 0;
}

/* Returns the mapping of an address in the process's entry; NULL. */
const struct unwind_map *
map_at(const struct child *ch, uint64_t addr)
{
	const struct unwind_map *um;
	struct unwind_proc pr;
	uint32_t i;

	if (!proc_get(ch, &pr) || pr.pr_state != UNWIND_READY)
		return NULL;
	um = (const void *)block_at(pr.pr_place);
	for (i = 0; i < pr.pr_nmaps; i++, um++) {
		if (i > 0 && um->um_start <= um[-1].um_start)
			errx(1, "mappings are not sorted");
		if (addr - um->um_start < (uint64_t)um->um_npages << 12)
			return um;
	}
	return NULL;
}

struct unwind_miss
miss_of(const struct child *ch, uint32_t exec, enum unwind_what what)
{
	return (struct unwind_miss){ .ms_what = what,
		.ms_pid = ch->ch_pid,
		.ms_time = prog_now(),
		.ms_start = 1234,
		.ms_exec = exec };
}

int
is_mapped(void *arg)
{
	const struct wanted *wn = arg;

	return map_at(wn->wn_child, wn->wn_addr) != NULL;
}

int
is_exec(void *arg)
{
	const struct wanted *wn = arg;
	struct unwind_proc pr;

	return proc_get(wn->wn_child, &pr) && pr.pr_exec == wn->wn_exec &&
	    pr.pr_state == UNWIND_READY;
}

int
is_gone(void *arg)
{
	const struct wanted *wn = arg;
	struct unwind_proc pr;

	return !proc_get(wn->wn_child, &pr);
}

int
is_settled(void *arg)
{
	struct wanted *wn = arg;

	return bpf_map_lookup_elem(unwind_maps[UNWIND_PAGES].umr_fd,
		   &wn->wn_key, &wn->wn_page) == 0 &&
	    wn->wn_page.up_state != UNWIND_PENDING;
}

/*
 * Spins until fn is true, for a miss first if there is one; returns after how
 * many ms.
 */
double
until(int (*fn)(void *), struct wanted *wn, const struct unwind_miss *ms,
    const char *what)
{
	int64_t start = prog_now();

	if (ms != NULL)
		unwind_missed(ms);
	while (!fn(wn))
		if (prog_now() - start > 20 * 1000000000LL)
			errx(1, "%s: not within 20 s", what);
	return (prog_now() - start) / 1e6;
}

/* Has the process's entry made, and checks that it has an address. */
double
learn(const struct child *ch, uint32_t exec, uint64_t addr, const char *what)
{
	struct wanted wn = { .wn_child = ch, .wn_addr = addr };
	struct unwind_miss ms = miss_of(ch, exec, UNWIND_MISS_PROC);

	return until(is_mapped, &wn, &ms, what);
}

struct unwind_pagekey
key_of(const struct child *ch, uint64_t addr)
{
	const struct unwind_map *um = map_at(ch, addr);

	if (um == NULL)
		errx(1, "nothing is mapped at %llx", (unsigned long long)addr);
	return (struct unwind_pagekey){ um->um_file,
		(um->um_off + (addr - um->um_start)) >> UNWIND_PAGE_SHIFT };
}

/* Has a page made; returns after how many ms. */
double
build(const struct child *ch, struct unwind_pagekey uk, struct unwind_page *up)
{
	struct unwind_miss ms = { .ms_what = UNWIND_MISS_PAGE,
		.ms_pid = ch->ch_pid,
		.ms_key = uk };
	struct wanted wn = { .wn_key = uk };
	double msecs;

	msecs = until(is_settled, &wn, &ms, "a page");
	*up = wn.wn_page;
	return msecs;
}
