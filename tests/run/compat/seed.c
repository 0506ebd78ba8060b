/* SPDX-License-Identifier: ISC */
/*
 * A program as written for /dev/dt of OpenBSD, without libdt: it lists the
 * probes, traces two system calls of a child, and prints the result, for
 * tests/run/compat.t.  With -DDT_V1 it uses the older interface, whose request
 * has a filter.
 *
 *	seed calls	the child makes calls of getpid(2), and then one of
 *			getppid(2)
 */
#include <sys/types.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dev/dt/dtvar.h>

#define PATH_DEVDT "/dev/dt"
#define NEVENTS	   64

static struct dtioc_probe_info *probes;
static size_t nprobes;

static void
probes_get(int fd)
{
	struct dtioc_probe dtpr;

	memset(&dtpr, 0, sizeof(dtpr));
	if (ioctl(fd, DTIOCGPLIST, &dtpr))
		err(1, "DTIOCGPLIST");
	nprobes = dtpr.dtpr_size / sizeof(*probes);
	probes = calloc(nprobes, sizeof(*probes));
	if (probes == NULL)
		err(1, "calloc");
	dtpr.dtpr_probes = probes;
	if (ioctl(fd, DTIOCGPLIST, &dtpr))
		err(1, "DTIOCGPLIST");
}

static const struct dtioc_probe_info *
probe_find(const char *prov, const char *func, const char *name)
{
	const struct dtioc_probe_info *dtpi;

	for (dtpi = probes; dtpi < probes + nprobes; dtpi++)
		if (strcmp(dtpi->dtpi_prov, prov) == 0 &&
		    strcmp(dtpi->dtpi_func, func) == 0 &&
		    strcmp(dtpi->dtpi_name, name) == 0)
			return dtpi;
	errx(1, "probe '%s:%s:%s' not found", prov, func, name);
}

/* Prints it like a listing: the types of its arguments in parentheses. */
static void
probe_print(int fd, const struct dtioc_probe_info *dtpi)
{
	struct dtioc_arg_info args[DTMAXARGTYPES];
	struct dtioc_arg dtar;
	size_t i;

	memset(&dtar, 0, sizeof(dtar));
	dtar.dtar_pbn = dtpi->dtpi_pbn;
	dtar.dtar_size = sizeof(args);
	dtar.dtar_args = args;
	if (ioctl(fd, DTIOCGARGS, &dtar))
		err(1, "DTIOCGARGS");
	printf("%s:%s:%s(", dtpi->dtpi_prov, dtpi->dtpi_func, dtpi->dtpi_name);
	for (i = 0; i < dtar.dtar_size / sizeof(args[0]); i++)
		printf("%s%s", i > 0 ? ", " : "", args[i].dtai_argtype);
	printf(")\n");
}

/* The child: waits for the byte, then makes its calls. */
static pid_t
load_start(int ncalls, int *go)
{
	int pair[2];
	pid_t pid;
	char c;

	if (pipe(pair) == -1)
		err(1, "pipe");
	pid = fork();
	if (pid == -1)
		err(1, "fork");
	if (pid == 0) {
		close(pair[1]);
		if (read(pair[0], &c, 1) != 1)
			_exit(1);
		while (ncalls-- > 0)
			syscall(SYS_getpid);
		syscall(SYS_getppid);
		_exit(0);
	}
	close(pair[0]);
	*go = pair[1];
	return pid;
}

static void
request(struct dtioc_req *dtrq, uint32_t pbn, pid_t pid)
{
	memset(dtrq, 0, sizeof(*dtrq));
	dtrq->dtrq_pbn = pbn;
	dtrq->dtrq_evtflags = DTEVT_EXECNAME | DTEVT_FUNCARGS;
#ifdef DT_V1
	dtrq->dtrq_filter.dtf_operand = DT_OP_EQ;
	dtrq->dtrq_filter.dtf_variable = DT_FV_PID;
	dtrq->dtrq_filter.dtf_value = pid;
#else
	(void)pid;
#endif
}

struct tally {
	pid_t pid;		   /* of the child */
	unsigned int pbn[2];	   /* getpid, getppid */
	unsigned long long hit[2]; /* by the child */
	unsigned long long wrong;  /* wrong events of the child */
	unsigned long long all;
};

/* Reads once; returns 0 at the end, else 1. */
static int
drain(int fd, struct tally *t)
{
	static struct dt_evt evts[NEVENTS];
	const struct dt_evt *e;
	ssize_t n;
	int i;

	n = read(fd, evts, sizeof(evts));
	if (n == -1)
		err(1, "read");
	if (n % sizeof(evts[0]) != 0)
		errx(1, "incorrect read");
	for (e = evts; e < evts + n / sizeof(evts[0]); e++) {
		t->all++;
		if (e->dtev_pid != t->pid)
			continue;
		for (i = 0; i < 2; i++)
			t->hit[i] += e->dtev_pbn == t->pbn[i];
		t->wrong += strncmp(e->dtev_comm, "seed", 4) != 0 ||
		    e->dtev_tid != t->pid || e->dtev_tsp.tv_sec == 0;
	}
	return n > 0;
}

int
main(int argc, char **argv)
{
	struct dtioc_req rq[2];
	struct dtioc_stat st;
	struct tally t;
	int fd, go, i, on = 1, status;

	if (argc != 2)
		errx(1, "usage: seed calls");
	memset(&t, 0, sizeof(t));
	fd = open(PATH_DEVDT, O_RDONLY);
	if (fd == -1)
		err(1, PATH_DEVDT);
	probes_get(fd);
	probe_print(fd, probe_find("syscall", "kill", "entry"));
	t.pbn[0] = probe_find("syscall", "getpid", "entry")->dtpi_pbn;
	t.pbn[1] = probe_find("syscall", "getppid", "entry")->dtpi_pbn;
	t.pid = load_start(atoi(argv[1]), &go);

	for (i = 0; i < 2; i++) {
		request(&rq[i], t.pbn[i], t.pid);
		if (ioctl(fd, DTIOCPRBENABLE, &rq[i]))
			err(1, "DTIOCPRBENABLE");
		if (ioctl(fd, DTIOCPRBENABLE, &rq[i]) != -1 || errno != EEXIST)
			errx(1, "the same probe twice is no EEXIST");
	}
	if (ioctl(fd, DTIOCRECORD, &on))
		err(1, "DTIOCRECORD");
	if (write(go, "", 1) != 1)
		err(1, "write");
	while (t.hit[1] == 0)
		drain(fd, &t);
	on = 0;
	if (ioctl(fd, DTIOCRECORD, &on))
		err(1, "DTIOCRECORD");
	while (drain(fd, &t))
		continue;
	for (i = 0; i < 2; i++)
		if (ioctl(fd, DTIOCPRBDISABLE, &rq[i]))
			err(1, "DTIOCPRBDISABLE");
	if (ioctl(fd, DTIOCGSTATS, &st))
		err(1, "DTIOCGSTATS");
	if (close(fd) == -1 || close(fd) != -1 || errno != EBADF)
		err(1, "close");
	if (waitpid(t.pid, &status, 0) != t.pid || status != 0)
		errx(1, "the child failed");

	printf("getpid %llu getppid %llu wrong %llu\n", t.hit[0], t.hit[1],
	    t.wrong);
	printf("others %llu\n", t.all - t.hit[0] - t.hit[1]);
	printf("statistics %s, %llu dropped\n",
	    st.dtst_readevt == t.all ? "agree" : "DIFFER",
	    (unsigned long long)st.dtst_dropevt);
	return 0;
}
