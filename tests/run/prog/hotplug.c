/* SPDX-License-Identifier: ISC */
/*
 * hotplug profile|late|calls|ring|interval|told|forged
 *
 * CPU 1 goes offline and comes online during a recording.  All but the last two
 * run in guests of the tests only.
 *
 * profile	repeatedly, with a clock on each CPU: after each return, all
 *		time that the CPU was online is accounted for, and no time that
 *		it was offline
 * late		the CPU is offline when the recording starts
 * calls	repeatedly, while a known number of calls is made on this CPU
 *		and elsewhere: all of them are recorded
 * ring		the CPU goes offline while its ring is full: its records arrive
 * interval	a clock that ticks on the CPU continues elsewhere, and misses no
 *		tick
 * told		the kernel sends messages that a CPU came online, repeatedly (it
 *		does so on request), while recordings start and end
 * forged	another process sends such messages
 */
#include <sys/socket.h>
#include <sys/syscall.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"

#define CPU	1
#define UEVENT	"/sys/devices/system/cpu/cpu0/uevent"
#define ONLINE	"/sys/devices/system/cpu/cpu1/online"
#define CYCLES	4
#define PERIOD	5000000LL /* ns */
#define NTOLD	200	  /* recordings */
#define NFLOOD	5000	  /* messages, more than a socket holds */
#define AWAY	1500	  /* ms, a long time offline */
#define NCALLS	20000	  /* of each of two processes */
#define NRING	15000	  /* calls, records of 40 bytes in the kernel */
#define MAXWAIT (1000 * PROG_DEADLINE)
#define PROBE	"syscall:getppid:entry"

static pid_t hotplug_main;

static void
cpu_set_online(int on)
{
	int fd = open(ONLINE, O_WRONLY | O_CLOEXEC);

	if (fd == -1 || write(fd, on ? "1" : "0", 1) != 1)
		err(1, ONLINE);
	close(fd);
}

static int
cpu_is_online(void)
{
	int fd = open(ONLINE, O_RDONLY | O_CLOEXEC);
	char c = '?';

	if (fd == -1 || read(fd, &c, 1) != 1)
		err(1, ONLINE);
	close(fd);
	return c == '1';
}

static void
cpu_back(void)
{
	if (getpid() == hotplug_main && !cpu_is_online())
		cpu_set_online(1);
}

/* Pins this process to CPU 1; returns 0 while that CPU is offline. */
static int
cpu_pin(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(CPU, &set);
	return sched_setaffinity(0, sizeof(set), &set) == 0;
}

static void
pause_ms(long ms)
{
	const struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&ts, NULL);
}

/*
 * Reading
 */

struct reader {
	struct dt *rd_dt;
	uint64_t rd_n;
	int64_t rd_before, rd_after; /* of the recording */
};

/*
 * Reads until there is an event of this CPU, not older than time; returns the
 * event's time.
 */
static int64_t
reader_wait(struct reader *rd, unsigned int cpu, int64_t time)
{
	struct dt_event ev;

	while (dt_next(rd->rd_dt, &ev, MAXWAIT) == 1) {
		rd->rd_n++;
		if (ev.ev_cpu == cpu && (int64_t)ev.ev_rec->dr_time >= time)
			return ev.ev_rec->dr_time;
	}
	errx(1, "no event of CPU %u: %s", cpu, dt_error(rd->rd_dt));
}

/* Stops, reads the remaining events, and checks that the ledger adds up. */
static void
reader_end(struct reader *rd, struct dt_ledger *dl)
{
	struct dt_event ev;

	prog_record(rd->rd_dt, 0);
	rd->rd_after = prog_now();
	while (dt_next(rd->rd_dt, &ev, MAXWAIT) == 1)
		rd->rd_n++;
	prog_ledger(rd->rd_dt, "hotplug", rd->rd_n, dl);
	dt_close(rd->rd_dt);
}

