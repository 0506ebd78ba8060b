/* SPDX-License-Identifier: ISC */
/*
 * The syscall and syscall32 providers: entry and return of every system call,
 * of 64-bit programs and of 32-bit programs, whose calls have other numbers.
 * Two programs, one at each of the kernel's two hooks, serve all probes of all
 * sessions: enabling sets an entry of a table, recording a bit in a mask.  The
 * verifier needs half the time for short programs, which serve counts and
 * records of fixed size.  Long programs are loaded for the first session with
 * other records: short programs that are attached already pass its hits on to
 * them.  Two more programs serve sessions with unwind tables.
 * The providers differ in their entries.  A session with probes of syscall only
 * counts calls of 32-bit programs as compat.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "daemon/base/conf.h"
#include "daemon/base/reason.h"
#include "daemon/dt/dt_cond.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_pcb.h"
#include "daemon/kernel/btf.h"
#include "daemon/kernel/load_error.h"
#include "daemon/kernel/syscalls.h"
#include "daemon/kernel/syscalls_fetch.h"
#include "daemon/unwind/unwind.h"
#include "dt_prov_syscall.skel.h"

/* Flags that the BSD original supports, and ours. */
#define SYSCALL_EVTFLAGS \
	(DTEVT_EXECNAME | DTEVT_USTACK | DTEVT_KSTACK | DTEVT_FUNCARGS | \
	    DTEVT_WHO | DTEVT_STRINGS | DTEVT_MEMORY | DTEVT_DATA)

/* dtp_sysnum of a probe: its row of the table, and DT_SYS_ENTRY or _RETURN. */
#define SYSNUM(line, dir) (2 * (line) + (dir))
#define SYSNUM_LINE(n)	  ((n) / 2)
#define SYSNUM_DIR(n)	  ((n) % 2)

_Static_assert(DT_SYS_ENTRY == 0 && DT_SYS_RETURN == 1, "SYSNUM");

extern const struct dt_provider dt_prov_syscall;
extern const struct dt_provider dt_prov_syscall32;

enum extent {
	SHORT,
	LONG,
	TABLES,
	NEXTENTS
};

/* Loaded, under load's lock: by extent and direction; 0: not loaded. */
static int progs[NEXTENTS][2];
static int rests[2]; /* maps of the short programs, see syscall_join() */
static struct dt_systable *systable; /* mapped; NULL before load */
static int systable_fd = -1;	     /* by load's lock */

static int
syscall_add(const struct dt_provider *prov, enum syscall_abi abi,
    unsigned int base)
{
	struct dt_probe *entry, *ret;
	const struct syscall_desc *sd;
	unsigned int nr, line;

	for (nr = 0; nr < syscall_max(abi) && nr < DT_SYS_NUMBERS; nr++) {
		if ((sd = syscall_desc(abi, nr)) == NULL)
			continue;
		line = base + nr;
		entry = dt_probe_add(prov, sd->name, "entry",
		    SYSNUM(line, DT_SYS_ENTRY), sd->nargs);
		ret = dt_probe_add(prov, sd->name, "return",
		    SYSNUM(line, DT_SYS_RETURN), 0);
		if (entry == NULL || ret == NULL)
			return ENOMEM;
		entry->dtp_part = DT_SYS_ENTRY;
		ret->dtp_part = DT_SYS_RETURN;
	}
	return 0;
}

static int
dt_prov_syscall_init(const struct dt_provider *prov,
    char *reason __attribute__((unused)), size_t size __attribute__((unused)))
{
	return syscall_add(prov, SYSCALL_ABI_64, 0);
}

#if defined(__x86_64__)
#define GETPID_I386 20

static void
abi32_refused(int sig __attribute__((unused)))
{
	_exit(1);
}

/*
 * Returns whether the kernel, which may be built or booted without them, runs
 * system calls of 32-bit programs. A child makes a call without side effects:
 * the kernel refuses it by SIGSEGV. SIGSYS is from a filter of this process
 * only, so it does not count.
 */
