# SPDX-License-Identifier: ISC
# Counters of the kernel and of the processor: the provider counter, and software
# and hardware of scripts.

NAME	page faults are as many as the program counts, one by one and one of ten
CORE
NEEDS	root cc jq quick
RUN	printf '%s\n' '#include <stdio.h>' '#include <sys/mman.h>' '#include <sys/prctl.h>' \
	'#include <sys/resource.h>' 'static long faults(void) { struct rusage ru;' \
	'getrusage(RUSAGE_SELF, &ru); return ru.ru_minflt + ru.ru_majflt; }' \
	'__attribute__((noinline)) void touch_pages(char *p) {' \
	'for (int i = 0; i < 4000; i++) p[i * 4096L] = 1; }' 'int main(void) { long before;' \
	'char *p = mmap(0, 4000 * 4096L, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);' \
	'madvise(p, 4000 * 4096L, MADV_NOHUGEPAGE); printf("begin\n"); fflush(stdout);' \
	'prctl(PR_SET_NAME, "touching"); before = faults(); touch_pages(p);' \
	'before = faults() - before; prctl(PR_SET_NAME, "done"); printf("%ld\n", before); }' >v.c;
	${CC:-cc} -O1 -fno-inline -o v v.c;
	dt run -e 'software:minor-faults:1 /comm == "touching"/ { @one = count(); }
	software:page-faults:10 /comm == "touching"/ { @ten = count(); }
	software:faults:1 /comm == "touching"/ { @tracepoint = count(); }' -- ./v >o; cat o;
	awk '/^[0-9]/ { n = $1 } /^@one/ { one = $2 } /^@ten/ { ten = $2 } /^@trace/ { t = $2 }
	END { if (n >= 4000 && one >= n && one <= n + 8) print "one by one";
	if (ten * 10 > n - 100 && ten * 10 < n + 100) print "one of ten";
	if (t >= n && t <= n + 8) print "as the tracepoint" }' o
OUT	^one by one$
OUT	^one of ten$
OUT	^as the tracepoint$
RUN	dt profile --on counter:page-faults:1 -f -- ./v | awk '/;touch_pages [0-9]+$/ { n += $NF }
	END { print (n >= 4000) }'
OUT	^1$
RUN	dt stat -j counter:minor-faults:1 -- sh -c './v >/dev/null' | jq -c 'select(.comm == "touching") | .probe'
OUT	counter:minor-faults:overflow

NAME	periods and events that do not exist are refused
NEEDS	root
ASK	open; enable counter:page-faults:overflow nsecs=140737488355329;
	enable counter:page-faults:overflow nsecs=140737488355328;
	enable counter:minor-faults:overflow; record on; record off
EXPECT	0 EINVAL 0 0 0 0
RUN	dt record counter:nonsense:5
STATUS	1
ERR	no probe matches 'counter:nonsense:5'; dt list 'counter:\*' prints what this machine has$

NAME	counters of the processor are there if the kernel knows them
NEEDS	root
RUN	dt list 'counter:*' | sort | head -n 1; if dt list counter:cycles >/dev/null 2>&1; then
	dt run -d 1 -e 'hardware:cycles:1000000 { @ = count(); }' -- sh -c \
	'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done';
	else echo '@: 1'; fi
OUT	^counter:[a-z-]*:overflow$
OUT	^@: [1-9]
RUN	dt list counter:cycles >/dev/null 2>&1 || ! dt run -e 'hardware:cycles:1000000 { @ = count(); }'

NAME	hardware counter: hits are one of N cycles and instructions, in the program that has them
NEEDS	root pmu
TIMEOUT	120
RUN	dt list 'counter:cycles' 'counter:instructions';
	dt run -e 'hardware:instructions:1000000 /comm == "sh"/ { @few = count(); }
	hardware:cycles:1000000 /comm == "sh"/ { @[probe] = count(); }' \
	-- sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done';
	dt stat --by comm counter:instructions:100000 -- sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done' |
	sed -n 's/^ *\([0-9]*\) .* sh *$/@many: \1/p'
OUT	^counter:cycles:overflow$
OUT	^counter:instructions:overflow$
OUT	^@few: [1-9]
OUT	^@\[hardware:cycles:1000000\]: [1-9]
OUT	^@many: [1-9][0-9]
RUN	dt profile --on counter:instructions:100000 -f -- sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done' |
	grep -c '^sh;'
OUT	^[1-9]

NAME	with TRACE_OWN, hits are those of the user's own processes
NEEDS	root setpriv
SERVICE	allow = trace-own to user 65534
RUN	sh -c 'i=0; while [ $i -lt 60 ]; do /bin/true; i=$((i + 1)); done' &
	setpriv --reuid 65534 --clear-groups dt stat --by uid -d 1 counter:page-faults:1 -- \
	sh -c '/bin/true; /bin/true'; wait
OUT	^ *[1-9][0-9]+ .* (65534|nobody)
NOOUT	^ *[0-9]+ .* (0|root) *$
