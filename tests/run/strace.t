# SPDX-License-Identifier: ISC
# dt's output of calls, compared with strace.

NAME	of a hundred different calls, 95 lines equal strace's
NEEDS	root tp_btf strace perl x86_64
TIMEOUT	120
RUN	"$S/tests/run/strace_compare" hundred dt | tee lines | tail -n 1;
	cat lines; test "$(sed -n '$s/ .*//p' lines)" -ge 95
OUT	^[0-9]+ of 100 lines agree$
NOOUT	no line

NAME	written and read data is shown only on request
NEEDS	root tp_btf
RUN	dt record syscall:write syscall:writev -- sh -c 'echo secret >f'
NOOUT	secret
RUN	dt record --data syscall:write -- sh -c 'echo secret >f'
OUT	write\(fd=1.*, buf="secret\\n", count=7\) = 7

NAME	structs are read at entry or return, depending on their direction
NEEDS	root tp_btf x86_64
RUN	mkdir d; dt record syscall:nanosleep syscall:stat syscall:wait4 \
	syscall:pipe2 syscall:rt_sigtimedwait -- hundred "$PWD/d"
OUT	nanosleep\(rqtp=\{tv_sec=0, tv_nsec=1000000\}, rmtp=NULL
OUT	stat\(filename="data", statbuf=\{st_mode=S_IFREG\|0644, st_size=41, \.\.\.\}\) = 0
OUT	stat_addr=\[\{WIFEXITED\(s\) && WEXITSTATUS\(s\) == 3\}\]
OUT	pipe2\(fildes=\[[0-9]+.*, [0-9]+.*\], flags=O_NONBLOCK\|O_CLOEXEC\) = 0
OUT	rt_sigtimedwait\(uthese=\[USR1\], uinfo=\{si_signo=SIGUSR1, si_code=SI_USER, si_pid=
