# SPDX-License-Identifier: ISC
# User stacks whose unwind tables were not ready: programs copy them, and dtd
# finds the frames (prog/copies.c).

NAME	processes of 5 ms of unknown programs have complete stacks
NEEDS	root perf_event tp_btf plain
TIMEOUT	120
# Ticks that interrupt execve(2) have no stack of the program.
RUN	copies -c brief sh -c 'for i in $(seq 50); do
	cp $(command -v copies) brief; ./brief brief; rm brief; done'
OUT	^[0-9]+ stacks, complete at once .*, with copies (9[0-9]|100)\.

NAME	hundreds of first events at once have complete stacks
NEEDS	root tp_btf perl
RUN	cp /usr/bin/perl fresh; copies -p syscall:getppid:entry -c fresh \
	./fresh -e 'getppid for 1 .. 200'
OUT	^200 stacks, complete at once .*, with copies 100\.
