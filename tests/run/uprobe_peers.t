# SPDX-License-Identifier: ISC
# Functions of user programs: counts next to those of other tools in the same
# run, programs of other languages, and what remains after a daemon is killed.

# A run for each peer: perf misses hits of a program that bpftrace has started.
NAME	counts are those of the program, and of bpftrace or perf in the same run
NEEDS	root uprobe bpftrace tracefs perf
TIMEOUT	300
RUN	p=$(command -v called); echo 'bpftrace -e "uprobe:$1:called_byte
	{ @n = count(); }" -c "$1 threads 1500" >b' >load;
	dt stat "uprobe:$p:called_byte:entry" -- sh load "$p"; cat b
OUT	^ +6000 .* uprobe:called:called_byte:entry$
OUT	^@n: 6000$
RUN	p=$(command -v called); perf probe -q -x "$p" dtcalls=called_byte ||
	exit; trap 'perf probe -q -d "*:dtcalls*"' EXIT;
	event=$(perf probe -l | sed -n 's/^ *\([^ ]*:dtcalls\) .*/\1/p');
	dt stat "uprobe:$p:called_byte:entry" -- perf stat -x , -o p -e "$event" -- \
	"$p" threads 1500; sed -n 's/^\([0-9]*\),.*/perf \1/p' p
OUT	^ +6000 .* uprobe:called:called_byte:entry$
OUT	^perf 6000$

NAME	counts of returns are those of the program, and of bpftrace or perf in the same run
NEEDS	root uprobe bpftrace tracefs perf
TIMEOUT	300
RUN	p=$(command -v called); echo 'b() { bpftrace -e "uretprobe:$p:$1 { @$1 = count(); }" \
	-c "$p $2 $3"; }; b called_byte threads 1500; b called_deep deep 40;
	b called_name names 700' >load; export p;
	dt stat "uprobe:$p:called_byte:return" "uprobe:$p:called_deep:return" \
	"uprobe:$p:called_name:return" -- sh load
OUT	^ +6000 .* uprobe:called:called_byte:return$
OUT	^ +41 .* uprobe:called:called_deep:return$
OUT	^ +700 .* uprobe:called:called_name:return$
OUT	^@called_byte: 6000$
OUT	^@called_deep: 41$
OUT	^@called_name: 700$
RUN	p=$(command -v called); perf probe -q -x "$p" dtrets=called_byte%return ||
	exit; trap 'perf probe -q -d "*:dtrets*"' EXIT;
	event=$(perf probe -l | sed -n 's/^ *\([^ ]*:dtrets[^ ]*\) .*/\1/p');
	dt stat "uprobe:$p:called_byte:return" -- perf stat -x , -o p -e "$event" -- \
	"$p" threads 1500; sed -n 's/^\([0-9]*\),.*/perf \1/p' p
OUT	^ +6000 .* uprobe:called:called_byte:return$
OUT	^perf 6000$

# A function that enlarges its stack begins again: 404 calls of grow, and more hits.
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
	'for i := 0; i < 4; i++ { s += <-c }; fmt.Println("sum", s)
	func() { defer func() { recover() }(); fail(s) }() }' \
	'//go:noinline' 'func fail(n int) { panic(n) }' >twice.go;
	go build -o twice twice.go && dt stat "uprobe:$PWD/twice:main.twice:entry" \
	"uprobe:$PWD/twice:main.twice:return" "uprobe:$PWD/twice:main.grow" -- ./twice
OUT	^ +10000 .* uprobe:twice:main.twice:entry$
OUT	^ +10000 .* uprobe:twice:main.twice:return$
OUT	^ +4[0-9]{2} .* uprobe:twice:main.grow$
OUT	^sum [0-9]+$
ERR	events, none lost$
RUN	dt stat "uprobe:$PWD/twice:main.fail:return" -- ./twice
STATUS	1
ERR	main.fail:return: it has no return instruction, and a return probe would break Go programs$

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
OUT	^ +500 .* uprobe:pick:pick::pick$
OUT	^ +450 .* uprobe:pick:pick::pick:return$
OUT	^caught 50$
ERR	^dt: 950 events, none lost$

NAME	nothing stays attached after the daemon of a service, or a client, is killed
NEEDS	root uprobe bpftool mounts
RUN	cp "$(command -v called)" mine; echo "directory = $T/run" >c; p=$PWD;
	links() { sed -n 's/^link_id:[^0-9]*//p' /proc/$1/fdinfo/* 2>/dev/null; };
	left() { n=0; for id in $*; do bpftool link show id $id >/dev/null 2>&1 &&
	n=$((n + 1)); done; echo $n; };
	try() { dt stat "uprobe:$p/mine:called_add" >o 2>&1 & k=$!; i=0;
	until [ -n "$(links $d)" ] || [ $i -gt 300 ]; do sleep 0.1; i=$((i + 1)); done;
	l=$(links $d); [ "$(left $l)" -gt 0 ] && echo attached; eval kill -9 $1;
	wait $k; i=0; until [ "$(left $l)" = 0 ] || [ $i -gt 300 ]; do sleep 0.1;
	i=$((i + 1)); done; echo "left $(left $l)"; ./mine calls 3 && echo runs; };
	dtd -c c & d=$!; until [ -S run/dt ]; do sleep 0.02; done; try '$k'; try '$d'
EXPECT	attached left 0 runs attached left 0 runs
