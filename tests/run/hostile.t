# SPDX-License-Identifier: ISC
# Hostile clients: other clients are served without a fault, the daemon's memory
# stays below the bound that the programs name, and no descriptor is left.

NAME	nearly valid messages do no harm
NEEDS	root tp_btf
RUN	mutate -n 4000
OUT	^mutate: the daemon is as before$

NAME	more nearly valid messages, from another seed, do no harm
NEEDS	root tp_btf full
TIMEOUT	900
RUN	n=25000; [ -z "${DT_LARGE:-}" ] || n=1000000; mutate -n $n -s 2
OUT	^beside: fired [1-9][0-9]*, read [1-9][0-9]*, dropped 0, recursed 0$
OUT	^mutate: the daemon is as before$

NAME	random requests to count hits are refused, or their rows agree
NEEDS	root tp_btf perf_event full
TIMEOUT	600
RUN	n=2000; [ -z "${DT_LARGE:-}" ] || n=20000; aggmutate -n $n
OUT	^aggmutate: [1-9][0-9]* accepted, [1-9][0-9]* refused, [1-9][0-9]* rows$
OUT	^aggmutate: the daemon is as before$

NAME	mutated messages reach every command in every state of a connection
NEEDS	root tp_btf full
TIMEOUT	900
RUN	n=2; [ -z "${DT_LARGE:-}" ] || n=60; reach -n $n
OUT	^beside: fired [1-9][0-9]*, read [1-9][0-9]*, dropped 0, recursed 0$
OUT	^WIRE_OPEN: ok [1-9]
OUT	^DTIOCSYM: ok [1-9]
OUT	^reach: [1-9][0-9]* commands in 15 states$

NAME	connections can close in every state
NEEDS	root tp_btf full
TIMEOUT	300
RUN	n=4; [ -z "${DT_LARGE:-}" ] || n=200; hostile states -n $n
OUT	^20 states, (4|200) times$
OUT	^hostile states: the daemon is as before$

NAME	a client that stays in any state leaves the daemon idle
NEEDS	root tp_btf full
RUN	hostile idle
OUT	^hostile idle: the daemon is as before$

NAME	a flood of connections ends at the user's limit, and others are served
NEEDS	root nonroot tp_btf
RUN	n=500; [ -z "${DT_LARGE:-}" ] || n=5000; hostile flood -n $n
OUT	^flood: [1-9][0-9]* served, [1-9][0-9]* refused$
OUT	^hostile flood: the daemon is as before$

NAME	sessions opened and closed at full speed are never refused
NEEDS	root tp_btf full
TIMEOUT	300
RUN	n=300; [ -z "${DT_LARGE:-}" ] || n=20000; hostile churn -n $n
OUT	^hostile churn: the daemon is as before$

NAME	clients that record everything and never read do no harm
NEEDS	root tp_btf full
TIMEOUT	240
RUN	n=2; [ -z "${DT_LARGE:-}" ] || n=40; hostile deaf -n $n
OUT	^hostile deaf: the daemon is as before$

NAME	unexpected descriptors, slow to close, do no harm
NEEDS	root nonroot tp_btf
RUN	n=4; [ -z "${DT_LARGE:-}" ] || n=100; hostile passed -n $n
OUT	^hostile passed: the daemon is as before$

NAME	the control thread does not match patterns
NEEDS	root tp_btf
RUN	hostile match
OUT	^hostile match: the daemon is as before$
