# SPDX-License-Identifier: ISC
# The uprobe provider: functions of user programs.

NAME	functions are found in programs and libraries, by path, name and process
CORE
NEEDS	root uprobe
RUN	p=$(command -v called); dt list "uprobe:$p:called_add" \
	uprobe:called:called_byte:entry 'uprobe:called:called_d?ep:return'
EXPECT	uprobe:called:called_add:entry uprobe:called:called_add:return
	uprobe:called:called_byte:entry uprobe:called:called_deep:return
RUN	dt list uprobe:libc:malloc:entry uprobe:libc.so.6:malloc:entry
EXPECT	uprobe:libc.so.6:malloc:entry uprobe:libc.so.6:malloc:entry
RUN	sleep 60 & dt list "uprobe:$!:nanosleep:entry"; kill $!
EXPECT	uprobe:libc.so.6:nanosleep:entry
RUN	dt list 'uprobe:called:called_*:entry' >a; grep -v 'locked\|undecoded' a |
	grep -c called_
EXPECT	17

NAME	a file or function that does not exist is reported with the reason
NEEDS	root uprobe
RUN	dt list uprobe:called:called_ad
STATUS	1
ERR	^dt: uprobe:called:called_ad: called has no function 'called_ad'
RUN	dt list uprobe:/no/such:f; dt list uprobe:no-such-program:f;
	dt list uprobe:rel/path:f; dt list uprobe:4194304:f; dt list uprobe:
STATUS	1
ERR	/no/such: No such file or directory
ERR	no-such-program is neither a program in \$PATH nor a library
ERR	rel/path: a path must be absolute
ERR	process 4194304: No such file or directory
ERR	name a file: uprobe:PATH:FUNCTION
RUN	echo text >text; dt list "uprobe:$PWD/text:f"; dt list "uprobe:$PWD:f"
STATUS	1
ERR	text is not a program or library
ERR	it is not a regular file

NAME	entry and return of each call, with values, counted and recorded
CORE
NEEDS	root uprobe
RUN	dt stat uprobe:called:called_add:entry uprobe:called:called_add:return -- \
	called calls 1000
OUT	^ +1000 .* uprobe:called:called_add:entry$
OUT	^ +1000 .* uprobe:called:called_add:return$
ERR	^dt: 2000 events, none lost$
RUN	dt record uprobe:called:called_add -- called calls 100 >hits;
	grep -c '> *$' hits
EXPECT	100
RUN	dt record uprobe:called:called_byte -- called types 1
OUT	uprobe:called:called_byte\(.*\) = (256|0) <[0-9.]+>$
ERR	^dt: 2 events, none lost$
RUN	dt stat --if 'a == 5' uprobe:called:called_byte:entry -- called threads 10
OUT	^ +4 .* uprobe:called:called_byte:entry$
ERR	^dt: 4 events, none lost$

NAME	arguments and results have names, types and text from debug information
NEEDS	root uprobe
RUN	dt list -v uprobe:called:called_add uprobe:called:called_jump:return
OUT	^uprobe:called:called_add:entry \(int a, long int b, const char \*text\)$
OUT	^uprobe:called:called_add:return = int$
OUT	^uprobe:called:called_jump:return$
RUN	dt record uprobe:called:called_add uprobe:called:called_mixed \
	uprobe:called:called_byte -- sh -c 'called calls 2; called types 1'
OUT	called_add\(a=0, b=1000000000000, text="some text"\) = -727379968 <
OUT	called_add\(a=-1, b=1000000000000, text="some text"\) = -727379969 <
OUT	called_mixed\(x=\.\.\., a=-7, y=\.\.\., b=-3\) = \.\.\. <
OUT	called_byte\(a=255\) = 0 <
RUN	dt stat --if 'text == "some text"' uprobe:called:called_add:entry -- \
	called calls 12
OUT	^ +12 .* uprobe:called:called_add:entry$
RUN	dt stat --if 'x > 1' uprobe:called:called_mixed:entry -- called types 1
STATUS	1
ERR	^dt: .*cannot be read: it is a floating point number
RUN	dt stat --if 'retval > 1' uprobe:called:called_mixed:return -- called types 1
STATUS	1
ERR	^dt: .*the return value cannot be read: it is a floating point number
RUN	for o in '--by x' '--sum y' '--sum retval'; do dt stat $o uprobe:called:called_mixed -- called types 1; done;
	for v in args.x arg2; do dt run -e "uprobe:called:called_mixed { print($v); }" -- called types 1; done;
	for v in retval args.ret; do dt run -e "uretprobe:called:called_mixed { print($v); }" -- called types 1; done
