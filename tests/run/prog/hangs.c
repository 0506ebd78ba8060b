/* SPDX-License-Identifier: ISC */
/*
 * hangs [-n EVERY]
 * hangs other
 *
 * Each call of an inspector hangs for ever, one call site after another
 * (tests/fault/hang.c).  A service that reads clients, processes and files is
 * started, a client sends every request that needs such a read, and the call
 * hangs.  Whatever hangs, the client gets its replies, with or without an
 * error; another client is served, and symbols of another process arrive; and
 * the service ends on request.  dtd itself makes no call about other processes.
 *
 * The other process is a copy of this program, so that it shares no file with
 * the first client: it prints the address of a function and waits.
 *
 * With EVERY only each EVERY-th call site hangs.  The program prints the
 * longest times, and fails at ten times their goals.
 */
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/hang.h"
#include "tests/run/prog/prog.h"

#define SECOND	   INT64_C(1000000000)
#define CLIENT_MAX (20 * SECOND) /* goal: 2 s */
#define END_MAX	   (10 * SECOND) /* goal: 1 s */

static struct hang *hang;
static const char *hang_path;
static char hang_so[PATH_MAX];

/* The longest times so far. */
static int64_t most_first, most_second, most_end;

/* The library is in this program's folder. */
static void
hang_init(void)
{
	static char file[] = "/tmp/dt-hang-XXXXXX";
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int fd = mkstemp(file);

	if (n == -1 || fd == -1 || ftruncate(fd, sizeof(*hang)) == -1)
		err(1, "%s", file);
	self[n] = '\0';
	snprintf(hang_so, sizeof(hang_so), "%.4000s/hang.so", dirname(self));
	hang = mmap(NULL, sizeof(*hang), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
	    0);
	if (hang == MAP_FAILED || access(hang_so, R_OK) == -1)
		err(1, "%s", hang_so);
	close(fd);
	hang_path = file;
}

/* Starts a service in which the first call of a site will hang; 0: none. */
static void
service_start(struct prog_dtd *pd, uint32_t site)
{
	hang->ha_site = site;
	hang->ha_hung = 0;
	if (setenv("LD_PRELOAD", hang_so, 1) == -1 ||
	    setenv("DT_HANG", hang_path, 1) == -1)
		err(1, "setenv");
	prog_dtd_start(pd, NULL);
	unsetenv("LD_PRELOAD");
}

static void
took(int64_t since, int64_t limit, int64_t *most, const char *what)
{
	int64_t nsecs = prog_now() - since;
	const struct hang_site *hs = &hang->ha_sites[hang->ha_site - 1];

	if (nsecs > limit)
		errx(1, "%s took %lld ms while %s at %#llx hangs", what,
		    (long long)(nsecs / 1000000), hs->hs_call,
		    (unsigned long long)hs->hs_offset);
	if (nsecs > *most)
		*most = nsecs;
}

/* Maps a page of code without a file, and writes the map that names it. */
static uint64_t
jit_make(char *path, size_t size)
{
	void *p = mmap(NULL, getpagesize(), PROT_READ | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *f;

	if (p == MAP_FAILED)
		err(1, "mmap");
	snprintf(path, size, "/tmp/perf-%d.map", (int)getpid());
	if ((f = fopen(path, "wex")) == NULL)
		err(1, "%s", path);
	fprintf(f, "%llx 1000 made\n", (unsigned long long)(uintptr_t)p);
	fclose(f);
	return (uint64_t)(uintptr_t)p;
}

/* Sends every request that makes dtd read a process; all of them may fail. */
static void
first_client(const struct prog_dtd *pd)
{
	struct dt_mappings maps;
	struct dt_frames names;
	uint64_t pcs[3];
	char path[64];
	struct dt *dt;

	if ((dt = dt_open(pd->pd_sock, DT_OPEN_SERVICE)) == NULL)
		return;
	pcs[0] = (uint64_t)(uintptr_t)first_client;
	pcs[1] = (uint64_t)(uintptr_t)strerror;
	pcs[2] = jit_make(path, sizeof(path));
	if (dt_symbolize(dt, getpid(), 0, pcs, 3, DT_SYM_LINES, &names) == 0)
		dt_frames_free(&names);
	if (dt_mappings(dt, getpid(), 0, &maps) == 0)
		dt_mappings_free(&maps);
	unlink(path);
	munmap((void *)(uintptr_t)pcs[2], getpagesize());
	dt_close(dt);
}

/*
 * The other process
 */

static char other_path[PATH_MAX];
static uint64_t other_pc;

/* A function of the other process, to be resolved. */
void __attribute__((noinline)) other_function(void)
{
	printf("%llx\n", (unsigned long long)(uintptr_t)other_function);
	fflush(stdout);
	(void)getchar();
}

static void
other_copy(void)
{
	char command[3 * PATH_MAX], self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n == -1)
		err(1, "/proc/self/exe");
	self[n] = '\0';
	snprintf(other_path, sizeof(other_path), "./hangs-other");
	snprintf(command, sizeof(command), "cp '%s' %s", self, other_path);
	if (system(command) != 0)
		errx(1, "%s", command);
}

