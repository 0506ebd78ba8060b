# SPDX-License-Identifier: ISC
# User stacks by unwind tables are those that programs print (prog/sym, all that
# use spin.h; frames_check), also next to programs that are hard to profile.
#
# A first run of each program, by another name, hits the pages whose tables the
# second one has.  Not in guests: an emulated machine needs seconds for them.

# The programs run in parallel.  The kernel truncates their names.
NAME	programs without frame pointers have the stacks that they must have
NEEDS	root perf_event tp_btf sym_burn
TIMEOUT	120
RUN	cat >each <<'X'
	for p; do p=${p##*/}; ln -s $B/sym/$p warm_$p; \
	    { ./warm_$p 20; $B/sym/$p 80; } 2>$p.err & done; wait
	X
	set -- $B/sym/sym_frames*; dt profile --call-graph table --no-limit -f \
	-F 997 -- sh ./each "$@" >f 2>e; for p; do p=${p##*/};
	echo "$p: $(grep "^$(echo $p | cut -c -15);" f |
	awk -f "$S"/tests/run/frames_check $p.err -)"; done
OUT	^sym_framesstatic: ok$
NOOUT	wrong

# A compiler that is missing has made no program.
NAME	stacks of C++ exceptions, Rust, Go and generated code are right
ALONE
NEEDS	root perf_event tp_btf sym_burn
TIMEOUT	120
RUN	cat >each <<'X'
	for p; do p=${p##*/}; ln -s $B/sym/$p warm_$p; \
	    { ./warm_$p 20; $B/sym/$p 100; } 2>$p.err & done; wait
	X
	set --; for p in throw panic go jit; do [ ! -x $B/sym/sym_$p ] ||
	set -- "$@" $B/sym/sym_$p; done; dt profile --call-graph table --no-limit \
	-f -F 997 -- sh ./each "$@" >f 2>e; for p; do p=${p##*/};
	echo "$p: $(grep "^$p;" f |
	awk -f "$S"/tests/run/frames_check $p.err -)"; done;
	rm -f $(sed -n 's/^map //p' *.err)
OUT	^sym_[a-z]*: ok$
NOOUT	wrong

NAME	libraries that replace each other at one address have right stacks
NEEDS	root perf_event tp_btf sym_burn
RUN	ln -s $B/sym/sym_libs $B/sym/libsym_*.so .; mv sym_libs warm;
	dt profile --call-graph table --no-limit -f -F 997 -- \
	sh -c './warm 20; $B/sym/sym_libs 150' >f 2>e;
	grep -q '^same [1-9]' e || exit 3;
	awk -f "$S"/tests/run/frames_check e f
EXPECT	ok

NAME	programs in containers, and deleted or replaced ones, have right stacks
NEEDS	root perf_event tp_btf sym_burn mounts unshare
RUN	cat >each <<'X'
	f=$B/sym/sym_framesstatic; for p in sym_gone sym_old; do cp $f $p;
	./$p 100 2>$p.err & pid=$!; until [ /proc/$pid/exe -ef $p ]; do :; done
	rm $p; done; cp $B/sym/sym_burn sym_old; mkdir root
	unshare -m -p -f sh -c "mount -t tmpfs none root && cp $f root/sym_box &&
	exec chroot root /sym_box 100" 2>sym_box.err; wait
	X
	dt profile --call-graph table --no-limit -f -F 997 -- sh ./each >f 2>e;
	for p in gone old box; do echo "$p: $(grep "^sym_$p;" f |
	awk -f "$S"/tests/run/frames_check sym_$p.err -)"; done | tee answers;
	! grep -q wrong answers || head -n 40 e f
OUT	^gone: ok$
OUT	^old: ok$
OUT	^box: ok$

# Some of the random words may be a complete stack.
NAME	corrupted stacks end with a reason and leave those of others complete
NEEDS	root perf_event tp_btf sym_burn
SERVICE
RUN	"$S"/tests/run/beside sh -c 'until [ -e over ]; do
	$B/sym/sym_corrupt 500 $((i += 1)) || touch crashed; done';
	awk '/;corrupt_r/ { n += $NF }
	/incomplete: (unreadable memory|address in no code mapping)].*;corrupt_r/ { e += $NF }
	END { print "ended", int(100 * e / n) }' f; [ ! -e crashed ]
EXPECT	ok cpu 0..30 memory 0..200 ended 95..100

NAME	10,000 changes of mappings a second leave the stacks of others complete
NEEDS	root perf_event tp_btf sym_burn full
SERVICE
RUN	"$S"/tests/run/beside sh -c 'until [ -e over ]; do
	$B/sym/sym_churn 500 10000; done'
EXPECT	ok cpu 0..30 memory 0..200

# Records are lost all the time, also those of programs that start then.
NAME	beside 30,000 mappings that change all the time, programs that start have right stacks
NEEDS	root perf_event tp_btf sym_burn full
TIMEOUT	120
RUN	(until [ -e over ]; do unwind_tables busy; done) >busy 2>&1 &
	cat >three <<'X'
	for p in sym_a sym_b sym_c; do cp $B/sym/sym_framesstatic $p;
	./$p 100 2>$p.err & cp $p other; rm other; done; wait
	X
	for i in 1 2 3 4 5 6; do
	dt profile --call-graph table --no-limit -f -F 997 -- sh ./three >f 2>e
	for p in sym_a sym_b sym_c; do grep "^$p;" f |
	awk -f "$S"/tests/run/frames_check $p.err - >answer; cat answer
	grep -q ok answer || cat e; done; done; touch over; wait
EXPECT	ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok

NAME	a process of 100,000 mappings leaves the stacks of others complete
NEEDS	root perf_event tp_btf sym_burn full
TIMEOUT	120
SERVICE
# Most of the time is for the symbols of that process.
# The kernel's limit is the machine's, so it is restored.
RUN	f=/proc/sys/vm/max_map_count; old=$(cat $f); trap 'echo $old >$f' EXIT;
	echo 300000 >$f; "$S"/tests/run/beside $B/sym/sym_maps 5000 100000 100000
EXPECT	ok cpu 0..90 memory 0..300

NAME	a program of 200 MB has right stacks and leaves those of others complete
NEEDS	root perf_event tp_btf sym_burn cc full
TIMEOUT	120
SERVICE
RUN	"$S"/tests/run/big_file sym_big; "$S"/tests/run/beside sh -c \
	'until [ -e over ]; do ./sym_big 1000; done'
EXPECT	ok cpu 0..40 memory 0..400
