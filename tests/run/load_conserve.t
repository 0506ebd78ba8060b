# SPDX-License-Identifier: ISC
# Conservation: fired equals the known size of the load, and equals read plus
# dropped plus recursed, exactly.  DT_LARGE makes the loads larger.

NAME	a slow reader: each hit is accounted for, other sessions lose nothing
CORE
NEEDS	root tp_btf
TIMEOUT	120
RUN	conserve slow -n 100000
OUT	^slow: fired 100000, read [1-9][0-9]*, dropped [1-9][0-9]*, recursed 0$
OUT	^beside: fired [1-9][0-9]*, read [1-9][0-9]*, dropped 0, recursed 0$
OUT	^conserve slow: exact$

NAME	a slow reader: ten million hits are accounted for
NEEDS	root tp_btf full
TIMEOUT	600
RUN	n=10000000; [ -z "${DT_LARGE:-}" ] || n=60000000; conserve slow -n $n
OUT	^slow: fired [16]0000000,
OUT	^conserve slow: exact$

NAME	kill -9 of a client: exactly the earlier hits are accounted for
CORE
NEEDS	root tp_btf
TIMEOUT	120
RUN	conserve kill -n 40000
OUT	^at rest: dtd: close [0-9]+: fired 20000,
OUT	^conserve kill: exact$

NAME	kill -9 of a client: four million hits are accounted for
NEEDS	root tp_btf full
TIMEOUT	600
RUN	n=4000000; [ -z "${DT_LARGE:-}" ] || n=60000000; conserve kill -n $n
OUT	^at rest: dtd: close [0-9]+: fired (2|30)000000,
OUT	^conserve kill: exact$

NAME	ticks while a record is put together count as recursed
CORE
NEEDS	root tp_btf perf_event quick
TIMEOUT	120
RUN	conserve nested -n 4000 -f 1000
OUT	^calls: fired 4000, read [0-9]+, dropped [0-9]+, recursed 0$
OUT	^clock: fired [0-9]+, read [0-9]+, dropped [0-9]+, recursed [1-9][0-9]*$
OUT	^conserve nested: exact$

NAME	ticks at 5 kHz during a million hits are accounted for
NEEDS	root tp_btf perf_event full
TIMEOUT	600
RUN	n=1000000; [ -z "${DT_LARGE:-}" ] || n=10000000; conserve nested -n $n
OUT	^clock: fired [0-9]+, read [0-9]+, dropped [0-9]+, recursed [1-9][0-9]*$
OUT	^conserve nested: exact$

NAME	rings that grow under a slow reader: every hit is accounted for
CORE
NEEDS	root tp_btf quick
TIMEOUT	240
RUN	conserve slow -g -n 2000000
OUT	^slow: rings have grown$
OUT	^slow: fired 2000000, read [1-9][0-9]*, dropped [1-9][0-9]*, recursed 0$
OUT	^beside: fired [1-9][0-9]*, read [1-9][0-9]*, dropped 0, recursed 0$
OUT	^conserve slow: exact$

NAME	kill -9 of a client whose rings grow: every hit is accounted for
CORE
NEEDS	root tp_btf quick
TIMEOUT	240
RUN	for i in 1 2 3; do conserve kill -g -n 400000 || exit; done
OUT	^at rest: dtd: close [0-9]+: fired 200000,
OUT	^conserve kill: exact$

NAME	ticks while a record is put together and rings grow are counted
CORE
NEEDS	root tp_btf perf_event quick
TIMEOUT	240
RUN	conserve nested -g -n 80000 -f 1000
OUT	^calls: rings have grown$
OUT	^calls: fired 80000, read [0-9]+, dropped [0-9]+, recursed 0$
OUT	^conserve nested: exact$
