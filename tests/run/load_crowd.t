# SPDX-License-Identifier: ISC
# A hundred clients of one daemon: each has what it recorded, to the last event,
# whatever the others do, and what the daemon holds afterwards is what it held
# before.  How long its threads were away is reported, not judged: that is the
# machine's load, too.

NAME	100 clients, 16 of them recording, one stuck, one flooding, some killed
NEEDS	root tp_btf perf_event
TIMEOUT	120
RUN	crowd load -s 1
OUT	^100 clients, 
OUT	^longest pass of the control thread: [0-9.]+ ms
OUT	^crowd load: nothing is lost, nothing is left$

NAME	the same for a minute
NEEDS	root tp_btf perf_event full
TIMEOUT	600
RUN	n=20; [ -z "${DT_FULL:-}" ] || n=60; crowd load -s $n
OUT	^record +16 clients, .* 0 lost
OUT	^stuck +1 clients, .* [1-9][0-9]* lost
OUT	^crowd load: nothing is lost, nothing is left$

NAME	clients of all kinds: memory is flat, each ledger exact
NEEDS	root tp_btf perf_event mounts full
TIMEOUT	900
RUN	n=20; [ -z "${DT_FULL:-}" ] || n=240; crowd soak -s $n
OUT	^crowd soak: nothing is lost, nothing is left$

NAME	how long threads were away is for who may see sums over all opens
NEEDS	root nonroot
SERVICE
ASK	open; ioctl GSTALL; as 65534; B: open; B: ioctl GSTALL null
EXPECT	0 0 0 0 EPERM
