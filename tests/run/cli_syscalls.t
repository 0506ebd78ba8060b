# SPDX-License-Identifier: ISC
# dt syscalls

NAME	a program's calls and errors are counted exactly, and its times fit
CORE
NEEDS	root tp_btf jq quick
RUN	dt syscalls -j -o j -- callmix >own; awk '{ print $1, $2, $3, $6 }' own |
	sort >a; jq -r 'select(.call == ("lseek", "getpgid", "getsid", "fchdir",
	"nanosleep")) | "\(.call) \(.count) \(.failed) \(.errors | to_entries |
	map("\(.key):\(.value)") | if length == 0 then "-" else join(",") end)"' j |
	sort >b; diff a b && cat b;
	jq -rs --rawfile own own '($own | split("\n") | map(select(. != "") |
	split(" ") | {(.[0]): {sum: .[3] | tonumber, max: .[4] | tonumber}}) |
	add) as $own | map(select($own[.call // ""])) | length == 5 and
	all(.[]; $own[.call] as $o | .sum > 0 and .sum <= $o.sum and
	.max <= $o.max and .min <= .p50 and .p50 <= .p90 and .p90 <= .p99 and
	.p99 <= .max and .avg == (.sum / .count + 0.5 | floor))' j;
	jq -r 'select(.call == "nanosleep") | .sum >= 30 * 2000000 and
	.p50 >= 2000000 * 0.94 and .min < 2000000' j
ERR	^dt: [0-9]+ events, none lost$
OUT	^lseek 360 180 EBADF:120,ESPIPE:60$
OUT	^getpgid 225 210 ESRCH:210$
OUT	^getsid 3000 0 -$
OUT	^fchdir 54 54 ENOTDIR:33,EBADF:21$
OUT	^nanosleep 39 9 EINVAL:9$
OUT	^true$
NOOUT	^false$

NAME	calls are the ledger's events, and those that never return have no time
CORE
NEEDS	root tp_btf jq quick
RUN	dt syscalls -j -o j -- callmix >out; jq -es '(map(.count // 0) | add) ==
	.[-1].ledger.read and .[-1].ledger.fired == .[-1].ledger.counted and
	([.[] | select(.call == ("exit", "exit_group")) |
	[.call, .count, .failed, .errors, .sum, .avg, .p50, .p99, .max]] | sort) ==
	[["exit", 1, 0, {}, null, null, null, null, null],
	["exit_group", 2, 0, {}, null, null, null, null, null]]' j
OUT	^true$

NAME	the table is sorted by total time, and names errors
NEEDS	root tp_btf
RUN	dt syscalls -- callmix | sed '/^[a-z]/d' >t; cat t; sed 1d t |
	awk '{ t = $2; u = 0 } t ~ /ns$/ { u = 1 } t ~ /us$/ { u = 1e3 }
	t ~ /ms$/ { u = 1e6 } t ~ /[0-9]s$/ { u = 1e9 } { print t * u }' >n;
	sort -gr n | diff - n && echo sorted
OUT	^ +CALLS +TOTAL +MEAN +P50 +P99 +MAX  SYSCALL           ERRORS$
OUT	^ +39 +[0-9.]+ms +[0-9.]+[mu]s +[0-9.]+ms +[0-9.]+ms +[0-9.]+ms  nanosleep         EINVAL 9$
OUT	^ +360 +[0-9.]+[mu]s( +[0-9.]+[mun]s){4}  lseek             EBADF 120, ESPIPE 60$
OUT	^ +3000 +[0-9.]+[mu]s( +[0-9.]+[mun]s){4}  getsid$
OUT	^ +2( +-){5}  exit_group$
OUT	^sorted$

NAME	strace counts the same calls and errors of commands
NEEDS	root tp_btf jq strace
# A fixed directory and the same standard files, since commands look at them.
# strace does not count exit and exit_group, which do not return; all else is
# equal.
RUN	cat >script <<'E'
	cd d; trap : USR1; ls -l / >/dev/null; cat none;
	dd if=/dev/zero of=x bs=1 count=300; cp x y; find . ; kill -USR1 $$;
	perl -e '$SIG{ALRM} = sub {}; kill ALRM => $$; open F, "<none";
	mkdir "d"; rmdir "d"; rmdir "d"; fork or exit 3; wait'
	E
	exec </dev/null; mkdir d; dt syscalls -j -o j -- sh ./script >o 2>e;
	rm -r d; mkdir d;
	strace -f -c -U syscall,calls,errors -o s sh ./script >o 2>e;
	jq -r 'select(.call and .call != "exit_group") |
	"\(.call) \(.count) \(.failed)"' j | sort >a;
	awk '$2 + 0 > 0 && $1 != "total" { print $1, $2, $3 + 0 }' s | sort >b;
	diff a b && cat a
OUT	^read [0-9]+ 0$
OUT	^openat [0-9]+ [1-9][0-9]*$
OUT	^rt_sigreturn [1-9][0-9]* 0$
OUT	^execve 7 0$
OUT	^rmdir 2 1$
NOOUT	^[<>]

NAME	strace counts the same calls of a program with a thread and a child
NEEDS	root tp_btf jq strace
# exit and exit_group as above; pthread_join(3) waits by futex only if the
# thread still runs.
RUN	dt syscalls -j -o j -- callmix >o; strace -f -c \
	-U syscall,calls,errors -o s callmix >o; jq -r 'select(.call) |
	select(.call | test("^(exit|exit_group|futex)$") | not) |
	"\(.call) \(.count) \(.failed)"' j | sort >a;
	awk '$2 + 0 > 0 && $1 !~ /^(total|futex)$/ { print $1, $2, $3 + 0 }' s |
	sort >b; diff a b && cat a
OUT	^clone3? 1 0$
OUT	^lseek 360 180$
NOOUT	^[<>]

NAME	perf trace -s counts the same calls of a program
NEEDS	root tp_btf jq perf tracefs
# perf does not count exit_group either.  With children it would also count the
# return of clone in the child, so this program has none.  perf reads its rings
# one after the other, so it sometimes misses a call whose thread changed its CPU.
RUN	m=$(command -v callmix); exec </dev/null; dt syscalls -j -o j -- $m -c >o;
	perf trace -s -o p $m -c >o; jq -r 'select(.call) |
	select(.call != "exit_group") | "\(.call) \(.count) \(.failed)"' j |
	sort >a; awk 'NF == 8 && $2 + 0 > 0 { print $1, $2, $3 }' p | sort >b;
	join -a 1 -a 2 -e - -o 0,1.2,2.2,1.3,2.3 a b | awk '
	{ missed += $2 - $3 } $2 < $3 || $4 < $5 || $2 - $3 < $4 - $5 { print "<", $0 }
	END { print missed > 2 ? "< perf missed " missed : "same" }'; cat a
OUT	^lseek 120 60$
OUT	^nanosleep 13 3$
NOOUT	^[<>]

NAME	-P prints rows by process, of a running process and its descendants
NEEDS	root tp_btf jq
RUN	callmix -w go >own & p=$!; env --default-signal=INT dt syscalls -Pj \
	-i 0.05 -p $p --children -o j & d=$!; until [ -s j ]; do sleep 0.02;
	done; touch go; wait $p; kill -INT $d; wait $d; jq -rs --argjson p $p '
	map(select(.call == ("getsid", "fchdir"))) | group_by(.call, .pid)[] |
	"\(.[0].call) \(.[0].pid == $p) \(.[0].comm) \(map(.count) | add) \(
	map(.errors.ENOTDIR) | add)"' j
OUT	^fchdir true callmix 36 22$
OUT	^fchdir false callmix-child 18 11$
OUT	^getsid true callmix 2000 null$
OUT	^getsid false callmix-child 1000 null$
RUN	dt syscalls -P -- callmix
OUT	^ +CALLS .* MAX     PID  COMM             SYSCALL           ERRORS$
OUT	^ +18( +[0-9.]+[mun]s){5} +[0-9]+  callmix-child    fchdir            ENOTDIR 11, EBADF 7$

NAME	intervals add up to all calls, none lost or counted twice
CORE
NEEDS	root tp_btf jq quick
RUN	dt syscalls -j -i 0.02 -o j -- sh -c 'callmix; callmix; callmix' >o;
	jq -es '(map(.count // 0) | add) == .[-1].ledger.read and
	([.[] | select(.call == "getsid").count] | add) == 9000 and
	([.[] | select(.call == "lseek").errors.ESPIPE // 0] | add) == 180 and
	(.[:-1] | all(.[]; .interval > 0 and .time > 1e18)) and
	([.[:-1][].time] | unique | length >= 3)' j
OUT	^true$
RUN	dt syscalls -i 0.05 --top 1 -- sleep 0.2
OUT	^[0-9][0-9]:[0-9][0-9]:[0-9][0-9]\.[0-9]{6}  [0-9]+\.[0-9]{3} s, [0-9]+ events$
OUT	^ +and [0-9]+ more rows

NAME	SIGINT prints the calls up to then
NEEDS	root tp_btf jq
RUN	ask until stop call getppid 1 & a=$!; env --default-signal=INT \
	dt syscalls -i 0.05 -p $a >o & d=$!;
	until [ -s o ]; do sleep 0.02; done; kill -INT $d; wait $d;
	echo status $?; touch stop; wait $a; cat o
OUT	^status 0$
OUT	^ +[0-9]+( +[0-9.]+[mun]?s){5}  getppid$
ERR	^dt: [0-9]+ events, none lost$

NAME	calls that had not returned are in no row, and the ledger has their number
NEEDS	root tp_btf jq
RUN	dt syscalls -d 1 -- sh -c 'sleep 4; :'
NOOUT	nanosleep|wait4
ERR	^dt: 2 calls had not returned at the end$
RUN	dt syscalls -j -d 1 -- sleep 4 | jq -e 'select(.ledger) |
	.ledger.pending == 1 and .ledger.fired == .ledger.read'
OUT	^true$
RUN	dt syscalls -- callmix
NOERR	had not returned

NAME	--if selects calls, by their result too
NEEDS	root tp_btf jq
RUN	dt syscalls -j -o j --if 'errno == ESPIPE' -- callmix >own; jq -cs '[.[] |
	select(.call) | [.call, .count, .errors]]' j
OUT	^\[\["lseek",60,\{"ESPIPE":60\}\]\]$
RUN	dt syscalls -j -o j --if 'duration >= 1ms && errno == 0' -- callmix >own;
	jq -c 'select(.call == "nanosleep") | [.count, .failed]' j
OUT	^\[30,0\]$

NAME	no call at all is an empty table and a ledger
NEEDS	root tp_btf
RUN	dt syscalls -d 0.1 --comm dt-nobody
NOOUT	.
ERR	^dt: 0 events in [0-9.]+ m?s, none lost$
RUN	dt syscalls -j -d 0.1 --comm dt-nobody | wc -l
EXPECT	1

NAME	--until counts in dt, with the same result
NEEDS	root tp_btf jq
RUN	dt syscalls -vj --until syscall:acct -o j -- callmix >own; jq -c 'select(.call ==
	("lseek", "exit")) | [.call, .count, .errors]' j
OUT	^\["lseek",360,\{"EBADF":120,"ESPIPE":60\}\]$
OUT	^\["exit",1,\{\}\]$
ERR	^dt: hits are counted by dt: --until needs events$

NAME	-o writes a file, and the command keeps stdout; status is the command's
NEEDS	root tp_btf
RUN	dt syscalls -o t -- sh -c 'echo hello; exit 7'; s=$?; cat t; exit $s
STATUS	7
OUT	^hello$
OUT	^ +CALLS
OUT	^ +1 .*  execve$
RUN	dt syscalls -o /nonexistent/t -- true
STATUS	1
ERR	/nonexistent/t: No such file or directory
RUN	[ ! -w /dev/full ] || dt syscalls -- true >/dev/full
STATUS	1
ERR	output: No space left on device

NAME	wrong options name the nearest right one
RUN	dt syscalls --intervall 1
STATUS	2
ERR	there is no option --intervall; did you mean --interval\?
RUN	dt syscals
STATUS	2
ERR	there is no command 'syscals'; did you mean dt syscalls\?
RUN	dt syscalls -i 0
STATUS	2
ERR	-i 0: should be a time of 1ms or more
RUN	dt syscalls ls
STATUS	2
ERR	unexpected argument 'ls'; a command follows --: dt syscalls -- ls$
RUN	dt syscalls -o -
STATUS	2
ERR	-o -: should be the name of a file; without -o, stdout is used

NAME	a process that does not exist is an error
NEEDS	root tp_btf
RUN	dt syscalls -p 1073741823
STATUS	1
ERR	^dt: there is no process 1073741823$