static int
syscall_has_abi32(void)
{
	pid_t pid;
	int status;

	if ((pid = fork()) == -1)
		return 1; /* unknown: try it */
	if (pid == 0) {
		signal(SIGSEGV, abi32_refused);
		__asm__ volatile("int $0x80"
				 :
				 : "a"((long)GETPID_I386)
				 : "r8", "r9", "r10", "r11", "memory");
		_exit(0);
	}
	return waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status) == 0;
}
#else
/* Makes no call: the kernel has the personality of 32-bit programs or not. */
static int
syscall_has_abi32(void)
{
	int old = personality(0xffffffff);

	if (old == -1 || personality(PER_LINUX32) == -1)
		return 0;
	personality((unsigned long)old);
	return 1;
}
#endif

static int
dt_prov_syscall32_init(const struct dt_provider *prov, char *reason,
    size_t size)
{
	if (!syscall_has_abi32()) {
		snprintf(reason, size,
		    "this kernel does not run 32-bit programs");
		return 0;
	}
	return syscall_add(prov, SYSCALL_ABI_32, DT_SYS_32);
}

static const struct syscall_desc *
syscall_of(const struct dt_probe *dtp)
{
	unsigned int line = SYSNUM_LINE(dtp->dtp_sysnum);

	return line < DT_SYS_32
	    ? syscall_desc(SYSCALL_ABI_64, line)
	    : syscall_desc(SYSCALL_ABI_32, line - DT_SYS_32);
}

static void
dt_prov_syscall_args(const struct dt_probe *dtp, unsigned int n,
    const char **type, const char **name, unsigned int *flags)
{
	const struct syscall_arg *a = &syscall_of(dtp)->args[n];

	*type = a->type;
	*name = a->name;
	*flags = a->is_path ? DTAN_PATH : 0;
}

/* Returns have the arguments, too. */
static int
dt_prov_syscall_operand(const struct dt_probe *dtp, const struct dt_opd *op,
    struct dt_look *lo)
{
	return dt_look_call(op, syscall_of(dtp)->nargs,
	    SYSNUM_DIR(dtp->dtp_sysnum) == DT_SYS_RETURN, DT_LOOK_USERTEXT, lo);
}

static int
dt_prov_syscall_alloc(struct dt_enabled *en __attribute__((unused)),
    struct dt_pcb *dp, const struct dtioc_req *rq)
{
	dp->dp_req.rq_evtflags = dt_pcb_evtflags(
	    rq->dtrq_evtflags & SYSCALL_EVTFLAGS);
	if (rq->dtrq_evtflags & DTEVT_PATHS)
		dp->dp_req.rq_bits |= DT_REQ_FILES;
	return 0;
}

/* Stores how the programs read the memory that arguments point to. */
static void
systable_fetches(unsigned int line, unsigned int dir)
{
	struct dt_fetches *fe = &systable->sys_fetch[dir][line];

	if (line < DT_SYS_32)
		syscall_fetches(SYSCALL_ABI_64, line, dir, fe);
	else
		syscall_fetches(SYSCALL_ABI_32, line - DT_SYS_32, dir, fe);
}

static int
syscall_isexec(const struct dt_probe *dtp)
{
	return strcmp(dtp->dtp_func, "execve") == 0 ||
	    strcmp(dtp->dtp_func, "execveat") == 0;
}

/* Stores each call's probes and arguments for the programs. */
static void *
systable_fill(void *arg __attribute__((unused)))
{
	const struct dt_probe *dtp;
	unsigned int line, dir;

	TAILQ_FOREACH(dtp, &dt_probes, dtp_next) {
		if (dtp->dtp_prov != &dt_prov_syscall &&
		    dtp->dtp_prov != &dt_prov_syscall32)
			continue;
		line = SYSNUM_LINE(dtp->dtp_sysnum);
		dir = SYSNUM_DIR(dtp->dtp_sysnum);
		systable->sys_pbn[dir][line] = dtp->dtp_pbn;
		systable->sys_isexec[line] = syscall_isexec(dtp);
		systable_fetches(line, dir);
		if (dir == DT_SYS_RETURN)
			systable_fetches(line, DT_SYS_PAIR);
		if (dir == DT_SYS_ENTRY)
			systable->sys_nargs[line] = dtp->dtp_nargs;
	}
	return NULL;
}

/*
 * Creates and maps the table of all programs.  libbpf would write the zeros of
 * its 2 MB into the map that it creates.
 */
static int
systable_make(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	void *p;

	if (systable_fd < 0 &&
	    (systable_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "dt_systable", 4,
		 sizeof(*systable), 1, &opts)) < 0)
		return -systable_fd;
	p = mmap(NULL, sizeof(*systable), PROT_READ | PROT_WRITE, MAP_SHARED,
	    systable_fd, 0);
	if (p == MAP_FAILED)
		return errno;
	systable = p;
	return 0;
}

