# SPDX-License-Identifier: ISC
# The examples of --help and of the manual pages run as printed.

NAME	the examples of dt alone run
NEEDS	root tp_btf perf_event
TIMEOUT	120
RUN	dt | sed -n 's/^  \(dt [^#]*\).*/\1/p' | grep -v offcpu |
	sed 's/^dt top *$/dt top -b -n 1/' |
	sh $S/tests/run/examples.sh any
OUT	^dt doctor
NOOUT	WRONG

NAME	the examples of dt list --help run
RUN	dt list --help | sed -n '/^Examples/,$s/^  \(dt .*\)/\1/p' |
	sh $S/tests/run/examples.sh output
OUT	^dt list
NOOUT	WRONG

NAME	the examples of dt run --help run
NEEDS	root tp_btf
RUN	dt run --help | sed -n '/^Examples/,$s/^  \(dt .*\)/\1/p' |
	sh $S/tests/run/examples.sh any
OUT	^dt run execs
NOOUT	WRONG

NAME	the examples of dt trace --help run
NEEDS	root tp_btf
RUN	dt trace --help | sed -n '/^Examples/,$s/^  \(dt .*\)/\1/p' |
	sh $S/tests/run/examples.sh ledger
OUT	^dt trace ls
NOOUT	WRONG

NAME	the examples of dt top --help run
NEEDS	root tp_btf perf_event
RUN	dt top --help | sed -n '/^Examples/,$s/^  \(dt .*\)/\1/p' |
	sh $S/tests/run/examples.sh output
OUT	^dt top
NOOUT	WRONG

NAME	the examples of dt diff --help run
NEEDS	root perf_event full
RUN	dt diff --help | sed -n '/^Examples/,$s/^  \(dt .*\)/\1/p' |
	sh $S/tests/run/examples.sh any
OUT	^dt diff
NOOUT	WRONG

NAME	the examples of dt stat --help run
NEEDS	root tp_btf perf_event full
TIMEOUT	120
RUN	dt stat --help | sed -n '/^Examples/,$s/^  \(dt .*\)/\1/p' |
	sh $S/tests/run/examples.sh ledger
OUT	^dt stat
NOOUT	WRONG

NAME	the examples of dt syscalls --help run
NEEDS	root tp_btf full
RUN	dt syscalls --help | sed -n '/^Examples/,$s/^  \(dt .*\)/\1/p' |
	sh $S/tests/run/examples.sh ledger
OUT	^dt syscalls
NOOUT	WRONG

NAME	the examples of dt offcpu --help run
NEEDS	root tp_btf offcpu full
RUN	dt offcpu --help | sed -n '/^Examples/,$s/^  \(dt .*\)/\1/p' |
	sh $S/tests/run/examples.sh ledger
OUT	^dt offcpu
NOOUT	WRONG

NAME	the examples of dt record --help run
NEEDS	root tp_btf perf_event full
TIMEOUT	120
RUN	dt record --help | sed -n '/^Examples/,$s/^  \(dt .*\)/\1/p' |
	sh $S/tests/run/examples.sh ledger
OUT	^dt record
NOOUT	WRONG

NAME	the examples of dt profile --help run
NEEDS	root tp_btf perf_event full
TIMEOUT	120
RUN	dt profile --help | sed -n '/^Examples/,$s/^  \(dt .*\)/\1/p' |
	sh $S/tests/run/examples.sh ledger
OUT	^dt profile
NOOUT	WRONG

NAME	the examples of dt report --help run
NEEDS	root tp_btf perf_event full
TIMEOUT	120
RUN	dt report --help | sed -n '/^Examples/,$s/^  \(dt .*\)/\1/p' |
	sh $S/tests/run/examples.sh ledger
OUT	^dt report
NOOUT	WRONG

NAME	the examples of dt where --help run
NEEDS	root tp_btf jq full
RUN	dt where --help | sed -n '/^Examples/,$s/^  \(dt .*\)/\1/p' |
	sed '/--state D/d; s/ -p 1,bash/ -p $PPID,sh/' | sh $S/tests/run/examples.sh output