struct other {
	pid_t ot_pid;
	int ot_in, ot_out;
};

static void
other_start(struct other *ot)
{
	unsigned long long pc;
	char line[32];
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) == -1 || pipe2(out, O_CLOEXEC) == -1)
		err(1, "pipe2");
	if ((ot->ot_pid = prog_fork()) == 0) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		execl(other_path, other_path, "other", NULL);
		err(1, "%s", other_path);
	}
	close(in[0]);
	close(out[1]);
	ot->ot_in = in[1];
	ot->ot_out = out[0];
	memset(line, 0, sizeof(line));
	if (read(ot->ot_out, line, sizeof(line) - 1) <= 0 ||
	    sscanf(line, "%llx", &pc) != 1)
		errx(1, "%s does not say its address", other_path);
	other_pc = pc;
}

static void
other_end(struct other *ot)
{
	close(ot->ot_in);
	close(ot->ot_out);
	waitpid(ot->ot_pid, NULL, 0);
}

/* Another client is served, and gets a symbol of the other process. */
static void
second_client(const struct prog_dtd *pd, const struct other *ot)
{
	struct dt *dt = prog_open(pd, 0);
	struct dt_frames names;
	const char *func;

	if (dt_symbolize(dt, ot->ot_pid, 0, &other_pc, 1, 0, &names) == -1)
		errx(1, "names of another process: %s", dt_error(dt));
	func = names.df_n > 0 ? names.df_frames[0].df_func : NULL;
	if (func == NULL || strcmp(func, "other_function") != 0)
		errx(1,
		    "while %s at %#llx hangs: %s of another process, why %u (%s)",
		    hang->ha_sites[hang->ha_site - 1].hs_call,
		    (unsigned long long)hang->ha_sites[hang->ha_site - 1]
			.hs_offset,
		    func != NULL ? func : "no name",
		    names.df_n > 0 ? names.df_frames[0].df_why : 0,
		    names.df_n > 0 ? strerror(names.df_frames[0].df_error)
				   : "");
	dt_frames_free(&names);
	dt_close(dt);
}

/* Runs in a separate process, because no inspector can read this one. */
static void
second_process(const struct prog_dtd *pd, const struct other *ot)
{
	int status;
	pid_t pid;

	if ((pid = prog_fork()) == 0) {
		second_client(pd, ot);
		exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status != 0)
		errx(1, "the other client ended with status %#x", status);
}

/* Lets one site hang, or none.  Returns whether it did. */
static int
run_site(uint32_t site)
{
	struct prog_dtd pd;
	struct other ot;
	int64_t start;

	service_start(&pd, site);
	start = prog_now();
	first_client(&pd);
	if (site != 0)
		took(start, CLIENT_MAX, &most_first, "the client");
	other_start(&ot);
	start = prog_now();
	second_process(&pd, &ot);
	if (site != 0)
		took(start, CLIENT_MAX, &most_second, "the other client");
	other_end(&ot);
	start = prog_now();
	prog_dtd_stop(&pd);
	if (site != 0)
		took(start, END_MAX, &most_end, "the end of dtd");
	return hang->ha_hung != 0;
}

static void
report(unsigned int nhung, unsigned int nsites)
{
	if (hang->ha_nforeign != 0)
		errx(1, "dtd itself asked %u times about others, first for %s",
		    hang->ha_nforeign, hang->ha_foreign);
	printf("%u of %u calls hang\n", nhung, nsites);
	printf("most: client %lld ms, other client %lld ms, end %lld ms\n",
	    (long long)(most_first / 1000000),
	    (long long)(most_second / 1000000),
	    (long long)(most_end / 1000000));
}

int
main(int argc, char **argv)
{
	unsigned int nsites, nhung = 0;
	uint32_t site;
	long every = 1;

	if (argc == 2 && strcmp(argv[1], "other") == 0) {
		other_function();
		return 0;
	}
	if (argc == 3 && strcmp(argv[1], "-n") == 0)
		every = prog_number(argv[2], HANG_NSITES);
	else if (argc != 1)
		errx(2, "usage: hangs [-n every]");
	prog_init("hangs", 3600);
	hang_init();
	other_copy();
	(void)run_site(0);
	nsites = hang->ha_nsites;
	for (site = 1; site <= nsites; site += every)
		nhung += run_site(site);
	report(nhung, (nsites + every - 1) / every);
	unlink(hang_path);
	return 0;
}
