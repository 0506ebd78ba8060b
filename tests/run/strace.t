# SPDX-License-Identifier: ISC
# dt's output of calls, compared with strace.

NAME	of a hundred different calls, 95 lines equal strace's
NEEDS	root tp_btf strace perl x86_64
TIMEOUT	120
RUN	"$S/tests/run/strace_compare" hundred dt | tee lines | tail -n 1;
	cat lines; test "$(sed -n '$s/ .*//p' lines)" -ge 95
OUT	^[0-9]+ of 100 lines agree$
NOOUT	no line

NAME	of a hundred different calls, 95 lines of dt trace equal strace's
NEEDS	root tp_btf strace perl x86_64
TIMEOUT	120
RUN	"$S/tests/run/strace_compare" -t hundred dt | tee lines | tail -n 1;
	cat lines; test "$(sed -n '$s/ .*//p' lines)" -ge 95
OUT	^[0-9]+ of 100 lines agree$
NOOUT	no line

# A call that a signal interrupts may begin again in one run and not in the other.
NAME	900 lines of 16 processes equal strace's, with signals and exits
NEEDS	root tp_btf strace perl x86_64
TIMEOUT	240
RUN	"$S/tests/run/trace_lines" >lines || cat lines; cat lines;
	awk 'END { print ($1 >= 500 && $5 == "processes" && $4 == 16), ($(NF - 1) <= 20) }' lines
OUT	^[0-9]+ lines of 16 processes agree, [0-9]+ as excepted, [0-9]+ differ$
OUT	^1 1$
NOOUT	^unused

NAME	dt trace prints signals and ends, which -qq and -e signal=none omit
NEEDS	root tp_btf
RUN	cat >s <<-'END'
	sh -c 'kill -TERM $$'; sh -c 'kill -KILL $$'; (exit 3); exit 7
	END
	dt trace -e getuid -o t sh s; sed -E 's/^[0-9]+ //; s/=[0-9]+/=N/g' t | sort | uniq -c |
	sed 's/^ *//' | grep -v getuid; dt trace -qq -e getuid -e signal=none -o t sh s; grep -c '^[0-9]* [-+]' t
STATUS	1
OUT	^1 --- SIGTERM \{si_signo=SIGTERM, si_code=SI_USER, si_pid=N, si_uid=N\} ---$
OUT	^1 --- SIGCHLD \{si_signo=SIGCHLD, si_code=CLD_KILLED, si_pid=N, si_uid=N, si_status=SIGTERM, ...\} ---$
OUT	^1 --- SIGCHLD \{si_signo=SIGCHLD, si_code=CLD_KILLED, si_pid=N, si_uid=N, si_status=SIGKILL, ...\} ---$
OUT	^1 --- SIGCHLD \{si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=N, si_uid=N, si_status=N, ...\} ---$
OUT	^1 \+\+\+ killed by SIGTERM \+\+\+$
OUT	^1 \+\+\+ killed by SIGKILL \+\+\+$
OUT	^1 \+\+\+ exited with 3 \+\+\+$
OUT	^1 \+\+\+ exited with 7 \+\+\+$
OUT	^0$

NAME	written and read data is shown only on request
NEEDS	root tp_btf
RUN	dt record syscall:write syscall:writev -- sh -c 'echo secret >f'
NOOUT	secret
RUN	dt record --data syscall:write -- sh -c 'echo secret >f'
OUT	write\(fd=1.*, buf="secret\\n", count=7\) = 7

NAME	structs are read at entry or return, depending on their direction
NEEDS	root tp_btf x86_64
RUN	mkdir d; dt record syscall:nanosleep syscall:stat syscall:wait4 \
	syscall:pipe2 syscall:rt_sigtimedwait -- hundred "$PWD/d"
