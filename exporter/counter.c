/* SPDX-License-Identifier: ISC */
/*
 * Runs "dt stat --prometheus" for a metric.  The process counts in the kernel,
 * and prints its totals for each line that it reads.  If it ends, for example
 * because tracing costs too much or dtd restarts, it is started again, after
 * intervals that double.  All descriptors are non-blocking.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "exporter/counter.h"
#include "exporter/spawn.h"

#define COUNTER_END	"# EOF\n"
#define COUNTER_MAXTEXT (16 << 20)	       /* bytes of a reply */
#define COUNTER_FIRST	UINT64_C(5000000000)   /* ns until a restart */
#define COUNTER_LONGEST UINT64_C(600000000000) /* and at most */

static const char *counter_program, *counter_socket;

void
counter_init(const char *program, const char *socket)
{
	counter_program = program;
	counter_socket = socket;
}

struct counter *
counter_alloc(struct metric_file *mf)
{
	struct counter *ct = calloc(1, sizeof(*ct));

	if (ct == NULL)
		err(1, "metrics");
	ct->ct_file = mf;
	ct->ct_in = ct->ct_out = ct->ct_err = -1;
	ct->ct_delay = COUNTER_FIRST;
	return ct;
}

static void
counter_close(int *fd)
{
	if (*fd != -1)
		close(*fd);
	*fd = -1;
}

/* Ends the process, and sets the time of the next start. */
static void
counter_end(struct counter *ct)
{
	uint64_t now = clock_monotonic();

	if (ct->ct_state == COUNTER_DOWN)
		return;
	counter_close(&ct->ct_in);
	counter_close(&ct->ct_out);
	counter_close(&ct->ct_err);
	(void)kill(ct->ct_pid, SIGKILL);
	while (waitpid(ct->ct_pid, NULL, 0) == -1 && errno == EINTR)
		;
	if (now - ct->ct_since > COUNTER_LONGEST)
		ct->ct_delay = COUNTER_FIRST;
	ct->ct_state = COUNTER_DOWN;
	ct->ct_next = now + ct->ct_delay;
	ct->ct_delay *= 2;
	if (ct->ct_delay > COUNTER_LONGEST)
		ct->ct_delay = COUNTER_LONGEST;
}

void
counter_free(struct counter *ct)
{
	counter_end(ct);
	metric_file_free(ct->ct_file);
	free(ct->ct_text);
	free(ct->ct_logged);
	free(ct);
}

/*
 * Logs the messages of the process.  After a failed start, the first message begins
 * with a line of the file, and equal messages are logged once.
 */
static void
counter_log(struct counter *ct, int isfailed)
{
	char *line, *rest = ct->ct_said;
	const char *path = ct->ct_file->mf_path;

	ct->ct_said[ct->ct_nsaid] = '\0';
	ct->ct_nsaid = 0;
	if (isfailed) {
		if (ct->ct_logged != NULL &&
		    strcmp(ct->ct_logged, ct->ct_said) == 0)
			return;
		free(ct->ct_logged);
		if ((ct->ct_logged = strdup(ct->ct_said)) == NULL)
			err(1, "metrics");
	}
	while ((line = strsep(&rest, "\n")) != NULL) {
		if (strncmp(line, "dt: ", 4) == 0)
			line += 4;
		if (*line == '\0')
			continue;
		if (isfailed)
			warnx("%s:%u: %s", path,
			    metric_file_line(ct->ct_file, line), line);
		else
			warnx("%s: %s", path, line);
		isfailed = 0;
	}
}

void
counter_fail(struct counter *ct, const char *why)
{
	warnx("%s: %s", ct->ct_file->mf_path, why);
	counter_end(ct);
}

/* Start */

/* Makes a pipe.  fds: our end, and the other one; iswriter: ours is to write. */
static int
counter_pipe(int *ours, int *other, int iswriter)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) == -1)
		return -1;
	*ours = fds[iswriter];
	*other = fds[!iswriter];
	return fcntl(*ours, F_SETFL, O_NONBLOCK);
}