static int
systable_share(struct dt_prov_syscall_bpf *skel)
{
	if (bpf_map__value_size(skel->maps.bss) != sizeof(*systable))
		return EINVAL; /* cannot be */
	return -bpf_map__reuse_fd(skel->maps.bss, systable_fd);
}

static struct bpf_program *
syscall_prog(const struct dt_prov_syscall_bpf *skel, enum extent extent,
    unsigned int dir)
{
	struct bpf_program *const all[NEXTENTS][2] = {
		[SHORT] = { skel->progs.dt_syscall_entry,
		    skel->progs.dt_syscall_return },
		[LONG] = { skel->progs.dt_syscall_entry_long,
		    skel->progs.dt_syscall_return_long },
		[TABLES] = { skel->progs.dt_syscall_entry_tables,
		    skel->progs.dt_syscall_return_tables },
	};

	return all[extent][dir];
}

static enum dt_hook
syscall_hook(int tables, unsigned int dir)
{
	if (dir == DT_SYS_ENTRY)
		return tables ? DT_HOOK_SYS_ENTRY_TABLES : DT_HOOK_SYS_ENTRY;
	return tables ? DT_HOOK_SYS_RETURN_TABLES : DT_HOOK_SYS_RETURN;
}

/* Lets the short program of a direction call the long one. */
static int
syscall_join(unsigned int dir)
{
	uint32_t zero = 0;

	return -bpf_map_update_elem(rests[dir], &zero, &progs[LONG][dir],
	    BPF_ANY);
}

/* Keeps what is loaded, without the object. */
static int
syscall_keep(const struct dt_prov_syscall_bpf *skel, enum extent extent,
    unsigned int dir)
{
	int map = bpf_map__fd(skel->maps.dt_syscall_rest);
	int fd = dt_prog_keep(syscall_prog(skel, extent, dir));

	if (fd == -1)
		return errno;
	if (extent == SHORT &&
	    (rests[dir] = fcntl(map, F_DUPFD_CLOEXEC, 0)) == -1) {
		close(fd);
		return errno;
	}
	progs[extent][dir] = fd;
	return 0;
}

/* Loads one of the programs of an object. */
static int
syscall_load(unsigned int dir, enum extent extent, struct reason *rs)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf_path());
	struct dt_prov_syscall_bpf *skel;
	struct bpf_program *prog;
	int error;

	if ((skel = dt_prov_syscall_bpf__open_opts(&opts)) == NULL)
		return reason_fail(rs, errno, "its BPF object does not open");
	prog = syscall_prog(skel, extent, dir);
	skel->rodata->dt_ncpu = dt_ncpu;
	skel->rodata->dt_isalone = conf.cf_private;
	dt_maps_unseen(skel->skeleton, skel->maps.bss);
	if ((error = -bpf_program__set_autoload(prog, true)) != 0 ||
	    (error = dt_maps_share(skel->obj, DT_TALLY_SYSCALL)) != 0 ||
	    (extent == TABLES && (error = unwind_share(skel->obj)) != 0) ||
	    (error = systable_share(skel)) != 0 ||
	    (error = -dt_prov_syscall_bpf__load(skel)) != 0)
		reason_set(rs, "this kernel refuses the programs: %s",
		    dt_refused(error));
	else
		error = syscall_keep(skel, extent, dir);
	dt_prov_syscall_bpf__destroy(skel);
	return error;
}

/* Loads a program, for its hook unless a short one passes hits on to it. */
static int
syscall_add_prog(unsigned int dir, enum extent extent, struct reason *rs)
{
	int error = syscall_load(dir, extent, rs);

	if (error != 0)
		return error;
	if (extent == LONG && progs[SHORT][dir] != 0)
		return syscall_join(dir);
	dt_hook_set_prog(syscall_hook(extent == TABLES, dir),
	    progs[extent][dir]);
	return 0;
}

/*
 * Loads the first program while another thread fills the table, which takes a
 * third as long.
 */
static int
syscall_load_first(unsigned int dir, enum extent extent, struct reason *rs)
{
	pthread_t thread;
	int error;

	if ((error = systable_make()) != 0)
		return reason_fail(rs, error, "cannot make its table: %s",
		    strerror(error));
	if (pthread_create(&thread, NULL, systable_fill, NULL) != 0) {
		systable_fill(NULL);
		return syscall_add_prog(dir, extent, rs);
	}
	error = syscall_add_prog(dir, extent, rs);
	pthread_join(thread, NULL);
	return error;
}

