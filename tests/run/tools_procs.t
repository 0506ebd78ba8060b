# SPDX-License-Identifier: ISC
# The scripts of share/dt/tools about processes and their calls, each on a load
# whose results are known, next to another tool on the same run.

NAME	program-args prints arguments, caller and errno, as strace
NEEDS	root tp_btf strace python3
RUN	py=$(python3 -c 'import sys; print(sys.executable)');
	dt run program-args -- strace -f -qq -o s -e trace=/^exec sh -c '
	/bin/true "a  b" c; ./none d; '$py' -c "import os, threading as t; \
	t.Thread(target=lambda: os.execv(\"/bin/true\", [\"thread\", \"e\"])).start()";
	exec /bin/true f' >o 2>e; cat o; grep -c 'execve("' s >peer;
	echo $(($(grep -cE '^[0-9]+:[0-9]+:' o) - 1)) >dt; diff dt peer
OUT	^TIME +PID +PPID +CALLER +ERRNO ARGUMENTS$
OUT	^[0-9:]+ +[0-9]+ +[0-9]+ +sh +0 +/bin/true a  b c$
OUT	^[0-9:]+ +[0-9]+ +[0-9]+ +sh +2 +\./none d$
OUT	^[0-9:]+ +[0-9]+ +[0-9]+ +python[0-9.]* +0 +thread e$
OUT	^[0-9:]+ +[0-9]+ +[0-9]+ +sh +0 +/bin/true f$
NOOUT	^[<>]

NAME	exit-codes prints the codes that strace prints, none for 0 and signals
NEEDS	root tp_btf strace
RUN	dt run exit-codes -- strace -f -q -o s -e trace=none sh -c '
	(exit 3); /bin/false; /bin/true; sh -c "kill -9 \$\$"; exit 0' >o 2>e; cat o;
	sed -nE 's/^([0-9]+) .* exited with ([1-9][0-9]*) .*/\1 \2/p' s | sort >peer;
	awk 'NR > 1 { print $2, $4 }' o | sort >dt; diff dt peer
OUT	^TIME +PID +PROGRAM +CODE$
OUT	^[0-9:]+ +[0-9]+ +sh +3$
OUT	^[0-9:]+ +[0-9]+ +false +1$
NOOUT	true
NOOUT	^[<>]

NAME	identities prints the calls as strace does
NEEDS	root tp_btf strace python3
RUN	py=$(python3 -c 'import sys; print(sys.executable)'); dt run identities -- strace -f -qq -o s -e trace=/^set.*uid $py -c '
	import ctypes, os
	ctypes.CDLL(None).setfsuid(7)
	os.setreuid(-1, 1001); os.setreuid(-1, 0); os.setresuid(1002, 1003, -1)
	try: os.setuid(5)
	except OSError: pass' >o; sed -nE 's/^([0-9]+) +(.*[)]) += -?[0-9]+( .*)?$/\1 \2/p' s \
	>peer; awk 'NR > 1 { p = $2; $1 = $2 = $3 = $4 = $5 = ""; sub(/^ +/, "");
	print p, $0 }' o >dt; diff dt peer; awk '{ $1 = $2 = ""; print }' o
OUT	^ +PROGRAM UID ERRNO CALL$
OUT	^ +python[0-9.]* 0 0 setfsuid\(7\)$
OUT	^ +python[0-9.]* 0 0 setreuid\(-1, 1001\)$
OUT	^ +python[0-9.]* 0 0 setresuid\(1002, 1003, -1\)$
OUT	^ +python[0-9.]* 1002 1 setuid\(5\)$
NOOUT	^[<>]

NAME	threads prints the numbers of new threads, and no processes
NEEDS	root tp_btf tracefs python3
RUN	dt run threads -- python3 -c '
	import os, threading
	def f(): print(threading.get_native_id(), file=own)
	own = open("truth", "w")
	for i in range(3): t = threading.Thread(target=f); t.start(); t.join()
	if os.fork() == 0: os._exit(0)
	os.wait()' >o; awk '/^[0-9]+:/ { print $4 }' o >dt; diff dt truth; wc -l <dt; cat o
