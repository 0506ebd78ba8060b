# SPDX-License-Identifier: ISC
# dt top.  topload is a shell that makes two calls of kill(2) per call of chdir(2)
# without end.  The cases poll for text; screen runs a terminal.

NAME	a screen shows processes, Enter the calls of one, Esc and q go back
NEEDS	root tp_btf tmux
TIMEOUT	300
RUN	T="$S/tests/run/screen"; cp /bin/sh topload; ./topload -c 'while :; do cd /; kill -0 $$; kill -0 $$;
	done' & p=$!; trap "kill $p; $T stop" EXIT; $T start 80 24 "dt top";
	$T wait "^ *$p .*topload" && $T full &&
	$T press / t o p l o a d Enter && $T wait "with 'topload'" &&
	$T wait " 1 row$" && $T press Enter &&
	$T wait "calls of topload ($p)" && $T wait ' kill$' &&
	$T wait ' chdir$' && $T show | grep -c '^lost 0, dt [0-9.]*%, dtd ' &&
	$T press 8 && $T wait "stacks of topload" && $T wait 'topload ' &&
	$T press 4 && $T wait 'functions of topload' && $T wait ' topload ' &&
	$T press Escape && $T wait '^dt top: processes' &&
	$T press h && $T wait 'quit' && $T press h &&
	$T wait '^dt top: processes' &&
	$T quit && $T full
EXPECT	1 1 0

NAME	a terminal of 20 columns, then of 80, has whole lines, as it changes
NEEDS	root tp_btf tmux
TIMEOUT	300
RUN	T="$S/tests/run/screen"; cp /bin/sh topload; ./topload -c 'while :; do :; done' & p=$!;
	trap "kill $p; $T stop" EXIT; $T start 20 8 "dt top -p $p";
	$T wait ' topload$' && $T wait '^lost 0, dt' && $T size 80 24 &&
	$T wait "^ *$p .* topload$" && $T wait 'h help' &&
	$T show | grep -c 'READ/s' && $T size 20 5 &&
	$T waitno 'READ/s' && $T size 20 3 && $T waitno 'PROCESS' &&
	$T size 80 24 && $T wait "^ *$p .* topload$" && $T quit && $T full
EXPECT	1 0

NAME	signals that end or stop it leave a usable terminal
NEEDS	root tp_btf tmux
TIMEOUT	600
RUN	T="$S/tests/run/screen"; trap "$T stop" EXIT; $T start 80 24 "stty -g >before";
	for s in TERM INT HUP SEGV ABRT; do
	$T press 'sh -c "echo \$\$ >pid; exec dt top"; echo over $?' Enter;
	$T wait '^dt top: processes' && $T full && kill -$s $(cat pid) &&
	$T wait '^over' && $T full &&
	$T press 'stty -g >after; clear' Enter && $T waitno over &&
	$T wait '^ready' && cmp before after && echo $s || exit 1; done
EXPECT	1 0 TERM 1 0 INT 1 0 HUP 1 0 SEGV 1 0 ABRT

NAME	Ctrl-Z gives the terminal back, and fg the screen
NEEDS	root tp_btf tmux
TIMEOUT	300
RUN	T="$S/tests/run/screen"; trap "$T stop" EXIT; $T start 80 24 "dt top" &&
	$T wait '^dt top: processes' && $T press C-z &&
	$T wait 'Stopped' && $T full && $T press fg Enter &&
	$T wait '^dt top: processes' && $T full && $T quit && $T full
EXPECT	0 1 0

