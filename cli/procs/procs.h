/* SPDX-License-Identifier: ISC */
/*
 * Paths of the descriptors and working directories of traced processes: read
 * from /proc at the start (or from a recording), then updated by the traced
 * calls.
 *
 * The text and the numbers of processes and descriptors are under the control
 * of other users: memory is limited, and the least recently used entries are
 * dropped.
 */
#ifndef CLI_PROCS_PROCS_H
#define CLI_PROCS_PROCS_H

#include <stddef.h>
#include <stdint.h>

struct procs;

#define PROCS_CWD -100 /* AT_FDCWD: the working directory */

/* Whether exec closes a descriptor. */
enum procs_onexec {
	PROCS_KEPT,
	PROCS_CLOSED,
	PROCS_UNSURE,
};

/* Exits if memory runs out. */
struct procs *procs_alloc(void);
void procs_free(struct procs *);

/*
 * Returns the path of a descriptor, or of the working directory (AT_FDCWD);
 * NULL: unknown.  The text is untrusted and not escaped; it is valid until the
 * next event.
 */
const char *procs_fd(struct procs *, uint32_t pid, int fd);

/*
 * Returns how many paths, not of sockets and the like, were read in /proc after
 * their event, when the descriptor may have been another file.
 */
uint64_t procs_guesses(const struct procs *);

/*
 * Starts lookups in /proc for unknown descriptors, and after some milliseconds
 * for those that may have changed.  trust: the facts that stay true because
 * the calls that change them are traced.
 */
void procs_live(struct procs *, unsigned int trust);

#define PROCS_TRUSTFILES 0x1 /* all calls that close descriptors */
#define PROCS_TRUSTOPEN	 0x2 /* the calls with which most programs close them */
#define PROCS_TRUSTDIRS	 0x4 /* all calls that change the working directory */
/* Calls a function for each path that was not learned from a call. */
void procs_watch(struct procs *,
    void (*)(void *, uint32_t pid, int fd, const char *path), void *);
/* Calls a function for everything that is known, for a new file. */
void procs_each(struct procs *,
    void (*)(void *, uint32_t pid, int fd, const char *path), void *);

/* Sets a path from /proc or from a recording. */
void procs_set(struct procs *, uint32_t pid, int fd, const char *path);
/* Sets a path from the event itself, n bytes; NULL: it is not open. */
void procs_set_event(struct procs *, uint32_t pid, int fd, const char *path,
    size_t n);
/*
 * Reads all descriptors of a process from /proc; with children, also those of
 * its descendants.
 */
void procs_scan(struct procs *, uint32_t pid, int children);
/*
 * Reads the directory and the descriptors that a process will have after its
 * next execve(2), with which its events begin.
 */
void procs_scan_command(struct procs *, uint32_t pid);

/*
 * Effects of calls.  path NULL: a descriptor of an unknown object; a path from
 * /proc is accepted if it begins with begins (NULL: any path).
 */
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
/* The process may have received descriptors in a way that is not traced. */
void procs_unsure(struct procs *, uint32_t pid);
/*
 * A process has a child, which shares or copies its descriptors and
 * directories. Called at the return of the parent, or of the child (ischild);
 * both may be seen, in any order.
 */
void procs_fork(struct procs *, uint32_t parent, uint32_t child, int ischild,
    int sharesfiles, int sharesdirs);
void procs_exec(struct procs *, uint32_t pid);
void procs_exit(struct procs *, uint32_t pid);

/* Starts the event of this time (CLOCK_MONOTONIC, ns). */
void procs_event(struct procs *, uint64_t time);

#endif /* CLI_PROCS_PROCS_H */