OUT	^3$
OUT	^TIME +PID +PROGRAM +NEW THREAD$
OUT	^[0-9:]+ +[0-9]+ +python[0-9.]* +[0-9]+$
NOOUT	^[<>]

# strace traces a strace, which traces true.
NAME	ptraces counts the calls that strace prints, by traced process
NEEDS	root tp_btf strace
RUN	dt run ptraces -- strace -qq -o s -e trace=ptrace,process_vm_readv sh -c \
	'echo $$ >pid; exec strace -qq -o none /bin/true' >o; pid=$(cat pid); cat o;
	sed -nE "s/^@ptrace\[strace, $pid, ([0-9]+)\]: ([0-9]+)/ptrace \1 \2/p;
	s/^@reads\[strace, $pid, ([0-9]+)\]: ([0-9]+)/process_vm_readv \1 \2/p" o |
	sort >dt; sed -nE -e '/TRACEME/d' -e 's/^ptrace[(][A-Z_0-9]*, ([0-9]+).*/ptrace \1/p' \
	-e 's/^(process_vm_readv)[(]([0-9]+),.*/\1 \2/p' s | sort | uniq -c |
	awk '{ print $2, $3, $1 }' | sort >peer; diff dt peer && wc -l <peer
OUT	^[2-9]$
NOOUT	^[<>]

NAME	memory-growth sums the bytes that strace prints
NEEDS	root tp_btf strace python3
RUN	py=$(python3 -c 'import sys; print(sys.executable)'); dt run memory-growth -- strace -f -qq -o s -e trace=mmap,munmap,brk $py -c '
	import mmap, os
	m = mmap.mmap(-1, 9 << 20); m.close(); b = [str(i) * 100 for i in range(99999)]
	if os.fork() == 0: os._exit(0)
	os.wait()' >o; awk '
	$2 ~ /^mmap/ && /ANONYMOUS/ { sub(/,$/, "", $3); m["mapped " $1] += $3 }
	$2 ~ /^munmap/ { gsub(/[^0-9]/, "", $3); m["unmapped " $1] += $3 }
	$2 ~ /^brk/ { e = $NF; cmd = "echo $((" e "))"; cmd | getline v; close(cmd);
	if ($2 !~ /NULL/) m["heap " $1] += v - end[$1]; end[$1] = v }
	END { for (i in m) print i, m[i] }' s | sort >peer;
	sed -nE 's/^@([a-z]+)\[python[0-9.]*, ([0-9]+)\]: /\1 \2 /p' o | sort >dt;
	diff dt peer; awk '$3 >= 9437184 { print $1, "9M" }' dt
OUT	^mapped 9M$
OUT	^unmapped 9M$
OUT	^heap 9M$
NOOUT	^[<>]

# Other rows are those of the C library itself: a thread, a buffer of printf().
NAME	memory-leaks prints the blocks that a program and mtrace(3) know, by stack
NEEDS	root uprobe
RUN	dt run memory-leaks -o o -- leaky >truth; cat o; grep -v ' 0 0$' truth | sort >left;
	awk '/ bytes in .* from$/ { b = $1; n = $4; next } b && $1 ~ /^leaky_/ {
	bytes[$1] += b; blocks[$1] += n } { b = 0 }
	END { for (f in bytes) print f, bytes[f], blocks[f] }' o | sort >dt; diff dt left;
	wc -l <dt; MALLOC_TRACE=m LD_PRELOAD=libc_malloc_debug.so.0 leaky >none;
	sed -nE 's/^@ .*[(](leaky_[a-z]+).* [+>] 0x([0-9a-f]+) 0x([0-9a-f]+)$/+ \1 \2 \3/p;
	s/^@ .* [-<] 0x([0-9a-f]+)$/- \1/p' m | while read -r op f at n; do case $op in
	+) echo "+ $at $f $((0x$n))" ;; *) echo "- $f" ;; esac; done |
	awk '$1 == "+" { f[$2] = $3; n[$2] = $4 } $1 == "-" { delete f[$2] }
	END { for (i in f) { bytes[f[i]] += n[i]; blocks[f[i]]++ }
	for (i in bytes) print i, bytes[i], blocks[i] }' | sort >peer; diff dt peer;
	awk '/ from$/ { if (last != "" && $1 > last) print "WRONG order"; last = $1;
	b += $1; n += $4 } NR == 1 { all = $0 } END { print (all == b " bytes in " n " blocks") }' o
