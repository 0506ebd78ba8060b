# SPDX-License-Identifier: ISC
# The scripts of share/dt/tools about disks, each on a load whose results are
# known.

# /proc/diskstats has the finished requests of all devices: fields 1, 5, 12 and
# 17 after the name.
NAME	block-sizes has the requests of a program, block-latency no more than all
NEEDS	root tp_btf tracefs loop jq
RUN	cp /bin/dd dtdd; truncate -s 4M image; loop=$(losetup -f --show image);
	trap 'losetup -d $loop' EXIT; l="./dtdd if=$loop of=/dev/null bs=4k count=50
	iflag=direct"; n() { awk '{ n += $4 + $8 + $15 + $19 } END { print n }' \
	/proc/diskstats; }; dt run block-sizes -j -o o -- $l 2>e;
	jq -r '.data["@bytes"].dtdd[] | "\(.min) \(.count)"' o; a=$(n);
	dt run block-latency -j -o p -- $l 2>e; b=$(n); cat p >&2;
	jq --argjson n $((b - a)) '.data["@us"] | [.[].count] | add |
	. >= 50, . <= $n' p
EXPECT	4096 50 true true

NAME	block-latency has the 20 ms that a device takes
NEEDS	root tp_btf tracefs jq guest
RUN	modprobe -d "$DT_VM_MODULES" \
	null_blk irqmode=2 completion_nsec=20000000 gb=1;
	dt run block-latency -j -o o -- dd if=/dev/nullb0 of=/dev/null bs=4k count=10 \
	iflag=direct; rmmod null_blk; cat o;
	jq '.data["@us"] | [.[] | select(.min >= 16384) | .count] | add >= 10' o
OUT	^true$

# The file of the loop device is in a file system of 1 MB, and has holes.
NAME	block-errors prints device, sector, kind and errno of a failed write, as perf
NEEDS	root tp_btf tracefs loop mounts perf
RUN	mkdir m; mount -t tmpfs -o size=1M none m; truncate -s 8M m/image;
	loop=$(losetup -f --show m/image); dt run block-errors -o o -- perf record -q -a \
	-o p -e block:block_rq_complete --filter 'error != 0' dd \
	if=/dev/zero of=$loop bs=64k count=40 oflag=direct 2>e; cat e >&2;
	echo device $(($(stat -c 0x%t $loop))):$(($(stat -c 0x%T $loop)));
	losetup -d $loop; umount m; cat o; perf script -i p -F trace 2>>e |
	sed -nE 's/^ *([0-9]+),([0-9]+) ([A-Z]+) [(].*[)] ([0-9]+) [+] ([0-9]+) .*\[-?([0-9]+)\]$/\1:\2 \4 \5 \3 \6/p' \
	>peer; awk 'NR > 1 { print $2, $3, $4, $5, $6 }' o >dt; diff dt peer && wc -l <dt
STATUS	0
OUT	^TIME +DEVICE +SECTOR +SECTORS +KIND +ERRNO$
OUT	^[0-9:]+ +7:[0-9]+ +[0-9]+ +128 +W[A-Z]* +28$
OUT	^[1-9][0-9]*$
NOOUT	^[<>]