NAME	the order, the filter and the freeze are keys
NEEDS	root tp_btf tmux
TIMEOUT	300
RUN	T="$S/tests/run/screen"; cp /bin/sh topload; ./topload -c 'while :; do cd /; kill -0 $$; kill -0 $$;
	done' & p=$!; trap "kill $p; $T stop" EXIT;
	row() { until $T show >s; grep -q ' kill$' s; do sleep 0.1; done; awk "/ kill\$/ { print $1 }" s; };
	$T start 80 24 "dt top --view calls -p $p -d 200ms";
	$T wait ' kill$' && row NR &&
	$T press r && $T wait reversed && $T wait ' kill$' &&
	row '(NR > 5)' && $T press r '>' &&
	$T wait 'by ERR/s' && $T press '<' && $T wait 'by CALLS/s' &&
	$T press / c h d i r Enter && $T waitno ' kill$' &&
	$T wait ' chdir$' && $T press Escape && $T wait ' kill$' &&
	$T press f && $T wait frozen && $T show >a && sleep 1 &&
	$T show >b && cmp a b && $T press f && $T waitno frozen &&
	$T quit && echo end
EXPECT	5 1 end

NAME	calls have their number: twice as many kill(2) as chdir(2)
CORE
NEEDS	root tp_btf quick
TIMEOUT	120
RUN	cp /bin/sh topload; ./topload -c 'while :; do cd /; kill -0 $$; kill -0 $$;
	done' & p=$!; trap "kill $p" EXIT; dt top -b -n 1 --view calls -p $p |
	awk 'function v(x) { return x ~ /M/ ? 1000000 * x : x ~ /k/ ? 1000 * x : x }
	{ n[$NF] = v($1) } END { r = n["kill"] / n["chdir"];
	print (r > 1.7 && r < 2.3) }'
EXPECT	1

NAME	a process that only computes uses a CPU or waits for one
NEEDS	root tp_btf
TIMEOUT	120
RUN	cp /bin/sh topload; ./topload -c 'while :; do :; done' & p=$!;
	trap "kill $p" EXIT; dt top -b -n 2 -p $p >a;
	awk -v p=$p '$1 == p { n++; ok += $3 == "R" && $4 > 0.5 && $4 < 110 }
	END { print (n == 2 && ok == 2) }' a; dt top -b -n 1 --view threads -p $p |
	awk -v p=$p '$1 == p && $2 == p && $NF == "topload" { print "thread" }';
	dt top -b -n 1 --view functions -p $p | grep -c topload | awk '{ print ($1 > 0) }'
EXPECT	1 thread 1

NAME	files have their bytes and names; processes that have exited share rows
NEEDS	root tp_btf
TIMEOUT	300
RUN	cp /bin/dd topdd; ./topdd if=/dev/zero bs=1M 2>/dev/null | cat >/dev/null &
	while :; do ./topdd if=/dev/zero of=written bs=99 count=9 2>/dev/null; sleep 0.02; done & p=$!;
	trap 'kill $p; kill $(pidof topdd)' EXIT; n=0;
	until grep -q read r && grep -q write r && grep -q exited r; do
	n=$((n + 1)); test $n -lt 30 || break; dt top -b -n 1 --no-limit --view files 2>e | tee page |
	awk '$2 == "topdd" && $NF == "/dev/zero" && $3 != 0 && $4 == 0 { print "read" }
	$2 == "topdd" && $NF ~ /^pipe:/ && $3 == 0 && $4 != 0 && $7 == $6 {
	print "write" } $1 == "-" && $2 == "topdd" && $NF == "(exited)" {
	print "exited" }' >>r; done 2>/dev/null; test $n -lt 30 || head -20 page e >&2; sort -u r
EXPECT	exited read write

NAME	a view that costs too much is stopped, which it says
NEEDS	root tp_btf mounts
SERVICE	cost-limit = 0.2
TIMEOUT	300
RUN	ask until done call getppid 20000 & timeout 100 dt top -b --view calls |
	grep -m 1 -o 'the limit is 0.2 %'; touch done; wait
EXPECT	the limit is 0.2 %

NAME	each view can be printed, and costs and losses are in each
NEEDS	root tp_btf
TIMEOUT	300
RUN	for v in processes threads calls functions files disks cgroups; do
	dt top -b -n 1 -d 300ms --no-limit --view $v | sed -n 2p |
	grep -Ec '^lost 0, dt [0-9.]*%, dtd .*, probes .* of a CPU, [0-9]* rows?$'; done
