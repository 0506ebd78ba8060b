# SPDX-License-Identifier: ISC
# dt list

NAME	all probes are listed, one per line, in the order of their numbers
CORE
RUN	dt list
OUT	^profile:hz:97$
OUT	^syscall:read:entry$
OUT	^syscall:read:return$
NOOUT	[^a-z0-9_:-]
NOERR	.

NAME	patterns select by full name, by glob and by parts of a name
RUN	dt list syscall:getpid:entry
EXPECT	syscall:getpid:entry
RUN	dt list syscall:getpid
EXPECT	syscall:getpid:entry syscall:getpid:return
RUN	dt list 'syscall:getp[ig]*:entry' profile
EXPECT	syscall:getpid:entry syscall:getpgrp:entry syscall:getpgid:entry
	profile:hz:97
RUN	dt list '::entry' | grep -vc ':entry$'
STATUS	1
EXPECT	0

NAME	a word without a colon is searched for in all names
RUN	dt list PEERNA '*link_no_at*'
STATUS	1
OUT	^syscall:getpeername:entry$
ERR	no probe matches '\*link_no_at\*'
RUN	dt list peername 'nlinka[t]' | grep ^syscall:
EXPECT	syscall:getpeername:entry syscall:getpeername:return
	syscall:unlinkat:entry syscall:unlinkat:return
RUN	dt list sched_switc | grep -c ^tracepoint:
EXPECT	1

NAME	a word is searched for in the names and descriptions of tools, too
NEEDS	jq
RUN	mkdir tools; printf '# Waits of zebras\nstat syscall:read\n' >tools/stripes;
	printf '# \033[31mzebra\nstat syscall:read\n' >tools/red; printf 'no description: zebra\n' >tools/bad;
	printf '// Zebras as a script\nBEGIN { exit(); }\n' >tools/s.bt; export DT_TOOLS=$PWD/tools;
	dt list ZEBRA; dt list -j zebra | jq -c .; dt list stripe; dt list 'of zebr' getpgrp
OUT	^# dt run stripes        Waits of zebras$
OUT	^# dt run s              Zebras as a script$
OUT	^\{"tool":"stripes","description":"Waits of zebras"\}$
OUT	^# dt run red            \\x1b\[31mzebra$
OUT	^syscall:getpgrp:entry$
NOOUT	no description
NOERR	.
RUN	dt list getpgrp | grep -c '^#'
STATUS	1
EXPECT	0

NAME	kernel functions are searched for last
NEEDS	kprobe
RUN	dt list fs_rea[d] no_such_name
STATUS	1
OUT	^kprobe:vfs_read:entry$
ERR	no probe matches 'no_such_name'

NAME	a pattern without a match is status 1, the others still print
RUN	dt list syscall:getpid:entry syscall:nosuch
STATUS	1
ERR	no probe matches 'syscall:nosuch'
RUN	dt list 'syscall:get[pid*'
STATUS	1
ERR	^dt: syscall:get\[pid\*: the pattern has a \[ without a \];

NAME	-v shows arguments, and which providers work here
CORE
RUN	dt list -v syscall:openat syscall:getpid:entry
OUT	^syscall:openat:entry \(int dfd, const char \*filename, int flags, umode_t mode\)$
OUT	^syscall:openat:return$
OUT	^syscall:getpid:entry \(\)$
OUT	^# profile +[0-9]+ probes, available
OUT	^# syscall +[0-9]+ probes, available

NAME	-j prints valid JSON with numbers and arguments
NEEDS	jq
RUN	dt list -j >j; jq -es 'length > 600 and all(.[]; (.pbn | type) ==
	"number" and (.args | type) == "array" and (.probe | test("^[a-z0-9]+:[A-Za-z0-9_-]+:[A-Za-z0-9_]+$"))) and
	(map(.pbn) | . == sort) and (map(.pbn) | unique | length) == length' j
EXPECT	true
RUN	dt list -j syscall:openat:entry | jq -c '[.probe, .args[].name,
	.args[].type]'
OUT	^\["syscall:openat:entry","dfd","filename","flags","mode","int","const char \*","int","umode_t"\]$

NAME	-j -v lists the providers, too
NEEDS	jq
RUN	dt list -jv profile | jq -es '.[0].probe == "profile:hz:97" and
	(.[1:] | map(.provider) | contains(["profile", "interval", "syscall",
	"syscall32"])) and all(.[1:][]; (.available or .probes == 0) and
	(.available or .reason != ""))'
EXPECT	true

NAME	a reader that closes its pipe early causes no error message
RUN	{ dt list; echo $? >st; } | head -n 1; cat st
OUT	^profile:hz:97$
NOERR	.

NAME	with the service dt list uses it and needs no right to trace
NEEDS	mounts nonroot setpriv
SERVICE
RUN	setpriv --reuid 65534 --regid 65534 --clear-groups dt list -v \
	syscall:getpid:entry
OUT	^syscall:getpid:entry \(\)$
RUN	DT_DTD=/nonexistent dt list syscall:getpid:entry
EXPECT	syscall:getpid:entry
