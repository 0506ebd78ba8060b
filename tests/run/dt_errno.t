# SPDX-License-Identifier: ISC
# The errnos of the dt device and the order of the checks: ENOTTY, then EPERM,
# then the length, then the checks of the command itself.

NAME	an unknown command is ENOTTY, whatever its argument
CORE
ASK	open; ioctl 0x20004463; ioctl 0xc0104463; ioctl 0x80ff4403;
	ioctl 0x40184402; ioctl 0x80284404; ioctl 0xc0284409; ioctl 1;
	ioctl 0x40044403 int=1; ioctl 0x20004463 null; ioctl 0xc0104463 null
EXPECT	0 ENOTTY ENOTTY ENOTTY ENOTTY ENOTTY ENOTTY ENOTTY ENOTTY ENOTTY
	ENOTTY

NAME	both requests and both statistics are commands, distinguished by length
CORE
ASK	open; ioctl 0x40104402; ioctl 0x40204402; ioctl 0x80204404;
	ioctl 0x80184404; ioctl 0x80204405; ioctl 0x80184405
EXPECT	0 0 0 ENOENT ENOENT ENOENT ENOENT

NAME	a command of the test device is ENOTTY for dt
ASK	open; ioctl TESTECHO; ioctl TESTADMIN
EXPECT	0 ENOTTY ENOTTY

NAME	a NULL argument is EFAULT for each command that has an argument
ASK	open; ioctl GPLIST null; ioctl GSTATS null; ioctl RECORD null;
	ioctl ENABLE null; ioctl DISABLE null; ioctl GARGS null;
	ioctl GETAUXBASE null; ioctl SELF null; ioctl LOOKUP null;
	ioctl SFILTER null; ioctl SBUDGET null; ioctl SMAXBUDGET null; ioctl GFULLSTAT null;
	ioctl GPROVS null; ioctl SYM null; ioctl GARGNAMES null;
	ioctl GSTATS_V1 null; ioctl ENABLE_V1 null; ioctl DISABLE_V1 null;
	ioctl SPATH null; ioctl SCONDITION null; ioctl GMAPS null;
	ioctl SYMFILE null; ioctl GSTACK null; ioctl SAGG null;
	ioctl AGGSNAP null; ioctl GAGG null; ioctl GPENDING null;
	ioctl RDVNODE null
EXPECT	0 EFAULT EFAULT EFAULT EFAULT EFAULT EFAULT EFAULT EFAULT EFAULT EFAULT EFAULT EFAULT EFAULT EFAULT EFAULT EFAULT EFAULT EFAULT
	EFAULT EFAULT EFAULT EFAULT EFAULT EFAULT EFAULT EFAULT EFAULT EFAULT
	EFAULT

NAME	RECORD 1 without a probe is ENOENT, RECORD 0 never fails
CORE
ASK	open; record on; record off; record off; ioctl RECORD int=-1
EXPECT	0 ENOENT 0 0 ENOENT

NAME	RECORD 1 while recording is EBUSY, also without an enabled probe
NEEDS	root tp_btf
ASK	open; enable syscall:getpid:entry; record on; record on;
	disable syscall:getpid:entry; record on; record off; record on
EXPECT	0 0 0 EBUSY 0 EBUSY 0 ENOENT

NAME	RECORD with any number but 0 starts
NEEDS	root tp_btf
ASK	open; enable syscall:getpid:entry; ioctl RECORD int=-1; record on;
	fullstat recording; ioctl RECORD int=0; fullstat recording
EXPECT	0 0 0 EBUSY 1 0 0

NAME	ENABLE of an unknown probe is ENOENT, also of probe 0
ASK	open; enable pbn=0; enable pbn=1000000; enable pbn=4294967295
EXPECT	0 ENOENT ENOENT ENOENT

NAME	enabling a probe twice fails with EEXIST and keeps the first
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:getpid:entry;
	enable syscall:getpid:entry; fullstat nenabled; record on;
	in W call getpid 100; record off; readall
EXPECT	0 0 0 0 EEXIST 1 0 0 0 100

NAME	EEXIST is checked before EBUSY, ENOENT before both
NEEDS	root tp_btf
ASK	open; enable syscall:getpid:entry; record on;
	enable syscall:getpid:entry; enable syscall:getppid:entry;
	enable pbn=0; record off; enable syscall:getppid:entry
