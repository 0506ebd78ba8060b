# SPDX-License-Identifier: ISC
# A hundred clients of one daemon.  Each receives its recording to the last
# event, whatever the others do.  Afterwards the daemon holds the same resources
# as before.  The longest pass of its threads is reported but not checked,
# because it also depends on the machine's load.

NAME	100 clients, some recording, stuck, flooding or killed, lose nothing
NEEDS	root tp_btf perf_event full
TIMEOUT	120
RUN	crowd load -s 1
OUT	^100 clients, 
OUT	^longest pass of the control thread: [0-9.]+ ms
OUT	^crowd load: nothing is lost, nothing is left$

NAME	100 clients lose nothing for a minute
NEEDS	root tp_btf perf_event full
TIMEOUT	600
RUN	n=20; [ -z "${DT_LARGE:-}" ] || n=60; crowd load -s $n
OUT	^record +16 clients, .* 0 lost
OUT	^stuck +1 clients, .* [1-9][0-9]* lost
OUT	^crowd load: nothing is lost, nothing is left$

NAME	clients of all kinds: memory stays flat, each ledger is exact
NEEDS	root tp_btf perf_event mounts full
TIMEOUT	900
RUN	n=20; [ -z "${DT_LARGE:-}" ] || n=240; crowd soak -s $n
OUT	^crowd soak: nothing is lost, nothing is left$

NAME	the longest pass of threads is shown only to users with the right STATS
NEEDS	root nonroot
SERVICE
ASK	open; ioctl GSTALL; as 65534; B: open; B: ioctl GSTALL null
EXPECT	0 0 0 0 EPERM
