# SPDX-License-Identifier: ISC
# Programs written for /dev/dt, compiled unchanged against the installed headers
# and libraries; see dt/compat.h.

NAME	a program for /dev/dt compiles unchanged and sees exactly its load
NEEDS	root tp_btf cc make pkg-config plain
TIMEOUT	240
RUN	C=$S/tests/run/compat; $C/build libdt-compat $C/seed.c && ./seed 5000
OUT	^syscall:kill:entry\(pid_t, int\)$
OUT	^getpid 5000 getppid 1 wrong 0$
OUT	^statistics agree, 0 dropped$

NAME	a program for the older interface filters by its request
NEEDS	root tp_btf cc make pkg-config plain
TIMEOUT	240
RUN	C=$S/tests/run/compat; $C/build libdt-compat $C/seed.c -DDT_V1 ||
	exit; while [ ! -e end ]; do sh -c :; done & load=$!;
	./seed 5000; status=$?; touch end; wait $load; exit $status
OUT	^getpid 5000 getppid 1 wrong 0$
OUT	^others 0$
OUT	^statistics agree, 0 dropped$

NAME	the same programs work with the service and with compiler checks
NEEDS	root mounts tp_btf cc make pkg-config plain
SERVICE
TIMEOUT	240
RUN	C=$S/tests/run/compat; f='-O2 -D_FORTIFY_SOURCE=2 -std=c11 -pedantic';
	$C/build libdt-compat $C/seed.c $f -D_FILE_OFFSET_BITS=64 -D_GNU_SOURCE &&
	./seed 300
OUT	^getpid 300 getppid 1 wrong 0$
OUT	^statistics agree, 0 dropped$

NAME	dt/compat.h compiles alone, before and after the system's headers
NEEDS	root tp_btf cc make pkg-config plain
TIMEOUT	240
RUN	C=$S/tests/run/compat; f='-O2 -D_FORTIFY_SOURCE=2';
	$C/build libdt $C/seed.c $f -include dt/compat.h && ./seed 300 &&
	sed '/dtvar.h/a #include <dt/compat.h>' $C/seed.c >seed.c &&
	grep -c dt/compat.h seed.c && $C/build libdt seed.c $f && ./seed 400
OUT	^getpid 300 getppid 1 wrong 0$
OUT	^1$
OUT	^getpid 400 getppid 1 wrong 0$

NAME	descriptors, signals, threads and forks work as dt/compat.h documents
NEEDS	root mounts tp_btf cc make pkg-config plain
SERVICE
TIMEOUT	240
RUN	C=$S/tests/run/compat; $C/build libdt-compat $C/edges.c && ./edges
EXPECT	ordinary numbers names commands sizes signals nonblock forks closes
	threads

NAME	the same works as C++, with private daemons
NEEDS	root tp_btf c++ make pkg-config plain full
TIMEOUT	240
RUN	C=$S/tests/run/compat; CC='c++ -x c++' $C/build libdt-compat $C/edges.c &&
	./edges
EXPECT	ordinary numbers names commands sizes signals nonblock forks closes
	threads

NAME	the list of probes is complete and without holes
NEEDS	root tp_btf cc make pkg-config plain
TIMEOUT	240
RUN	C=$S/tests/run/compat; $C/build libdt-compat $C/bt.c && ./bt list
OUT	^[0-9]+ probes, 0 holes, 0 with a wrong number of arguments$
OUT	^tracepoints with arguments: yes$
OUT	^0 numbered calls, 0 functions$
OUT	^look-ups agree$

NAME	system calls have the numbers of <sys/syscall.h> on request
NEEDS	root tp_btf cc make pkg-config plain
TIMEOUT	240
RUN	C=$S/tests/run/compat; $C/build libdt-compat $C/bt.c -DDT_COMPAT_SYSNUM &&
	./bt list && ./bt run syscall:read:return syscall:kill:entry
OUT	^[0-9]+ probes, 0 holes, 0 with a wrong number of arguments$
OUT	^[1-9][0-9]{2} numbered calls, 0 functions$
OUT	^look-ups agree$
OUT	^syscall:read:return hits 51 comm bt .* returned -1 error 9$
OUT	^syscall:kill:entry hits 50 comm bt .* args 0 149$

NAME	a program for /dev/dt runs with clocks, tracepoints and /dev/ksyms
ALONE
NEEDS	root tp_btf perf_event cc make pkg-config plain
TIMEOUT	240
RUN	C=$S/tests/run/compat; $C/build libdt-compat $C/bt.c &&
	./bt run profile:hz:100 interval:hz:50 syscall:kill:entry \
	syscall:openat:return tracepoint:sched:sched_process_exit
OUT	^profile:hz:100 hits [1-9][0-9]* comm bt
OUT	^interval:hz:50 hits [1-9][0-9]* comm
OUT	^syscall:kill:entry hits 50 comm bt stack [a-z_].* frames named args 0 149$
OUT	^syscall:openat:return hits 5[0-9] comm bt stack [a-z_].* named returned -1 error 2$
OUT	^tracepoint:sched:sched_process_exit hits 1 comm bt stack [a-z_].* frames named args 0 [1-9]
OUT	^statistics agree, 0 dropped$

