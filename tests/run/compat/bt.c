/* SPDX-License-Identifier: ISC */
/*
 * A program as btrace(8) of OpenBSD is written: for /dev/dt, /dev/ksyms and the
 * headers of that system, without libdt.  For tests/run/compat.t.  With -DDT_V1
 * it uses the older interface; with -DDT_COMPAT_SYSNUM it translates the names
 * sys%N, with -DDT_COMPAT_KPROBES it finds kernel functions in the list.
 *
 *	bt list			checks the whole list of probes
 *	bt run PROBE ...	traces a child, prints a line per probe
 *	bt read			checks DTIOCGSTATS between two reads
 *	bt file			checks DTIOCRDVNODE
 *
 * A clock's name has its rate: profile:hz:100.
 */
#include <sys/types.h>
#include <sys/ioccom.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stacktrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/syslimits.h>
#include <sys/wait.h>

#include <elf.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <paths.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <dev/dt/dtvar.h>

#define PATH_DEVDT "/dev/dt"
#define NEVENTS	   64
#define NCALLS	   50
#define MAXPROBES  16

#ifdef DT_V1
#define ARGS dtev_sysargs
#else
#define ARGS dtev_args
#endif

static struct dtioc_probe_info *probes; /* probes[pbn - 1] */
static size_t nprobes;
static int dtfd;

static void
probes_get(void)
{
	struct dtioc_probe dtpr;

	memset(&dtpr, 0, sizeof(dtpr));
	if (ioctl(dtfd, DTIOCGPLIST, &dtpr))
		err(1, "DTIOCGPLIST");
	nprobes = dtpr.dtpr_size / sizeof(*probes);
	probes = calloc(nprobes, sizeof(*probes));
	if (probes == NULL)
		err(1, "calloc");
	dtpr.dtpr_probes = probes;
	if (ioctl(dtfd, DTIOCGPLIST, &dtpr))
		err(1, "DTIOCGPLIST");
}

/* Returns the name of the function, or the number of a system call. */
static const char *
probe_func(const struct dtioc_probe_info *dtpi)
{
	const char *percent = strchr(dtpi->dtpi_func, '%');
	int n;

	if (strcmp(dtpi->dtpi_prov, "syscall") != 0 || percent == NULL)
		return dtpi->dtpi_func;
	n = atoi(percent + 1);
	return n >= 1 && n <= SYS_MAXSYSCALL ? syscallnames[n]
					     : dtpi->dtpi_func;
}

/* Returns the number of arguments that have a type. */
static size_t
probe_ntypes(const struct dtioc_probe_info *dtpi)
{
	struct dtioc_arg_info args[DTMAXARGTYPES];
	struct dtioc_arg dtar;
	size_t i, n;

	memset(&dtar, 0, sizeof(dtar));
	dtar.dtar_pbn = dtpi->dtpi_pbn;
	dtar.dtar_size = sizeof(args);
	dtar.dtar_args = args;
	if (ioctl(dtfd, DTIOCGARGS, &dtar))
		err(1, "DTIOCGARGS of %u", dtpi->dtpi_pbn);
	n = dtar.dtar_size / sizeof(args[0]);
	for (i = 0; i < n; i++)
		if (args[i].dtai_pbn != dtpi->dtpi_pbn)
			errx(1, "types of %u", args[i].dtai_pbn);
	return n;
}

/* Returns whether a look-up by name has the number of the list. */
static int
probe_isfound(const struct dtioc_probe_info *dtpi)
{
	struct dtioc_probe_info found = { 0 };
	struct dtioc_lookup lk;
	char name[3 * DTNAMESIZE];

	snprintf(name, sizeof(name), "%s:%s:%s", dtpi->dtpi_prov,
	    probe_func(dtpi), dtpi->dtpi_name);
	lk.dtlk_pattern = name;
	lk.dtlk_size = sizeof(found);
	lk.dtlk_probes = &found;
	if (ioctl(dtfd, DTIOCLOOKUP, &lk))
		err(1, "DTIOCLOOKUP of %s", name);
	return found.dtpi_pbn == dtpi->dtpi_pbn;
}