/* Both providers share the programs; the first use loads them. */
static int
dt_prov_syscall_load(unsigned int part, struct reason *rs)
{
	static pthread_mutex_t mtx = PTHREAD_MUTEX_INITIALIZER;
	const unsigned int dir = part & ~(DT_PART_LONG | DT_PART_TABLES);
	enum extent extent = (part & DT_PART_TABLES) ? TABLES
	    : (part & DT_PART_LONG)		     ? LONG
						     : SHORT;
	int error = 0;

	pthread_mutex_lock(&mtx);
	if (progs[extent][dir] == 0 &&
	    (extent != SHORT || progs[LONG][dir] == 0))
		error = systable == NULL ? syscall_load_first(dir, extent, rs)
					 : syscall_add_prog(dir, extent, rs);
	pthread_mutex_unlock(&mtx);
	return error;
}

static uint64_t
slot_bit(const struct dt_enabled *en)
{
	return 1ULL << (en->den_client->dcl_slot % 64);
}

/*
 * Returns a request as the programs read it.  A call without memory to fetch
 * takes the fast path into the ring, whatever the request has.
 */
static struct dt_req
syscall_req(const struct dt_enabled *en, const struct dt_pcb *dp,
    const struct dt_fetches *fe)
{
	struct dt_req r = dp->dp_req;
	unsigned int i, want = 0;

	for (i = 0; i < DT_NFETCH; i++) {
		want |= fe->fe_row[i].fet_want;
		if ((fe->fe_row[i].fet_bits & DT_FETCH_ISPATH) &&
		    en->den_settings->dst_path.dtph_prefix[0] != '\0')
			r.rq_bits |= DT_REQ_PATHS;
	}
	/* programs would store it as memory of the first hit's arguments */
	if ((r.rq_bits & DT_REQ_TO) &&
	    (dp->dp_other->dp_dtp->dtp_prov != dp->dp_dtp->dtp_prov ||
		SYSNUM_LINE(dp->dp_other->dp_dtp->dtp_sysnum) !=
		    SYSNUM_LINE(dp->dp_dtp->dtp_sysnum)))
		want = 0;
	r.rq_evtflags &= ~DT_EVT_FETCH | want;
	if ((want & DT_WANT_FILES) == 0)
		r.rq_bits &= ~DT_REQ_FILES;
	return r;
}

/*
 * By what the session requests of the probe, even if this call has no memory to
 * read: the session's other calls do, and one program is loaded sooner than two.
 */
static int
dt_prov_syscall_islong(const struct dt_enabled *en, const struct dt_pcb *dp)
{
	const struct dt_req *r = &dp->dp_req;

	return (r->rq_evtflags & DT_EVT_LONG) != 0 ||
	    (r->rq_bits & DT_REQ_SCRATCH) != 0 ||
	    (r->rq_agg & DT_REQ_AGG_RECORD) != 0 ||
	    en->den_settings->dst_path.dtph_prefix[0] != '\0';
}

/* Returns whether a probe of the session records. */
static int
syscall_active(const struct dt_enabled *en, int also32)
{
	const struct dt_pcb *dp;

	TAILQ_FOREACH(dp, &en->den_pcbs, dp_snext)
		if (dp->dp_started &&
		    (dp->dp_dtp->dtp_prov == &dt_prov_syscall ||
			(also32 && dp->dp_dtp->dtp_prov == &dt_prov_syscall32)))
			return 1;
	return 0;
}

/*
 * Has the short programs pass on the session's hits, from its first probe that
 * needs it until it stops.  No hit of an earlier session in the slot is in
 * progress any more.
 */
static void
syscall_pass_on(const struct dt_enabled *en, const struct dt_pcb *dp)
{
	__u64 *word = &systable->sys_long[en->den_client->dcl_slot / 64];

	if (dt_prov_syscall_islong(en, dp))
		__atomic_or_fetch(word, slot_bit(en), __ATOMIC_SEQ_CST);
	else if (!syscall_active(en, 1))
		__atomic_and_fetch(word, ~slot_bit(en), __ATOMIC_SEQ_CST);
}

