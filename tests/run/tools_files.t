# SPDX-License-Identifier: ISC
# The scripts of share/dt/tools about files, each on a load whose results are
# known, next to strace(1) on the same run.

NAME	renames prints old and new name and errno, as strace
NEEDS	root tp_btf strace
RUN	touch a; dt run renames -- strace -f -qq -o s -e trace=/^rename sh -c '
	mv a b; mv b "c d"; perl -e "rename qq{none}, qq{x}"' >o;
	sed -nE 's/^([0-9]+) .*"(.*)".*"(.*)".* = (-?[0-9]+).*/\1 \4 \2 -> \3/p' s \
	>peer; awk 'NR > 1 { r = $3 ? -1 : 0; p = $1; $1 = $2 = $3 = "";
	sub(/^ +/, ""); print p, r, $0 }' o >dt; diff dt peer && cat o
OUT	^PID +PROGRAM +ERRNO OLD NAME -> NEW NAME$
OUT	^[0-9]+ +mv +0 +a -> b$
OUT	^[0-9]+ +mv +0 +b -> c d$
OUT	^[0-9]+ +perl +2 +none -> x$

NAME	permissions prints mode, errno and file of each kind of call, as strace
NEEDS	root tp_btf strace python3
RUN	touch a; dt run permissions -- strace -f -qq -o s -e trace=/chmod sh -c '
	chmod 600 a; python3 -c "
	import os
	f = os.open(\"a\", 0); os.fchmod(f, 0o4755); os.chmod(\"a\", 0o7)
	try: os.chmod(\"none\", 0o640)
	except OSError: pass"' >o;
	sed -nE 's/^([0-9]+) .*"(.*)", 0*([0-7]+).* = (-?[0-9]+).*/\1 \3 \4 \2/p;
	s/^([0-9]+) +fchmod[(]([0-9]+), 0*([0-7]+)[)].* = (-?[0-9]+).*/\1 \3 \4 descriptor \2/p' \
	s >peer; awk 'NR > 1 { r = $4 ? -1 : 0; sub(/^0*/, "", $3);
	print $1, $3, r, $5 ($6 != "" ? " " $6 : "") }' o >dt; diff dt peer && cat o
OUT	^PID +PROGRAM +MODE ERRNO FILE$
OUT	^[0-9]+ +chmod +0600 0 +a$
OUT	^[0-9]+ +python.* +4755 0 +descriptor [0-9]+$
OUT	^[0-9]+ +python.* +0007 0 +a$
OUT	^[0-9]+ +python.* +0640 2 +none$

# The histograms of strace's lines: the bucket of n begins with the power of two.
NAME	read-sizes and write-sizes have the bytes of the calls that strace prints
NEEDS	root tp_btf strace jq
RUN	cp /bin/dd dtdd; l='./dtdd if=/dev/zero of=/dev/null bs=3000 count=20';
	hist() { awk '{ n = $1; b = n == 0 ? 0 : 1; while (b > 0 && b * 2 <= n) b *= 2;
	h[b]++ } END { for (b in h) print b, h[b] }' | sort; };
	ours() { jq -r '.data["@bytes"].dtdd[]? | select(.count > 0) |
	"\(.min // 0) \(.count)"' | sort; };
	dt run read-sizes -j -- strace -qq -o r -e trace=read,pread64 $l 2>e | ours >dt;
	sed -n 's/.* = \([0-9][0-9]*\)$/\1/p' r | hist >peer; diff dt peer;
	dt run write-sizes -j -- strace -qq -o w -e trace=write,pwrite64 $l 2>e |
	ours >dt2; sed -nE 's/.*, ([0-9]+)[)] += [0-9]+$/\1/p' w | hist >peer2;
	diff dt2 peer2; grep '^2048 ' dt dt2
OUT	^dt:2048 20$
OUT	^dt2:2048 20$
NOOUT	^[<>]

# One open waits for 0.2 s, until the FIFO has a writer.
NAME	file-open-latency counts the opens that strace prints, and has the slow one
NEEDS	root tp_btf strace jq
RUN	mkfifo f; cp /bin/cat dtcat; dt run file-open-latency -j -o o -- strace -f \
	-qq -o s -e trace=/^open,execve sh -c '{ sleep 0.2; echo x >f; } &
	exec ./dtcat none f' >e 2>&1; jq '.data["@us"].dtcat | [.[].count] | add' o >dt;
	awk '/execve.*dtcat/ { p = $1; n = 0 } $1 == p && /open[^ ]*[(]/ { n++ }
	END { print n }' s >peer; diff dt peer;
	jq '.data["@us"].dtcat | map(select(.min >= 65536)) | map(.count) | add' o
STATUS	0
EXPECT	1

NAME	sync-latency prints the calls of strace, and no more time than strace
NEEDS	root tp_btf strace
RUN	echo x >f; dt run sync-latency -- strace -f -qq -T -o s -e trace=/sync sh -c '
	sync f; sync -d f; sync -f /proc' >o; cat o;
	sed -nE 's/^([0-9]+) +([a-z]+)[(].* = 0 <([0-9.]+)>$/\1 \2 \3/p' s >peer;
	awk 'NR > 1 { print $1, $3, $4 }' o | paste -d ' ' - peer | awk '
	$1 == $4 && $2 == $5 && $3 >= 0 && $3 <= $6 * 1000000 { n++ }
	END { print n, "equal" }'; wc -l <peer
OUT	^PID +PROGRAM +CALL +US$
OUT	^[0-9]+ +sync +fsync +[0-9]+$
OUT	^[0-9]+ +sync +fdatasync +[0-9]+$
OUT	^[0-9]+ +sync +syncfs +[0-9]+$
OUT	^3 equal$
OUT	^3$

# The pages of a device that nobody has read before.
NAME	cache-misses counts the pages of a file that is not in memory
NEEDS	root tp_btf tracefs loop
RUN	cp /bin/dd dtdd; truncate -s 4M image; loop=$(losetup -f --show image);
	trap 'losetup -d $loop' EXIT; blockdev --flushbufs $loop;
	dt run cache-misses -- ./dtdd if=$loop of=/dev/null bs=64k 2>e;
	dt run cache-misses -- ./dtdd if=$loop of=/dev/null bs=64k 2>e
OUT	^@pages\[dtdd\]: 10[2-9][0-9]$

# The program looks, before it reads, which pages are in memory.  Each page that
# is not is added when it is read, or before, which perf counts.  A disk that
# nobody has open loses its pages.
NAME	cache-hits counts the pages that were in memory, and those that were not
NEEDS	root tp_btf tracefs kprobe jq perf
RUN	[ -e /dev/loop-control ] || modprobe -d "$DT_VM_MODULES" loop || exit 8;
	truncate -s 4M image; loop=$(losetup -f --show image); exec 9<$loop;
	trap 'exec 9<&-; losetup -d $loop' EXIT; blockdev --flushbufs $loop;
	n() { echo $(cat t) $(jq -s 'map(.data["@hits"]?.reader // empty)[]' o) \
	$(jq -s 'map(.data["@misses"]?.reader // empty)[]' o); };
	for i in 1 2; do dt run cache-hits -j -o o -- perf stat -x, -o p -e \
	filemap:mm_filemap_add_to_page_cache readpages $loop 65536 65536 >t; cat t o p >&2; n;
	sed -n 's/^\([0-9][0-9]*\),.*/\1/p' p | awk '{ print ($1 >= 1024), "added" }'; done
EXPECT	0 1024 0 1024 1 added 1024 0 1024 0 0 added
RUN	truncate -s 4M image; loop=$(losetup -f --show image); exec 9<$loop;
	trap 'exec 9<&-; losetup -d $loop' EXIT;
	for s in '4096 1000000' '100 300000' '5000 9000' '1000000 1500000' '4194304 4194304';
	do case $s in 4*) blockdev --flushbufs $loop ;; esac; dt run cache-hits -j -o o -- readpages $loop $s >t; cat t; jq -rs '
	"\(map(.data["@hits"]?.reader // empty)[]) \(map(.data["@misses"]?.reader // empty)[])"' o;
	done | tee l >&2; awk 'NR % 2 { t = $0; h += $1; m += $2; next } $0 == t { n++ }
	END { print n, (h > 0), (m > 0) }' l
EXPECT	5 1 1