NAME	the same runs with the older interface
ALONE
NEEDS	root tp_btf perf_event cc make pkg-config plain
TIMEOUT	240
RUN	C=$S/tests/run/compat; $C/build libdt-compat $C/bt.c -DDT_V1 \
	-DDT_COMPAT_SYSNUM && ./bt run profile:hz:100 interval:hz:50 \
	syscall:kill:entry tracepoint:sched:sched_process_exit
OUT	^profile:hz:100 hits [1-9][0-9]* comm bt
OUT	^interval:hz:50 hits [1-9][0-9]* comm
OUT	^syscall:kill:entry hits 50 comm bt stack [a-z_].* frames named args 0 149$
OUT	^tracepoint:sched:sched_process_exit hits 1 comm bt stack [a-z_].* frames named args 0 [1-9]
OUT	^statistics agree, 0 dropped$

NAME	kernel functions follow the other probes on request, without holes
NEEDS	root tp_btf kprobe cc make pkg-config plain full
TIMEOUT	480
RUN	C=$S/tests/run/compat; f='-DDT_COMPAT_KPROBES -DDT_COMPAT_SYSNUM';
	p='kprobe:do_sys_openat2:entry kprobe:do_sys_openat2:return syscall:kill:entry';
	$C/build libdt-compat $C/bt.c $f && ./bt list && ./bt run $p &&
	$C/build libdt-compat $C/bt.c $f -DDT_V1 && ./bt run $p
OUT	^[0-9]+ probes, 0 holes, 0 with a wrong number of arguments$
OUT	^[1-9][0-9]{2} numbered calls, [1-9][0-9]{4,} functions$
OUT	^look-ups agree$
OUT	^kprobe:do_sys_openat2:entry hits 5[0-9] comm bt stack do_sys_openat2 frames named args -100 [1-9]
OUT	^kprobe:do_sys_openat2:return hits 5[0-9] comm bt stack [a-z_].* named returned -2 error 0$
OUT	^syscall:kill:entry hits 50 comm bt stack [a-z_].* frames named args 0 149$
OUT	^statistics agree, 0 dropped$

NAME	an event counts as read when read(2) has returned it
NEEDS	root tp_btf cc make pkg-config plain
TIMEOUT	240
RUN	C=$S/tests/run/compat; $C/build libdt-compat $C/bt.c && ./bt read
EXPECT	1 read 2 read 3 read rest complete

NAME	DTIOCRDVNODE opens the file behind a process's address
NEEDS	root tp_btf cc make pkg-config plain
TIMEOUT	240
RUN	C=$S/tests/run/compat; $C/build libdt-compat $C/bt.c && ./bt file
OUT	^file same, length same, code same$
OUT	^flags as documented$
OUT	^stack: ENOENT$
OUT	^nobody: ESRCH$

NAME	a client without rights has the list, but not the kernel's symbols
NEEDS	root nonroot tp_btf cc make pkg-config plain setpriv
SERVICE
TIMEOUT	240
RUN	C=$S/tests/run/compat; $C/build libdt-compat $C/bt.c -DDT_COMPAT_SYSNUM &&
	setpriv --reuid 65534 --regid 65534 --clear-groups ./bt list &&
	setpriv --reuid 65534 --regid 65534 --clear-groups ./bt run
OUT	^[0-9]+ probes, 0 holes, 0 with a wrong number of arguments$
ERR	^bt: /dev/ksyms: Operation not permitted$
STATUS	1

NAME	DTIOCRDVNODE does not open a file that the client may not read
NEEDS	root nonroot tp_btf cc make pkg-config plain setpriv
SERVICE	allow = trace-all to user 65534
TIMEOUT	240
RUN	C=$S/tests/run/compat; $C/build libdt-compat $C/bt.c &&
	setpriv --reuid 65534 --regid 65534 --clear-groups ./bt file &&
	chmod 711 bt &&
	setpriv --reuid 65534 --regid 65534 --clear-groups ./bt file
OUT	^file same, length same, code same$
ERR	^bt: DTIOCRDVNODE: Permission denied$
STATUS	1

NAME	a program for /dev/kcov shares its descriptor with a child
NEEDS	root kprobe cc make pkg-config plain full
SERVICE
TIMEOUT	120
RUN	C=$S/tests/run/compat; $C/build libdt-compat $C/cov.c && ./cov
OUT	^an empty section has 0 functions$
OUT	^and mkdir has some$
OUT	^a child: KIOENABLE EBUSY, KIODISABLE EPERM$
OUT	^a child traces itself$
OUT	^what it leaves enabled ends with it$
OUT	^after a fork an empty section has 0 functions$
OUT	^both at once$
OUT	^a child that is killed$
OUT	^a child when the parent has closed it$

NAME	the same works with a private daemon
NEEDS	root kprobe cc make pkg-config plain full
TIMEOUT	120
RUN	C=$S/tests/run/compat; $C/build libdt-compat $C/cov.c && ./cov
OUT	^after a fork an empty section has 0 functions$
OUT	^a child when the parent has closed it$
