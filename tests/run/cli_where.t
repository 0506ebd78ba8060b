# SPDX-License-Identifier: ISC
# dt where.  stand runs a command while its threads and children stand still, each
# in a known function; it prints nothing.

NAME	states and wait channels are those that ps prints
CORE
NEEDS	root tp_btf jq quick
TIMEOUT	120
RUN	stand sh -c 'p=$STAND_PID,$STAND_STOP,$STAND_ZOMBIE;
	dt where -K -j -p $p >j; ps -Lo tid=,stat=,wchan:40= -p $p >ps';
	awk '{ print $1, substr($2, 1, 1), $3 }' ps | sort >a;
	jq -r '.wchan as $w | .threads[] | "\(.tid) \(.state) \($w // "-")"' j |
	sort >b; diff a b && cut -d ' ' -f 2 b | sort | tr -d '\n'
OUT	^RSSSSTZ$

# On a slow machine a run may end before all unwind tables are ready.
NAME	each thread has the stack of its function, and the time since it began
CORE
NEEDS	root tp_btf jq x86_64 quick
TIMEOUT	120
RUN	s() { jq -r --arg c $1 --arg f $2 'select(.threads[0].comm == $c) |
	.threads[0].state, (.kstack | any(test($f))), (.ustack | index($c) != null),
	.complete or .incomplete == "table not ready",
	.threads[0].nsecs >= 900000000' j; }; b=$(date +%s%N);
	stand sh -c 'sleep 1; for i in 1 2 3; do dt where -j -p $STAND_PID >j;
	grep -q "not ready" j || break; done'; e=$(date +%s%N);
	s stand_read pipe_read; s stand_futex futex; s stand_sleep nanosleep;
	jq -s --argjson t $((e - b)) 'all(.[].max; . <= $t)' j
EXPECT	S true true true true S true true true true S true true true true true

NAME	a thread that runs, a stopped and an exited one have their states
NEEDS	root tp_btf jq
TIMEOUT	120
RUN	stand sh -c 'dt where -j -p $STAND_PID,$STAND_STOP,$STAND_ZOMBIE' |
	jq -c 'select(.threads[0].state == ("R", "T", "Z")) | [.threads[0].state,
	.threads[0].comm, .threads[0].running, .wchan, (.kstack | length > 0),
	has("complete")]' | sort
OUT	^\["R","stand_spin",(true,null,false,false|false,null,true,true)\]$
OUT	^\["T","stand_stop",false,"do_signal_stop",true,true\]$
OUT	^\["Z","stand_zombie",false,null,false,false\]$

NAME	500 threads with one stack are one group, within a second
CORE
NEEDS	root tp_btf jq quick
TIMEOUT	120
RUN	stand -n 500 sh -c 'for i in 1 2 3; do b=$(date +%s%N);
	dt where -j -p $STAND_PID >j; e=$(date +%s%N); echo $((e - b)) >t;
	grep -q "not ready" j || break; done'; jq -sr 'map(select(.threads[0].comm ==
	"stand_read")) | [(map(.count) | add), (map(.threads[].tid) | unique |
	length), length == 1 or any(.[]; .incomplete == "table not ready")] | @tsv' j;
	echo $(($(cat t) <= 1000000000 * ${SLOW:-1})); cat t >&2
OUT	^500	500	true$
OUT	^1$

# fusehang: as in symbols.t.
NAME	a process that hangs is described; its user stack has the reason
CORE
NEEDS	root tp_btf mounts fuse jq
TIMEOUT	120
RUN	mkdir m; mkfifo hold; fusehang $(uname -r | awk -F. '{ print ($1 > 6 ||
	$2 > 15) ? "exec" : "maps" }') m <hold >pid & exec 8>hold;
	until [ -s pid ]; do sleep 0.02; done; b=$(date +%s%N);
	timeout 20 dt where -j -p $(cat pid) >j; echo $?; e=$(date +%s%N);
	exec 8>&-; wait; jq -c 'select(.kstack | any(test("fuse"))) |
	[.threads[0].comm, .wchan, .ustack, .incomplete]' j;
	echo $(((e - b) < 3000000000 * ${SLOW:-1}))
OUT	^\["fusehang","[a-z_.0-9]*(fuse|request)[a-z_.0-9]*",\[\],"error E(TIMEDOUT|BUSY)"\]$
OUT	^0$
OUT	^1$