OUT	^dt where
NOOUT	WRONG

NAME	the examples of dt doctor --help run
NEEDS	root tp_btf perf_event full
RUN	dt doctor --help | sed -n '/^Examples/,$s/^  \(dt .*\)/\1/p' |
	sh $S/tests/run/examples.sh output
OUT	^dt doctor
NOOUT	WRONG

NAME	the examples of dt tprof --help run
NEEDS	root tp_btf perf_event full
TIMEOUT	120
RUN	dt tprof --help | sed -n '/^Examples/,$s/^  \(dt .*\)/\1/p' |
	sed 's/^\(dt tprof [mc].*\)/\1 2>\&1/' |
	sh $S/tests/run/examples.sh output
OUT	^dt tprof list
NOOUT	WRONG

NAME	the examples of dt kcov --help run
NEEDS	root kprobe full
TIMEOUT	120
RUN	dt kcov --help | sed -n '/^Examples/,$s/^  \(dt .*\)/\1/p' |
	sed 's/^\(dt kcov -o.*\)/\1; dt report before.kcov/' |
	sh $S/tests/run/examples.sh output
OUT	^dt kcov -- cat
NOOUT	WRONG

NAME	the examples of dt(1) run
NEEDS	root tp_btf perf_event dt.1 full
TIMEOUT	120
RUN	sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/s/^\.Dl \$ \(dt .*\)/\1/p' \
	$S/man/dt.1 |
	sed 's/\\(dq/"/g; s/\\-/-/g; s/\\(aq/'"'"'/g; s/\\e/\\/g' |
	sh $S/tests/run/examples.sh any
OUT	^dt record
OUT	^dt report
NOOUT	WRONG

NAME	the commands in the text of dt(1) run, for a second each
NEEDS	root tp_btf tracefs dt.1 full
TIMEOUT	120
RUN	sed -n '1,/^\.Sh EXAMPLES/s/^\.Dl \$ \(dt .*\)/\1/p' $S/man/dt.1 |
	sed 's/-d 10s*$/-d 1/; s/-- make$/-- true/' | sh $S/tests/run/examples.sh any
OUT	^dt run opens -u www-data -d 1
OUT	^dt run syscall-errors -- true
NOOUT	WRONG

NAME	the commands in the text of dt(1) about coverage run
NEEDS	root kprobe dt.1 full
TIMEOUT	120
RUN	sed -n 's/^\$ \(dt kcov .*\)/\1/p' $S/man/dt.1 | sed 's/^\(dt kcov -o .*\)/\1 \&\& dt report before.kcov/' |
	sh $S/tests/run/examples.sh output
OUT	^dt kcov --diff
NOOUT	WRONG

NAME	the commands of README.md run
NEEDS	root tp_btf perf_event full
TIMEOUT	300
RUN	sed -nE 's/^    (# )?(dt .*)/\2/p' $S/README.md | grep -v kcov | tee lines |
	sed 's/^\(dt tprof m.*\)/\1 2>\&1/' | sh $S/tests/run/examples.sh any; wc -l <lines
OUT	^dt record --path /etc
OUT	^dt tprof analyze
OUT	^([89]|1[0-9])$
NOOUT	WRONG

NAME	the commands of README.md about coverage run
NEEDS	root kprobe full
TIMEOUT	120
RUN	sed -n 's/^    # \(dt kcov .*\)/\1/p' $S/README.md | sed 's/^\(dt kcov -o .*\)/\1 \&\& dt report before.kcov/' |
	sh $S/tests/run/examples.sh output
OUT	^dt kcov --diff
NOOUT	WRONG

