/* SPDX-License-Identifier: ISC */
/*
 * tpload [ROUNDS]: hits tracepoints of many subsystems in one thread, between
 * two names that the thread gives itself (tp-begin, tp-end): sleeps, children,
 * signals, packets to itself, a file that is written to the disk.
 */
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void
load_sleep(void)
{
	static const struct timespec ts = { 0, 100000 };

	(void)nanosleep(&ts, NULL);
}

static void
load_child(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	if (pid == -1 || waitpid(pid, NULL, 0) != pid)
		err(1, "fork");
}

static void
load_signal(void)
{
	(void)kill(getpid(), SIGUSR1);
	(void)kill(getpid(), SIGUSR2); /* ignored */
}

static void
load_packet(int sock, const struct sockaddr_in *sin)
{
	char buf[100] = "packet";

	if (sendto(sock, buf, sizeof(buf), 0, (const void *)sin,
		sizeof(*sin)) == -1 ||
	    recv(sock, buf, sizeof(buf), 0) == -1)
		err(1, "packet");
}

static void
load_file(const char *path)
{
	static char block[4096];
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);

	if (fd == -1 || write(fd, block, sizeof(block)) == -1)
		err(1, "%s", path);
	(void)fsync(fd);
	close(fd);
	unlink(path);
}

static void
handler(int sig)
{
	(void)sig;
}

int
main(int argc, char *argv[])
{
	struct sockaddr_in sin = { .sin_family = AF_INET };
	int i, n = argc > 1 ? atoi(argv[1]) : 20;
	int sock = socket(AF_INET, SOCK_DGRAM, 0);
	socklen_t len = sizeof(sin);

	sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (sock == -1 || bind(sock, (void *)&sin, sizeof(sin)) == -1 ||
	    getsockname(sock, (void *)&sin, &len) == -1)
		err(1, "socket");
	signal(SIGUSR1, handler);
	signal(SIGUSR2, SIG_IGN);
	prctl(PR_SET_NAME, "tp-begin");
	for (i = 0; i < n; i++) {
		load_sleep();
		load_child();
		load_signal();
		load_packet(sock, &sin);
		load_file("tpload.file");
	}
	prctl(PR_SET_NAME, "tp-end");
	return 0;
}