STATUS	1
NOOUT	.
ERR	^dt: --by x: its value at uprobe:called:called_mixed:entry cannot be read: it is a floating
ERR	^dt: --sum y: its value at .*:entry cannot be read
ERR	^dt: --sum retval: its value at .*:return cannot be read
ERR	: x of uprobe:called:called_mixed:entry cannot be read: it is a floating point number$
ERR	: arg2 of .*:entry cannot be read
ERR	: retval of .*:return cannot be read
ERR	: ret of .*:return cannot be read
RUN	dt list uprobe:called:called_ad uprobe:called:called_byt
STATUS	1
ERR	has no function 'called_ad'; did you mean called_add\?$

NAME	a function of a stripped program has the registers as arguments
NEEDS	root uprobe objcopy
RUN	objcopy --strip-debug "$(command -v called)" bare;
	dt record "uprobe:$PWD/bare:called_add:entry" -- ./bare calls 1
OUT	called_add\(arg0=0x0, arg1=0xe8d4a51000, arg2=0x[0-9a-f]+, arg3=.*, arg4=.*, arg5=.*\)$
RUN	objcopy --only-keep-debug "$(command -v called)" bare.debug;
	objcopy --strip-all --add-gnu-debuglink=bare.debug "$(command -v called)" bare;
	dt record "uprobe:$PWD/bare:called_add:entry" -- ./bare calls 1
OUT	called_add\(a=0, b=1000000000000, text="some text"\)$

NAME	functions that only .gnu_debugdata names are found, probed and counted
NEEDS	root uprobe objcopy sym_burn
RUN	p=$(command -v called); objcopy --only-keep-debug "$p" mini; strip -g mini; xz mini;
	objcopy --strip-all --add-section .gnu_debugdata=mini.xz "$p" mine;
	readelf -sW mine | grep -c called_; p=uprobe:$PWD/mine; dt list "$p:called_ad[d]";
	dt stat $p:called_add:entry $p:called_add:return -- ./mine calls 123;
	dt list $p:called_ad
STATUS	1
OUT	^0$
OUT	^uprobe:mine:called_add:entry$
OUT	^uprobe:mine:called_add:return$
OUT	^ +123 .* uprobe:mine:called_add:entry$
OUT	^ +123 .* uprobe:mine:called_add:return$
ERR	did you mean called_add\?$
RUN	p=$B/sym/sym_mini; dt stat -j "uprobe:$p:mini_*:return" -- "$p" 40 |
	grep -o '"count":[0-9]*' | sort | uniq -c | sed 's/.count"://' |
	awk '{ print $1, ($2 >= 40) }'
EXPECT	3 1

NAME	texts of a stripped program are recorded, tested and counted on request
CORE
NEEDS	root uprobe objcopy jq
RUN	objcopy --strip-debug "$(command -v called)" bare; p="uprobe:$PWD/bare";
	dt record --str arg2 "$p:called_add:entry" -- ./bare calls 1;
	dt record --if 'str(arg2) == "some*"' "$p:called_add:entry" -- ./bare calls 1;
	dt stat --if 'str(arg2) != "some text"' "$p:called_add:entry" -- ./bare calls 9;
	dt stat --by 'str(arg2)' "$p:called_add:entry" -- ./bare calls 7;
	dt record -j --str arg2 "$p:called_add:entry" -- ./bare calls 1 |
	jq -r 'select(.strings) | .strings.arg2'
OUT	called_add\(arg0=0x0, arg1=0xe8d4a51000, arg2="some text", arg3=.*, arg4=.*, arg5=.*\)$
OUT	^ +7 .* some text$
OUT	^some text$
ERR	^dt: 0 events in .*, none lost$
RUN	dt record --str arg2,arg9 "uprobe:$PWD/bare:called_add:entry" -- ./bare calls 1
STATUS	1
ERR	^dt: --str arg9: these probes have no such text$
RUN	dt run -e "uprobe:$PWD/bare:called_add { @[str(arg2)] = count(); }" -- \
	./bare calls 5
OUT	some text.* 5$

