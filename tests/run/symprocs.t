# SPDX-License-Identifier: ISC
# The daemon's table of processes, in a program of the tests, against what
# children of it do.

NAME	processes that lived, fork, exec and end are known with their mappings
NEEDS	root perf_event
TIMEOUT	120
RUN	symprocs alive brief forked vforked threads reused execed
OUT	^execed: ok$

NAME	files that are deleted, replaced, in containers or in memory are found
CORE
NEEDS	root perf_event mounts
TIMEOUT	120
RUN	symprocs deleted replaced container memfd
OUT	^memfd: ok$

NAME	another listener that asks the kernel for build ids changes nothing
NEEDS	root perf_event
RUN	symprocs spoilt
OUT	^spoilt: ok$

NAME	what is another file, or none to be opened, is not opened
NEEDS	root perf_event
RUN	symprocs hostile jit
OUT	^jit: ok$

NAME	a process is found by its number in another pid namespace
NEEDS	root perf_event unshare
RUN	symprocs pidns
OUT	^pidns: ok$

NAME	one that changes its map 10,000 times a second costs itself only
NEEDS	root perf_event
TIMEOUT	120
RUN	symprocs storm
OUT	^storm: .* lost 0,

NAME	as many mappings as there may be are in nobody's way
NEEDS	root perf_event
TIMEOUT	120
RUN	symprocs many
OUT	^many: [0-9]+ mappings

NAME	what the kernel had no room for is read from /proc
NEEDS	root perf_event
TIMEOUT	120
RUN	symprocs lossy
OUT	^lossy: ok$

NAME	500 processes are known soon, and 1,000 programs a second cost little
NEEDS	root perf_event full
TIMEOUT	120
RUN	symprocs start cost
OUT	^cost: ok$