EXPECT	0 0 0 EEXIST EBUSY ENOENT 0 0

NAME	EEXIST and EBUSY are checked before the provider's EINVAL
NEEDS	root tp_btf perf_event
ASK	open; enable profile:hz:97 nsecs=1000000000;
	enable profile:hz:97 nsecs=1; record on;
	enable profile:hz:97 nsecs=1; disable profile:hz:97;
	enable profile:hz:97 nsecs=1; record off
EXPECT	0 0 EEXIST 0 EEXIST 0 EBUSY 0

NAME	the older request: an invalid filter is EINVAL, checked before ENOENT
ASK	open; enable pbn=0 v1 op=3; enable pbn=0 v1 var=3;
	enable pbn=0 v1 op=4294967295 var=1; enable pbn=0 v1 op=2 var=2;
	enable syscall:getpid:entry v1 op=3 var=1; disable pbn=0 v1 op=3;
	disable pbn=0 v1 var=3; disable pbn=0 v1 op=1 var=2;
	disable syscall:getpid:entry v1
EXPECT	0 EINVAL EINVAL EINVAL ENOENT EINVAL EINVAL EINVAL ENOENT ENOENT

NAME	the older request: a clock's rate of 0 or above 100 Hz is EOPNOTSUPP
NEEDS	root perf_event
ASK	open; enable profile:hz:97 v1; enable profile:hz:97 v1 rate=101;
	enable profile:hz:97 v1 rate=4294967295;
	enable profile:hz:97 v1 rate=0 op=3; enable profile:hz:97 v1 rate=100;
	enable profile:hz:97 v1 rate=101; disable profile:hz:97 v1;
	enable profile:hz:97 v1 rate=1; record on;
	enable profile:hz:97 v1 rate=101; disable profile:hz:97 v1;
	enable profile:hz:97 v1 rate=101; record off
EXPECT	0 EOPNOTSUPP EOPNOTSUPP EOPNOTSUPP EINVAL 0 EEXIST 0 0 0 EEXIST 0 EBUSY
	0

NAME	the older request: probes other than clocks accept any rate
NEEDS	root tp_btf
ASK	open; enable syscall:getpid:entry v1 rate=4294967295;
	enable syscall:getppid:entry v1
EXPECT	0 0 0

NAME	a probe of one interface is EEXIST for the other; either disables it
NEEDS	root tp_btf
ASK	open; enable syscall:getpid:entry v1; enable syscall:getpid:entry v1;
	enable syscall:getpid:entry; disable syscall:getpid:entry;
	enable syscall:getpid:entry; enable syscall:getpid:entry v1;
	disable syscall:getpid:entry v1; disable syscall:getpid:entry v1;
	fullstat nenabled
EXPECT	0 0 EEXIST EEXIST 0 0 EEXIST 0 ENOENT 0

NAME	flags that a provider does not use are accepted
NEEDS	root tp_btf
ASK	spawn W; open; filter pid=W; enable syscall:getpid:entry flags=all;
	record on; in W call getpid; record off; readall
EXPECT	0 0 0 0 0 0 0 1

NAME	DISABLE of a probe not enabled is ENOENT, also the second time
NEEDS	root tp_btf
ASK	open; disable pbn=0; disable pbn=1000000;
	disable syscall:getpid:entry; enable syscall:getpid:entry;
	disable syscall:getppid:entry; disable syscall:getpid:entry;
	disable syscall:getpid:entry
EXPECT	0 ENOENT ENOENT ENOENT 0 ENOENT 0 ENOENT

NAME	a disabled probe can be enabled again, but not while recording
NEEDS	root tp_btf
ASK	open; enable syscall:getpid:entry; disable syscall:getpid:entry;
	enable syscall:getpid:entry; record on; disable syscall:getpid:entry;
	enable syscall:getpid:entry; record off;
	enable syscall:getpid:entry; record on
EXPECT	0 0 0 0 0 0 EBUSY 0 0 0

NAME	GPLIST: size 0 returns the size, a small size is ENOSPC with what fits
ASK	open; list GPLIST ask; list GPLIST exact; list GPLIST larger;
	list GPLIST odd; list GPLIST small; list GPLIST one; list GPLIST null
