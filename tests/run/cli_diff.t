# SPDX-License-Identifier: ISC
# dt diff: two profiles, as folded stacks with known numbers and as recordings;
# the calls of two recordings.

NAME	shares, changes and standard errors are those of the numbers
RUN	printf 'a;m;f 500\na;m;g 500\n' >a.folded; printf 'a;m;f 600\na;m;g 200\na;m;f;g 200\n' \
	>b.folded; dt diff a.folded b.folded; dt diff --stacks a.folded b.folded;
	dt diff -j --total a.folded b.folded; dt diff -f a.folded b.folded | sort
OUT	^  50\.00%   60\.00%  \+10\.00%   2\.21%  f$
OUT	^  50\.00%   40\.00%  -10\.00%   2\.21%  g$
OUT	^  50\.00%   20\.00%  -30\.00%   2\.02%  a;m;g$
OUT	^   0\.00%   20\.00%  \+20\.00%   1\.26%  a;m;f;g$
OUT	^\{"function":"f","before":0\.500000,"after":0\.800000,"change":0\.300000,"error":0\.02
OUT	^\{"function":"m","before":1\.000000,"after":1\.000000,"change":0\.000000,"error":0\.000000\}$
OUT	^a;m;f 500 600$
OUT	^a;m;f;g 0 200$

NAME	what may be chance is counted, not listed, and recursion counts once
RUN	printf 'a;m;f 50\na;m;g 50\n' >a.folded; printf 'a;m;f;f;f 54\na;m;g 46\n' >b.folded;
	dt diff a.folded b.folded; dt diff --total a.folded b.folded; dt diff a.folded a.folded
OUT	^2 functions changed by less than 2 standard errors$
OUT	^nothing changed$
NOOUT	CHANGE

NAME	notes of a stack are no functions
RUN	printf 'a;[incomplete: x];m 4\n' >a.folded; printf 'a;[voluntary];m 4\n' >b.folded;
	dt diff -j a.folded b.folded
OUT	^\{"function":"m","before":1\.000000,"after":1\.000000,"change":0\.000000
NOOUT	incomplete|voluntary

# share runs one() and two(), and burn a loop of its own.
NAME	of two recordings, functions of one of them are listed with their shares
NEEDS	root perf_event jq
RUN	for i in 1 2; do dt profile --no-limit -F 997 -o $i.dt -- sh -c "share 300; [ $i = 1 ] ||
	ask burn 300" 2>/dev/null; done; dt diff -j --total 1.dt 2.dt 2>e | jq -s '
	map(select(.function == "outer")) | .[0] | .before > 0.5 and
	.change < -0.1 and .change > -0.9 and .error > 0 and .error < 0.1';
	dt diff --total 1.dt 2.dt 2>e | grep -c ' outer$'; dt diff 1.dt 1.dt
OUT	^true$
OUT	^1$
OUT	^nothing changed$

NAME	waits are compared with --offcpu
NEEDS	root tp_btf offcpu
RUN	for i in 20 60; do dt offcpu --no-limit -o $i.dt -- waits turns $i >o 2>&1; done;
	dt diff --offcpu --total --top 3 20.dt 60.dt && echo done; : >x.folded; dt diff x.folded x.folded
STATUS	1
OUT	^done$
NOOUT	ERROR
NOERR	complete
ERR	x.folded: has no samples; --offcpu compares waits, --calls calls$

# The times of nanosleep are long, so that jq's rounding of times is small.
NAME	calls of recordings are compared: numbers are exact, times those of the events
NEEDS	root tp_btf jq
RUN	dt record -o a.dt 'syscall:*' -- callmix >o; dt record -o b.dt 'syscall:*' -- sh -c \
	'callmix; callmix' >o; dt diff -j a.dt b.dt >j; jq -c 'select(.call == ("lseek", "getpgid",
	"nanosleep", "exit")) | [.call, (.calls, .errors | .before, .after, .change, .error)]' j;
	jq -c 'select(.call == "exit") | .mean, .p99' j; truth() { dt report -j $1 |
	jq -s '[.[] | select((.probe // "") | startswith("syscall:nanosleep:"))] | group_by(.tid) |
	map([range(0; length; 2) as $i | .[$i + 1].time - .[$i].time]) | add | sort |
	{ n: length, sum: add, p50: .[(length / 2 | ceil) - 1], p99: .[-1],
	var: ((add / length) as $m | map((. - $m) * (. - $m)) | add / (length - 1)) }'; };
	jq -n --argjson a "$(truth a.dt)" --argjson b "$(truth b.dt)" --slurpfile j j '
	def near($x; $y; $part): ($x - $y | fabs) <= $part * ($y | fabs);
	def spread: (.var + .p99 * .p99 / 16 / 16 / 12) / .n;
	$j[] | select(.call == "nanosleep") | [near(.total.before; $a.sum; 0.001),
	near(.total.after; $b.sum; 0.001), near(.mean.before; $a.sum / $a.n; 0.001),
	near(.p50.after; $b.p50; 0.04), near(.p99.after; $b.p99; 0.04),
	(.mean | near(.change; .after - .before; 0) or (.change - .after + .before | fabs) <= 1),
	.mean.error >= 0.9 * ($a.var / $a.n + $b.var / $b.n | sqrt),
	.mean.error <= 1.1 * ([$a, $b] | map(spread) | add | sqrt), .p99.error > 0]'  -c
ERR	none lost
OUT	^\["lseek",360,720,360,0(\.0)?,180,360,180,0(\.0)?\]$
OUT	^\["getpgid",225,450,225,0(\.0)?,210,420,210,0(\.0)?\]$
OUT	^\["nanosleep",39,78,39,0(\.0)?,9,18,9,0(\.0)?\]$
OUT	^\["exit",1,2,1,0(\.0)?,0,0,0,0(\.0)?\]$
OUT	^\{"before":null,"after":null,"change":null,"error":null\}$
OUT	^\[(true,){8}true\]$

NAME	the table of calls has four lines for each, the largest change first
NEEDS	root tp_btf
RUN	c='syscall:nanosleep syscall:lseek syscall:openat syscall:close syscall:read syscall:mmap';
	dt record -o a.dt $c -- callmix >o 2>&1; dt record -o b.dt $c -- sh -c \
	'callmix; callmix' >o 2>&1; dt diff --top 2 a.dt b.dt >t; cat t; grep -c before t;
	dt diff --calls a.dt a.dt
OUT	^   CALLS  ERRORS      MEAN       P50       P99     TOTAL          CALL$
OUT	^      39       9( +[0-9.]+ms){4}  before  nanosleep$
OUT	^      78      18( +[0-9.]+ms){4}  after$
OUT	^     \+39      \+9( +[+-][0-9.]+[mun]?s){4}  change$
OUT	^       0       0( +[0-9.]+[mun]?s){4}  error$
OUT	^and [0-9]+ more calls \(--top prints more\)$
OUT	^[0-9]+ calls did not change, or by less than 3 standard errors$
OUT	^[0-9]+ calls in [0-9.]+m?s before, [0-9]+ in [0-9.]+m?s after$
OUT	^3$

NAME	pairs and slow calls are compared, too
NEEDS	root tp_btf jq
RUN	for i in 1 2; do dt record -o s$i.dt --slower 1ms syscall:nanosleep -- callmix >o;
	dt record -o p$i.dt --from syscall:lseek:return --to syscall:lseek:entry --key tid -- callmix >o;
	done; dt diff -j s1.dt s2.dt | jq -c '[.call, .calls.before, .errors.after, .p50.before > 1900000]';
	dt diff -j p1.dt p2.dt | jq -c '[.call, .calls.before > 100, .mean.error > 0]'
OUT	^\["nanosleep",30,0,true\]$
OUT	^\["syscall:lseek:return -> syscall:lseek:entry",true,true\]$

NAME	files without calls, and options that need stacks, are refused
NEEDS	root tp_btf
RUN	dt record -o n.dt syscall:acct -- true 2>e; printf 'a;m 1\n' >a.folded;
	for f in n.dt a.folded none.dt; do dt diff --calls $f n.dt; done; dt diff --calls --total a.dt b.dt
STATUS	2
ERR	^dt: n\.dt: has no calls; dt record 'syscall:\*' records them$
ERR	^dt: a\.folded: at byte 0: is not a recording of dt$
ERR	^dt: none\.dt: No such file or directory$
ERR	^dt diff: --calls excludes --stacks, --total, --offcpu, -f and -o$

NAME	files that are no profiles are refused with their line
RUN	printf 'a;m 1\nx\n' >c.folded; printf 'a;m 1\n' >a.folded; mkdir dir.folded;
	printf 'a;m -5\n' >minus.folded; printf 'a;m 1\na;m 18446744073709551615\n' >more.folded;
	for f in c.folded none.folded minus.folded more.folded dir.folded \
	/etc/hostname ./-x; do dt diff a.folded $f; done; dt diff a.folded;
	dt diff --total --stacks a.folded a.folded; dt diff -o x.svg a.folded a.folded;
	dt diff -o x.html -j a.folded a.folded
STATUS	2
ERR	^dt: minus\.folded: line 1 is no folded stack
ERR	^dt: more\.folded: line 2 is no folded stack
ERR	^dt: dir\.folded: Is a directory$
ERR	^dt: c\.folded: line 2 is no folded stack, such as main;run 12$
ERR	^dt: none\.folded: No such file or directory$
ERR	^dt: .*/etc/hostname
ERR	^dt diff: needs two profiles: BEFORE\.dt AFTER\.dt, or \.folded$
ERR	^dt diff: --total is for functions, not for stacks$
ERR	^dt diff: -o should be a FILE\.html$
ERR	^dt diff: -o writes a page: it excludes --stacks, --total, --top, -f and -j$
