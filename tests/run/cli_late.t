# SPDX-License-Identifier: ISC
# Ordered events, and events that arrive too late to be ordered.  The daemon
# here is late.c, which sends one late event.

NAME	record prints late events and reports their number
RUN	DT_DTD=$B/tests/late dt record -n 3 test:late:hit
OUT	test:late:hit
ERR	^dt: 3 events, none lost$
ERR	^dt: 1 event late: it follows newer ones$

NAME	the JSON ledger counts late events, which are printed as they arrived
RUN	DT_DTD=$B/tests/late dt record -j -n 3 test:late:hit |
	sed '1d; s/.*"time":[^,]*\([0-9]\)000,.*/\1/; s/.*\("late":[0-9]*\).*/\1/'
EXPECT	1 3 2 "late":1

NAME	a report sorts a recording, including its late events
RUN	DT_DTD=$B/tests/late dt record -n 3 -o x.dt test:late:hit;
	dt report x.dt | cut -c 15; dt report -j x.dt | tail -n 1
OUT	"late":0\}[,}]
RUN	dt report x.dt | cut -c 15 | tr -d '\n'
EXPECT	123

NAME	without late events nothing is reported about them
NEEDS	root tp_btf
RUN	dt record -j syscall:getppid -- ask call getppid 20 | tail -n 1
OUT	"late":0\}[,}]
NOERR	late