static int
counter_spawn(struct counter *ct)
{
	char *args[METRIC_MAXARGS], buf[METRIC_NKEYS * 512 + 1024];
	int fds[3] = { -1, -1, -1 }, error = 0, i;

	metric_file_args(ct->ct_file, counter_socket, args, buf, sizeof(buf));
	if (counter_pipe(&ct->ct_in, &fds[0], 1) == -1 ||
	    counter_pipe(&ct->ct_out, &fds[1], 0) == -1 ||
	    counter_pipe(&ct->ct_err, &fds[2], 0) == -1)
		error = errno;
	if (error == 0)
		error = spawn_program(counter_program, args, fds, &ct->ct_pid);
	for (i = 0; i < 3; i++)
		counter_close(&fds[i]);
	return error;
}

void
counter_start(struct counter *ct)
{
	int error = counter_spawn(ct);

	ct->ct_since = clock_monotonic();
	ct->ct_len = ct->ct_nsaid = 0;
	if (error == 0) {
		ct->ct_state = COUNTER_STARTING;
		(void)counter_request(ct);
		return;
	}
	warnx("%s: %s: %s", ct->ct_file->mf_path, counter_program,
	    strerror(error));
	counter_close(&ct->ct_in);
	counter_close(&ct->ct_out);
	counter_close(&ct->ct_err);
	ct->ct_next = ct->ct_since + COUNTER_LONGEST;
}

/* Replies */

int
counter_request(struct counter *ct)
{
	ct->ct_len = 0;
	ct->ct_isreply = 0;
	return write(ct->ct_in, "\n", 1) == 1 ? 0 : -1;
}

static int
counter_isend(const struct counter *ct)
{
	static const size_t n = sizeof(COUNTER_END) - 1;

	return ct->ct_len >= n &&
	    memcmp(ct->ct_text + ct->ct_len - n, COUNTER_END, n) == 0;
}

/* Makes space for more of a reply. */
static int
counter_grow(struct counter *ct)
{
	size_t size = ct->ct_size == 0 ? 4096 : 2 * ct->ct_size;
	char *text;

	if (ct->ct_len + 1 < ct->ct_size)
		return 0;
	if (size > COUNTER_MAXTEXT ||
	    (text = realloc(ct->ct_text, size)) == NULL)
		return -1;
	ct->ct_text = text;
	ct->ct_size = size;
	return 0;
}

int
counter_read(struct counter *ct)
{
	ssize_t n;

	if (ct->ct_out == -1)
		return -1;
	do {
		if (counter_grow(ct) == -1) {
			counter_fail(ct, "the reply is too large");
			return -1;
		}
		n = read(ct->ct_out, ct->ct_text + ct->ct_len,
		    ct->ct_size - ct->ct_len - 1);
		if (n > 0)
			ct->ct_len += n;
	} while (n > 0);
	if (n == -1 && (errno == EAGAIN || errno == EINTR)) {
		if (!counter_isend(ct))
			return 0;
		ct->ct_text[ct->ct_len - (sizeof(COUNTER_END) - 1)] = '\0';
		ct->ct_isreply = 1;
		if (ct->ct_state == COUNTER_STARTING) {
			ct->ct_state = COUNTER_UP;
			counter_log(ct, 0);
		}
		return 1;
	}
	counter_close(&ct->ct_out); /* it exits; counter_messages() ends it */
	return -1;
}

/* Keeps the first messages; a process that goes on has few. */
void
counter_messages(struct counter *ct)
{
	char text[1024];
	size_t keep;
	ssize_t n;

	while ((n = read(ct->ct_err, text, sizeof(text))) > 0) {
		keep = COUNTER_MAXSAID - 1 - ct->ct_nsaid;
		if ((size_t)n < keep)
			keep = n;
		memcpy(ct->ct_said + ct->ct_nsaid, text, keep);
		ct->ct_nsaid += keep;
	}
	if (n == -1 && (errno == EAGAIN || errno == EINTR)) {
		if (ct->ct_state == COUNTER_UP && ct->ct_nsaid > 0 &&
		    ct->ct_said[ct->ct_nsaid - 1] == '\n')
			counter_log(ct, 0);
		return;
	}
	if (ct->ct_nsaid == 0)
		ct->ct_nsaid = snprintf(ct->ct_said, sizeof(ct->ct_said),
		    "dt has ended without a message");
	counter_log(ct, ct->ct_state == COUNTER_STARTING);
	counter_end(ct);
}