OUT	nanosleep\(rqtp=\{tv_sec=0, tv_nsec=1000000\}, rmtp=NULL
OUT	stat\(filename="data", statbuf=\{st_mode=S_IFREG\|0644, st_size=41, \.\.\.\}\) = 0
OUT	stat_addr=\[\{WIFEXITED\(s\) && WEXITSTATUS\(s\) == 3\}\]
OUT	pipe2\(fildes=\[[0-9]+.*, [0-9]+.*\], flags=O_NONBLOCK\|O_CLOEXEC\) = 0
OUT	rt_sigtimedwait\(uthese=\[USR1\], uinfo=\{si_signo=SIGUSR1, si_code=SI_USER, si_pid=

NAME	each class of -e has the calls that strace has in it
NEEDS	root tp_btf strace perl x86_64
TIMEOUT	120
RUN	for c in file desc process network signal ipc memory creds clock pure; do
	mkdir d; strace -f -qq -e signal=none -e trace=%$c -o s hundred "$PWD/d" </dev/null; rm -r d;
	mkdir d; dt trace -e %$c -o t hundred "$PWD/d" </dev/null 2>e; rm -r d;
	for f in s t; do sed -nE 's/^[0-9]+ +([a-z_0-9]+)\(.*/\1/p' $f | sort -u >$f.$c;
	done; diff s.$c t.$c >x && echo "$c same $(wc -l <s.$c)" || cat x; done
OUT	^file same [1-9]
OUT	^desc same [1-9]
OUT	^process same [1-9]
OUT	^network same [1-9]
OUT	^signal same [1-9]
OUT	^memory same [1-9]
OUT	^creds same [1-9]
NOOUT	^[<>]

NAME	dt trace selects calls by name, class, pattern and their result
NEEDS	root tp_btf jq strace
RUN	mkdir d; cd d; touch a; t() { dt trace -j "$@" ls a none 2>e | grep '^{' | jq -r '
	select(.probe) |
	"\(.probe | split(":")[1]) \(.errno)"' | sort -u | tr '\n' ' '; echo; };
	echo names $(t -e close,write); echo negated $(t -e '!%file' | grep -c statx);
	echo regex $(t -e 'trace=/^get(uid|pid)$/,/^statx/');
	echo failed $(t -Z -e statx); echo good $(t -z -e statx)
OUT	^names close .*write
OUT	^negated 0$
OUT	^regex .*statx 0
OUT	^failed statx 2$
OUT	^good statx 0$
RUN	for o in -Z -z; do for t in strace dt\ trace; do $t $o sh -c 'exit 3' 2>&1 |
	grep -E '^exit_group|^\+\+\+'; done; done; dt trace -e exit_group --if 'retval > 0' sh -c 'exit 4' 2>&1 |
	grep -E '^exit_group|^\+\+\+'
EXPECT	+++ exited with 3 +++ +++ exited with 3 +++ +++ exited with 3 +++ +++ exited with 3 +++ +++ exited with 4 +++

NAME	dt trace prints times, durations and threads as strace does
NEEDS	root tp_btf
RUN	for o in '' -t -tt -ttt -r -T; do dt trace $o -e getppid,getuid -- steps getuid 2>&1 |
	grep getuid | sed 's/[0-9]/N/g'; done; dt trace -e exit_group sh -c '(:); :' 2>&1 |
	grep exit_group | sed 's/[0-9]\{2,\}/N/g'; dt trace -o f -e exit_group true; sed 's/[0-9]\{2,\}/N/g' f
OUT	^getuid\(\)                                = N$
OUT	^NN:NN:NN getuid\(\) +=
OUT	^NN:NN:NN\.NNNNNN getuid\(\) +=
OUT	^NNNNNNNNNN\.NNNNNN getuid\(\) +=
OUT	^    N\.NNNNNN getuid\(\) +=
OUT	^getuid\(\)                                = N <N\.NNNNNN>$
OUT	^exit_group\(0\) +=  *\?$
OUT	^\[pid +N\] exit_group\(0\) +=  *\?$
OUT	^N exit_group\(0\) +=  *\?$

NAME	dt trace runs a command without --, whose options are its own
NEEDS	root tp_btf
RUN	dt trace -e exit_group sh -c 'exit 7'
STATUS	7
ERR	exit_group\(7\)
RUN	dt trace -e write -s 32 -- sh -c 'echo hello' 2>t; cat t
OUT	^hello$
OUT	^write\(1.*, "hello\\n", 6\) += 6$

NAME	dt trace -p has one process or several, also if they wait
NEEDS	root tp_btf
RUN	ask until stop call getppid 1 & a=$!; ask until stop call getppid 1 & b=$!;
	ask until stop call getppid 1 & c=$!; dt trace -n 200 -e getppid -p $a,$b 2>o;
	dt trace -n 5 -e getppid -p $c 2>p; : >stop; wait; grep -c "pid *$a\]" o |
	sed 's/[1-9][0-9]*/some/'; grep -c "pid *$b\]" o | sed 's/[1-9][0-9]*/some/';
	grep -c "pid *$c\]" o; grep -c 'getppid.* = ' p
EXPECT	some some 0 5

NAME	signals between the calls do not count for -n of dt trace
NEEDS	root tp_btf
RUN	dt trace -n 3 -e kill -- sh -c 'trap : USR1; for i in 1 2 3 4 5; do
	kill -USR1 $$; done' 2>o; grep -c ' = 0$' o; grep -c -- '^--- SIGUSR1' o
EXPECT	3 2

# The process is often within the call when a recording begins.
NAME	no recording begins with the entry of a call whose return it lacks
NEEDS	root tp_btf full
RUN	ask until stop call getppid 1 & p=$!; i=0; while [ $((i += 1)) -le 40 ]; do
	dt trace -n 5 -e getppid -p $p; done 2>o; : >stop; wait;
	grep getppid o | grep -vc ' = '; grep -c ' = ' o
EXPECT	0 200

NAME	dt trace -k prints the stacks, and -c the counts
NEEDS	root tp_btf
RUN	dt trace -k -e getuid steps getuid 2>&1 | grep -A20 '^getuid' | grep -c '^        ' |
	sed 's/[1-9][0-9]*/frames/'; dt trace -c -o c steps getuid; grep -c getuid c;
	dt trace -c sh -c 'echo own' 2>c; grep -c write c; dt trace -c -j steps getuid |
	grep -c getuid
EXPECT	frames 1 own 1 1

NAME	the thread that takes events from the rings of dt trace does not wait for a CPU
NEEDS	root
RUN	dt trace -e acct -d 60 >/dev/null 2>&1 & p=$!; until t=$(for c in $(pgrep -P $p); do
	grep -slx dtd-data /proc/$c/task/*/comm; done) && [ -n "$t" ] && t=${t%/comm} &&
	chrt -p ${t##*/} | grep SCHED_RR; do sleep 0.1; done; kill $p; wait
OUT	SCHED_RR

NAME	dt trace loses nothing while the reader of its output waits
NEEDS	root tp_btf
TIMEOUT	120
RUN	p=/nope/$(printf %0200d 0);
	dt trace --strict --buffer 8M --buffer-max 8M -e openat -- sh -c "i=0;
	while [ \$((i += 1)) -le 20 ]; do ask call openat 3000 args=-100,@text:$p,0
	sleep 0.02; done; : >go" 2>&1 >/dev/null | { until [ -e go ]; do sleep 0.02;
	done; cat >o; }; grep -c "openat(.*$p" o; tail -n 2 o
OUT	^60000$
OUT	^dt: [0-9]+ events, none lost$

NAME	dt trace -c -e counts the selected calls, as strace does
NEEDS	root tp_btf jq strace
# The failures of a shell's searches are among them.
RUN	cat >script <<'E'
	cat none; ls -l / >/dev/null; nosuchcommand; cp script x; rm x; cat script >/dev/null
	E
	exec </dev/null; for e in openat trace=%file '!%file,mmap' ; do
	dt trace -c -j -e "$e" -o j sh ./script >o 2>e;
	strace -f -c -U syscall,calls,errors -e "$e" -o s sh ./script >o 2>e2;
	jq -r 'select(.call and .call != "exit_group") |
	"\(.call) \(.count) \(.failed)"' j | sort >a;
	awk '$2 + 0 > 0 && $1 != "total" { print $1, $2, $3 + 0 }' s | sort >b;
	diff a b && echo "$e: $(wc -l <a) rows"; jq -r 'select(.ledger) | .ledger |
	.fired == .read' j; done; dt trace -c -Z -e openat -o f sh ./script >o 2>&1;
	sed -n 2p f
OUT	^openat: 1 rows$
OUT	^trace=%file: ([5-9]|1[0-9]) rows$
OUT	^!%file,mmap: ([7-9]|[1-3][0-9]) rows$
OUT	^ +[1-9][0-9]*( +[0-9.]+[mun]?s){5}  openat            ENOENT [0-9]+$
NOOUT	^[<>]
NOOUT	^false$

NAME	dt trace -c -e of a process counts its calls only, by process if requested
NEEDS	root tp_btf jq
RUN	ask until stop call getppid 1 & a=$!; env --default-signal=INT dt trace -c -j \
	--by-process -d 1 -e getppid,getpid -p $a -o j; : >stop; wait $a; jq -r --argjson a $a '
	select(.call) | "\(.call) \(.pid == $a) \(.count > 0)"' j;
	dt syscalls -j -e '/^get(uid|pid)$/' -o k -- steps getuid; jq -r 'select(.call) | "\(.call) \(.count)"' k
EXPECT	getppid true true getuid 1

NAME	wrong options of dt trace are refused with what would be right
RUN	for o in '-e opne' '-e %flie' '-e inject=open' '-e status=failed' '-e x=y' '-e /(/' \
	'-e /nosuch/' '-e !all' '-z -Z' '-c -k' '-c -n 1' '-c --path /' '--by-process' \
	'-p no/such' '-p 1,,2'; do
	dt trace $o true 2>&1 | head -n 1; done
OUT	^dt trace: -e opne: there is no system call 'opne'; did you mean open\?$
OUT	^dt trace: -e %flie: there is no class 'flie'; did you mean file\?$
OUT	^dt trace: -e inject=open: inject= is not supported: dt changes no call$
OUT	status= is not supported: use -z for successful calls, -Z for failed ones$
OUT	-e x=y: should be trace=CALL,%CLASS,/REGEX/$
OUT	is not a regular expression$
OUT	no call matches /nosuch/$
OUT	-e !all: no call is left$
OUT	^dt trace: -z and -Z exclude each other$
OUT	^dt trace: -c counts calls and prints none: it excludes -k and -n$
OUT	^dt trace: -c excludes --path: dt stat --by probe --path PREFIX 'syscall:\*' counts such calls$
OUT	^dt trace: --by-process needs -c$
OUT	-p no/such: 'no/such' is neither the number nor the name of a running process$
NOOUT	events
