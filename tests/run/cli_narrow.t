# SPDX-License-Identifier: ISC
# Text on terminals of 20 and of 80 columns.  words_check compares the words on the
# screen with those of the same command in a pipe.

NAME	lines break between words at 20 columns, and at 80
NEEDS	root tp_btf tmux
TIMEOUT	600
RUN	T="$S/tests/run/screen"; trap "$T stop" EXIT; export PAGER=cat; l='ask call lseek 2 args=-1,7,0';
	printf 'a;main;read_settings 500\na;main;write_everything 500\na;main;idle 500\n' >a.folded;
	printf 'a;main;read_settings 900\na;main;write_everything 100\na;main;idle 500\n' >b.folded;
	for i in a b; do dt record -o $i.dt syscall:lseek syscall:writev -- sh -c "$l; ask call writev 2; [ $i = a ] ||
	ask call writev 9" 2>/dev/null; done;
	echo "dt trace -e lseek $l" >t; echo "dt record syscall:lseek -- $l" >r; echo "dt syscalls -e lseek,writev -- $l" >y;
	echo "dt stat syscall:lseek -- $l" >s; echo 'stand sh -c "dt where --comm stand_read"' >w;
	echo 'dt diff a.folded b.folded' >d; echo 'dt diff --calls a.dt b.dt' >c;
	echo "dt profile --on syscall:lseek:entry -- $l" >p; for f in t r y s w d c p; do sh $f >$f.ref 2>&1; done;
	$T start 20 60 ':'; for w in 20 80; do $T size $w 60; for f in t r y s w d c p; do
	$T press "clear; sh $f; echo over$w$f" Enter; $T wait "^over$w$f" && $T show | grep -v '^over' >$f.$w &&
	$S/tests/run/words_check $f.ref $f.$w && echo "$f $w"; done; done; cat t.20 y.20 w.20 d.20 y.80 >&2;
	grep -c '^  SEEK_SET)$' t.20; grep -c '^  = -1 EBADF (Bad$' t.20; grep -c '^  file descriptor)$' t.20;
	grep -c '^ *CALLS  SYSCALL$' y.20; grep -c '^ *CALLS .* TOTAL .* MEAN .* P99 .* MAX  SYSCALL' y.80;
	grep -c '^  read_settings$' d.20; grep -c 'lseek(-1, 7, SEEK_SET) *= -1 EBADF (Bad file descriptor)$' t.80
NOOUT	WRONG
EXPECT	t 20 r 20 y 20 s 20 w 20 d 20 c 20 p 20 t 80 r 80 y 80 s 80 w 80 d 80 c 80 p 80 2 2 2 1 1 1 2

NAME	lines have the width of the terminal as it changes, and a kill leaves it usable
NEEDS	root tp_btf tmux
TIMEOUT	600
RUN	T="$S/tests/run/screen"; ask until stop call lseek 1 args=-1,7,0 & p=$!; trap ': >stop; $T stop' EXIT; export p;
	long='^lseek(-1, 7, SEEK_SET) *= -1 EBADF (Bad file descriptor)$'; $T start 80 24 'stty -g >before';
	for s in TERM INT HUP KILL; do $T size 80 24; echo "echo \$\$ >pid; exec dt trace -e lseek -p $p" >watch;
	$T press 'clear; sh watch; echo over' Enter; $T wait "$long" && $T size 20 24 && $T wait '^  SEEK_SET)$' &&
	$T wait '^  = -1 EBADF (Bad$' && $T waitno '(Bad file descriptor)' && kill -$s $(cat pid) && $T wait '^over' &&
	$T press 'stty -g >after; clear' Enter && $T waitno over && $T wait '^ready' && cmp before after && echo $s || exit 1; done
EXPECT	TERM INT HUP KILL

NAME	a table of each interval has the columns that fit as the terminal changes
NEEDS	root tp_btf tmux
TIMEOUT	300
RUN	T="$S/tests/run/screen"; ask until stop call lseek 1 args=-1,7,0 & p=$!; trap ': >stop; $T stop' EXIT;
	$T start 100 24 "dt syscalls -i 500ms -e lseek -p $p"; $T wait '^ *CALLS .* P50 .* MAX  SYSCALL' && $T size 60 24 &&
	$T wait '^ *CALLS *TOTAL *MEAN *MAX  SYSCALL' && $T size 20 24 && $T wait '^ *CALLS  SYSCALL$' &&
	$T wait '^ *[0-9]*  lseek$' && $T size 80 24 && $T wait '^ *CALLS *TOTAL *MEAN *P99 *MAX  SYSCALL' &&
	$T press C-c && $T wait 'none lost' && echo end
EXPECT	end

NAME	a pipe has whole lines and all columns, whatever the terminal
NEEDS	root tp_btf tmux
TIMEOUT	300
RUN	T="$S/tests/run/screen"; trap "$T stop" EXIT; l='ask call lseek 2 args=-1,7,0';
	echo "dt trace -e lseek $l 2>&1 | cat >o; dt syscalls -e lseek -- $l | cat >>o
	stand sh -c 'dt where -K --comm stand_read' | cat >>o" >x; $T start 20 24 'sh x; echo over'; $T wait '^over'; cat o >&2;
	grep -c '^lseek(-1, 7, SEEK_SET) *= -1 EBADF (Bad file descriptor)$' o; grep -c 'CALLS *TOTAL *MEAN *P50 *P99 *MAX  SYSCALL' o;
	grep -c '^1 thread: S in [a-z_]*pipe_read for ' o
EXPECT	2 1 1