OUT	^5$
OUT	^40000 bytes in 1 blocks from$
OUT	^12000 bytes in 4 blocks from$
OUT	^7021 bytes in 7 blocks from$
OUT	^ +leaky_calloc.*$
OUT	^1$
NOOUT	^[<>]
NOOUT	WRONG
RUN	dt run memory-leaks 2 --comm leaky -- sh -c 'leaky; :' | grep -E ' from$|bytes'
OUT	^40000 bytes in 1 blocks from$
OUT	^12000 bytes in 4 blocks from$
NOOUT	^7021

NAME	sleeps counts the sleeps of a program, with their time
NEEDS	root tp_btf jq strace
RUN	cp /bin/sleep dtsleep; dt run sleeps -j -- strace -f -T -qq -o s \
	-e trace=nanosleep,clock_nanosleep sh -c 'for i in 1 2 3 4; do ./dtsleep 0.05; done' >o;
	us=$(sed -nE 's/.*nanosleep.*<([0-9.]+)>$/\1/p' s | awk '{ s += $1; n++ }
	END { print n == 4 ? s * 1000000 : 0 }'); jq --argjson us $us '.data["@us"].dtsleep |
	.count, (.average >= 50000 and .average < 2000000),
	(.total / .count | floor) == .average, .total <= $us' o
EXPECT	4 true true true

NAME	lock-waits has the wait for a lock that is held for 0.1 s, and strace's calls
NEEDS	root tp_btf python3 jq strace
RUN	dt run lock-waits -j -- strace -f -qq -o s -e trace=futex python3 -c '
	import threading, time
	open("/proc/self/comm", "w").write("dtlock")
	l = threading.Lock(); l.acquire()
	t = threading.Thread(target=l.acquire); t.start(); time.sleep(.1)
	l.release(); t.join()' >o; jq '.data["@us"] | [to_entries[] |
	select(.key | startswith("dtlock")) | .value[] | select(.min >= 65536)] |
	map(.count) | add >= 1' o; jq --argjson n $(grep -cE 'futex.* = ' s) '.data["@us"] |
	[to_entries[] | select(.key | startswith("strace") | not) | .value[].count] |
	add == $n' o
EXPECT	true true

# The rows of strace itself have the name of strace.
NAME	syscall-errors has the errors that strace counts
NEEDS	root tp_btf strace
RUN	dt run syscall-errors -- strace -f -qq -c -o s sh -c '
	cat none; cat none2; ls none3; rmdir .; :' >o 2>e;
	awk '/^ *[0-9.]+ / && NF == 6 && $6 != "total" { print $6, $5 }' s | sort >peer;
	sed -nE '/^@failed\[strace,/d; s/^@failed\[[^,]*, ([a-z0-9_]+), [0-9]+\]: /\1 /p' \
	o | awk '{ n[$1] += $2 } END { for (i in n) print i, n[i] }' | sort >dt;
	diff dt peer; cat o
OUT	^@failed\[cat, openat, 2\]: [2-9]
OUT	^@failed\[rmdir, rmdir, 22\]: 1$
NOOUT	^[<>]

NAME	syscall-counts and switches count what perf counts
NEEDS	root tp_btf tracefs perf
RUN	dt run syscall-counts -- perf stat -x, -o p -e raw_syscalls:sys_enter -- ask \
	call getppid 1000 >o; dt run switches -- perf stat -x, -o q -e \
	sched:sched_switch -- ask call nanosleep 50 args=@nsecs:70000 >o2;
	dt=$(sed -n 's/^@calls\[ask\]: //p' o) peer=$(sed -n 's/^\([0-9]*\),.*/\1/p' p);
	echo $((dt - peer)) $((dt >= 1000)); dt=$(sed -n 's/^@switches\[ask\]: //p' o2)
	peer=$(sed -n 's/^\([0-9]*\),.*/\1/p' q); echo $((dt - peer)) $((dt >= 50))
OUT	^0 1$
OUT	^[0-2] 1$