/*
 * Stores the session's filter by path as the programs compare it.  Each probe's
 * start writes the same bytes, since other probes may record already.
 */
static void
syscall_prefix(const struct dt_enabled *en)
{
	const char *prefix = en->den_settings->dst_path.dtph_prefix;
	struct dt_prefix px = { 0 };

	_Static_assert(sizeof(px.px_text) ==
		sizeof(en->den_settings->dst_path.dtph_prefix),
	    "a prefix has the size of its words");

	memcpy(px.px_text, prefix, sizeof(px.px_text));
	memset(px.px_mask, 0xff, strlen(prefix));
	systable->sys_prefix[en->den_client->dcl_slot] = px;
}

static int
dt_prov_syscall_start(struct dt_enabled *en, struct dt_pcb *dp)
{
	unsigned int line = SYSNUM_LINE(dp->dp_dtp->dtp_sysnum);
	unsigned int dir = SYSNUM_DIR(dp->dp_dtp->dtp_sysnum);
	unsigned int word = en->den_client->dcl_slot / 64;
	const int tables = dp->dp_walks;
	int error = dt_hook_get(&en->den_hooks, syscall_hook(tables, dir));

	if (error != 0)
		return error;
	syscall_prefix(en);
	systable->sys_req[en->den_client->dcl_slot][dir][line] = syscall_req(en,
	    dp, &systable->sys_fetch[dir][line]);
	syscall_pass_on(en, dp);
	__atomic_or_fetch(&systable->sys_mask[tables][dir][line][word],
	    slot_bit(en), __ATOMIC_SEQ_CST);
	if (dp->dp_dtp->dtp_prov == &dt_prov_syscall)
		__atomic_or_fetch(&systable->sys_any[tables][word],
		    slot_bit(en), __ATOMIC_SEQ_CST);
	return 0;
}

static void
dt_prov_syscall_stop(struct dt_enabled *en, struct dt_pcb *dp)
{
	unsigned int line = SYSNUM_LINE(dp->dp_dtp->dtp_sysnum);
	unsigned int dir = SYSNUM_DIR(dp->dp_dtp->dtp_sysnum);
	unsigned int word = en->den_client->dcl_slot / 64;
	const int tables = dp->dp_walks;

	dp->dp_started = 0;
	if (!syscall_active(en, 0)) {
		__atomic_and_fetch(&systable->sys_any[0][word], ~slot_bit(en),
		    __ATOMIC_SEQ_CST);
		__atomic_and_fetch(&systable->sys_any[1][word], ~slot_bit(en),
		    __ATOMIC_SEQ_CST);
	}
	__atomic_and_fetch(&systable->sys_mask[tables][dir][line][word],
	    ~slot_bit(en), __ATOMIC_SEQ_CST);
}

static const struct dt_provlist syscall_list = {
	.pvl_init = dt_prov_syscall_init,
};

static const struct dt_provargs syscall_args = {
	.pva_get = dt_prov_syscall_args,
	.pva_operand = dt_prov_syscall_operand,
};

static const struct dt_provrec syscall_rec = {
	.pvr_tally = DT_TALLY_SYSCALL,
	.pvr_alloc = dt_prov_syscall_alloc,
	.pvr_load = dt_prov_syscall_load,
	.pvr_nparts = 2, /* DT_SYS_ENTRY, DT_SYS_RETURN */
	.pvr_tables = 1,
	.pvr_islong = dt_prov_syscall_islong,
	.pvr_start = dt_prov_syscall_start,
	.pvr_stop = dt_prov_syscall_stop,
};

const struct dt_provider dt_prov_syscall = {
	.prov_name = "syscall",
	.prov_flags = DTPI_CALL,
	.prov_rights = RIGHT_TRACE_OWN | RIGHT_TRACE_ALL,
	.prov_list = &syscall_list,
	.prov_args = &syscall_args,
	.prov_rec = &syscall_rec,
};

static const struct dt_provlist syscall32_list = {
	.pvl_init = dt_prov_syscall32_init,
};

const struct dt_provider dt_prov_syscall32 = {
	.prov_name = "syscall32",
	.prov_flags = DTPI_CALL | DTPI_COMPAT,
	.prov_rights = RIGHT_TRACE_OWN | RIGHT_TRACE_ALL,
	.prov_list = &syscall32_list,
	.prov_args = &syscall_args,
	.prov_rec = &syscall_rec,
};
