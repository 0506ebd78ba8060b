/* SPDX-License-Identifier: ISC */
/* Reads what /proc reports of the tasks that the kernel's samples contain. */
#include <err.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/top/top_task.h"

#define TASK_GONE 'X' /* letter of a task that has exited */

static struct top_task *
task_get(struct top_tasks *tt, uint32_t pid, uint32_t tid)
{
	uint32_t key[2] = { pid, tid };
	struct hash_entry *e = hash_get(&tt->tts_map, key, sizeof(key));
	struct top_task *tk = e->he_ptr;

	if (tk != NULL)
		return tk;
	if ((e->he_ptr = tk = calloc(1, sizeof(*tk))) == NULL)
		err(1, "tasks");
	tk->ttk_pid = pid;
	tk->ttk_tid = tid;
	tk->ttk_fd = tk->ttk_iofd = -1;
	tk->ttk_state = '-';
	tk->ttk_rates[0] = tk->ttk_rates[1] = NAN;
	return tk;
}

static void
task_close(struct top_tasks *tt, struct top_task *tk)
{
	if (tk->ttk_iofd != -1)
		close(tk->ttk_iofd);
	if (tk->ttk_fd != -1) {
		close(tk->ttk_fd);
		tt->tts_nopen--;
	}
	tk->ttk_fd = tk->ttk_iofd = -1;
}

/* Opens its stat, unless very many are open. */
static int
task_open(struct top_tasks *tt, struct top_task *tk)
{
	char path[64];
	struct stat st;

	if (tk->ttk_fd != -1)
		return 0;
	if (tt->tts_nopen == TOP_TASK_MAXOPEN)
		return -1;
	if (tk->ttk_tid == 0)
		snprintf(path, sizeof(path), "/proc/%u/stat", tk->ttk_pid);
	else
		snprintf(path, sizeof(path), "/proc/%u/task/%u/stat",
		    tk->ttk_pid, tk->ttk_tid);
	if ((tk->ttk_fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return -1;
	tt->tts_nopen++;
	tk->ttk_uid = fstat(tk->ttk_fd, &st) == 0 ? st.st_uid : (uid_t)-1;
	return 0;
}

/*
 * Parses "PID (NAME) STATE ...", where the name may contain anything.  Stores
 * the CPU time, and returns 0 or -1.
 */
static int
task_parse(struct top_task *tk, char *text, uint64_t *cpu)
{
	char *name = strchr(text, '('), *end = strrchr(text, ')');
	unsigned long long user, sys;
	long rss;

	if (name == NULL || end == NULL ||
	    sscanf(end + 1,
		" %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %*d "
		"%*d %*d %*d %*d %*d %*u %*u %ld",
		&tk->ttk_state, &user, &sys, &rss) != 4)
		return -1;
	*end = '\0';
	snprintf(tk->ttk_comm, sizeof(tk->ttk_comm), "%s", name + 1);
	*cpu = (user + sys) * (UINT64_C(1000000000) / sysconf(_SC_CLK_TCK));
	tk->ttk_rss = rss * (uint64_t)sysconf(_SC_PAGESIZE);
	return 0;
}

/* Reads a task.  Without an earlier reading, samples are its CPU time. */
static void
task_read(struct top_tasks *tt, struct top_task *tk, unsigned int hz,
    double secs)
{
	uint64_t cpu = 0, before = tk->ttk_cpu;
	char text[1024];
	ssize_t n = -1;

	tk->ttk_share = 100.0 * tk->ttk_hits / hz / secs;
	if (task_open(tt, tk) == 0 &&
	    (n = pread(tk->ttk_fd, text, sizeof(text) - 1, 0)) > 0) {
		text[n] = '\0';
		if (task_parse(tk, text, &cpu) == 0 && before != 0)
			tk->ttk_share = (cpu - before) / secs / 1e7;
	} else if (tk->ttk_fd != -1 || tt->tts_nopen < TOP_TASK_MAXOPEN)
		tk->ttk_state = TASK_GONE;
	tk->ttk_idle = tk->ttk_hits > 0 || cpu != before ? 0 : tk->ttk_idle + 1;
	tk->ttk_cpu = cpu;
	tk->ttk_hits = 0;
}

void
top_tasks_hit(struct top_tasks *tt, uint32_t pid, uint32_t tid,
    const char comm[16], unsigned int n)
{
	struct top_task *tk;

	if (pid == 0)
		return;
	tk = task_get(tt, pid, tid);
	tk->ttk_hits += n;
	if (tk->ttk_comm[0] == '\0')
		snprintf(tk->ttk_comm, sizeof(tk->ttk_comm), "%.15s", comm);
}

void
top_tasks_keep(struct top_tasks *tt, uint32_t pid)
{
	task_get(tt, pid, 0)->ttk_iskept = 1;
}

void
top_tasks_read(struct top_tasks *tt, unsigned int hz, double secs,
    void (*fn)(void *, struct top_task *), void *arg)
{
	struct hash_entry **list = hash_sorted(&tt->tts_map);
	struct hash kept = { 0 };
	size_t i, n = tt->tts_map.ha_n;
	struct top_task *tk;
	int isover;

	for (i = 0; i < n; i++) {
		tk = list[i]->he_ptr;
		task_read(tt, tk, hz, secs);
		isover = tk->ttk_idle >= TOP_TASK_KEEP && !tk->ttk_iskept;
		if (!isover)
			fn(arg, tk);
		if (isover || tk->ttk_state == TASK_GONE) {
			task_close(tt, tk);
			free(tk);
		} else
			hash_get(&kept, &tk->ttk_pid, 2 * sizeof(uint32_t))
			    ->he_ptr = tk;
	}
	free(list);
	hash_clear(&tt->tts_map);
	tt->tts_map = kept;
}

static uint64_t
task_field(const char *text, const char *name)
{
	const char *p = strstr(text, name);

	return p != NULL ? strtoull(p + strlen(name), NULL, 10) : 0;
}

void
top_task_io(struct top_task *tk, uint64_t now)
{
	static const char *const names[2] = { "rchar: ", "wchar: " };
	char path[64], text[512];
	uint64_t bytes;
	unsigned int i;
	ssize_t n;

	if (tk->ttk_fd == -1)
		return;
	snprintf(path, sizeof(path), "/proc/%u/io", tk->ttk_pid);
	if (tk->ttk_iofd == -1 &&
	    (tk->ttk_iofd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return;
	if ((n = pread(tk->ttk_iofd, text, sizeof(text) - 1, 0)) <= 0)
		return;
	text[n] = '\0';
	for (i = 0; i < 2; i++) {
		bytes = task_field(text, names[i]);
		if (tk->ttk_iotime != 0 && now > tk->ttk_iotime)
			tk->ttk_rates[i] = (bytes - tk->ttk_bytes[i]) * 1e9 /
			    (now - tk->ttk_iotime);
		tk->ttk_bytes[i] = bytes;
	}
	tk->ttk_iotime = now;
}

void
top_tasks_free(struct top_tasks *tt)
{
	struct hash_entry **list = hash_sorted(&tt->tts_map);
	size_t i;

	for (i = 0; i < tt->tts_map.ha_n; i++)
		task_close(tt, list[i]->he_ptr);
	free(list);
	hash_free(&tt->tts_map);
}
