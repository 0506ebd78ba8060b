# SPDX-License-Identifier: ISC
# The daemon's table of processes, linked into a test program, compared with the
# actions of its children.

NAME	processes before the start, forks, execs and exits have their mappings
NEEDS	root perf_event
TIMEOUT	120
RUN	symprocs alive brief forked vforked threads reused execed
OUT	^execed: ok$

NAME	deleted and replaced files, and those in containers or memory, are found
CORE
NEEDS	root perf_event mounts
TIMEOUT	120
RUN	symprocs deleted replaced container memfd
OUT	^memfd: ok$

NAME	a listener that requests build ids from the kernel changes nothing
NEEDS	root perf_event
RUN	symprocs spoilt
OUT	^spoilt: ok$

NAME	a replaced or unsafe file is not opened
NEEDS	root perf_event
RUN	symprocs hostile jit
OUT	^jit: ok$

NAME	a process is found by its number in another pid namespace
NEEDS	root perf_event unshare
RUN	symprocs pidns
OUT	^pidns: ok$

NAME	a process that remaps 10,000 times a second affects only itself
NEEDS	root perf_event
TIMEOUT	120
RUN	symprocs storm
OUT	^storm: .* lost 0,

NAME	a process with the maximum of mappings does not disturb others
NEEDS	root perf_event
TIMEOUT	120
RUN	symprocs many
OUT	^many: [0-9]+ mappings

NAME	mappings whose records were lost are read from /proc
NEEDS	root perf_event
TIMEOUT	120
RUN	symprocs lossy
OUT	^lossy: ok$

NAME	500 processes are read soon, and 1,000 execs a second cost little
NEEDS	root perf_event full
TIMEOUT	120
RUN	symprocs start cost
OUT	^cost: ok$