NAME	the programs of bt(5) run
NEEDS	root tp_btf tracefs full
TIMEOUT	120
RUN	awk '/^\.Bd -literal -offset/ { n++; on = 1; next } /^\.Ed/ { on = 0 }
	on { print >("b" n) }' $S/man/bt.5; sed -i 's/\\e/\\/g' b*; ls b* | wc -l;
	sed -n 's/^\.Dl \$ \(dt .*\)/\1/p' $S/man/bt.5 >x; for f in b*; do case $(cat $f) in
	'$ dt'*) tr -d '\n' <$f | sed 's/^\$ //'; echo ;;
	*kprobe:*|*'  kernel: '*) ;; # the latter is printed
	*) mv $f $f.bt; echo "dt run $f.bt 10 -- cat /etc/hostname" ;; esac; done >>x; wc -l <x;
	sh $S/tests/run/examples.sh output <x
OUT	^4$
OUT	^dt run -e 'tracepoint:syscalls:sys_exit_openat
OUT	^dt run b[0-9].bt 10 -- cat
NOOUT	WRONG

NAME	the program of bt(5) with structs of the kernel is accepted
NEEDS	root kprobe full
RUN	awk '/^kprobe:/ { on = 1 } /^\.Ed/ { on = 0 } on' $S/man/bt.5 |
	sed 's/\\e/\\/g' >x.bt; dt run --dry-run x.bt; echo $?; wc -l <x.bt
EXPECT	0 6

NAME	the examples of dt-tools(7) run
NEEDS	root tp_btf tracefs perf_event dt-tools.7 full
TIMEOUT	300
RUN	[ -e /sys/kernel/tracing/events/capability ] || no='/run capable/d';
	[ -e /sys/bus/event_source/devices/kprobe ] || no="${no-};/run cache-hits/d";
	sed -n 's/^\.Dl \$ \(dt .*\)/\1/p' $S/man/dt-tools.7 | sed "${no-}" |
	sh $S/tests/run/examples.sh any
OUT	^dt run opens
OUT	^dt run timers
NOOUT	WRONG

NAME	the program in dt(4) compiles as documented and runs
NEEDS	root tp_btf cc make pkg-config dt.4 plain
TIMEOUT	240
RUN	sed -n '/Begin of the program/,/End of the program/{/^\./d;s/\\e/\\/g;p}' \
	$S/man/dt.4 >opens.c; $S/tests/run/compat/build libdt opens.c && ./opens
OUT	^[0-9]+ ls$
OUT	^[1-9][0-9]* read, 0 dropped$

NAME	the program in libdt(3) compiles as documented and runs
NEEDS	root tp_btf cc make pkg-config libdt.3 plain
TIMEOUT	240
RUN	sed -n '/Begin of the program/,/End of the program/{/^\./d;s/\\e/\\/g;p}' \
	$S/man/libdt.3 >calls.c; $S/tests/run/compat/build libdt calls.c &&
	./calls ask call getppid 77
OUT	^getppid +77 +0$
OUT	^execve +[0-9]+ +[0-9]+$
OUT	^0 lost$

NAME	the program in libdt(3) that counts compiles as documented and runs
NEEDS	root tp_btf cc make pkg-config libdt.3 plain
TIMEOUT	240
RUN	sed -n '/Begin of the counts/,/End of the counts/{/^\./d;s/\\e/\\/g;p}' \
	$S/man/libdt.3 >sizes.c; $S/tests/run/compat/build libdt sizes.c &&
	{ while [ ! -e stop ]; do
	dd if=/dev/zero of=/dev/null bs=1000 count=100 status=none; done &
	./sizes; : >stop; wait; }
OUT	^ +512 to +1023: [1-9][0-9]+$
OUT	^[0-9]+ failed, 0 not counted$

NAME	libdt(3) has every function that the library exports
NEEDS	libdt.3
RUN	sed -n 's/^	\(dt_[a-z_]*\);$/\1/p' $S/lib/libdt.map >f; wc -l <f;
	while read f; do grep -qE "(F[no]|Va) $f" $S/man/libdt.3 || echo "WRONG: $f";
	done <f
OUT	^[2-9][0-9]$
NOOUT	WRONG
