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
NEEDS	root tp_btf c++ make pkg-config plain
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