EXPECT	0 >=600 0 0 0 ENOSPC ENOSPC EFAULT

NAME	GPROVS and LOOKUP treat sizes as GPLIST does
ASK	open; list GPROVS ask; list GPROVS exact; list GPROVS larger;
	list GPROVS small; list GPROVS one; list GPROVS null;
	list LOOKUP=syscall:*:entry ask; list LOOKUP=syscall:*:entry exact;
	list LOOKUP=syscall:*:entry larger; list LOOKUP=syscall:*:entry small;
	list LOOKUP=syscall:*:entry one; list LOOKUP=syscall:*:entry null
EXPECT	0 >=2 0 0 ENOSPC ENOSPC EFAULT >=300 0 0 ENOSPC ENOSPC EFAULT

NAME	LOOKUP returns the matches of a glob, and no match is success
ASK	open; list LOOKUP=syscall:getpid:* ask;
	list LOOKUP=syscall:getp[ig]*:entry ask; list LOOKUP=* ask;
	list LOOKUP=syscall:nosuch:* ask; list LOOKUP=getpid ask
EXPECT	0 2 3 >=600 0 0

NAME	LOOKUP without a pattern is EFAULT, with 256 bytes ENAMETOOLONG
ASK	open; list LOOKUP ask; list LOOKUP=%255 ask; list LOOKUP=%256 ask
EXPECT	0 EFAULT 0 ENAMETOOLONG

