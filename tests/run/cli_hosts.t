# SPDX-License-Identifier: ISC
# -H: a command on several machines, by sshd on this one; with_sshd makes all
# names of machines this one.

NAME	-H counts on each machine, and the host is the first key
NEEDS	root tp_btf sshd
RUN	$S/tests/run/with_sshd dt stat -H 127.0.0.1,localhost --by comm,cpu \
	syscall:getuid:entry -- ask call getuid 321
OUT	^ +COUNT +RATE/s  HOST       COMM +CPU$
OUT	^ +321 +[0-9.]+  127\.0\.0\.1  ask +[0-9]+$
OUT	^ +321 +[0-9.]+  localhost  ask +[0-9]+$
ERR	^dt: 127\.0\.0\.1: [0-9]+ events, none lost$
ERR	^dt: localhost: [0-9]+ events, none lost$
NOERR	answered

NAME	rows are ordered as on one machine: by the sum if there is one
NEEDS	root tp_btf sshd
RUN	echo 'ask call writev 50; ask call nanosleep 1 args=@nsecs:50000000' >load;
	$S/tests/run/with_sshd dt stat -H a,b --by probe --slower 0ns \
	syscall:writev syscall:nanosleep -- sh $PWD/load | awk '{ print $NF, $1 }'
EXPECT	PROBE COUNT syscall:nanosleep 1 syscall:nanosleep 1
	syscall:writev 50 syscall:writev 50

NAME	the messages of all machines follow the table
NEEDS	root tp_btf sshd perf_event
RUN	cat >all <<'END'
	dt stat -H a,b --by probe syscall:getuid:entry -- ask call getuid 3 >s 2>&1
	dt profile -H a,b --on syscall:getuid:entry -- ask call getuid 3 >p 2>&1
	END
	$S/tests/run/with_sshd sh all; for f in s p; do grep -c '^dt: [ab]:.*none lost' $f;
	sed '1,/^dt: [ab]:/d' $f | grep -vc '^dt: [ab]:'; done
STATUS	1
EXPECT	2 0 2 0

NAME	arguments arrive on another machine unchanged
NEEDS	root tp_btf sshd
RUN	cat >args <<'END'
	nl='
	'
	dt stat -H here --if 'comm == "a;touch evil" || comm != "$(touch evil)"' \
	--by probe syscall:getuid:entry -- sh -c 'for a; do printf "[%s]\n" "$a"; done' \
	sh 'a b' '$(touch evil)' '`touch evil`' ';touch evil' "it's" '"x\' '*' '' \
	"two${nl}lines" -H --ssh '!!' '\n' "$(printf '\001\377')"
	END
	$S/tests/run/with_sshd sh args | LC_ALL=C cat -v; ls evil
