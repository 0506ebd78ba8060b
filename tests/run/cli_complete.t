# SPDX-License-Identifier: ISC
# dt complete, and the completion of three shells that use it.

NAME	subcommands, options, tools, keys and words are completed
NEEDS	root tp_btf
RUN	c() { dt complete "$@" | tr '\n' ' '; echo; }; c re; c help off; c tprof mo;
	c stat --b; c run ope; c stat --by comm,e; c record --call-graph=;
	c stat --count-in ''; c run opens x; c record -- l; c nothing x; dt complete
OUT	^record report $
OUT	^offcpu $
OUT	^monitor $
OUT	^--by --buffer --buffer-max $
OUT	^opens $
OUT	^comm,errno $
OUT	^--call-graph=table --call-graph=fp $
OUT	^kernel client $
NOOUT	[^ ] x

NAME	probes are completed part by part, and their fields where one is expected
NEEDS	root tp_btf tracefs
RUN	c() { dt complete "$@" | tr '\n' ' '; echo; }; c stat sysc; c list \
	syscall:openat:; c record tracepoint:sched:sched_process_ex;
	c stat --from syscall:futex:e; c stat syscall:openat --by pid,fi;
	c record syscall:openat --if 'flags & 3 && file'; c stat syscall:openat --sum re
OUT	^syscall: (syscall32: )?$
OUT	^syscall:openat:entry syscall:openat:return $
OUT	^tracepoint:sched:sched_process_exec tracepoint:sched:sched_process_exit $
OUT	^syscall:futex:entry $
OUT	^pid,filename $
OUT	^flags & 3 && filename $
OUT	^retval $

NAME	processes and users are completed
NEEDS	root
RUN	cp /bin/sleep dtcomplete; ./dtcomplete 60 & p=$!; c() { dt complete "$@"; };
	until c stat --comm dtcompl | grep .; do sleep 0.1; done; c stat -p $p;
	c record -u roo; kill $p; echo $p
OUT	^dtcomplete$
OUT	^root$

NAME	names of processes that mean something to a shell are not completed
RUN	cp /bin/sleep 'dtname;id'; './dtname;id' 60 & p=$!; cp /bin/sleep dtname2;
	./dtname2 60 & q=$!; until dt complete stat --comm dtname | grep .; do
	sleep 0.1; done; kill $p $q
EXPECT	dtname2

NAME	a user without rights gets subcommands and options
NEEDS	root setpriv
RUN	setpriv --reuid 65534 --clear-groups sh -c 'dt complete sta; dt complete stat
	--hi; dt complete stat sysc' | cat
OUT	^stat$

# Types the text and a tab on a terminal.
NAME	bash completes probes after colons
NEEDS	root tp_btf bash script
RUN	printf 'dt list -v syscall:getpp\t\nexit\n' >keys; script -qec \
	"bash --rcfile $S/share/completions/dt.bash -i" /dev/null <keys | tr -d '\r'
OUT	^ +syscall:getppid:entry|getppid:entry

NAME	bash completes a tool, and a list of keys
NEEDS	root tp_btf bash
RUN	bash -c '. $S/share/completions/dt.bash; c() { COMP_LINE=$1;
	COMP_POINT=${#1}; _dt; printf "%s " "${COMPREPLY[@]}"; echo; };
	c "dt run exe"; c "dt stat --by comm,err"; c "dt stat syscall:openat:e";
	c "dt record --call-graph=f"; c "dt sta"' 2>/dev/null
OUT	^execs $
OUT	^comm,errno $
OUT	^entry $
OUT	^fp $
OUT	^stat $

NAME	fish completes tools and probes
NEEDS	root tp_btf fish
RUN	HOME=$T fish --no-config -c "source $S/share/completions/dt.fish;
	complete -C 'dt run exe'; complete -C 'dt stat syscall:openat:'"
OUT	^execs$
OUT	^syscall:openat:entry$
OUT	^syscall:openat:return$

NAME	zsh completes tools and probes
NEEDS	root tp_btf zsh script
RUN	mkdir home; printf '%s\n' "fpath=($S/share/completions \$fpath)" \
	'autoload -Uz compinit' 'compinit -u -D' "PS1='> '" >home/.zshrc;
	(sleep 2; printf 'dt run exe\t--help\n'; sleep 2;
	printf 'dt list -v syscall:getppi\tentry\n'; sleep 2; printf 'exit\n') |
	HOME=$PWD/home ZDOTDIR=$PWD/home script -qec 'zsh -i' /dev/null | tr -d '\r'
OUT	^execs: Programs that end
OUT	^syscall:getppid:entry