NAME	texts that functions return are recorded, tested and counted
NEEDS	root uprobe jq
RUN	p=uprobe:called:called_name; dt record --str retval $p:return -- called names 2;
	dt record --str retval $p -- called names 2 | grep -c 'n=[01]) = "[a-z]*" <';
	dt record --slower 0ns --str retval $p -- called names 2 | grep -c '" <';
	dt stat --by 'str(retval)' $p -- called names 9;
	dt stat --if 'str(retval) == "odd"' $p:return -- called names 9;
	dt stat --by none --if 'str(retval) == "odd"' $p -- called names 9;
	dt record -o r.dt --str retval $p -- called names 1; dt report r.dt;
	dt record -j --str retval $p:return -- called names 1 |
	jq -r 'select(.strings) | .strings.retval + " in JSON"';
	dt run -e "uretprobe:$(command -v called):called_name
	{ printf(\"%s\\n\", str(retval)); }" -- called names 1
OUT	uprobe:called:called_name = "even"$
OUT	uprobe:called:called_name = "odd"$
OUT	^2$
OUT	^ +5 .* even$
OUT	^ +4 .* odd$
OUT	^ +4 .*called_name:return$
OUT	called_name\(n=0\) = "even" <
OUT	^even in JSON$
OUT	^even$

NAME	a line of the source is a probe
NEEDS	root uprobe
RUN	n=$(grep -n 'return a + (int)b' $S/tests/run/prog/called.c | cut -d: -f1);
	dt stat "uprobe:called:called.c:$n" -- called calls 9
OUT	^ +9 .* uprobe:called:called.c:[0-9]+:entry$

NAME	threads, recursion, longjmp, fork and exec lose and invent nothing
NEEDS	root uprobe
RUN	dt stat uprobe:called:called_byte:entry uprobe:called:called_byte:return -- \
	called threads 2000
OUT	^ +8000 .* uprobe:called:called_byte:entry$
OUT	^ +8000 .* uprobe:called:called_byte:return$
RUN	dt stat uprobe:called:called_deep:entry uprobe:called:called_deep:return -- \
	called deep 40
OUT	^ +41 .* uprobe:called:called_deep:entry$
OUT	^ +41 .* uprobe:called:called_deep:return$
RUN	dt stat uprobe:called:called_jump:entry -- called jumps 500
OUT	^ +500 .* uprobe:called:called_jump:entry$
RUN	dt stat uprobe:called:called_jump:entry uprobe:called:called_jump:return -- \
	called jumps 500 && echo alive
OUT	^ +500 .* uprobe:called:called_jump:entry$
OUT	^alive$
NOOUT	called_jump:return
RUN	dt stat --by comm uprobe:called:called_add:entry -- called fork 300
OUT	^ +600 .*called
RUN	dt stat --by comm uprobe:called:called_add:entry -- sh -c 'called calls 7; exec called calls 8'
OUT	^ +15 .*called

NAME	recordings that end in the middle of hits account for each of them
NEEDS	root uprobe
TIMEOUT	300
RUN	(while :; do called threads 500; done >ran) & loop=$!; i=0;
	while [ $i -lt 4 ]; do dt record -n 40 uprobe:called:called_byte:entry >hits 2>err;
	cat hits; cat err >&2; i=$((i + 1)); done | grep -c called_byte; kill $loop
EXPECT	160
ERR	^dt: [0-9]+ events \(40 shown\), none lost$
NOERR	[0-9] lost

NAME	a library that is loaded after the start is probed
NEEDS	root uprobe
RUN	dt stat uprobe:libm:cbrt:entry -- called dlopen 50
OUT	^ +50 .* uprobe:libm.so.6:cbrt:entry$

NAME	durations, keys, stacks, recordings and profiles, as for other functions
NEEDS	root uprobe
RUN	dt record --slower 0ns uprobe:called:called_add -- called calls 30 | grep -c '> *$\|>$'
EXPECT	30
RUN	dt stat --hist --by comm uprobe:called:called_add -- called calls 200
OUT	duration: 200 values
RUN	dt record -g uprobe:called:called_add:entry -n 1 -- called calls 1
OUT	called_add
OUT	what_calls
OUT	main
RUN	dt record -o r.dt uprobe:called:called_add -- called calls 9 && dt report r.dt
OUT	uprobe:called:called_add\(
ERR	^dt: 18 events, none lost$
RUN	for o in --on --event; do dt profile $o uprobe:called:called_add:entry -- called calls 500; done
OUT	called_add
ERR	^dt: 500 events, none lost$

# 20 calls are pending at the innermost one: 20 + 19 + ... callers at the entries,
# and the same at the returns.
NAME	stacks pass calls whose return is probed, also those left by longjmp
CORE
NEEDS	root uprobe
RUN	dt record -g --no-join uprobe:called:called_deep -- called deep 20 >deep;
	grep -c '^ *called_deep+0x' deep; grep -c '^ *main+0x' deep; ! grep incomplete deep
OUT	^420$
OUT	^42$
NOOUT	incomplete
RUN	dt record -g uprobe:called:called_jump -- called jumps 30 >jumps;
	grep -c '^ *main+0x' jumps; grep -c '^ *called_jump' jumps;
	! grep incomplete jumps
OUT	^30$
OUT	^30$
NOOUT	incomplete

# longjmp leaves called_jump(), whose caller is called_left(); the next call has its
# return address at the same place on the stack.
NAME	a call that longjmp has left does not name the caller of a later one
NEEDS	root uprobe
RUN	for how in table fp; do dt record -g --call-graph $how --no-join \
	uprobe:called:called_jump:return uprobe:called:called_byte:entry -- \
	called sides 20 >$how; grep -c '^ *called_byte' $how;
	! grep called_left $how; done; grep -c '^ *called_right+0x' table
EXPECT	20 20 20

# The kernel replaces the n-th address of its own code by that of the n-th pending
# call.  That would be wrong here: the leaf has no frame pointer, and called_tail()
# and called_inner() share a return address on the stack.
NAME	stacks by frame pointers pass calls whose return is probed
CORE
NEEDS	root uprobe x86_64
RUN	for how in table fp; do dt record -g --call-graph $how -n 1 --no-join \
	usdt:called:called:leaf uprobe:called:called_leaf:return \
	uprobe:called:called_inner:return uprobe:called:called_tail:return \
	uprobe:called:called_outer:return -- called tails 3 >$how;
	sed -n 's/^ *\([a-z_]*\)[+0-9a-fx]* (.*/\1/p' $how | sed '/^main$/q' >$how.names;
	done; grep -v called_inner table.names | diff - fp.names && cat table.names
EXPECT	called_leaf called_inner called_outer what_tails main

NAME	an instruction is probed by offset; between instructions is refused
NEEDS	root uprobe
RUN	dt stat uprobe:called:called_add+0 -- called calls 11
OUT	^ +11 .* uprobe:called:called_add\+0:entry$
RUN	dt list uprobe:called:called_add+100000
STATUS	1
ERR	called_add has [0-9]+ bytes only

NAME	names are completed after the file
NEEDS	root uprobe
RUN	dt complete list uprobe:called:called_ad; dt complete list uprobe:called:called_add:;
	dt complete list upr
EXPECT	uprobe:called:called_add: uprobe:called:called_add:entry
	uprobe:called:called_add:return uprobe:

NAME	C++ exceptions pass through functions whose returns are probed
NEEDS	root uprobe
RUN	p=$(command -v sym_throw) || p=$B/sym/sym_throw; dt stat "uprobe:$p:*thrower*" \
	"uprobe:$p:*between*" -- "$p" 300 >out && grep -c between out
OUT	^[1-9]

NAME	a return for which a function has no instruction is refused with the reason
NEEDS	root uprobe sym_cxx
RUN	p=$B/sym/sym_throw; dt stat "uprobe:$p:thrower:return" -- "$p" 10
STATUS	1
ERR	thrower:return: it has no return instruction, and a return probe would break exceptions$
RUN	p=$B/sym/sym_throw; dt stat "uprobe:$p:throwe[r]" "uprobe:$p:handler_scene:entry" \
	"uprobe:$p:handler_scene:return" -- "$p" 10
OUT	^ +[1-9][0-9]* .* uprobe:sym_throw:thrower$
OUT	^ +1 .* uprobe:sym_throw:handler_scene:entry$
OUT	^ +1 .* uprobe:sym_throw:handler_scene:return$

# Jumps lead to often.cold, where a register is at the place of the return address.
NAME	a part of a function that the compiler has moved is not probed as a function
NEEDS	root uprobe cc
RUN	cat >often.c <<\END
	#include <stdio.h>
	static volatile int sink;
	__attribute__((cold, noinline)) void rare(int n) { sink += n; }
	static int other(int n) { sink = n; return n; }
	static int (*volatile call)(int) = other;
	__attribute__((noinline, noclone)) int often(int n, int *p)
	{
	int a = call(n * 3), b = call(n), c = call(*p);
	if (n % 10 == 7) { rare(n); rare(a); a += *p + b + c; rare(b); }
	a += call(c) + call(b) + call(a);
	return a + n + b + c;
	}
	int main(void)
	{
	int i, s = 0;
	for (i = 0; i < 1000; i++) s = often(i, &s) & 1023;
	printf("sum %d\n", s);
	return 0;
	}
	END
	cc -O2 -o many often.c; nm many | grep -c 'often.cold'; dt list "uprobe:$PWD/many:often*";
	dt stat "uprobe:$PWD/many:often*:entry" "uprobe:$PWD/many:often*:return" -- \
	timeout 20 ./many >probed; cat probed; ./many | grep -xf - probed >&2
OUT	^1$
OUT	^uprobe:many:often:entry$
OUT	^ +1000 .* uprobe:many:often:entry$
OUT	^ +1000 .* uprobe:many:often:return$
NOOUT	cold:
ERR	^sum [0-9]+$

NAME	a misspelled C++ function is answered with the nearest, in the same form
NEEDS	root uprobe sym_cxx
RUN	p=uprobe:$B/sym/sym_throw; for f in 'between' 'between(unsigned int)' _ZL7betweenj; do
	dt list "$p:$f:entry"; done
EXPECT	uprobe:sym_throw:between:entry uprobe:sym_throw:between:entry
	uprobe:sym_throw:between:entry
RUN	p=uprobe:$B/sym/sym_throw; for f in betwen 'betwen(unsigned int)' _ZL7betwenj \
	cleaner::~claener; do dt list "$p:$f"; done
STATUS	1
ERR	has no function 'betwen'; did you mean between\?$
ERR	has no function 'betwen\(unsigned int\)'; did you mean between\(unsigned int\)\?$
ERR	has no function '_ZL7betwenj'; did you mean _ZL7betweenj\?$
ERR	has no function 'cleaner::~claener'; did you mean cleaner::~cleaner\?$

NAME	all functions of python3 with a name are listed, with what is known of arguments
NEEDS	root uprobe debian_python
RUN	p=$(readlink -f /usr/bin/python3); dt list -v "uprobe:$p:Py*:entry" >list;
	sed -n 's/^uprobe:[^:]*:\(Py.*\):entry (.*arg0.*)$/\1/p' list | sort >listed;
	readelf -sW "$p" | awk '$4 == "FUNC" && $7 != "UND" && $8 ~ /^Py/ { print $2, $8 }' \
	>have; cut -d " " -f 2 have | sort >names; comm -23 listed names | head;
	n=$(cut -d " " -f 1 have | sort -u | wc -l); l=$(wc -l <listed);
	[ $n -gt 500 ] && [ $n -eq $l ] && echo equal; echo "$n $l"
OUT	^equal$
NOOUT	Py

NAME	a program in another pid namespace has the tracer's numbers, also for -p
NEEDS	root uprobe unshare jq
RUN	trap '' PIPE; mkfifo f g; unshare -p -f --mount-proc called lines 5 <f & u=$!;
	exec 4>f; called lines 5 <g & outer=$!; exec 5>g;
	until inner=$(pgrep -P $u -x called); do sleep 0.05; done;
	awk '/^NSpid/ { print NF - 1, $NF }' /proc/$inner/status;
	feed() { while kill -0 $1 2>/dev/null; do echo >&4; echo >&5; sleep 0.05; done; };
	dt record -j -n 20 -p $inner uprobe:called:called_add:entry >one & feed $!;
	dt record -j -n 40 uprobe:called:called_add:entry >both & feed $!;
	exec 4>&- 5>&-; wait; for f in one both; do jq -r 'select(.pid) | .pid' $f |
	sed "s/^$inner\$/inner/; s/^$outer\$/outer/" | sort | uniq -c; done |
	awk '{ print $2, $1 == 20 ? 20 : "some" }'
EXPECT	2 1 inner 20 inner * outer *
NOERR	[0-9] lost

NAME	a client in a pid namespace has only hits of its processes, by their numbers there
NEEDS	root uprobe mounts unshare jq
SERVICE
RUN	trap '' PIPE; mkfifo f; (while :; do called calls 5; done) & loop=$!;
	unshare -p -f --mount-proc sh -c 'called lines 10 <f & echo $! >pid;
	dt record -j -n 30 uprobe:called:called_add:entry >hits; : >over; wait' &
	exec 4>f; until [ -e over ]; do echo >&4; sleep 0.05; done; exec 4>&-;
	kill $loop; wait; jq -r 'select(.pid) | .pid' hits | sed "s/^$(cat pid)\$/own/" |
	sort | uniq -c; [ "$(cat pid)" -lt 20 ] && echo small
EXPECT	30 own small

NAME	a file in another mount namespace is found by its process
NEEDS	root uprobe unshare
RUN	mkdir r; cp "$(command -v called)" r/mine; mkfifo f; unshare -m sh -c \
	'mount --bind r /mnt && exec /mnt/mine lines 40 <f' & pid=$!; exec 4>f;
	until readlink /proc/$pid/exe | grep -q mine; do sleep 0.05; done;
	dt record -n 40 -p $pid "uprobe:$pid:called_add:entry" >hits & dt=$!;
	while kill -0 $dt 2>/dev/null; do echo >&4; sleep 0.05; done;
	exec 4>&-; wait; grep -c uprobe:mine:called_add hits
EXPECT	40

NAME	no breakpoint is left behind, however dt ends
NEEDS	root uprobe
TIMEOUT	120
RUN	leaks() { dmesg | grep -c 'leaking uprobe'; }; before=$(leaks);
	for sig in TERM KILL TERM KILL TERM KILL; do
	dt record uprobe:libc:malloc -n 1 -- ls >/dev/null 2>&1;
	dt stat uprobe:libc:malloc >/dev/null 2>&1 & dt=$!;
	ls >/dev/null; sleep 0.2; kill -$sig $dt; wait $dt; done 2>/dev/null;
	i=0; while [ $i -lt 20 ]; do ls >/dev/null; sleep 0.1; i=$((i + 1)); done;
	[ "$(leaks)" -le "$before" ] && echo none
EXPECT	none

NAME	a function whose first instruction the kernel refuses is named
NEEDS	root uprobe
RUN	[ "$(uname -m)" = x86_64 ] || exit 0; p="$(command -v called)";
	dt stat "uprobe:$p:called_locked:entry" -- "$p" calls 3; [ $? -eq 1 ] || exit;
	dt stat "uprobe:$p:called_[al][do]*" -- "$p" calls 3 >o 2>e;
	grep -q ' 3 .*called_add$' o && grep called_locked e >&2
ERR	^dt: 1 function of 'uprobe:.*' cannot be probed: the kernel cannot put a breakpoint on its first instruction: called:called_locked$

# No process has the file mapped when dt attaches.
NAME	a function whose instruction the kernel cannot decode is named
CORE
NEEDS	root uprobe
RUN	cp "$(command -v called)" mine; p=uprobe:$PWD/mine;
	dt stat "$p:called_undecoded:entry" -- ./mine calls 3; echo "alone $?";
	dt stat "$p:called_undecoded+0" -- ./mine calls 3; echo "offset $?";
	dt stat "$p:called_[au][dn]d*:entry" -- ./mine calls 3
OUT	^alone 1$
OUT	^offset 1$
OUT	^ +3 .* uprobe:mine:called_add:entry$
ERR	^dt: .*cannot attach uprobe:mine:called_undecoded:entry: the kernel cannot put a breakpoint there
ERR	^dt: 1 function cannot be probed: the kernel cannot put a breakpoint there: mine:called_undecoded$
ERR	^dt: 3 events, none lost$

NAME	instructions that this kernel can probe are known
NEEDS	root uprobe_multi x86_64 full
TIMEOUT	900
RUN	probable code
OUT	^[0-9]+ accepted, [0-9]+ avoided, [0-9]+ refused, 0 differ$

NAME	all functions of a C library at once: programs run, refused ones are named
NEEDS	root uprobe_multi
TIMEOUT	300
RUN	libc=$(ldd "$(command -v called)" | sed -n 's/.* => \(.*libc.so.6\) .*/\1/p');
	mkdir lib; cp "$libc" lib/libc.so.6; printf 'b\na b\nc\n' >text;
	echo 'sort text | sed s/a/A/ | tr b B; printf "%s %d %c\n" x 7 y;
	awk "{ n += length } END { print n, substr(\"abc\", 2) }" text' >load;
	LC_ALL=C sh load >plain; dt stat --force --by none "uprobe:$PWD/lib/libc.so.6:*" \
	-- env LC_ALL=C LD_LIBRARY_PATH=$PWD/lib sh -c 'exec >probed; . ./load' >o;
	diff plain probed && grep -c '^ *[1-9][0-9][0-9]' o
OUT	^1$
ERR	^dt: [0-9]+ functions of 'uprobe:.*:\*' cannot be probed: it only selects the function that is then called in its place; probe that one: libc.so.6:[a-z_]+, .* and [0-9]+ more$
ERR	events, none lost

NAME	10,000 functions at once are all hit
NEEDS	root uprobe_multi cc full
TIMEOUT	600
RUN	i=0; while [ $i -lt 10000 ]; do echo "int f$i(int a) { return a + $i; }";
	i=$((i + 1)); done >many.c; { echo 'int main(void) { int a = 0;';
	sed 's/int \(f[0-9]*\).*/a = \1(a);/' many.c; echo 'return a == 0; }'; } >main.c;
	cat many.c main.c >all.c; cc -O0 -o many all.c;
	dt stat -j --force "uprobe:$PWD/many:f[0-9]*:entry" -- ./many >rows;
	wc -l <rows; grep -c '"count":1[,}]' rows;
	dt stat --force --by none "uprobe:$PWD/many:f[0-9]*:return" -- ./many
OUT	^1000[0-9]$
OUT	^10000$
OUT	^ +10000 +
ERR	^dt: 10000 events, none lost$

NAME	a file that is replaced or changed ends the recording with a note
NEEDS	root uprobe
TIMEOUT	120
RUN	cp "$(command -v called)" mine; cp mine new; dt record \
	"uprobe:$PWD/mine:called_add" -- sh -c 'mv new mine; exec sleep 5'
STATUS	1
ERR	dtd stopped the recording: mine was changed or replaced while it was probed$
RUN	dt record "uprobe:$PWD/mine:called_add:entry" -- \
	sh -c 'echo >>mine; exec sleep 5'
STATUS	1
ERR	dtd stopped the recording: mine was changed or replaced while it was probed$

NAME	TRACE_OWN: a client probes what it may read, and sees its own processes
NEEDS	root nonroot uprobe setpriv
SERVICE	allow = trace-own to user 65534
	trace-own-despite-lsm = yes
RUN	cp "$(command -v called)" mine; chmod 755 mine .; cp mine secret; chmod 700 secret;
	me="setpriv --reuid=65534 --regid=65534 --clear-groups"; p=$PWD;
	(while :; do ./mine calls 10; done) & loop=$!;
	$me dt stat "uprobe:$p/mine:called_add:entry" -- "$p/mine" calls 25;
	kill $loop; $me dt list "uprobe:$p/secret:called_add"
STATUS	1
OUT	^ +25 .* uprobe:mine:called_add:entry$
ERR	secret: Permission denied

# Below an overlay there may be FUSE, which its files do not show.
NAME	TRACE_OWN: an overlay that root mounted is probed, one of a user namespace is not
NEEDS	root nonroot userns uprobe setpriv unshare mounts overlay
SERVICE	allow = trace-own to user 65534
	trace-own-despite-lsm = yes
RUN	chmod 755 .; mkdir -m 755 a b over; cp "$(command -v called)" a/mine; chmod 755 a/mine;
	me="setpriv --reuid=65534 --regid=65534 --clear-groups"; p=$PWD/over/mine;
	o="-t overlay o -o lowerdir=$PWD/a:$PWD/b $PWD/over"; mount $o;
	$me dt stat uprobe:$p:called_add:entry -- $p calls 25; umount -l over; mkfifo held;
	chmod 644 held; $me unshare -Urm sh -c "mount $o && echo; exec sleep 1000" >held & exec 3<held;
	read -r mounted <&3; $me dt list "uprobe:/proc/$!/root$p:called_add"; s=$?; kill $!; exit $s
STATUS	1
OUT	^ +25 .* uprobe:mine:called_add:entry$
ERR	a process serves its file system \(FUSE\), or may do so below an overlay that root has not

# Each dt has a daemon of its own, so the second one reads the file while the
# first one's breakpoint is in its mappings.
NAME	a function that another tracer has probed already can be probed
NEEDS	root uprobe
RUN	dt stat uprobe:libc:getaddrinfo:entry -- dt stat -j --by comm \
	uprobe:libc:getaddrinfo:entry -- getent ahosts localhost
OUT	^\{"comm":"getent","count":1\}$
