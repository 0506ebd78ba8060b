/* SPDX-License-Identifier: ISC */
/*
 * What descriptors of traced processes mean, and their working directories: as
 * /proc told at the start (or a recording, which has that), and followed by
 * the calls that were traced since.
 *
 * All of it is others' text, and as many processes and descriptors as others
 * make: memory is bounded, what was not used for longest goes.
 */
#ifndef CLI_PROCS_PROCS_H
#define CLI_PROCS_PROCS_H

#include <stddef.h>
#include <stdint.h>

struct procs;

#define PROCS_CWD -100 /* AT_FDCWD: stands for the working directory */

/* Whether exec closes a descriptor. */
enum procs_onexec {
	PROCS_KEPT,
	PROCS_CLOSED,
	PROCS_UNSURE,
};

/* Memory that lacks ends the process. */
struct procs *procs_alloc(void);
void procs_free(struct procs *);

/* The path of a descriptor, or of the working directory (AT_FDCWD); NULL: not
 * known.  Others' text, not escaped; lives until the next event. */
const char *procs_fd(struct procs *, uint32_t pid, int fd);

/*
 * From now on /proc is asked for what is not known, and after some
 * milliseconds anew for what may have changed.  trust tells which calls are
 * followed, and so what stays true.
 */
void procs_live(struct procs *, unsigned int trust);

#define PROCS_TRUSTFILES 0x1 /* all that take descriptors away */
#define PROCS_TRUSTOPEN	 0x2 /* those that most programs close them with */
#define PROCS_TRUSTDIRS	 0x4 /* all that change the working directory */
/* Who wants to be told of each path that did not come from a call. */
void procs_watch(struct procs *,
    void (*)(void *, uint32_t pid, int fd, const char *path), void *);
/* Everything that is known, for who starts to write it down now. */
void procs_each(struct procs *,
    void (*)(void *, uint32_t pid, int fd, const char *path), void *);

/* As /proc, or a recording, told it. */
void procs_set(struct procs *, uint32_t pid, int fd, const char *path);
/* As the event itself has it, n bytes; NULL: it is not open. */
void
procs_told(struct procs *, uint32_t pid, int fd, const char *path, size_t n);
/* Reads all descriptors of a process from /proc, and with children those of
 * all that descend from it. */
void procs_scan(struct procs *, uint32_t pid, int children);
/* Reads the directory and the descriptors that a process will have after its
 * next execve(2), at which its events begin. */
void procs_scan_command(struct procs *, uint32_t pid);

/* What calls do.  path NULL: a descriptor, but it is not known of what; /proc is
 * believed if what it says begins so (NULL: in any case). */
void procs_open(struct procs *, uint32_t pid, int fd, const char *path,
    const char *begins, enum procs_onexec);
void
procs_dup(struct procs *, uint32_t pid, int from, int to, enum procs_onexec);
void procs_close(struct procs *, uint32_t pid, unsigned int first,
    unsigned int last);
void procs_onexec(struct procs *, uint32_t pid, unsigned int first,
    unsigned int last, enum procs_onexec);
void procs_chdir(struct procs *, uint32_t pid, const char *path);
void procs_chroot(struct procs *, uint32_t pid);
/* It may have got descriptors by a way that is not followed. */
void procs_unsure(struct procs *, uint32_t pid);
/* A process has a child: its descriptors or directories are shared, or a copy
 * of its own.  By the return of the parent, or of the child (ischild): both
 * may come, in any order. */
void procs_fork(struct procs *, uint32_t parent, uint32_t child, int ischild,
    int sharesfiles, int sharesdirs);
void procs_exec(struct procs *, uint32_t pid);
void procs_exit(struct procs *, uint32_t pid);

/*
 * An event at this time (CLOCK_MONOTONIC, ns) is next.  What the call does is
 * not done before procs_settle(): who prints it calls that between the
 * arguments and the result, and the end of the event does it if nobody did.
 */
void procs_event(struct procs *, uint64_t time);
void procs_later(struct procs *, void (*)(struct procs *, void *), void *);
void procs_settle(struct procs *); /* NULL is fine */

#endif /* CLI_PROCS_PROCS_H */
