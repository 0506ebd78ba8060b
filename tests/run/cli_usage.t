# SPDX-License-Identifier: ISC
# The replies of dt(1) to wrong usage and to requests for help.

NAME	help goes to stdout, status 0
RUN	dt --help; dt -h; dt help
OUT	^usage: dt list
OUT	^       dt stat
OUT	^       dt record
OUT	^       dt profile
OUT	^       dt offcpu
OUT	^       dt where
OUT	^       dt report
OUT	^       dt doctor
OUT	^       dt tprof
OUT	^       dt kcov
NOERR	.

NAME	each command has its own help, with options and examples
RUN	for c in list run trace top diff stat record profile offcpu where report doctor tprof kcov; do dt $c --help &&
	dt $c -h && dt help $c || exit 9; done
OUT	^usage: dt list
OUT	^usage: dt stat
OUT	^usage: dt record
OUT	^usage: dt profile
OUT	^usage: dt offcpu
OUT	^usage: dt where
OUT	^usage: dt top
OUT	^usage: dt report
OUT	^usage: dt doctor
OUT	^usage: dt tprof
OUT	^usage: dt kcov
OUT	-j, --json
OUT	^Examples:
NOERR	.

NAME	each command of tprof has its own help
RUN	for c in list monitor count analyze top; do dt tprof $c --help &&
	dt tprof $c -h && dt help tprof $c || exit 9; done
OUT	^usage: dt tprof list \[-j\]$
OUT	^usage: dt tprof monitor
OUT	^usage: dt tprof count
OUT	^usage: dt tprof analyze
OUT	^usage: dt tprof top
OUT	-c, --command
OUT	^Examples:
NOERR	.

NAME	help fits 80 columns, with each option's text in a column of its own
RUN	for c in list run trace top diff stat syscalls record profile offcpu where report \
	doctor kcov 'tprof list' 'tprof monitor' 'tprof count' 'tprof analyze' 'tprof top'; do
	dt $c --help | awk -v c="$c" 'length > 80 { print "wide: " c ": " $0 }
	match($0, /[^ ]/) == 28 { broken++ } END { if (broken) print c " breaks a line" }'; done
OUT	^report breaks a line$
OUT	^tprof monitor breaks a line$
NOOUT	^wide

NAME	--help wins over other errors
RUN	dt record --help nosuch -- ; dt stat -x --help
STATUS	2
OUT	^usage: dt record
ERR	there is no option -x

NAME	dt alone shows on a screen what one can ask, status 2
RUN	dt
STATUS	2
OUT	^  dt syscalls -- ls
NOERR	.
RUN	dt | awk '{ n += 1; wide += length > 79 } END { print n < 15, wide + 0 }'
OUT	^1 0$

NAME	an unknown command is one line with what was meant, status 2
RUN	dt frobnicate
STATUS	2
NOOUT	.
ERR	^dt: there is no command 'frobnicate'; 'dt help' prints all commands$
NOERR	usage
RUN	dt strace ls; dt ls; dt version; dt recrd
STATUS	2
ERR	^dt: there is no command 'strace'; did you mean dt trace COMMAND, or dt trace -c COMMAND\?$
ERR	'ls'; did you mean dt list\?$
ERR	'version'; did you mean dt --version\?$
ERR	'recrd'; did you mean dt record\?$

NAME	help of an unknown command, and an unknown option, are status 2
RUN	dt help frobnicate
STATUS	2
ERR	there is no command 'frobnicate'
RUN	dt --frobnicate
STATUS	2
ERR	there is no option '--frobnicate'

NAME	dt prints its version
RUN	dt --version; dt -V
OUT	^dt [0-9]+\.[0-9]+
RUN	dtd --version
OUT	^dtd [0-9]+\.[0-9]+

NAME	unknown options, and options with too few or too many arguments, fail
RUN	for a in -x --nosuch --pid -p --json=1; do
	dt stat $a; [ $? -eq 2 ] || exit 9; done 2>&1
OUT	there is no option -x
OUT	there is no option --nosuch
OUT	--pid needs an argument
OUT	-p needs an argument
OUT	--json=1: it takes no argument
OUT	See 'dt stat --help' for options

NAME	wrong option values are status 2, with the values that are valid
RUN	try() { dt "$@" syscall:getpid -- true; [ $? -eq 2 ] || echo "WRONG $*";
	} 2>&1; try stat -p -1; try stat -p x; try stat -p 1,;
	try stat -t 1x; try stat -u nosuchuser; try stat --comm ''; try stat -d 0;
	try stat -d abc; try stat -d -1; try stat --buffer 0; try stat --buffer 1x;
	try stat --buffer 9999999G; try stat -i 0; try stat -F 0; try stat -F 5001;
	try record -n 0; try record -n x; try record -o ''
NOOUT	WRONG
OUT	-p -1: '-1' is neither the number nor the name of a running process
OUT	-p 1,: should be processes with a comma between: 1,2 or sshd
OUT	-u nosuchuser: is neither a user nor a number
OUT	-d abc: should be a time
OUT	--buffer 1x: should be bytes
OUT	-i 0: should be a time of 1ms or more
OUT	-F 5001: should be ticks per second, from 1 to 5000
OUT	-n 0: should be a number, 1 or more

