# SPDX-License-Identifier: ISC
# Functions of user programs: counts next to those of other tools in the same
# run, programs of other languages, and what remains after a daemon is killed.

NAME	counts are those of the program, of bpftrace and of perf in the same run
NEEDS	root uprobe bpftrace tracefs perf
TIMEOUT	300
RUN	p=$(command -v called); perf probe -q -x "$p" dtcalls=called_byte ||
	exit; trap 'perf probe -q -d "*:dtcalls*"' EXIT;
	event=$(perf probe -l | sed -n 's/^ *\([^ ]*:dtcalls\) .*/\1/p');
	dt stat -o rows "uprobe:$p:called_byte:entry" -- perf stat -x , -o perf \
	-e "$event" -- bpftrace -e "uprobe:$p:called_byte { @n = count(); }" \
	-c "$p threads 1500" >bpftrace; cat rows bpftrace;
	sed -n 's/^\([0-9]*\),.*/perf \1/p' perf
OUT	^ +6000 .* uprobe:called:called_byte:entry$
OUT	^@n: 6000$
OUT	^perf 6000$

NAME	functions of a Go program, whose returns are RET instructions
NEEDS	root uprobe go full
TIMEOUT	300
RUN	export HOME=$PWD GOCACHE=$PWD/cache GOFLAGS=-mod=mod GO111MODULE=off;
	printf '%s\n' 'package main' 'import "fmt"' '//go:noinline' \
	'func twice(n int) int { if n == 7 { return 1 }; return 2 * n }' \
	'func grow(n int) int { var a [512]int; if n > 0 { a[n] = grow(n - 1) };
	return a[n] + 1 }' 'func main() { s := 0; c := make(chan int)' \
	'for i := 0; i < 4; i++ { go func() { t := 0;
	for j := 0; j < 2500; j++ { t += twice(j) }; c <- t + grow(100) }() }' \
	'for i := 0; i < 4; i++ { s += <-c }; fmt.Println("sum", s) }' >twice.go;
	go build -o twice twice.go && dt stat "uprobe:$PWD/twice:main.twice:entry" \
	"uprobe:$PWD/twice:main.twice:return" "uprobe:$PWD/twice:main.grow" -- ./twice
OUT	^ +10000 .* uprobe:twice:main.twice:entry$
OUT	^ +10000 .* uprobe:twice:main.twice:return$
OUT	^ +404 .* uprobe:twice:main.grow:entry$
OUT	^sum [0-9]+$
ERR	events, none lost$

NAME	functions of a Rust program, through panics
NEEDS	root uprobe rustc full
TIMEOUT	300
RUN	printf '%s\n' '#[inline(never)]' \
	'fn pick(n: u32) -> u32 { if n % 10 == 9 { panic!("nine") }; n + 1 }' \
	'fn main() { std::panic::set_hook(Box::new(|_| {}));' \
	'let mut caught = 0; for i in 0..500 {' \
	'if std::panic::catch_unwind(|| pick(i)).is_err() { caught += 1 } }' \
	'println!("caught {}", caught); }' >pick.rs && rustc -g -o pick pick.rs &&
	dt stat "uprobe:$PWD/pick:pick::pick" "uprobe:$PWD/pick:pick::pick:return" \
	-- ./pick
OUT	^ +500 .* uprobe:pick:pick::pick:entry$
OUT	^ +450 .* uprobe:pick:pick::pick:return$
OUT	^caught 50$
ERR	^dt: 950 events, none lost$

NAME	nothing stays attached after the daemon of a service is killed
NEEDS	root uprobe bpftool mounts
RUN	cp "$(command -v called)" mine; echo "directory = $T/run" >c; p=$PWD;
	left() { bpftool link show -j | grep -c "$p/mine"; };
	wait_left() { i=0; while { [ $1 = 0 ] && [ "$(left)" != 0 ]; } ||
	{ [ $1 != 0 ] && [ "$(left)" = 0 ]; }; do sleep 0.1; i=$((i + 1));
	[ $i -lt 200 ] || break; done; echo "left $(left)"; };
	dtd -c c & d=$!; until [ -S run/dt ]; do sleep 0.02; done;
	dt stat "uprobe:$p/mine:called_add" >out 2>&1 & c=$!;
	wait_left 1; kill -9 $d; wait $d; wait $c; echo "status $?"; wait_left 0;
	./mine calls 3 && echo runs
OUT	^left [1-9]
OUT	^status 1$
OUT	^left 0$
OUT	^runs$