NAME	LOOKUP refuses malformed patterns with EINVAL and reports the mistake
ASK	open; list LOOKUP=*[a-*[a-*[a-*[a-*[a-*[a-*[a-*[a-*[a-*[a- ask; error;
	list LOOKUP=kprobe:*[**[[=***[**[[=***[*[[:** ask; error;
	list LOOKUP=*[[:vowel:]]* ask; error; list LOOKUP=syscall:getpid\ ask; error
EXPECT	0 EINVAL the_pattern_has_a_[_without_a_];_\[_is_the_bracket_itself
	EINVAL the_pattern_has_[._or_[=_in_brackets,_which_is_not_supported
	EINVAL the_pattern_has_an_unknown_class_[:vowel:]]*
	EINVAL the_pattern_ends_with_a_backslash

NAME	LOOKUP supports classes, negated sets and quoted characters
ASK	open; list LOOKUP=syscall:get[[:lower:]]id:entry ask;
	list LOOKUP=syscall:get[!a-ot-z]id:entry ask;
	list LOOKUP=syscall:g\et\pid:entry ask; list LOOKUP=syscall:get\[pid]* ask
EXPECT	0 5 2 1 0

NAME	GARGS and GARGNAMES: EINVAL for an unknown probe, sizes as for GPLIST
ASK	open; list GARGS=0 ask; list GARGS=1000000 ask; list GARGNAMES=0 ask;
	list GARGNAMES=1000000 ask; list GARGS=syscall:openat:entry ask;
	list GARGS=syscall:openat:entry exact;
	list GARGS=syscall:openat:entry larger;
	list GARGS=syscall:openat:entry small;
	list GARGS=syscall:openat:entry one;
	list GARGNAMES=syscall:openat:entry exact;
	list GARGNAMES=syscall:openat:entry small
EXPECT	0 EINVAL EINVAL EINVAL EINVAL 4 0 0 ENOSPC ENOSPC 0 ENOSPC

NAME	a probe without arguments has an empty list
ASK	open; list GARGS=syscall:openat:return ask;
	list GARGS=syscall:openat:return exact; list GARGS=profile:hz:97 ask;
	list GARGNAMES=syscall:getpid:entry ask
EXPECT	0 0 0 0 0

NAME	a read shorter than an event is EMSGSIZE, recording or not
NEEDS	root tp_btf
ASK	spawn W; open; evread 0; evread 2183; enable syscall:getpid:entry;
	filter pid=W; record on; in W call getpid; evread 0; evread 1;
	evread 2183; evread 2184; record off; readall
EXPECT	0 0 EMSGSIZE EMSGSIZE 0 0 0 0 EMSGSIZE EMSGSIZE EMSGSIZE 1 0 1

NAME	a read without data ends at its time limit or by a signal
NEEDS	root tp_btf
ASK	open; evread 2184 ms=30; next ms=30; next ms=60000 alarm=50;
	enable syscall:getpid:entry; filter pid=1; record on;
	next ms=60000 alarm=50; evread 2184 ms=30; record off; readall
EXPECT	0 ETIMEDOUT 0 EINTR 0 0 0 EINTR ETIMEDOUT 0 0

NAME	after RECORD 0 reads return the remaining events, then 0 once
NEEDS	root tp_btf
ASK	spawn W; open; enable syscall:getpid:entry; filter pid=W; record on;
	in W call getpid 5; record off; evread 4368; evread 4368; evread 4368;
	evread 4368; evread 4368 ms=30; ledger read
EXPECT	0 0 0 0 0 0 0 2 2 1 0 ETIMEDOUT 5

NAME	each run ends with one 0, also without an event
NEEDS	root tp_btf
ASK	spawn W; open; enable syscall:getpid:entry; filter pid=W;
	ledger fired; record on; ledger fired; record off; readall; record on;
	ledger fired; in W call getpid 3; record off; readall; ledger fired
EXPECT	0 0 0 0 EAGAIN 0 EAGAIN 0 0 0 EAGAIN 0 0 3 3

NAME	DISABLE while recording: recorded events stay readable
NEEDS	root tp_btf
ASK	spawn W; open; enable syscall:getpid:entry;
	enable syscall:getppid:entry; filter pid=W; record on;
	in W call getpid 10; disable syscall:getpid:entry;
	in W call getpid 10; in W call getppid 4; record off; readall;
	count probe=syscall:getpid:entry; count probe=syscall:getppid:entry
EXPECT	0 0 0 0 0 0 0 0 0 0 0 14 10 4

NAME	after DISABLE of the last probe the session records until RECORD 0
NEEDS	root tp_btf
ASK	spawn W; open; enable syscall:getpid:entry; filter pid=W; record on;
	in W call getpid 3; disable syscall:getpid:entry; fullstat recording;
	fullstat nenabled; in W call getpid 3; record off; readall;
	enable syscall:getpid:entry; record on; in W call getpid 2;
	record off; readall
EXPECT	0 0 0 0 0 0 0 1 0 0 0 3 0 0 0 0 2

NAME	GETAUXBASE returns the caller's own, and ESRCH for an unknown process
NEEDS	root tp_btf
ASK	spawn W; open; auxbase self; auxbase W; auxbase 0; auxbase 4294967295;
	auxbase 4194305
EXPECT	0 0 same same ESRCH ESRCH ESRCH

NAME	the period of profile is 200 us to 2^32-1 s
NEEDS	root perf_event
ASK	open; enable profile:hz:97; enable profile:hz:97 nsecs=199999;
	enable profile:hz:97 nsecs=4294967295000000001;
	enable profile:hz:97 nsecs=18446744073709551615;
	enable profile:hz:97 nsecs=200000; disable profile:hz:97;
	enable profile:hz:97 nsecs=4294967295000000000; record on; record off
EXPECT	0 EINVAL EINVAL EINVAL EINVAL 0 0 0 0 0

NAME	the maximum of growing rings is 1 byte to 1 GB and becomes fixed
ASK	open; maxbudget 0; error; maxbudget 1073741825; maxbudget 1073741824;
	maxbudget 1; enable syscall:getpid:entry; maxbudget 1; maxbudget 0
EXPECT	0 EINVAL a_budget_is_1_byte_to_1073741824 EINVAL 0 0 0 EBUSY EINVAL

NAME	a budget is 1 byte to 1 GB and fixed by the first ENABLE
NEEDS	root tp_btf
ASK	open; budget 0; budget 1073741825; budget 1073741824; budget 1;
	fullstat ringbytes; enable syscall:getpid:entry; fullstat ringbytes;
	budget 1; budget 0; disable syscall:getpid:entry; budget 1
EXPECT	0 EINVAL EINVAL 0 0 0 0 65536 EBUSY EINVAL 0 EBUSY

NAME	rings are at most 4 MB per CPU
NEEDS	root tp_btf
ASK	open; budget 1073741824; enable syscall:getpid:entry;
	fullstat ringbytes; fullstat nrings
EXPECT	0 0 0 4194304 >=1

NAME	a filter with unknown bits is EINVAL, a filter while recording EBUSY
NEEDS	root tp_btf
ASK	open; filter set=128; filter set=0x80000000; filter comm=x;
	enable syscall:getpid:entry; record on; filter; filter set=128;
	record off; filter
EXPECT	0 EINVAL EINVAL 0 0 0 EBUSY EINVAL 0 0

NAME	SELF while recording is EBUSY
NEEDS	root tp_btf
ASK	open; self on; self off; enable syscall:getpid:entry; record on;
	self on; self off; record off; self on
EXPECT	0 0 0 0 0 EBUSY EBUSY 0 0

NAME	SYM: EINVAL without an address, EFAULT without an array, else symbols
ASK	open; ioctl SYM; ioctl SYM hex=ffffffff; ksym vfs_read
EXPECT	0 EINVAL EINVAL *

NAME	GMAPS: EINVAL for pid 0, ESRCH for no process; SYMFILE: EFAULT for NULL
NEEDS	root perf_event
ASK	open; ioctl GMAPS; ioctl GMAPS hex=ffffffff; ioctl GMAPS hex=ffffff7f;
	ioctl SYMFILE; ioctl SYMFILE null
EXPECT	0 EINVAL EINVAL ESRCH EFAULT EFAULT

NAME	SYM, GMAPS, SYMFILE: invalid requests are EINVAL, the next one succeeds
NEEDS	root perf_event
SERVICE
# SYM: flags, reserved, n of another length; GMAPS: pid 0, reserved; SYMFILE:
# relative, empty, a NUL inside, flags, a build id of 21 bytes.  The final
# ENOENT is not an errno of the request: the frames carry it.
ASK	wire connect; wire send fds=ns pad=8; wire recv;
	wire send cmd=0xc0484446 hex=000000000000000000000000000000000200000000000000; wire recv;
	wire send cmd=0xc0484446 hex=000000000000000000000000000000000000000001000000; wire recv;
	wire send cmd=0xc0484446 hex=000000000200000000000000000000000000000000000000; wire recv;
	wire send cmd=0xc038444c pad=24; wire recv;
	wire send cmd=0xc038444c hex=010000000100000000000000000000000000000000000000; wire recv;
	wire send cmd=0xc038444d hex=0000000000000000000000000000000000000000000000000000000000000000010000000000000078; wire recv;
	wire send cmd=0xc038444d pad=40; wire recv;
	wire send cmd=0xc038444d hex=000000000000000000000000000000000000000000000000000000000000000002000000000000002f00; wire recv;
	wire send cmd=0xc038444d hex=000000000200000000000000000000000000000000000000000000000000000001000000000000002f; wire recv;
	wire send cmd=0xc038444d hex=000000000000000000000000000000000000000000000000000000001500000001000000000000002f; wire recv;
	wire send cmd=0xc038444d hex=000000000000000000000000000000000000000000000000000000000000000001000000000000002f; wire recv;
	wire send cmd=0xc0484446 pad=24; wire recv
EXPECT	0 0 0 0 EINVAL 0 EINVAL 0 EINVAL 0 EINVAL 0 EINVAL 0 EINVAL 0 EINVAL
	0 EINVAL 0 EINVAL 0 EINVAL 0 0 0 0

NAME	SYM resolves functions of the kernel
NEEDS	root
ASK	open; ksym vfs_read; ksym schedule; ksym do_nanosleep
EXPECT	0 1 1 1

NAME	dt_open refuses unknown and conflicting flags
ASK	B: open flags=0x40; C: open flags=3; D: open flags=0x80000000; open
EXPECT	EINVAL EINVAL EINVAL 0

NAME	statistics in both sizes agree before, during and after a recording
NEEDS	root tp_btf
ASK	spawn W; open; stats; enable syscall:getpid:entry; filter pid=W;
	record on; in W call getpid 7; read 7; stats; record off; readall; stats;
	fullstat fired; fullstat read; fullstat dropped; fullstat nopen
EXPECT	0 0 same 0 0 0 0 7 same 0 7 same 7 7 0 1

NAME	a failure has a message besides its errno
ASK	open; filter set=128; error; budget 0; error
EXPECT	0 EINVAL unknown_bits_in_dtfi_set EINVAL
	a_budget_is_1_byte_to_1073741824