# The options are those of the help.
NAME	each option that takes a time has the same rule, and names the units
RUN	for c in run trace stat syscalls top record profile offcpu report 'tprof monitor' 'tprof count' 'tprof top'; do
	for o in $(dt $c --help | sed -nE 's/^  +(-[a-z], +)?--([a-z]+) TIME .*/\2/p'); do echo "$c $o" >>all;
	for t in 5min x 1.5.2s -1; do dt $c --$o $t 2>&1 | head -1 | grep -o 'should be.*'; done; done; done | sort | uniq -c |
	sed 's/^ *//'; sed 's,.* ,,' all | sort -u | wc -l; wc -l <all
OUT	^[0-9]+ should be a time, for example 10 \(seconds\), 500ms or 5m; units are ns, us, ms, s, m, h$
OUT	^12 should be a time with its unit, for example 1ms, 200us or 0\.5s$
NOOUT	should be a time of
OUT	^5$
OUT	^20$
RUN	for t in 10 0 0.5 10x ''; do dt stat --slower "$t" syscall:read 2>&1 | head -1; done;
	dt stat -i 0.5ms syscall:read 2>&1 | head -1; dt record --if 'duration > 10' --slower 1ms syscall:read -- true
STATUS	1
OUT	^dt stat: --slower 10: should be a time with its unit, for example 1ms, 200us or 0\.5s; write 10ms or 10s$
OUT	^dt stat: --slower 0\.5: .*; write 0\.5ms or 0\.5s$
OUT	^dt stat: --slower 10x: should be a time with its unit, for example 1ms, 200us or 0\.5s$
OUT	^dt stat: -i 0\.5ms: should be a time of 1ms or more$
ERR	a time needs a unit, for example 1ms, 500us or 2s; write 10ms or 10s

NAME	missing or extra probes, files and commands are status 2
RUN	try() { dt "$@"; [ $? -eq 2 ] || echo "WRONG $*"; } 2>&1; try stat;
	try record; try record --; try stat syscall:getpid --; try report;
	try report a b; try list -- true; try report x -- true; try profile x;
	try record -- true
NOOUT	WRONG
OUT	dt stat: needs a probe
OUT	-- needs a command after it
OUT	dt report: needs one file
OUT	takes no command
OUT	unexpected argument 'x'

NAME	an unknown probe is status 1, with the nearest name
RUN	dt stat syscall:opnat:entry -- true
STATUS	1
NOOUT	.
ERR	no probe matches 'syscall:opnat:entry'; did you mean syscall:openat:entry\?
RUN	for p in sched:sched_switch sched_swich \
	tracepoint:sched:sched_swich; do dt stat "$p" -- true; done
ERR	^dt: no probe matches 'sched:sched_switch'; did you mean tracepoint:sched:sched_switch\?$
ERR	^dt: no probe matches 'sched_swich'; did you mean tracepoint:sched:sched_switch\?$
ERR	^dt: no probe matches 'tracepoint:sched:sched_swich'; did you mean tracepoint:sched:sched_switch\?$
STATUS	1
RUN	dt record nosuch:nosuch:nosuch -- true
STATUS	1
ERR	no probe matches 'nosuch:nosuch:nosuch'

NAME	a command where a probe belongs, and a call that programs seldom make
NEEDS	root tp_btf
RUN	dt stat ls
STATUS	1
ERR	^dt: no probe matches 'ls'; a command follows --: 'syscall:\*' -- ls$
RUN	dt stat syscall:open -- true; dt stat syscall:openat syscall:open -- true 2>&1 |
	grep -c most || :
ERR	^dt: most programs call openat in place of open: try syscall:openat$
OUT	^0$

NAME	names are escaped in messages
RUN	dt list "$(printf 'a\033]31mb')"
STATUS	1
ERR	no probe matches 'a\\x1b]31mb'
NOERR	\[31m'.*

NAME	an unknown process or thread is reported, status 1
RUN	dt stat -p 4194305 syscall:getpid
STATUS	1
ERR	there is no process 4194305
RUN	dt stat -t 4194305 syscall:getpid
STATUS	1
ERR	there is no thread 4194305

NAME	an error without a daemon to start is reported, status 1
RUN	DT_DTD=/nonexistent/dtd dt list
STATUS	1
NOOUT	.
ERR	cannot open dt: .*nonexistent

NAME	a daemon that exits at once is reported, status 1
RUN	DT_DTD=/bin/false dt list
STATUS	1
ERR	cannot open dt:

NAME	a closed or full stdout is an error
RUN	dt list >/dev/full
STATUS	1
ERR	No space left on device
RUN	dt --help >/dev/full
STATUS	1
ERR	No space left on device

NAME	closed descriptors are not reused for our sockets
RUN	dt list syscall:getpid <&- >&- 2>&-; echo $?
EXPECT	0

NAME	letters of strace and perf that are something else here name it
RUN	for o in 'trace -P /etc ls' 'stat -n 3 syscall:read' 'stat -e syscall:read' 'record -e x' \
	'profile -e x' 'profile -ag' 'profile -g' 'where -a' 'list -a'; do
	dt $o 2>&1 | head -n 1; done
EXPECT	dt trace: there is no option -P; --path PREFIX selects calls by their files
	dt stat: there is no option -n; -d TIME ends it, and --top N limits the rows
	dt stat: there is no option -e; probes are operands: 'dt list' prints them
	dt record: there is no option -e; probes are operands: 'dt list' prints them
	dt profile: there is no option -e; --on PROBE takes the stacks of its hits
	dt profile: there is no option -a; without a command and -p, it is of all processes
	dt profile: there is no option -g; it has the stacks of all hits
	dt where: there is no option -a; without a command and -p, it is of all processes
	dt list: there is no option -a