EXPECT	1 1 1 1 1 1 1

NAME	batch ends with its reader, and -n and -d are kept
NEEDS	root tp_btf
TIMEOUT	120
RUN	timeout 60 dt top -b -d 100ms | head -1; b=$(date +%s%N);
	dt top -b -n 3 -d 400ms | grep -c '^lost'; e=$(date +%s%N);
	echo $((e - b >= 1200000000))
OUT	^dt top: processes by %CPU$
OUT	^3$
OUT	^1$

NAME	failed output of batch is an error
NEEDS	root tp_btf
RUN	dt top -b -n 1 >/dev/full
STATUS	1
ERR	^dt: output: No space left on device$

NAME	wrong options are usage errors, and a pipe is no screen
NEEDS	root
RUN	for o in '--view x' '--view stacks' '--sort X' '-d 1ms' '-n 0' '-p 0,nosuch'; do
	dt top $o 2>&1 >/dev/null | head -1; done; dt top </dev/null; TERM=none dt top
OUT	^dt top: --view x: should be processes, threads, calls
OUT	^dt top: --view stacks needs a process \(-p\)$
OUT	^dt top: --sort should be the heading of a column
OUT	^dt top: -d 1ms: should be a time of 100ms or more$
OUT	^dt top: -n 0: should be
OUT	^dt top: -p 0,nosuch: 'nosuch' is neither
ERR	^dt: the screen needs a terminal; dt top -b prints text$
STATUS	1

NAME	without rights there is a reason, and the terminal is usable
NEEDS	root setpriv
RUN	setpriv --reuid 65534 --regid 65534 --clear-groups dt top -b
STATUS	1
ERR	^dt: .*run dt as root \(sudo dt \.\.\.\)

# The key and the time of a reading come together when dt top goes on.
NAME	q that comes when a reading is due ends it
NEEDS	root tmux
TIMEOUT	300
RUN	T="$S/tests/run/screen"; trap "$T stop" EXIT; $T start 80 24 "sh -c 'sh -c \"echo \\\$\\\$ >pid;
	exec dt top -d 100ms\"; echo over'" && $T wait '^dt top: processes' && kill -STOP $(cat pid) &&
	$T press q && sleep 0.5 && kill -CONT $(cat pid) && $T wait '^over' && echo ended
OUT	^ended$

NAME	with -H, the rows of several machines have their host, and each host its losses and costs
NEEDS	root tp_btf sshd full
TIMEOUT	300
RUN	cp /bin/sh topload; ./topload -c 'while :; do cd /; kill -0 $$; kill -0 $$; done' & p=$!;
	trap "kill $p" EXIT; echo "for v in processes calls files stacks; do dt top -b -n 2 -H a,longer \
	--no-limit --view \$v -p $p >\$v; echo \$?; done; dt top -b -n 1 -H a --call kill -p topload >c; \
	dt top -b -n 1 -H a,longer --call kill --view calls" >all; $S/tests/run/with_sshd sh all;
	grep -Ec '^a: lost 0, dt [0-9.]*%, dtd .*, probes .* of a CPU, [0-9]* rows?$' processes calls files stacks;
	grep -c '^longer: lost 0, dt ' calls; grep -o '^HOST .* PID' processes | tr -s ' ';
	grep -c "^longer *$p .*topload$" processes; grep -c '^longer .* kill$' calls;
	grep -c '^a  *[0-9].* chdir$' calls; grep -c "^a  *[0-9.]* . .*topload" stacks; head -1 c;
	grep -c "^a  *$p  *[0-9.]*[kM]* .* topload$" c
OUT	^0$
OUT	^processes:2$
OUT	^calls:2$
OUT	^stacks:2$
OUT	^HOST PID$
OUT	^2$
OUT	^dt top: callers of kill by CALLS/s$
OUT	^1$
ERR	^dt top: --call selects a view; it excludes --view$

