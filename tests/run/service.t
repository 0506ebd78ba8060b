# SPDX-License-Identifier: ISC
# dtd under a service manager.  The tests' manager(1) is one: it passes sockets,
# prints what dtd reports, and restarts it with the same sockets.

NAME	a socket of a service manager is served and stays when dtd ends
NEEDS	root
RUN	manager -l run/dt dtd -v 2>log >m & m=$!;
	until grep -q READY m; do sleep 0.02; done; dt list >l || exit 9;
	grep -c syscall:getpid:entry l; kill $m; wait $m; echo $?; ls run;
	cat m log
OUT	^1$
OUT	^0$
OUT	^dt$
OUT	^notify READY=1$
OUT	^notify STATUS=0 sessions$
OUT	^notify STOPPING=1$
OUT	^dtd: listening at run/dt$
OUT	^ended 0$

NAME	a socket of an unknown device is refused with its name
NEEDS	root
RUN	manager -l run/dt -l run/nosuch dtd
STATUS	1
ERR	^dtd: socket run/nosuch .*: this dtd has no such device$
NOOUT	READY

NAME	the watchdog is fed, except while the data thread is frozen
NEEDS	root
RUN	mkfifo f; manager -w 300000 -l run/dt dtd 2>log >m & m=$!;
	until grep -q WATCHDOG=1 m; do sleep 0.02; done;
	d=$(sed -n 's/^started //p' m); freeze $d dtd-data <f >z & exec 3>f;
	until grep -q frozen z; do sleep 0.02; done;
	until grep -q 'no more watchdog' log; do sleep 0.02; done;
	a=$(grep -c WATCHDOG m); sleep 0.5; b=$(grep -c WATCHDOG m); exec 3>&-;
	until [ $(grep -c WATCHDOG m) -gt $b ]; do sleep 0.02; done;
	kill $m; wait $m; echo $((b - a)) meals while frozen
OUT	^0 meals while frozen$

NAME	a reload applies what may change, and a mistake changes nothing
NEEDS	root
RUN	echo 'directory = /run/dt' >c; echo 'allowdt = no' >>c;
	manager -l run/dt dtd -c c 2>log >m & m=$!;
	n() { until [ $(grep -c READY m) -gt $1 ]; do sleep 0.02; done; };
	o() { dt list syscall:getpid:entry >l 2>&1 && echo $1 served || echo $1 refused; };
	n 0; o 1; echo 'pair-max = 7' >c; kill -HUP $m; n 1; o 2;
	echo 'alow = x y' >c; echo 'allowdt = no' >>c; kill -HUP $m; n 2; o 3;
	kill $m; wait $m; cat log m
OUT	^1 refused$
OUT	^2 served$
OUT	^3 served$
OUT	^notify RELOADING=1$
OUT	^dtd: pair-max: a change requires a restart$
OUT	^dtd: settings reloaded$
OUT	^dtd: c:1:
OUT	^dtd: settings not reloaded: 1 mistake$
OUT	^notify STATUS=.*; settings not changed: 1 mistake$

NAME	a restart: recorders get the ledger, and new clients wait and are served
CORE
NEEDS	root tp_btf quick
RUN	manager -l run/dt dtd 2>log >m & m=$!;
	until grep -q READY m; do sleep 0.02; done; ask until done call getuid 1 & a=$!;
	dt record -p $a syscall:getuid:entry >o 2>e & c=$!;
	until [ -s o ]; do sleep 0.02; done; kill -USR1 $m;
	until grep -q STOPPING m; do sleep 0.02; done;
	dt list 'syscall:getpid:entry' >l || exit 9; wait $c; echo "record $?";
	touch done; wait $a; kill $m; wait $m; cat e m l
OUT	^record 1$
OUT	^dt: [1-9][0-9]* events?, none lost$
OUT	^dt: dtd exited, which ended the recording
NOOUT	the recording failed
OUT	getpid

NAME	a killed daemon: received events are printed, the ledger is lost
NEEDS	root tp_btf
RUN	manager -l run/dt dtd 2>log >m & m=$!;
	until grep -q READY m; do sleep 0.02; done; ask until done call getuid 1 & a=$!;
	dt record -p $a syscall:getuid:entry >o 2>e & c=$!;
	until [ -s o ]; do sleep 0.02; done; kill -USR2 $m; wait $c;
	echo "record $?"; touch done; wait $a; dt list syscall:getpid:entry;
	kill $m; wait $m; cat e; grep -c getuid o