NAME	the text has the groups by threads, then time, within 80 columns
NEEDS	root tp_btf
TIMEOUT	120
RUN	stand -n 40 sh -c 'stand -n 20 sh -c "dt where --comm stand_read >t"';
	cat t; grep -c . t | awk '{ print ($1 > 10) }';
	awk '/^[0-9]|^    [^ ]/ && length > 80' t | wc -l
OUT	^60 threads: S in [a-z_]*pipe_read for [0-9.]+[mu]?s to [0-9.]+[mu]?s$
OUT	^    stand_read \([0-9]+\) x[24]0, stand_read \([0-9]+\) x[24]0$
OUT	^        [a-z_]*pipe_read$
OUT	^60 threads, 1 stack$
OUT	^0$

NAME	groups are sorted by number of threads, then by time
NEEDS	root tp_btf jq
TIMEOUT	120
RUN	dt where -K -j | jq -s 'length > 3 and ([.[] | [-.count, -(.max // 0)]] |
	. == sort) and (map(.count) | add) == (map(.threads | length) | add) and
	all(.[]; .count == (.threads | length) and .max == .threads[0].nsecs)'
OUT	^true$

NAME	many names are cut: "and N more"
NEEDS	root tp_btf
TIMEOUT	120
RUN	cp "$(command -v sleep)" snooze; p=; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	./snooze 1000 & p="$p $!"; done; until dt where -K -p snooze |
	grep -q '^12 threads: S in '; do sleep 0.1; done;
	dt where -K -p snooze | awk '/^12 threads/ { n = $1 } / and [0-9]+ more$/ { print NF, length, $(NF - 1), n }' >l; kill $p; cat l >&2;
	awk '{ print $2 <= 80, ($1 - 3) / 2 + $3 == $4 }' l
OUT	^1 1$

NAME	processes are selected by number, name and list; threads by name and state
NEEDS	root tp_btf jq
TIMEOUT	120
RUN	stand sh -c 'c() { dt where -K -j "$@" | jq .count | awk "{ n += \$1 }
	END { print n + 0 }"; }; c -p $STAND_PID; c -p $STAND_STOP,$STAND_ZOMBIE;
	c -p stand -p $STAND_STOP; c -p stand --comm stand_futex;
	c --comm stand_spin --state R; c -p stand,stand_stop --state TS'
EXPECT	5 2 6 1 1 5

NAME	dt itself is excluded; --self includes it
NEEDS	root tp_btf jq
RUN	dt where -K -j | jq -r '.threads[].process' >a; dt where -K -j --self |
	jq -r '.threads[].process' >b; grep -cx dtd b | awk '{ print ($1 > 3) }';
	grep -cx dt b; echo $(($(grep -cx dtd b) > $(grep -cx dtd a)))
OUT	^1$

NAME	-K prints no user stacks
NEEDS	root tp_btf jq
TIMEOUT	120
RUN	stand sh -c 'dt where -K -j -p $STAND_PID' | jq -s 'any(.[]; has("ustack"))'
OUT	^false$

NAME	without a thread there is an error
NEEDS	root tp_btf
RUN	dt where -p nosuchprocess; dt where -p 4194305
STATUS	1
ERR	^dt: there is no such thread$
ERR	^dt: there is no process 4194305$

NAME	wrong options are usage errors
RUN	for o in '-p 1,,2' '-p 0' '--state Q' '--comm' '-p 1 x'; do
	dt where $o 2>&1 >/dev/null | head -1; done
OUT	^dt where: -p 1,,2: should be processes, for example 812,nginx$
OUT	^dt where: -p 0: has a number that no process can have$
OUT	^dt where: --state Q: should be letters of states, of RSDTtXZPI \(for example D\)$
OUT	^dt where: --comm needs an argument$
OUT	^dt where: unexpected argument 'x'$

NAME	a user without rights is told what to do
NEEDS	root setpriv
RUN	setpriv --reuid 65534 --regid 65534 --clear-groups dt where
STATUS	1
ERR	^dt: .*run dt as root \(sudo dt \.\.\.\)

NAME	kernel functions have the kernel's names, and the table of all is not read
NEEDS	root tp_btf jq strace
TIMEOUT	120
RUN	stand strace -f -o s -e trace=openat,read dt where -K -j >j; grep -c /proc/kallsyms s;
	jq -r '.kstack[]' j | sort -u >a; wc -l <a; awk '{ print $3 }' /proc/kallsyms | sort -u |
	comm -13 - a
EXPECT	0 >=5
