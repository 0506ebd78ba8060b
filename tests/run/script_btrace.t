# SPDX-License-Identifier: ISC
# Scripts as OpenBSD's btrace(8) has them, in script/btrace, on programs whose
# calls are known.

NAME	btrace: filters by process, counts, histograms and errors of calls, up to exit()
NEEDS	root tp_btf
RUN	mkfifo f; ask <f >answers & p=$!; exec 4>f;
	dt run "$S"/tests/run/script/btrace/calls.bt $p >o 2>e 4>&- & dt=$!;
	until grep -q "^process $p$" o || ! kill -0 $dt; do sleep 0.02; done;
	echo 'do call getppid 25; do call getuid 3; do call close 7 args=1000;
	do call write 3 args=1000,0,5; do call write 2 args=1000,0,64;
	do call write 1 args=1000,0,0' | tr '\n' ' ' >&4; echo >&4; exec 4>&-; wait $dt;
	cat o
OUT	^@calls\[syscall:getppid:entry\]: 25$
OUT	^@calls\[syscall:getuid:entry\]: 3$
OUT	^@failed: 7$
OUT	^\[0\] +1 \|
OUT	^\[4, 8\) +3 \|
OUT	^\[64, 128\) +2 \|
OUT	^\[0, 10\) +4 \|
OUT	^\[60, 70\) +2 \|
OUT	^@least: 0$
OUT	^@most: 64$
OUT	^@bytes: 143$
OUT	^the end$
NOOUT	^\[(1|2, 4|8, 16|16, 32|32, 64|128, 256)\)? +[1-9]
NOOUT	^\[(10, 20|50, 60|70, 80)\) +[1-9]

# 1000 + i is closed i + 1 times, for i up to 11.
NAME	btrace: the largest keys of a map, and what clear, zero and delete leave
NEEDS	root tp_btf
RUN	{ i=0; while [ $i -lt 12 ]; do i=$((i + 1));
	echo "do call close $i args=$((999 + i))"; done; echo 'do call getuid 1';
	echo 'do call close 2 args=1005'; } >steps; cp "$B/tests/ask" btask;
	for l in -v --no-lower; do dt run $l "$S"/tests/run/script/btrace/top.bt btask -- \
	sh -c './btask <steps >answers' >o$l 2>e; done; cat o-v; cmp o-v o--no-lower;
	sed -n '/^the ten/,/^$/p' o-v | grep -c '@closes'; grep -c '@zeroed.*: 0$' o-v
OUT	^command btask$
OUT	^@closes\[1002\]: 3$
OUT	^@closes\[1011\]: 12$
OUT	^@closes\[1005\]: 2$
OUT	^@zeroed\[1005\]: 2$
OUT	^@others\[1005\]: 8$
OUT	^@others\[1000\]: 1$
OUT	^10$
OUT	^11$
NOOUT	^@closes\[100[01]\]
NOOUT	^@others\[1003\]
NOOUT	differ

NAME	btrace: a clock of the script prints and clears, and ends it
NEEDS	root tp_btf
RUN	cp "$B/tests/ask" btask; dt run "$S"/tests/run/script/btrace/rate.bt btask 20 -- \
	sh -c 'for i in 1 2 3; do ./btask call getppid 10; done; exec ./btask until over \
	call getuid' >o & dt=$!; until grep -q '^ms' o || ! kill -0 $dt; do sleep 0.05; done;
	: >over; wait $dt; cat o; awk '/^@calls: / { n += $2 } END { print "sum", n }' o;
	awk '/^ms / { print ($2 >= 3990 && $2 < 40000 ? "rate" : "no rate") }' o
OUT	^@fifths: 20$
OUT	^@total: 30$
OUT	^sum 30$
OUT	^rate$

# The program prints the CPU time of each function.
NAME	btrace: stacks of programs and of the kernel are keys
NEEDS	root tp_btf perf_event sym_burn
TIMEOUT	120
RUN	cp "$B/sym/sym_burn" btburn; dt run "$S"/tests/run/script/btrace/stacks.bt btburn \
	-- ./btburn 5000 >o 2>e; cat e >&2; awk '
	FILENAME == "e" && $1 == "truth" { want[$2] = $3; all += $3 }
	FILENAME == "o" && /^@exits/ { exit }
	FILENAME == "o" && /^@\[/ { top = ""; next }
	FILENAME == "o" && /^ / && top == "" { top = $1; sub(/[+].*/, "", top) }
	FILENAME == "o" && /^\]: / { n[top] += $2; sum += $2 }
	END { for (f in want) { d = n[f] / sum - want[f] / all; s += want[f] != 0;
	print f, n[f] / sum, want[f] / all, (d < .1 && d > -.1 ? "near" : "FAR") }
	print s, "functions"; r = sum / (all / 1e9 * 99);
	print r, (r > .8 && r < 1.25 ? "samples" : "NO SAMPLES") }' e o;
	sed -n '/^@exits/,$p' o
OUT	^3 functions$
OUT	samples$
OUT	^burn_leaf [0-9.]+ [0-9.]+ near$
OUT	^ +[a-z0-9_.]*(syscall|SYSCALL|svc)[A-Za-z0-9_]*\+[0-9]+$
OUT	^\]: 1$
NOOUT	FAR
NOOUT	NO SAMPLES

NAME	btrace: static probes of the kernel, and times of calls by thread
NEEDS	root tp_btf tracefs
RUN	cp "$B/tests/ask" btask; mkfifo f; sh -c 'read x; i=0; while [ $i -lt 20 ]; do (:);
	i=$((i + 1)); done; exec ./btask call nanosleep 3 args=@nsecs:30000000' <f >answers &
	p=$!; exec 4>f; dt run "$S"/tests/run/script/btrace/forks.bt $p >o 2>e 4>&- & dt=$!;
	until grep -q "^process $p$" o || ! kill -0 $dt; do sleep 0.02; done;
	echo >&4; exec 4>&-; wait $dt; cat o; awk '/^\[/ { n += $3 }
	END { print n, "pauses" }' o
OUT	^@forks: 20$
OUT	^@pauses\[0\]: $
OUT	^3 pauses$
NOOUT	^\[0, 20\) +[1-9]