NAME	a host that cannot be reached or has no rights is named, and the others answer
NEEDS	root tp_btf sshd
TIMEOUT	300
RUN	echo 'dt top -b -n 1 -H dead,b >o; echo $?; grep "^dead\|^b: lost\|^HOST" o;
	dt top -b -n 1 -H b --call nosuchcall; echo $?' >all; $S/tests/run/with_sshd sh all
OUT	^1$
OUT	^dead: ssh could not connect \(ssh: connect to host .*Connection refused
OUT	^b: lost 0, dt
OUT	^HOST +PID
ERR	^dt: dead: ssh could not connect
ERR	^dt: b: there is no call syscall:nosuchcall; try: dt list 'syscall:\*'

NAME	a screen of several hosts: Enter is of one, a lost one is shown, all end with it
NEEDS	root tp_btf tmux sshd
TIMEOUT	600
RUN	cat >all <<'END'
	T="$S/tests/run/screen"
	left() { grep -lsz "^WITH_SSHD=$PWD/sshd" /proc/[0-9]*/environ | grep -c .; }
	$T start 80 24 "dt top -p $p -H a,b,dead" &&
	$T wait "^a  *$p .*topload" && $T wait "^b  *$p .*topload" &&
	$T wait '^dead: ssh could not connect' && $T wait '^a: lost 0, dt [0-9.]*%' &&
	$T wait '^b: lost 0, dt [0-9.]*%' && $T press / b Enter &&
	$T wait "with 'b'" && $T waitno "^a  *$p" && $T press Escape &&
	$T wait "^a  *$p" && $T press / b Enter && $T wait "with 'b'" &&
	$T waitno "^a  *$p" && $T wait "^b  *$p" && $T press Enter &&
	$T wait "dt top: calls of topload ($p) on b" && $T wait '^b .* kill$' &&
	$T waitno '^a:' && $T press 8 && $T wait '^b .* topload ' && $T press Escape &&
	$T wait "^a  *$p .*topload" && $T wait "^b  *$p .*topload" && echo back &&
	kill $(pgrep -f "$PWD/sshd/config.* -- b dt remote") &&
	$T wait '^b: the connection broke' && $T waitno "^b  *$p" &&
	$T wait "^a  *$p .*topload" && $T size 24 10 && $T wait 'topload$' &&
	$T size 80 24 && $T press 3 && $T wait '^b .* kill$' && $T wait '^a .* kill$' && echo again &&
	$T quit && $T show | grep -o '^dt: dead: ssh could not connect' && $T full
	$T stop; while left >n; do sleep 0.05; done; echo none left
	END
	cp /bin/sh topload; ./topload -c 'while :; do cd /; kill -0 $$; kill -0 $$; done' & p=$!;
	trap "kill $p" EXIT; export p; $S/tests/run/with_sshd sh all
EXPECT	back again dt: dead: ssh could not connect 0 none left

NAME	a host that sends nonsense is named, and prints nothing else
NEEDS	root sshd
TIMEOUT	120
RUN	mkdir bad; v=$(dt --version | cut -d' ' -f2); for line in 'R\\t1' 'A\\t1\\t1e99\\t-\\t-\\t1\\t' \
	'E\\t1' 'A\\t1\\t1\\t1\\t1\\t1\\tx\\\\q' 'Z'; do len=$(printf '%b\n' "$(printf "$line")" | wc -c);
	printf '#!/bin/sh\nprintf "dt remote %s\\\\nr\\\\000\\\\000\\\\000\\\\%03o%s\\\\n"; cat >/dev/null\n' \
	$v $len "$line" >bad/dt; chmod +x bad/dt; rm -rf sshd;
	$S/tests/run/with_sshd -p $PWD/bad:$PATH dt top -b -n 1 -H a; done 2>&1 |
	uniq -c | tr -s ' '
EXPECT	5 dt: a: sent a malformed result