OUT	^record 1$
OUT	^dt: [1-9][0-9]* events? read; the ledger is missing
OUT	getpid
OUT	^[1-9][0-9]*$

NAME	the journal gets each session in fields
NEEDS	root tp_btf mounts
RUN	mkdir a; manager -j -l a/dt dtd >m & m=$!;
	until grep -q READY m; do sleep 0.02; done;
	echo 'open; filter pid=1; enable syscall:getpid:entry; record on; close' | ASK_DIR=$T/a ask >o;
	until grep -q DT_EVENT=close m; do sleep 0.02; done;
	kill $m; wait $m; cat m
OUT	^journal MESSAGE=ask \([0-9]+\) of user 0 had dt for [0-9.]+ s: [0-9]+ read, [0-9]+ dropped; syscall:getpid:entry$
OUT	^journal PRIORITY=6$
OUT	^journal MESSAGE_ID=[0-9a-f]{32}$
OUT	^journal DT_DEVICE=dt$
OUT	^journal DT_UID=0$
OUT	^journal DT_PROBES=syscall:getpid:entry$
OUT	^journal SYSLOG_IDENTIFIER=dtd$

NAME	the journal gets sessions of tprof and kcov, too
NEEDS	root perf_event mounts
RUN	mkdir a; manager -j -l a/dt -l a/tprof -l a/kcov dtd >m & m=$!;
	until grep -q READY m; do sleep 0.02; done;
	unshare -m sh -c 'mount -t tmpfs none /run && mkdir /run/dt && mount --bind a /run/dt &&
	dt tprof monitor -e page-faults:u,=1 -o f true; dt kcov --user -- true' >o 2>&1;
	for d in tprof kcov; do until grep -q DT_DEVICE=$d m; do sleep 0.02; done; done;
	kill $m; wait $m; cat m
OUT	^journal MESSAGE=dt \([0-9]+\) of user 0 had tprof for [0-9.]+ s: [1-9][0-9]* read, 0 dropped; tprof:[0-9]+:[0-9]+$
OUT	^journal MESSAGE=dt \([0-9]+\) of user 0 had kcov for [0-9.]+ s: 0 read, 0 dropped; kcov:user:entry$
OUT	^journal DT_PROBES=kcov:user:entry$

NAME	systemd accepts the units
NEEDS	systemd-analyze
RUN	for f in dtd.service dtd.socket dt-exporter.service; do
	sed 's,@sbindir@/[a-z-]*,/bin/true,' $S/systemd/$f >$f; done;
	systemd-analyze verify --man=no ./dtd.service ./dtd.socket ./dt-exporter.service 2>&1;
	for u in dtd dt-exporter; do systemd-analyze security --offline=yes \
	--no-pager ./$u.service | sed -n 's/.*exposure level for//p'; done
NOOUT	[Uu]nknown
OUT	dtd.service: ([01]|2\.[0-5])
OUT	dt-exporter.service: (0|1\.[0-5])

NAME	the drop-in of dtd(8) for debuginfod allows one network address only
NEEDS	systemd-analyze
RUN	sed 's,@sbindir@/[a-z-]*,/bin/true,' $S/systemd/dtd.service >dtd.service;
	sed -n '/^\[Service\]$/,/^\.Ed$/p' $S/man/dtd.8 | grep -v '^\.Ed' >d; wc -l <d;
	cat d >>dtd.service;
	cp $S/systemd/dtd.socket .; systemd-analyze verify --man=no ./dtd.service 2>&1;
	systemd-analyze security --offline=yes --no-pager ./dtd.service |
	sed -n 's/^. \([A-Za-z]*\)=.* \(0\.[0-9]\)$/\1 \2/p; s/.*exposure level for//p'
NOOUT	[Uu]nknown
OUT	^4$
OUT	^PrivateNetwork 0.5$
OUT	^IPAddressDeny 0.1$
OUT	dtd.service: ([01]|2|3\.[0-2])

NAME	make reads its dependency files, with the output of make deb present
NEEDS	make
RUN	mkdir -p b/obj b/deb/dt/usr/lib/tmpfiles.d; echo 'told: ; @echo read' >b/obj/x.d;
	make -s -C $S B=$T/b told
OUT	^read$
