# SPDX-License-Identifier: ISC
# The pager.  script(1) and tmux give a terminal; a pager of sed marks each line.

NAME	long text on a terminal goes through DT_PAGER, else PAGER
NEEDS	script
RUN	export TERM=xterm PAGER='sed s/^/pager:/'; t() { script -qec "$1" /dev/null </dev/null |
	tr -d '\r'; }; t 'dt list syscall:getpid'; t 'dt help' | head -n 1; t 'dt stat --help' | head -n 1;
	t 'dt tprof --help' | head -n 1; export DT_PAGER='sed s/^/dt:/'; t 'dt help list' | head -n 1;
	t 'dt list syscall:getpid nosuch'
OUT	^pager:syscall:getpid:entry$
OUT	^pager:usage: dt list 
OUT	^pager:usage: dt stat 
OUT	^pager:usage: dt tprof list
OUT	^dt:usage: dt list 
OUT	^dt:syscall:getpid:return$
OUT	^dt:dt: no probe matches 'nosuch'

NAME	the results of profile and report go through it, with the lines of the ledger
NEEDS	root tp_btf perf_event script
RUN	export NO_COLOR=1 TERM=xterm PAGER='sed s/^/pager:/'; t() { script -qec "$1" /dev/null </dev/null |
	tr -d '\r'; }; dt record -o f.dt syscall:getppid -- keys threads 40 2>e;
	t 'dt report f.dt' | tail -n 3; t 'stty rows 12; dt report --stat --by tid f.dt' >s; cat s; grep -c 'getppid\|^pager: *[0-9]' s;
	t 'dt profile -d 0.3 --idle'; t 'dt profile --idle -- sh -c "echo out; exit 3"; echo status $?' | grep -v '^pager: '
OUT	^pager:.* getppid\(\) = [0-9]+ 
OUT	^pager:dt: [0-9]+ events, none lost$
OUT	^pager: +COUNT +RATE/s +TID$
OUT	^4[01]$
OUT	pager: +SELF  SAMPLES
OUT	^out$
OUT	^status 3$
NOOUT	more rows

NAME	dt diff prints its table through the pager, and a page and JSON not
NEEDS	script
RUN	export TERM=xterm PAGER='sed s/^/pager:/'; t() { script -qec "$1" /dev/null </dev/null |
	tr -d '\r'; }; echo 'main;old 900' >a.folded; echo 'main;new 900' >b.folded;
	for o in '' --no-pager -j '-o x.html'; do t "dt diff $o a.folded b.folded" | head -n 2; done
OUT	^pager: +BEFORE +AFTER
OUT	^pager: .* new$
OUT	^ +BEFORE +AFTER
OUT	^\{"function":"
OUT	^dt: wrote x.html
NOOUT	^pager:(\{|dt: wrote)

NAME	a pipe, a file, JSON, --no-pager, cat, a dumb terminal and live output have no pager
NEEDS	root tp_btf script
RUN	export TERM=xterm DT_PAGER='sed s/^/pager:/'; t() { script -qec "$1" /dev/null </dev/null |
	tr -d '\r'; }; dt list syscall:getpid; dt help; dt record -o f.dt syscall:getppid -- keys threads 2 2>e;
	t 'dt list syscall:getpid | cat'; t 'dt list -j syscall:getpid'; t 'dt report -j f.dt';
	t 'dt report --no-pager f.dt'; t 'dt --no-pager help list'; t 'DT_PAGER= dt help list';
	t 'DT_PAGER=cat dt help list'; t 'TERM=dumb dt help list'; t 'dt --no-pager list syscall:getpid';
	t 'dt trace -- keys threads 1'; t 'dt stat -i 0.1 -d 0.3 syscall:getppid'; t 'dt top -b -n 1';
	t 'dt record -d 0.1 syscall:acct'; t 'dt diff --help | head -n 3'; t dt; t 'dt nosuch'
OUT	^usage: dt list 
OUT	^syscall:getpid:entry$
OUT	getppid
NOOUT	pager:

NAME	less shows a screen, and q ends dt without an error
NEEDS	root tmux less
TIMEOUT	300
RUN	T="$S/tests/run/screen"; trap "$T stop" EXIT; unset LESS PAGER DT_PAGER;
	$T start 80 12 'dt list; echo over $?'; $T wait '^:' && $T show | head -n 1; $T press G;
	$T wait '(END)' && $T press q; $T wait '^over'; $T show | tail -n 3;
	$T press 'clear; dt list; echo over $?' Enter; $T waitno over; $T wait '^:' && $T press q;
	$T wait '^over'; $T show | tail -n 3
OUT	^profile:hz:97$
OUT	^over 0$
NOOUT	^over [1-9]

NAME	less ends by itself if the text fits on the screen
NEEDS	tmux less
TIMEOUT	300
RUN	T="$S/tests/run/screen"; trap "$T stop" EXIT; unset LESS PAGER DT_PAGER;
	$T start 80 12 'dt list syscall:getpid; echo over $?'; $T wait '^over'; $T show
OUT	^syscall:getpid:entry$
OUT	^over 0$

# less drops keys that arrive while it handles Ctrl-C.
NAME	after Ctrl-C the pager keeps the terminal until it is left
NEEDS	tmux less
TIMEOUT	300
RUN	T="$S/tests/run/screen"; trap "$T stop" EXIT; unset LESS PAGER DT_PAGER;
	$T start 80 12 'dt list; echo over $?'; $T wait '^:' && $T press C-c; n=0;
	until $T show | grep -q END || [ $((n += 1)) -gt 100 ]; do $T press G; sleep 0.2; done;
	$T wait 'END' && $T show | grep -c ^over; $T press q; $T wait '^over'; $T show
OUT	^0$
OUT	^over 130$

NAME	a pager that cannot be run is reported, and a missing less is no pager
NEEDS	script
RUN	export TERM=xterm; t() { script -qec "$1" /dev/null </dev/null | tr -d '\r'; };
	t 'DT_PAGER=/nonexistent dt list syscall:getpid; echo status $?'; unset PAGER DT_PAGER; mkdir bin;
	ln -s "$(command -v dt)" bin/dt; t 'PATH=$PWD/bin dt list syscall:getpid; echo status $?'
OUT	/nonexistent: not found
OUT	^status 1$
OUT	^syscall:getpid:entry$
OUT	^status 0$
