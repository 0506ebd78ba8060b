# SPDX-License-Identifier: ISC
# Events in the order of their time, and those that come too late for that: the
# daemon is late.c, which sends such a one.

NAME	record tells how many events came late, and prints them all the same
RUN	DT_DTD=$B/tests/late dt record -n 3 test:late:hit
OUT	test:late:hit
ERR	^dt: 3 events, none lost$
ERR	^dt: 1 event late: it stands out of order, behind younger ones$

NAME	the JSON ledger of record counts them, and events stand as they came
RUN	DT_DTD=$B/tests/late dt record -j -n 3 test:late:hit |
	sed 's/.*"time":[^,]*\([0-9]\)000,.*/\1/; s/.*\("late":[0-9]*\).*/\1/'
EXPECT	1 3 2 "late":1

NAME	a recording is sorted when it is read: what came late stands in order
RUN	DT_DTD=$B/tests/late dt record -n 3 -o x.dt test:late:hit;
	dt report x.dt | cut -c 15; dt report -j x.dt | tail -n 1
OUT	"late":0\}[,}]
RUN	dt report x.dt | cut -c 15 | tr -d '\n'
EXPECT	123

NAME	where nothing came late, nothing is said of it
NEEDS	root tp_btf
RUN	dt record -j syscall:getppid -- ask call getppid 20 | tail -n 1
OUT	"late":0\}[,}]
NOERR	late
