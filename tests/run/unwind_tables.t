# SPDX-License-Identifier: ISC
# dtd's side of unwind tables, linked into a test program that reads the maps
# like a program of the kernel.

NAME	the tables of libc and the vdso are those that are built from the files
CORE
NEEDS	root perf_event
RUN	unwind_tables libc
OUT	^libc: process

NAME	a symbolizer is started before a program misses a page
NEEDS	root perf_event
RUN	unwind_tables start
OUT	^start: 1$

NAME	new mappings, another program and the end change a process's entry
NEEDS	root perf_event
RUN	unwind_tables change
OUT	^change: mapping

NAME	under the limit of memory old tables go, and new ones are right
NEEDS	root perf_event
TIMEOUT	120
RUN	unwind_tables evict
OUT	^evict: [0-9]+ built

NAME	code without a table, files and processes that do not exist, and memory
NEEDS	root perf_event
RUN	unwind_tables none
OUT	^none: ok$

NAME	a process that changes its mappings all the time costs little
NEEDS	root perf_event
RUN	unwind_tables busy
OUT	^busy: [0-9]+ mappings

NAME	processes that run one after another share the numbers of files
NEEDS	root perf_event full
RUN	unwind_tables brief
OUT	^brief: known

NAME	a file over which a symbolizer hangs delays no other user
NEEDS	root perf_event
RUN	unwind_tables hang
OUT	^hang: another user

NAME	copies of stacks are bounded, of their session, and given up in time
NEEDS	root perf_event
RUN	unwind_tables copies
OUT	^copies: given up