static void
list(void)
{
	size_t i, holes = 0, wrong = 0, withargs = 0, funcs = 0, numbers = 0;
	const struct dtioc_probe_info *dtpi;

	for (i = 0; i < nprobes; i++) {
		dtpi = &probes[i];
		holes += dtpi->dtpi_pbn != i + 1;
		withargs += dtpi->dtpi_nargs > 0 &&
		    strcmp(dtpi->dtpi_prov, "tracepoint") == 0;
		numbers += strchr(dtpi->dtpi_func, '%') != NULL;
		funcs += strcmp(dtpi->dtpi_prov, "kprobe") == 0;
		/* of the thousands of functions, some */
		if (strcmp(dtpi->dtpi_prov, "kprobe") != 0 || i % 500 == 0)
			wrong += dtpi->dtpi_nargs != probe_ntypes(dtpi);
	}
	printf("%zu probes, %zu holes, %zu with a wrong number of arguments\n",
	    nprobes, holes, wrong);
	printf("tracepoints with arguments: %s\n", withargs > 0 ? "yes" : "no");
	printf("%zu numbered calls, %zu functions\n", numbers, funcs);
	printf("look-ups %s\n",
	    probe_isfound(&probes[2]) && probe_isfound(&probes[nprobes - 1])
		? "agree"
		: "DIFFER");
}

/* Symbols of the kernel */

static Elf64_Sym *syms;
static size_t nsyms;
static const char *symnames;

static void
ksyms_section(const char *file, const Elf64_Shdr *sh, const char *name)
{
	if (strcmp(name, ".symtab") == 0 && sh->sh_type == SHT_SYMTAB) {
		syms = (Elf64_Sym *)(file + sh->sh_offset);
		nsyms = sh->sh_size / sh->sh_entsize;
	} else if (strcmp(name, ".strtab") == 0 && sh->sh_type == SHT_STRTAB)
		symnames = file + sh->sh_offset;
}

static void
ksyms_read(void)
{
	const Elf64_Ehdr *eh;
	const Elf64_Shdr *sh;
	struct stat st;
	char *file;
	int fd, i;

	if ((fd = open(_PATH_KSYMS, O_RDONLY)) == -1)
		err(1, _PATH_KSYMS);
	if (fstat(fd, &st) == -1)
		err(1, "fstat");
	file = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED)
		err(1, "mmap");
	eh = (const Elf64_Ehdr *)file;
	if (memcmp(eh->e_ident, ELFMAG, SELFMAG) != 0)
		errx(1, _PATH_KSYMS " is no ELF file");
	sh = (const Elf64_Shdr *)(file + eh->e_shoff);
	for (i = 0; i < eh->e_shnum; i++)
		ksyms_section(file, &sh[i],
		    file + sh[eh->e_shstrndx].sh_offset + sh[i].sh_name);
	if (syms == NULL || symnames == NULL)
		errx(1, _PATH_KSYMS " has no symbols");
	close(fd);
}

/* Returns the name of the function at an address. */
static const char *
ksym(uint64_t pc)
{
	size_t i;

	for (i = 0; i < nsyms; i++)
		if (ELF64_ST_TYPE(syms[i].st_info) == STT_FUNC &&
		    pc >= syms[i].st_value &&
		    pc < syms[i].st_value + syms[i].st_size)
			return symnames + syms[i].st_name;
	return "?";
}

/* The traced child */

static void
burn(void)
{
	struct timespec t;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	while (t.tv_sec == 0 && t.tv_nsec < 300000000);
}

static pid_t
load_start(int *go)
{
	int i, pair[2];
	pid_t pid;
	char c;

	if (pipe(pair) == -1)
		err(1, "pipe");
	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0) {
		close(pair[1]);
		if (read(pair[0], &c, 1) != 1)
			_exit(1);
		for (i = 0; i < NCALLS; i++) {
			syscall(SYS_kill, 0, 100 + i); /* no such signal */
			syscall(SYS_openat, AT_FDCWD, "/nope", O_RDONLY);
			syscall(SYS_read, -1, NULL, 0);
		}
		burn();
		_exit(0);
	}
	close(pair[0]);
	*go = pair[1];
	return pid;
}

static void
load_run(pid_t pid, int go)
{
	int status;

	if (write(go, "", 1) != 1)
		err(1, "write");
	if (waitpid(pid, &status, 0) != pid || status != 0)
		errx(1, "the child failed");
}

/* Rules */

static struct rule {
	const char *spec;
	const struct dtioc_probe_info *dtpi;
	struct dtioc_req req;
	unsigned int hits; /* by the child; of interval all */
	struct dt_evt last;
} rules[MAXPROBES];
static int nrules;

static int
rule_isclock(const struct rule *r)
{
	return strcmp(r->dtpi->dtpi_prov, "profile") == 0 ||
	    strcmp(r->dtpi->dtpi_prov, "interval") == 0;
}

