# SPDX-License-Identifier: ISC
# The examples of --help and of the manual pages run as they stand there.

NAME	the examples of dt list --help
CORE
RUN	dt list --help | sed -n '/^Examples/,$s/^  \(dt .*\)/\1/p' >e; cat e;
	[ -s e ] || exit 9; while read c; do sh -c "$c" >o 2>err </dev/null &&
	[ -s o ] || { echo "WRONG: $c"; cat err; }; done <e
OUT	^dt list
NOOUT	WRONG

NAME	the examples of dt stat --help
NEEDS	root tp_btf perf_event
TIMEOUT	120
RUN	dt record -o ls.dt 'syscall:*' -- ls 2>/dev/null >/dev/null;
	dt stat --help | sed -n '/^Examples/,$s/^  \(dt .*\)/\1/p' >e; cat e;
	[ -s e ] || exit 9; while read c; do sh -c "$c" >o 2>err </dev/null ||
	{ echo "WRONG: $c"; cat err; }; grep -q '^dt: [0-9]* event' err ||
	{ echo "WRONG, no ledger: $c"; cat err; }; done <e
OUT	^dt stat
NOOUT	WRONG

NAME	the examples of dt record --help
NEEDS	root tp_btf perf_event
TIMEOUT	120
RUN	dt record -o ls.dt 'syscall:*' -- ls 2>/dev/null >/dev/null;
	dt record --help | sed -n '/^Examples/,$s/^  \(dt .*\)/\1/p' >e; cat e;
	[ -s e ] || exit 9; while read c; do sh -c "$c" >o 2>err </dev/null ||
	{ echo "WRONG: $c"; cat err; }; grep -q '^dt: [0-9]* event' err ||
	{ echo "WRONG, no ledger: $c"; cat err; }; done <e
OUT	^dt record
NOOUT	WRONG

NAME	the examples of dt profile --help
NEEDS	root tp_btf perf_event
TIMEOUT	120
RUN	dt record -o ls.dt 'syscall:*' -- ls 2>/dev/null >/dev/null;
	dt profile --help | sed -n '/^Examples/,$s/^  \(dt .*\)/\1/p' >e; cat e;
	[ -s e ] || exit 9; while read c; do sh -c "$c" >o 2>err </dev/null ||
	{ echo "WRONG: $c"; cat err; }; grep -q '^dt: [0-9]* event' err ||
	{ echo "WRONG, no ledger: $c"; cat err; }; done <e
OUT	^dt profile
NOOUT	WRONG

NAME	the examples of dt report --help
NEEDS	root tp_btf perf_event
TIMEOUT	120
RUN	dt record -o ls.dt 'syscall:*' -- ls 2>/dev/null >/dev/null;
	dt report --help | sed -n '/^Examples/,$s/^  \(dt .*\)/\1/p' >e; cat e;
	[ -s e ] || exit 9; while read c; do sh -c "$c" >o 2>err </dev/null ||
	{ echo "WRONG: $c"; cat err; }; grep -q '^dt: [0-9]* event' err ||
	{ echo "WRONG, no ledger: $c"; cat err; }; done <e
OUT	^dt report
NOOUT	WRONG

NAME	the examples of dt(1)
NEEDS	root tp_btf perf_event dt.1
TIMEOUT	120
RUN	sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/s/^\.Dl \$ \(dt .*\)/\1/p' $S/man/dt.1 |
	sed 's/\\(dq/"/g; s/\\-/-/g; s/\\(aq/'"'"'/g; s/\\e/\\/g' >e; cat e;
	[ $(wc -l <e) -ge 5 ] || exit 9; while read -r c; do
	sh -c "$c" >o 2>err </dev/null || { echo "WRONG: $c"; cat err; };
	[ -s o ] || grep -q '^dt: [0-9]* event' err ||
	{ echo "WRONG, nothing: $c"; cat err; }; done <e
OUT	^dt record
NOOUT	WRONG

NAME	the program in dt(4), compiled as it says
NEEDS	root tp_btf cc make pkg-config dt.4
TIMEOUT	240
RUN	sed -n '/Begin of the program/,/End of the program/{/^\./d;s/\\e/\\/g;p}' \
	$S/man/dt.4 >opens.c; $S/tests/run/compat/build libdt opens.c && ./opens
OUT	^[0-9]+ ls$
OUT	^[1-9][0-9]* read, 0 dropped$

NAME	the program in libdt(3), compiled as it says
NEEDS	root tp_btf cc make pkg-config libdt.3
TIMEOUT	240
RUN	sed -n '/Begin of the program/,/End of the program/{/^\./d;s/\\e/\\/g;p}' \
	$S/man/libdt.3 >calls.c; $S/tests/run/compat/build libdt calls.c &&
	./calls ask call getppid 77
OUT	^getppid +77 +0$
OUT	^execve +[0-9]+ +[0-9]+$
OUT	^0 lost$

NAME	libdt(3) has every function that the library exports
NEEDS	libdt.3
RUN	sed -n 's/^	\(dt_[a-z_]*\);$/\1/p' $S/lib/libdt.map >f; wc -l <f;
	while read f; do grep -q "F[no] $f" $S/man/libdt.3 || echo "WRONG: $f";
	done <f
OUT	^[2-9][0-9]$
NOOUT	WRONG