static void
reader_start(struct reader *rd, const struct prog_dtd *pd, const char *probe,
    uint64_t nsecs)
{
	memset(rd, 0, sizeof(*rd));
	rd->rd_dt = prog_open(pd, 0);
	prog_enable(rd->rd_dt, probe, 0, nsecs);
	rd->rd_before = prog_now();
	prog_record(rd->rd_dt, 1);
}

/*
 * Clocks
 */

/* The child: keeps CPU 1 busy whenever it is online. */
static void
spin(int sock, void *arg)
{
	int64_t end;

	(void)arg;
	prog_tell(sock, 's');
	while (fcntl(sock, F_SETFL, O_NONBLOCK) == 0 &&
	    recv(sock, &end, 1, 0) == -1 && errno == EAGAIN) {
		if (!cpu_pin())
			pause_ms(1);
		end = prog_now() + 2 * PERIOD;
		while (cpu_is_online() && prog_now() < end)
			continue;
	}
}

/* The child: keeps CPU 0 busy. */
static void
spin0(int sock, void *arg)
{
	char c;

	(void)arg;
	prog_pin(0);
	prog_tell(sock, 's');
	while (fcntl(sock, F_SETFL, O_NONBLOCK) == 0 &&
	    recv(sock, &c, 1, 0) == -1 && errno == EAGAIN)
		continue;
}

/* Ticks of both CPUs match the time that each was online. */
static void
check_sum(const struct dt_ledger *dl, int64_t least, int64_t most)
{
	int64_t sum = dl->dl_fired + dl->dl_excluded + dl->dl_skiptick +
	    dl->dl_idle;
	int64_t slack = 2 * (CYCLES + 2);

	printf("%llu ticks, %llu skipped, %llu idle; %lld to %lld are due\n",
	    (unsigned long long)(dl->dl_fired + dl->dl_excluded),
	    (unsigned long long)dl->dl_skiptick,
	    (unsigned long long)dl->dl_idle, (long long)(least / PERIOD),
	    (long long)(most / PERIOD));
	if (sum < least / PERIOD - slack || sum > most / PERIOD + slack)
		errx(1, "%lld in all", (long long)sum);
}

static void
run_profile(const struct prog_dtd *pd)
{
	int64_t begin, there, least = 0, most;
	struct prog_child pc;
	struct dt_ledger dl;
	struct reader rd;
	int i;

	prog_child_start(&pc, spin, NULL);
	prog_hear(pc.pc_sock);
	reader_start(&rd, pd, "profile:hz:97", PERIOD);
	begin = prog_now();
	for (i = 0; i < CYCLES; i++) {
		there = reader_wait(&rd, CPU, prog_now());
		/* and a few more ticks */
		(void)reader_wait(&rd, CPU, there + 20 * PERIOD);
		least += prog_now() - there;
		cpu_set_online(0);
		pause_ms(i == 0 ? AWAY : 0);
		cpu_set_online(1);
	}
	(void)reader_wait(&rd, CPU, prog_now());
	least += prog_now() - begin; /* CPU 0 */
	reader_end(&rd, &dl);
	/* a delay of the message counts, the long offline time does not */
	most = 2 * (rd.rd_after - rd.rd_before) - AWAY * 1000000LL / 2;
	prog_child_end(&pc);
	check_sum(&dl, least, most);
}

static void
run_late(const struct prog_dtd *pd)
{
	struct prog_child pc;
	struct dt_ledger dl;
	struct reader rd;

	cpu_set_online(0);
	prog_child_start(&pc, spin, NULL);
	prog_hear(pc.pc_sock);
	reader_start(&rd, pd, "profile:hz:97", PERIOD);
	cpu_set_online(1);
	(void)reader_wait(&rd, CPU, prog_now());
	reader_end(&rd, &dl);
	prog_child_end(&pc);
}