static void
rule_find(struct rule *r)
{
	const struct dtioc_probe_info *dtpi;
	char name[3 * DTNAMESIZE];
	int isclock;

	for (dtpi = probes; dtpi < probes + nprobes; dtpi++) {
		isclock = strcmp(dtpi->dtpi_prov, "profile") == 0 ||
		    strcmp(dtpi->dtpi_prov, "interval") == 0;
		/* of a clock, the name is the period */
		snprintf(name, sizeof(name), "%s:%s:%s", dtpi->dtpi_prov,
		    probe_func(dtpi),
		    isclock && strrchr(r->spec, ':') != NULL
			? strrchr(r->spec, ':') + 1
			: dtpi->dtpi_name);
		if (strcmp(name, r->spec) == 0) {
			r->dtpi = dtpi;
			return;
		}
	}
	errx(1, "probe '%s' not found", r->spec);
}

static void
rule_add(const char *spec)
{
	struct rule *r = &rules[nrules++];

	if (nrules > MAXPROBES)
		errx(1, "too many probes");
	r->spec = spec;
	rule_find(r);
	r->req.dtrq_pbn = r->dtpi->dtpi_pbn;
	r->req.dtrq_evtflags = DTEVT_EXECNAME | DTEVT_FUNCARGS | DTEVT_KSTACK |
	    DTEVT_USTACK;
	if (rule_isclock(r)) {
#ifdef DT_V1
		r->req.dtrq_rate = atoi(strrchr(spec, ':') + 1);
#else
		r->req.dtrq_nsecs = 1000000000 / atoi(strrchr(spec, ':') + 1);
#endif
	}
	if (ioctl(dtfd, DTIOCPRBENABLE, &r->req))
		err(1, "DTIOCPRBENABLE of %s", spec);
	if (ioctl(dtfd, DTIOCPRBENABLE, &r->req) != -1 || errno != EEXIST)
		errx(1, "%s twice is no EEXIST", spec);
}

static unsigned long long
rules_apply(const struct dt_evt *e, size_t n, pid_t pid)
{
	size_t i;
	int k;

	for (i = 0; i < n; i++, e++) {
		if (e->dtev_pbn < 1 || e->dtev_pbn > nprobes)
			errx(1, "event of probe %u", e->dtev_pbn);
		for (k = 0; k < nrules; k++) {
			if (rules[k].dtpi != &probes[e->dtev_pbn - 1] ||
			    (e->dtev_pid != pid &&
				strcmp(rules[k].dtpi->dtpi_prov, "interval") !=
				    0))
				continue;
			rules[k].hits++;
			rules[k].last = *e;
		}
	}
	return n;
}

/* Reads up to the end.  Returns the number of events. */
static unsigned long long
drain(pid_t pid)
{
	static struct dt_evt evts[NEVENTS];
	unsigned long long all = 0;
	ssize_t n;

	while ((n = read(dtfd, evts, sizeof(evts))) > 0) {
		if (n % sizeof(evts[0]) != 0)
			errx(1, "incorrect read");
		all += rules_apply(evts, n / sizeof(evts[0]), pid);
	}
	if (n == -1)
		err(1, "read");
	return all;
}

static void
record(int on)
{
	if (ioctl(dtfd, DTIOCRECORD, &on))
		err(1, "DTIOCRECORD");
}

/* Prints a rule's last event: names of its kernel stack, arguments, result. */
static void
rule_print(const struct rule *r)
{
	const struct dt_evt *e = &r->last;
	unsigned int i, known = 0;
	const char *first = "-";

	for (i = 0; i < e->dtev_kstack.st_count; i++)
		known += strcmp(ksym(e->dtev_kstack.st_pc[i]), "?") != 0;
	if (e->dtev_kstack.st_count > 0)
		first = ksym(e->dtev_kstack.st_pc[0]);
	printf("%s hits %u comm %s stack %s frames %s", r->spec, r->hits,
	    e->dtev_comm, first,
	    known == e->dtev_kstack.st_count ? "named" : "UNNAMED");
	if (strcmp(r->dtpi->dtpi_name, "return") == 0)
		printf(" returned %lld error %d\n",
		    (long long)e->dtev_retval[0], e->dtev_error);
	else
		printf(" args %lld %lld\n", (long long)e->ARGS[0],
		    (long long)e->ARGS[1]);
}

