/* SPDX-License-Identifier: ISC */
/*
 * open(2), ioctl(2), mmap(2), read(2) and close(2) for programs written for
 * /dev/dt, /dev/tprof or /dev/kcov: they compile unchanged and use the devices
 * of libdt.
 *
 *	cc -o prog prog.c $(pkg-config --cflags --libs libdt-compat)
 *
 * This adds headers named <fcntl.h>, <sys/ioctl.h>, <sys/mman.h> and <unistd.h>
 * to the include path, which include this file before the system's header.  A
 * source file may also include this file before these four, or after them with
 * the restrictions below.  Further headers have what OpenBSD has in <paths.h>,
 * <sys/ioccom.h>, <sys/stacktrace.h>, <sys/syscall.h> and <sys/syslimits.h>.
 *
 * The list of probes has Linux's names, and no kernel functions.  For programs
 * that expect it as on OpenBSD, these macros change it (dt_compat_want()):
 *
 * -DDT_COMPAT_SYSNUM	system calls are sys%N, as <sys/syscall.h> numbers them
 * -DDT_COMPAT_KPROBES	kernel functions follow all other probes, numbered
 *			without holes
 *
 * Such a list is fetched once for each descriptor.  DTIOCLOOKUP then has its
 * numbers, but Linux's names.
 *
 * The names open, ioctl, mmap, read and close refer to the functions of this
 * file.  Other paths and descriptors are passed to the C library.  The path /dev/ksyms opens an ELF
 * file in memory with a symbol table of the kernel's functions, which close(2)
 * frees like any file; EPERM: the client may not see the kernel's addresses.
 * For a device:
 *
 * - The paths are /dev/dt, /dev/tprof, /dev/kcov and the service's sockets.
 *   open() is dt_open(): the service, or a private dtd if no service runs.
 *   Flags except O_NONBLOCK are ignored; the descriptor is close-on-exec.
 * - ioctl() is dt_ioctl(), read() is dt_read(): whole events, EMSGSIZE if the
 *   buffer is smaller than one.  read() waits; a signal ends this with EINTR,
 *   even if its handler has SA_RESTART.  After DTIOCRECORD 0 it returns the
 *   remaining events and then 0, once.  With O_NONBLOCK (also set by fcntl(2))
 *   it fails with EAGAIN instead of waiting.  EPIPE: the daemon has exited.
 * - mmap() on a kcov descriptor is dt_mmap(), with address and flags.
 * - dtst_readevt of DTIOCGSTATS counts the events that read() has returned.
 * - close() undoes the open.  Another thread's read() fails with EBADF.
 * - poll(2) and select(2) report that bytes have arrived.  These may be less
 *   than an event, so the following read needs O_NONBLOCK.  A read that filled
 *   its buffer may leave events that poll does not report: before polling, read
 *   until a read is short, returns 0, or fails with EAGAIN.
 * - fork(2): the child has a copy of the descriptor of kcov, and may enable
 *   the session for itself when the parent has disabled it (else EBUSY); the
 *   session ends when both have closed it.  It has no other descriptor of a
 *   device; the parent keeps these.
 * - Any thread may call these functions.  When two threads read one
 *   descriptor, the second waits for the first, even with O_NONBLOCK.
 *
 * Unsupported: dup(2), fcntl(F_DUPFD), descriptors passed over a socket,
 * fdopen(3), readv(2), pread(2), openat(2), creat(2), open64(), and closing the
 * descriptor by other means than close(), such as closefrom(3), dup2(2) onto
 * it, or a file compiled without this header.  The table would then keep a
 * number that the process has reused.
 */
#ifndef DT_COMPAT_H
#define DT_COMPAT_H

/*
 * Gives the five functions other names in the system's headers, so that they
 * can be declared here with other symbols.  No name remains a macro: members
 * and methods with these names and pointers to the functions work as usual.  If
 * a system header was included before, it has declared the functions already.
 * Then the names become macros, which replace only a name followed by a
 * parenthesis: the call of a member must be written (p->read)(...), and a
 * pointer to a function is the C library's.
 */
#if defined(_FCNTL_H) || defined(_SYS_IOCTL_H) || defined(_SYS_MMAN_H) || \
    defined(_UNISTD_H)
#define DT_COMPAT_LATE
#else
#define open  dt_libc_open
#define ioctl dt_libc_ioctl
#define mmap  dt_libc_mmap
#define read  dt_libc_read
#define close dt_libc_close
#endif

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#undef open
#undef ioctl
#undef mmap
#undef read
#undef close

#ifdef __cplusplus
extern "C" {
#endif

int dt_compat_open(const char *path, int flags, ...);
int dt_compat_ioctl(int fd, unsigned long cmd, ...);
void *dt_compat_mmap(void *addr, size_t nbytes, int prot, int flags, int fd,
    off_t offset);
ssize_t dt_compat_read(int fd, void *buf, size_t nbytes);
int dt_compat_close(int fd);

/*
 * Changes the list of probes of devices that are opened from now on.  Flags of
 * earlier calls stay set.
 */
void dt_compat_want(unsigned int flags);

#define DT_COMPAT_WANT_SYSNUM  0x1
#define DT_COMPAT_WANT_KPROBES 0x2

#if defined(DT_COMPAT_SYSNUM) || defined(DT_COMPAT_KPROBES)
__attribute__((constructor)) static void
dt_compat_want_macros(void)
{
#ifdef DT_COMPAT_SYSNUM
	dt_compat_want(DT_COMPAT_WANT_SYSNUM);
#endif
#ifdef DT_COMPAT_KPROBES
	dt_compat_want(DT_COMPAT_WANT_KPROBES);
#endif
}
#endif

#ifdef DT_COMPAT_LATE
#define open(...)  dt_compat_open(__VA_ARGS__)
#define ioctl(...) dt_compat_ioctl(__VA_ARGS__)
#define mmap(...)  dt_compat_mmap(__VA_ARGS__)
#define read(...)  dt_compat_read(__VA_ARGS__)
#define close(...) dt_compat_close(__VA_ARGS__)
#else
int open(const char *path, int flags, ...) __asm__("dt_compat_open");
int ioctl(int fd, unsigned long cmd, ...) __asm__("dt_compat_ioctl");
void *mmap(void *addr, size_t nbytes, int prot, int flags, int fd,
    off_t offset) __asm__("dt_compat_mmap");
ssize_t read(int fd, void *buf, size_t nbytes) __asm__("dt_compat_read");
int close(int fd) __asm__("dt_compat_close");
#endif

#ifdef __cplusplus
}
#endif

#endif /* DT_COMPAT_H */
