/* SPDX-License-Identifier: ISC */
/*
 * Simulates a machine with more CPUs: dtd-many is dtd, linked with these two
 * functions in place of libbpf's and the C library's (ld --wrap).
 *
 * $NCPU is the number of CPUs.  Simulated CPUs have rings, counters and
 * entries in maps like real ones, but never a hit.  A clock for a simulated
 * CPU ticks on a real one.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int __real_libbpf_num_possible_cpus(void);
int __wrap_libbpf_num_possible_cpus(void);
long __real_syscall(long, ...);
long __wrap_syscall(long, ...);

int
__wrap_libbpf_num_possible_cpus(void)
{
	const char *s = getenv("NCPU");

	return s != NULL ? atoi(s) : __real_libbpf_num_possible_cpus();
}

long
__wrap_syscall(long nr, ...)
{
	long a[6];
	va_list ap;
	int i;

	va_start(ap, nr);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (nr == SYS_perf_event_open)
		a[2] = (int)a[2] % sysconf(_SC_NPROCESSORS_ONLN);
	return __real_syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}
