# SPDX-License-Identifier: ISC
# Processes that are stopped for a while: whatever does not fit is counted as
# lost by its client; nothing hangs, and nothing is left.

NAME	a daemon that was stopped counts the losses and replies again
NEEDS	root tp_btf perf_event
TIMEOUT	180
RUN	t=2000; [ -z "${DT_LARGE:-}" ] || t=60000; suspend daemon -t $t
OUT	^daemon: fired [1-9][0-9]*, read [1-9][0-9]*, dropped [1-9][0-9]*, 
OUT	^suspend daemon: nothing is left$

NAME	a client that was stopped loses events, and no other does
NEEDS	root tp_btf perf_event
TIMEOUT	180
RUN	t=2000; [ -z "${DT_LARGE:-}" ] || t=60000; suspend client -t $t
OUT	^client: fired [1-9][0-9]*, read [1-9][0-9]*, dropped [1-9][0-9]*, 
OUT	^beside: fired [1-9][0-9]*, read [1-9][0-9]*, dropped 0, recursed 0$
OUT	^suspend client: nothing is left$

NAME	clients that are stopped in every state and killed leave nothing
NEEDS	root tp_btf perf_event
TIMEOUT	180
RUN	suspend killed
OUT	^killed: 20 states$
OUT	^suspend killed: nothing is left$

NAME	a daemon that is stopped and then killed leaves nothing in the kernel
NEEDS	root tp_btf perf_event
RUN	leftover stopped
OUT	^leftover stopped: nothing$