STATUS	2
OUT	^here: \[a b\]$
OUT	^here: \[\$\(touch evil\)\]$
OUT	^here: \[`touch evil`\]$
OUT	^here: \[;touch evil\]$
OUT	^here: \[it's\]$
OUT	^here: \["x\\\]$
OUT	^here: \[\*\]$
OUT	^here: \[\]$
OUT	^here: \[two$
OUT	^here: lines\]$
OUT	^here: \[-H\]$
OUT	^here: \[--ssh\]$
OUT	^here: \[!!\]$
OUT	^here: \[\\n\]$
OUT	^here: \[\^AM-\^\?\]$

NAME	a machine that cannot be reached is named, and the others answer
NEEDS	root tp_btf sshd
RUN	$S/tests/run/with_sshd dt stat -H dead,localhost --by comm \
	syscall:getuid:entry -- ask call getuid 12
STATUS	1
OUT	^ +12 +[0-9.]+  localhost  ask$
ERR	^dead: ssh: connect to host 127\.0\.0\.1 port 1: Connection refused
ERR	^dt: dead: ssh could not connect$
ERR	^dt: 1 of 2 hosts answered$
ERR	^dt: localhost: [0-9]+ events, none lost$

NAME	another version of dt is refused with both versions, and runs nothing
NEEDS	root tp_btf sshd
RUN	mkdir new old; printf '#!/bin/sh\necho "dt remote 99.1"; cat >/dev/null\n' >new/dt;
	printf '#!/bin/sh\necho "dt: there is no command $1" >&2; exit 2\n' >old/dt;
	chmod +x new/dt old/dt; for p in new old; do
	$S/tests/run/with_sshd -p $PWD/$p:$PATH dt stat -H here syscall:getuid -- \
	touch evil || echo $?; rm -r sshd; done; ls evil
STATUS	2
OUT	^1$
ERR	^dt: here: has dt 99\.1, and this is dt [0-9.]+; install the same version$
ERR	^dt: here: there is no command remote$
ERR	^dt: here: has another version of dt, which has no 'dt remote'

NAME	a machine without dt is named
NEEDS	root sshd
RUN	mkdir bin; ln -s /bin/sh bin; $S/tests/run/with_sshd -p $PWD/bin dt stat \
	-H here syscall:getuid
STATUS	1
ERR	^dt: here: there is no dt in the PATH of commands there$

NAME	what a shell prints when it starts does not matter
NEEDS	root tp_btf sshd
RUN	mkdir noisy; printf '#!/bin/sh\necho welcome\necho dt; echo oops >&2
	exec $B/dt "$@"\n' >noisy/dt; sed -i "s,\\\$B,$B," noisy/dt; chmod +x noisy/dt;
	$S/tests/run/with_sshd -p $PWD/noisy:$PATH dt stat -H here --by comm \
	syscall:getuid:entry -- ask call getuid 3
OUT	^ +3 +[0-9.]+  here  ask$
NOOUT	welcome
ERR	^here: oops$

NAME	JSON has the host in each object, and a ledger per host
NEEDS	root tp_btf sshd jq
RUN	$S/tests/run/with_sshd dt stat -j -H a,b syscall:getuid:entry -- ask call \
	getuid 7 >j; jq -s 'map(select(.ledger)) | map(.host + " " +
	(.ledger.read | tostring)) | sort | .[]' -r j; jq -s 'map(select(.count and
	.comm == "ask")) | map("\(.host) \(.count)") | sort | .[]' -r j
EXPECT	a 7 b 7 a 7 b 7
RUN	jq -e 'keys_unsorted[0] == "host"' j | sort -u; rm -r sshd;
	$S/tests/run/with_sshd dt record -j -H root@b syscall:getuid:entry -- ask call \
	getuid 2 | jq -r .host | sort -u
EXPECT	true root@b

NAME	intervals of all machines are one table each
NEEDS	root tp_btf sshd
RUN	$S/tests/run/with_sshd dt stat -i 0.3 -d 1 -H a,b --by comm --comm ask \
	syscall:getuid:entry -- ask until $PWD/done call getuid 1 >o & until
	grep -qs 'of 2 hosts' o; do sleep 0.05; done; touch done; wait $!; cat o
OUT	^[0-9:.]+  [0-9.]+ s, [0-9]+ events of 2 hosts$
OUT	^ +COUNT +RATE/s  HOST  COMM$
OUT	^ +[0-9]+ +[0-9.]+  a     ask$
OUT	^ +[0-9]+ +[0-9.]+  b     ask$

NAME	histograms and stacks are below their host
NEEDS	root tp_btf sshd
RUN	cat >all <<'END'
	dt stat -H a,b --hist --by comm syscall:nanosleep -- ask call nanosleep 3 args=@nsecs:10000
	dt stat -H a,b --by comm,kstack syscall:getuid:entry -- ask call getuid 3
	END
	$S/tests/run/with_sshd sh all
OUT	^HOST a  COMM ask$
OUT	^HOST b  COMM ask$
OUT	^  duration: 3 values, mean
OUT	^ +3 +[0-9.]+  a     ask$

NAME	syscalls has a row per host and call, and -o is a file here
NEEDS	root tp_btf sshd
RUN	$S/tests/run/with_sshd dt syscalls -P -H a,b -o o -- ask call getuid 9
NOOUT	.
RUN	cat o
OUT	^ +CALLS +TOTAL +MEAN +P50 +P99 +MAX  HOST +PID  COMM +SYSCALL +ERRORS$
OUT	^ +9 .*  a +[0-9]+  ask +getuid +$
OUT	^ +9 .*  b +[0-9]+  ask +getuid +$

NAME	trace has the host before each line
NEEDS	root tp_btf sshd
RUN	cat >all <<'END'
	dt trace -H a,longer -e getuid ask call getuid 2; dt trace -c -H a ask call getuid 5
	dt trace -o o -H a -e getuid ask call getuid 1
	END
	$S/tests/run/with_sshd sh all; cat o
ERR	^a:      getuid\(\) += 0$
ERR	^longer: getuid\(\) += 0$
ERR	^dt: longer: [0-9]+ events.*none lost$
ERR	^ +5 .*  a +getuid
OUT	^a: .*getuid\(\) += 0$

NAME	run starts tools and scripts on each machine
NEEDS	root tp_btf sshd
RUN	echo 'syscall:getuid:entry { @[comm, $1] = count(); }' >x.bt;
	cat >all <<'END'
	dt run opens -H a,b -- cat /etc/hostname
	dt run -H a,b x.bt 'p 1' -- ask call getuid 6
	dt run -H a,b -e 'BEGIN { printf("%s\n", "hello"); exit(); }'
	dt run -j -H a,b -e 'BEGIN { printf("json\n"); exit(); }'
	END
	$S/tests/run/with_sshd sh all
OUT	^a: .*openat\(.*/etc/hostname
OUT	^b: .*openat\(.*/etc/hostname
OUT	^a: @\[ask, p 1\]: 6$
OUT	^b: @\[ask, p 1\]: 6$
OUT	^b: hello$
OUT	^\{"host":"b","type": "printf", "data": "json\\u000a"\}$

NAME	a profile has the hosts below its root
NEEDS	root tp_btf perf_event sshd
RUN	cat >all <<'END'
	dt profile -f -H a,b -- dd if=/dev/zero of=/dev/null count=200k bs=512
	dt profile -o p.html -H a,b -- dd if=/dev/zero of=/dev/null count=200k bs=512
	dt profile -o p.pb.gz -H a,b -- dd if=/dev/zero of=/dev/null count=200k bs=512
	dt profile -H a,b -- dd if=/dev/zero of=/dev/null count=200k bs=512
	END
	$S/tests/run/with_sshd sh all; grep -c longest p.html; gzip -t p.pb.gz
OUT	^a;dd;.* [0-9]+$
OUT	^b;dd;.* [0-9]+$
OUT	^ +SELF +SAMPLES +TOTAL +SAMPLES +FUNCTION +MODULE$
ERR	^dt: a: [0-9]+ events, none lost$

NAME	losses are counted for each machine
NEEDS	root tp_btf sshd
TIMEOUT	240
RUN	cat >all <<'END'
	{ dt record --strict --buffer 1 --buffer-max 1 -H a,b syscall:getuid -- \
	sh -c ': >$PWD/up.$$; until [ $(ls $PWD | grep -c ^up) = 2 ]; do sleep 0.02; done
	ask call getuid 200000; : >$PWD/go.$$'; echo $? >st; } |
	{ until [ $(ls | grep -c '^go') = 2 ]; do sleep 0.02; done; cat >/dev/null; }
	cat st
	END
	sed -i "s,\$PWD,$PWD,g" all; $S/tests/run/with_sshd sh all
EXPECT	3
ERR	^dt: a: [0-9]+ events, [0-9]+ lost \([0-9.]+ %\)$
ERR	^dt: b: [0-9]+ events, [0-9]+ lost \([0-9.]+ %\)$
ERR	^dt: b: [0-9]+ dropped: the ring buffer was full.*--buffer

NAME	an output without a reader ends the run on all machines
NEEDS	root tp_btf sshd
RUN	cat >all <<'END'
	ask until done call getuid 1 &
	dt record -H a,b --comm ask syscall:getuid |
	awk '/^a:/ { a = 1 } /^b:/ { b = 1 } a && b { print "both"; exit }'; touch done; wait
	END
	$S/tests/run/with_sshd sh all
OUT	^both$
ERR	^dt: a: [0-9]+ events.*none lost$
ERR	^dt: b: [0-9]+ events.*none lost$

NAME	--ssh precedes DT_SSH, and an ssh that dies is reported
NEEDS	root tp_btf sshd
RUN	cat >all <<'END'
	ssh=$DT_SSH
	DT_SSH=false dt stat --ssh "$ssh" -H a --by comm syscall:getuid:entry -- ask call getuid 8
	DT_SSH=false dt stat -H a syscall:getuid; echo $?
	DT_SSH="sh -c 'kill -9 \$\$'" dt stat -H a syscall:getuid; echo $?
	END
	$S/tests/run/with_sshd sh all
OUT	^ +8 +[0-9.]+  a     ask$
OUT	^1$
ERR	^dt: a: has another version of dt, .* or a shell that runs no commands \(exit status 1\)$
ERR	^dt: a: ssh was killed by signal 9$

NAME	the status is the largest of all machines
NEEDS	root tp_btf sshd
RUN	$S/tests/run/with_sshd dt stat -H a,b syscall:getuid -- sh -c 'exit 77'
STATUS	77

NAME	Ctrl-C prints the merged answer and leaves nothing on the machines
NEEDS	root tp_btf sshd
RUN	cat >all <<'END'
	left() { grep -lsz "^WITH_SSHD=$PWD/sshd" /proc/[0-9]*/environ | grep -c .; }
	for sig in INT TERM; do
		rm -f done; ask until done call getuid 1 & a=$!
		env --default-signal=INT dt stat -i 0.2 -H a,b --by comm --comm ask \
		syscall:getuid:entry >o 2>e & d=$!
		until grep -qs 'of 2 hosts' o; do sleep 0.05; done
		left >n && kill -$sig $d; wait $d; echo $?; touch done; wait $a
		grep -c '^dt: [ab]: .* events, none lost' e
		while left >n; do sleep 0.05; done; echo none left
	done
	END
	$S/tests/run/with_sshd sh all
EXPECT	0 2 none left 0 2 none left

NAME	dt ends on the other machines when it is killed here
NEEDS	root tp_btf sshd
RUN	cat >all <<'END'
	left() { for p in $(grep -lsz "^WITH_SSHD=$PWD/sshd" /proc/[0-9]*/environ); do
		cat ${p%environ}comm; done 2>e | grep -x "$1" >n; }
	t() {
		dt record -H a syscall:getuid "$@" >o 2>e & d=$!
		until left "$comm"; do sleep 0.05; done
		kill -KILL $d; wait $d; while left 'dt.*'; do sleep 0.05; done; echo gone
	}
	comm='.*' t
	comm=dtd t
	comm=sleep t -- sh -c 'trap "" INT HUP; until [ -e '$PWD'/stop ]; do sleep 0.1; done'
	touch stop; while left '.*'; do sleep 0.05; done; echo all
	END
	$S/tests/run/with_sshd sh all
EXPECT	gone gone gone all

NAME	-H is refused where it makes no sense
RUN	t() { "$@" && echo ran; }; t dt where -H a; t dt stat -H a,,b x; t dt stat -H a,a x;
	t dt stat -H -oProxyCommand=x x; t dt stat -H 'a b' x; t dt stat -H a -H b x;
	t dt stat --ssh x x; t dt stat -H a --prometheus x x; t dt record -H a -o x.dt x;
	t dt profile -H a -o x.dt; t dt stat -H a --socket s x; t dt list -H a
STATUS	2
NOOUT	ran
ERR	^dt where: cannot run on other machines: -H is for stat, syscalls, trace, top,
ERR	^dt stat: -H a,,b: should be machines with a comma between
ERR	^dt stat: -H a,a: names a machine twice$
ERR	^dt stat: -H -oProxyCommand=x: should be names of machines, which begin with no '-'$
ERR	^dt stat: -H a b: should be names of machines, without blanks$
ERR	^dt stat: -H a: may be given only once
ERR	^dt stat: --ssh is for other machines: -H HOST$
ERR	^dt stat: --prometheus is for this machine; it excludes -H$
ERR	^dt record: -o writes a recording of one machine; it excludes -H$
ERR	^dt profile: -o FILE\.dt is a recording of one machine; it excludes -H$
ERR	^dt stat: --socket is a socket of this machine; it excludes -H$
