/* SPDX-License-Identifier: ISC */
/*
 * open(2), ioctl(2), mmap(2), read(2) and close(2) for programs that were
 * written for /dev/dt, /dev/tprof or /dev/kcov: they compile as they are and
 * find the devices of libdt.
 *
 *	cc -o prog prog.c $(pkg-config --cflags --libs libdt-compat)
 *
 * That puts headers named <fcntl.h>, <sys/ioctl.h>, <sys/mman.h> and <unistd.h>
 * before the system's, which include this one and then those.  A source file may
 * also include it itself, before these four; or after them, see below.
 *
 * From then on the five names stand for the functions of this file.  Paths
 * and descriptors that are not the device's go on to the C library.  Of the
 * device, so that a program can rely on it:
 *
 * - The paths are /dev/dt and DTDEVNAME.  Both are dt_open(NULL, 0): the
 *   service, or a private dtd where there is none.  Flags but O_NONBLOCK do
 *   not matter; the descriptor is always close-on-exec.
 * - ioctl() is dt_ioctl(), read() is dt_read(): whole events, EMSGSIZE if not
 *   one fits.  It waits; a signal ends that with EINTR, also where its handler
 *   has SA_RESTART.  After DTIOCRECORD 0 it gives what is left and then 0,
 *   once.  With O_NONBLOCK (fcntl(2) sets it, too) it is EAGAIN instead of
 *   waiting.  EPIPE: the daemon is gone.
 * - mmap() of kcov's is dt_mmap(), with the address and the flags that it was
 *   given.
 * - close() of the descriptor undoes the open.  Another thread's read() ends
 *   with EBADF.
 * - poll(2) and select(2) say that bytes have come.  These may be no event
 *   yet, so a read that follows wants O_NONBLOCK; and a read that filled its
 *   buffer may have left events where poll does not see them: read on until
 *   one comes short, gives 0, or EAGAIN, before you poll.
 * - fork(2): the child does not have the descriptor.  The parent goes on.
 * - Threads: any of them may call.  Of two that read one descriptor, the
 *   second waits for the first, whatever O_NONBLOCK says.
 *
 * Not served: dup(2), fcntl(F_DUPFD), descriptors passed over a socket,
 * fdopen(3), readv(2), pread(2), openat(2), creat(2), open64(); and closing
 * in another way than by close(), as closefrom(3), dup2(2) on it, or from a
 * file that was compiled without this header.  The table would go on to have
 * a number that is somebody else's then.
 */
#ifndef DT_COMPAT_H
#define DT_COMPAT_H

/*
 * While the system's headers are read, the five have other names there; so
 * these can be declared anew, as what they are here.  Nothing is a macro
 * afterwards: members and methods with these names, and pointers to the
 * functions, are what one expects.  A header that came before has declared
 * them already.  Then they become macros, which leave everything alone but a
 * name with a parenthesis: a call of a member has to be (p->read)(...), and a
 * pointer to the function is the C library's.
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