static void
run(int argc, char **argv)
{
	struct dtioc_stat st;
	unsigned long long all;
	pid_t pid;
	int go, i;

	ksyms_read();
	for (i = 0; i < argc; i++)
		rule_add(argv[i]);
	pid = load_start(&go);
	record(1);
	load_run(pid, go);
	record(0);
	all = drain(pid);
	if (ioctl(dtfd, DTIOCGSTATS, &st))
		err(1, "DTIOCGSTATS");
	for (i = 0; i < nrules; i++) {
		rule_print(&rules[i]);
		if (ioctl(dtfd, DTIOCPRBDISABLE, &rules[i].req))
			err(1, "DTIOCPRBDISABLE");
	}
	printf("statistics %s, %llu dropped\n",
	    st.dtst_readevt == all ? "agree" : "DIFFER",
	    (unsigned long long)st.dtst_dropevt);
}

/* Events that were not read yet do not count as read. */
static void
reads(void)
{
	static struct dt_evt evt;
	struct dtioc_stat st;
	pid_t pid;
	int go, i;

	rule_add("syscall:kill:entry");
	pid = load_start(&go);
	record(1);
	load_run(pid, go);
	record(0);
	for (i = 1; i <= 3; i++) {
		if (read(dtfd, &evt, sizeof(evt)) != sizeof(evt))
			err(1, "read");
		if (ioctl(dtfd, DTIOCGSTATS, &st))
			err(1, "DTIOCGSTATS");
		printf("%llu read\n", (unsigned long long)st.dtst_readevt);
	}
	printf("rest %s\n", drain(pid) >= NCALLS - 3 ? "complete" : "MISSING");
}

/* The file that has this program's code is found, and none for other addresses. */
static void
file(void)
{
	char *va = (char *)(uintptr_t)file, code[16], onstack;
	struct dtioc_rdvn dtrv;
	struct stat st, exe;

	memset(&dtrv, 0, sizeof(dtrv));
	dtrv.dtrv_pid = getpid();
	dtrv.dtrv_va = va;
	if (ioctl(dtfd, DTIOCRDVNODE, &dtrv))
		err(1, "DTIOCRDVNODE");
	if (fstat(dtrv.dtrv_fd, &st) == -1 ||
	    stat("/proc/self/exe", &exe) == -1)
		err(1, "stat");
	if (pread(dtrv.dtrv_fd, code, sizeof(code),
		(off_t)(uintptr_t)dtrv.dtrv_offset + (va - dtrv.dtrv_start)) !=
	    sizeof(code))
		err(1, "pread");
	printf("file %s, length %s, code %s\n",
	    st.st_ino == exe.st_ino && st.st_dev == exe.st_dev ? "same"
							       : "OTHER",
	    dtrv.dtrv_len == (size_t)exe.st_size ? "same" : "OTHER",
	    memcmp(code, va, sizeof(code)) == 0 ? "same" : "OTHER");
	printf("flags %s\n",
	    fcntl(dtrv.dtrv_fd, F_GETFD) == FD_CLOEXEC &&
		    (fcntl(dtrv.dtrv_fd, F_GETFL) & O_ACCMODE) == O_RDONLY
		? "as documented"
		: "OTHER");
	close(dtrv.dtrv_fd);
	dtrv.dtrv_va = &onstack;
	printf("stack: %s\n",
	    ioctl(dtfd, DTIOCRDVNODE, &dtrv) == -1 && errno == ENOENT
		? "ENOENT"
		: strerror(errno));
	dtrv.dtrv_pid = 0x3ffffff0;
	printf("nobody: %s\n",
	    ioctl(dtfd, DTIOCRDVNODE, &dtrv) == -1 && errno == ESRCH
		? "ESRCH"
		: strerror(errno));
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (IOCPARM_LEN(DTIOCGPLIST) != sizeof(struct dtioc_probe) ||
	    IOCGROUP(DTIOCGPLIST) != 'D' || PATH_MAX < 255 ||
	    strstr(DTEVT_FLAG_BITS, "USTACK") == NULL)
		errx(1, "wrong headers");
	dtfd = open(PATH_DEVDT, O_RDONLY);
	if (dtfd == -1)
		err(1, PATH_DEVDT);
	probes_get();
	if (strcmp(what, "list") == 0)
		list();
	else if (strcmp(what, "run") == 0)
		run(argc - 2, argv + 2);
	else if (strcmp(what, "read") == 0)
		reads();
	else if (strcmp(what, "file") == 0)
		file();
	else
		errx(1, "usage: bt list | run probe ... | read | file");
	if (close(dtfd) == -1)
		err(1, "close");
	return 0;
}