static void
run_interval(const struct prog_dtd *pd)
{
	int64_t begin, end;
	struct dt_ledger dl;
	struct reader rd;

	reader_start(&rd, pd, "interval:hz:1", PERIOD);
	begin = prog_now();
	(void)reader_wait(&rd, CPU, begin);
	cpu_set_online(0);
	(void)reader_wait(&rd, 0, prog_now());
	cpu_set_online(1);
	(void)reader_wait(&rd, 0, prog_now());
	end = prog_now();
	reader_end(&rd, &dl);
	if (dl.dl_dropped != 0 || dl.dl_idle != 0)
		errx(1, "dropped %llu, idle %llu",
		    (unsigned long long)dl.dl_dropped,
		    (unsigned long long)dl.dl_idle);
	check_sum(&dl, end - begin, rd.rd_after - rd.rd_before);
}

/*
 * System calls
 */

struct calls {
	unsigned int cs_ncalls;
	int cs_pinned; /* to CPU 1 whenever it is online */
};

/* The child: makes its calls when it receives a byte, and replies. */
static void
calls_run(int sock, void *arg)
{
	const struct calls *cs = arg;
	unsigned int i;

	while (prog_hear(sock) == 'g') {
		for (i = 0; i < cs->cs_ncalls; i++) {
			if (cs->cs_pinned && i % 500 == 0)
				(void)cpu_pin();
			syscall(SYS_getppid);
		}
		prog_tell(sock, 'd');
	}
}

/* All calls were recorded, and no others fired. */
static void
check_calls(const struct dt_ledger *dl, uint64_t ncalls)
{
	printf("%llu calls, read %llu\n", (unsigned long long)ncalls,
	    (unsigned long long)dl->dl_read);
	if (dl->dl_fired != ncalls || dl->dl_read != ncalls)
		errx(1, "fired %llu, read %llu, dropped %llu",
		    (unsigned long long)dl->dl_fired,
		    (unsigned long long)dl->dl_read,
		    (unsigned long long)dl->dl_dropped);
}

static void
calls_start(struct prog_child *pc, struct dt **dt, struct calls *cs,
    const struct prog_dtd *pd)
{
	prog_child_start(pc, calls_run, cs);
	*dt = prog_open(pd, 0);
	prog_filter(*dt, pc->pc_pid);
	prog_enable(*dt, PROBE, 0, 0);
	prog_record(*dt, 1);
}

static void
run_calls(const struct prog_dtd *pd)
{
	struct calls cs[2] = { { NCALLS, 1 }, { NCALLS, 0 } };
	struct reader rd[2] = { { .rd_n = 0 }, { .rd_n = 0 } };
	struct prog_child pc[2];
	struct dt_ledger dl;
	int i;

	for (i = 0; i < 2; i++)
		calls_start(&pc[i], &rd[i].rd_dt, &cs[i], pd);
	for (i = 0; i < 2; i++)
		prog_tell(pc[i].pc_sock, 'g');
	for (i = 0; i < CYCLES; i++) {
		cpu_set_online(0);
		cpu_set_online(1);
	}
	for (i = 0; i < 2; i++) {
		prog_hear(pc[i].pc_sock);
		reader_end(&rd[i], &dl);
		prog_child_end(&pc[i]);
		check_calls(&dl, NCALLS);
	}
}

static void
run_ring(const struct prog_dtd *pd)
{
	struct calls cs = { NRING, 1 };
	struct reader rd = { .rd_n = 0 };
	struct prog_child pc;
	struct dt_ledger dl;

	calls_start(&pc, &rd.rd_dt, &cs, pd);
	prog_tell(pc.pc_sock, 'g');
	prog_hear(pc.pc_sock);
	/* more than the socket holds: the rest stays in the ring */
	cpu_set_online(0);
	(void)reader_wait(&rd, CPU, 0);
	reader_end(&rd, &dl);
	prog_child_end(&pc);
	check_calls(&dl, NRING);
}

/*
 * Messages
 */

/* Makes the kernel send a message that CPU 0 came online. */
static void
tell(int fd, unsigned int n)
{
	while (n-- > 0)
		if (write(fd, "online", 6) != 6)
			err(1, UEVENT);
}

static void
tell_flood(int fd, const struct prog_dtd *pd)
{
	struct dt_ledger dl;
	struct reader rd;
	char line[256];

	reader_start(&rd, pd, "profile:hz:97", PERIOD);
	kill(pd->pd_pid, SIGSTOP);
	tell(fd, NFLOOD);
	kill(pd->pd_pid, SIGCONT);
	prog_dtd_line(pd, NULL, "uevents were lost", line, sizeof(line));
	/* the messages arrive before the next start */
	(void)reader_wait(&rd, 0, prog_now());
	reader_end(&rd, &dl);
}

static void
run_told(const struct prog_dtd *pd)
{
	int i, fd = open(UEVENT, O_WRONLY | O_CLOEXEC);
	struct prog_child pc;
	struct dt_ledger dl;
	struct reader rd;

	if (fd == -1)
		err(1, UEVENT);
	prog_child_start(&pc, spin0, NULL);
	prog_hear(pc.pc_sock);
	for (i = 0; i < NTOLD; i++) {
		reader_start(&rd, pd, "profile:hz:97", PERIOD);
		tell(fd, i % 8);
		if (i % 4 == 0)
			(void)reader_wait(&rd, 0, prog_now());
		if (i % 4 == 3) {
			dt_close(rd.rd_dt); /* while messages arrive */
			continue;
		}
		reader_end(&rd, &dl);
	}
	tell_flood(fd, pd);
	close(fd);
	prog_child_end(&pc);
}

static void
run_forged(const struct prog_dtd *pd)
{
	static const char text[] = "online@/devices/system/cpu/cpu0\0ACTION=on";
	struct sockaddr_nl to = { .nl_family = AF_NETLINK,
		.nl_pid = pd->pd_pid };
	int i, sock, fd = open(UEVENT, O_WRONLY | O_CLOEXEC);
	char line[256], again[256];

	sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC,
	    NETLINK_KOBJECT_UEVENT);
	if (fd == -1 || sock == -1)
		err(1, "netlink");
	/* to the daemon's own address, and to all listeners */
	for (i = 0; i < 100; i++) {
		to.nl_pid = i % 2 ? 0 : pd->pd_pid;
		to.nl_groups = i % 2 ? 1 : 0;
		if (sendto(sock, text, sizeof(text), 0, (struct sockaddr *)&to,
			sizeof(to)) == -1)
			err(1, "a message to the daemon");
	}
	/* the kernel's message follows, and is the only valid one */
	tell(fd, 1);
	prog_dtd_line(pd, NULL, "CPU 0 came", line, sizeof(line));
	tell(fd, 1);
	prog_dtd_line(pd, "CPU 0 came", "CPU 0 came", again, sizeof(again));
	if (prog_dtd_count(pd, "CPU 0 came") != 2)
		errx(1, "messages that are not the kernel's count");
	close(sock);
	close(fd);
}

static const struct {
	const char *name;
	void (*run)(const struct prog_dtd *);
	int only; /* the daemon may use CPU 1 only */
} modes[] = {
	{ "profile", run_profile, 0 },
	{ "late", run_late, 0 },
	{ "calls", run_calls, 0 },
	{ "ring", run_ring, 0 },
	{ "interval", run_interval, 1 },
	{ "told", run_told, 0 },
	{ "forged", run_forged, 0 },
};

int
main(int argc, char **argv)
{
	cpu_set_t all;
	struct prog_dtd pd;
	size_t i, n = sizeof(modes) / sizeof(modes[0]);

	for (i = 0; i < n; i++)
		if (argc == 2 && strcmp(argv[1], modes[i].name) == 0)
			break;
	if (i == n)
		errx(2, "which of them?");
	prog_init("hotplug", PROG_DEADLINE);
	hotplug_main = getpid();
	atexit(cpu_back);
	sched_getaffinity(0, sizeof(all), &all);
	if (modes[i].only && !cpu_pin())
		errx(1, "CPU 1 is offline");
	prog_dtd_start(&pd, NULL);
	sched_setaffinity(0, sizeof(all), &all);
	modes[i].run(&pd);
	prog_dtd_stop(&pd);
	printf("hotplug %s: nothing is lost\n", modes[i].name);
	return 0;
}
