/* SPDX-License-Identifier: ISC */
/*
 * Structs, arrays and data that arguments point to, by call: rows of
 * daemon/kernel/syscalls_fetch.c, included inside of its table.  How the client
 * reads them is in cli/decode/mem_*.c.
 *
 * 64-bit programs' structs only, unless those of 32 bits look the same; bytes
 * of time, lengths and pointers differ.
 */
/* clang-format off */
#ifdef __x86_64__
#define FETCH_STAT	144
#define FETCH_EPOLL	12	/* bytes of an epoll_event: packed */
#else
#define FETCH_STAT	128
#define FETCH_EPOLL	16
#endif

/* A struct of this size */
#define MEM(call, arg, when, nbytes) \
	{ call, arg, DT_FETCH_FIXED, DT_EVT_MEMORY, when, FETCH_ONLY64, \
	    NULL, 0, nbytes }
#define MEM_ANY(call, arg, when, nbytes) \
	{ call, arg, DT_FETCH_FIXED, DT_EVT_MEMORY, when, FETCH_BOTH, \
	    NULL, 0, nbytes }
/* an array of elements of unit bytes, whose number is another argument */
#define MEM_N(call, arg, when, abi, len, unit, max) \
	{ call, arg, DT_FETCH_ARGLEN, DT_EVT_MEMORY, when, abi, \
	    len, unit, max }
/* an array of elements of unit bytes, whose number is the result */
#define MEM_RET(call, arg, abi, unit, max) \
	{ call, arg, DT_FETCH_RETLEN, DT_EVT_MEMORY, FETCH_RETURN, abi, \
	    NULL, unit, max }
/* bytes whose number is in a u32 that another argument points to */
#define MEM_PTR(call, arg, len, max) \
	{ call, arg, DT_FETCH_PTRLEN, DT_EVT_MEMORY, FETCH_RETURN, \
	    FETCH_BOTH, len, 1, max }
#define DATA_IN(call, arg, len) \
	{ call, arg, DT_FETCH_ARGLEN, DT_EVT_DATA, FETCH_ENTRY, FETCH_BOTH, \
	    len, 1, DT_REC_MAXDATA }
#define DATA_OUT(call, arg) \
	{ call, arg, DT_FETCH_RETLEN, DT_EVT_DATA, FETCH_RETURN, FETCH_BOTH, \
	    NULL, 1, DT_REC_MAXDATA }
/* a string other than a path */
#define STR(call, arg) \
	{ call, arg, DT_FETCH_PATH, DT_EVT_STRINGS, FETCH_ENTRY, FETCH_BOTH, \
	    NULL, 0, 0 }

/* what iovecs point to */
#define DATA_IOV(call, arg, when, len) \
	{ call, arg, DT_FETCH_IOVEC, DT_EVT_DATA, when, FETCH_ONLY64, \
	    len, 0, 0 }
/* the iovecs of a msghdr, and what they point to */
#define MSG_VEC(call, arg, when) \
	{ call, arg, DT_FETCH_MSGVEC, DT_EVT_MEMORY, when, FETCH_ONLY64, \
	    NULL, 0, 128 }
#define MSG_IOV(call, arg, when) \
	{ call, arg, DT_FETCH_MSGIOV, DT_EVT_DATA, when, FETCH_ONLY64, \
	    NULL, 0, 0 }

#define IN	FETCH_ENTRY
#define OUT	FETCH_RETURN
#define INOUT	(FETCH_ENTRY | FETCH_RETURN)

/* files */
MEM("stat", "statbuf", OUT, FETCH_STAT),
MEM("lstat", "statbuf", OUT, FETCH_STAT),
MEM("fstat", "statbuf", OUT, FETCH_STAT),
MEM("newfstatat", "statbuf", OUT, FETCH_STAT),
MEM_ANY("statx", "buffer", OUT, 256),
MEM("statfs", "buf", OUT, 88),
MEM("fstatfs", "buf", OUT, 88),
MEM_ANY("openat2", "how", IN, 24),
MEM_RET("getdents64", "dirent", FETCH_BOTH, 1, DT_REC_MAXMEMORY),
MEM_RET("getdents", "dirent", FETCH_ONLY64, 1, DT_REC_MAXMEMORY),
MEM_RET("getcwd", "buf", FETCH_BOTH, 1, DT_REC_MAXMEMORY),
MEM_RET("readlink", "buf", FETCH_BOTH, 1, DT_REC_MAXMEMORY),
MEM_RET("readlinkat", "buf", FETCH_BOTH, 1, DT_REC_MAXMEMORY),
MEM_ANY("pipe", "fildes", OUT, 8),
MEM_ANY("pipe2", "fildes", OUT, 8),
MEM("fcntl", "arg", INOUT, 32),
MEM_ANY("sendfile64", "offset", INOUT, 8),
MEM("sendfile", "offset", INOUT, 8),
MEM_ANY("splice", "off_in", IN, 8),
MEM_ANY("splice", "off_out", IN, 8),
MEM_ANY("copy_file_range", "off_in", IN, 8),
MEM_ANY("copy_file_range", "off_out", IN, 8),
MEM_N("readv", "vec", IN, FETCH_ONLY64, "vlen", 16, DT_REC_MAXMEMORY),
MEM_N("writev", "vec", IN, FETCH_ONLY64, "vlen", 16, DT_REC_MAXMEMORY),
MEM_N("preadv", "vec", IN, FETCH_ONLY64, "vlen", 16, DT_REC_MAXMEMORY),
MEM_N("pwritev", "vec", IN, FETCH_ONLY64, "vlen", 16, DT_REC_MAXMEMORY),
MEM_N("preadv2", "vec", IN, FETCH_ONLY64, "vlen", 16, DT_REC_MAXMEMORY),
MEM_N("pwritev2", "vec", IN, FETCH_ONLY64, "vlen", 16, DT_REC_MAXMEMORY),
MEM_N("vmsplice", "uiov", IN, FETCH_ONLY64, "nr_segs", 16, DT_REC_MAXMEMORY),
MEM_N("process_vm_readv", "lvec", IN, FETCH_ONLY64, "liovcnt", 16, 256),
MEM_N("process_vm_readv", "rvec", IN, FETCH_ONLY64, "riovcnt", 16, 256),
MEM_N("process_vm_writev", "lvec", IN, FETCH_ONLY64, "liovcnt", 16, 256),
MEM_N("process_vm_writev", "rvec", IN, FETCH_ONLY64, "riovcnt", 16, 256),

/* awaited events: poll(2) has a count of elements, select(2) a count of bits */
MEM_N("poll", "ufds", INOUT, FETCH_BOTH, "nfds", 8, DT_REC_MAXMEMORY),
MEM_N("ppoll", "ufds", INOUT, FETCH_BOTH, "nfds", 8, DT_REC_MAXMEMORY),
MEM("ppoll", "tsp", INOUT, 16),
MEM("ppoll", "sigmask", IN, 8),
MEM("select", "inp", INOUT, 128),
MEM("select", "outp", INOUT, 128),
MEM("select", "exp", INOUT, 128),
MEM("select", "tvp", INOUT, 16),
MEM("pselect6", "inp", INOUT, 128),
MEM("pselect6", "outp", INOUT, 128),
MEM("pselect6", "exp", INOUT, 128),
MEM("pselect6", "tsp", INOUT, 16),
MEM("pselect6", "sig", IN, 16),
MEM("epoll_ctl", "event", IN, FETCH_EPOLL),
MEM_RET("epoll_wait", "events", FETCH_ONLY64, FETCH_EPOLL, 32 * FETCH_EPOLL),
MEM_RET("epoll_pwait", "events", FETCH_ONLY64, FETCH_EPOLL, 32 * FETCH_EPOLL),
MEM_RET("epoll_pwait2", "events", FETCH_ONLY64, FETCH_EPOLL, 32 * FETCH_EPOLL),
MEM("epoll_pwait", "sigmask", IN, 8),
MEM("epoll_pwait2", "sigmask", IN, 8),
MEM("epoll_pwait2", "timeout", IN, 16),

/* sockets */
MEM_N("bind", "umyaddr", IN, FETCH_BOTH, "addrlen", 1, 128),
MEM_N("connect", "uservaddr", IN, FETCH_BOTH, "addrlen", 1, 128),
MEM_N("sendto", "addr", IN, FETCH_BOTH, "addr_len", 1, 128),
MEM_PTR("recvfrom", "addr", "addr_len", 128),
MEM_ANY("recvfrom", "addr_len", INOUT, 4),
MEM_PTR("accept", "upeer_sockaddr", "upeer_addrlen", 128),
MEM_ANY("accept", "upeer_addrlen", INOUT, 4),
MEM_PTR("accept4", "upeer_sockaddr", "upeer_addrlen", 128),
MEM_ANY("accept4", "upeer_addrlen", INOUT, 4),
MEM_PTR("getsockname", "usockaddr", "usockaddr_len", 128),
MEM_ANY("getsockname", "usockaddr_len", INOUT, 4),
MEM_PTR("getpeername", "usockaddr", "usockaddr_len", 128),
MEM_ANY("getpeername", "usockaddr_len", INOUT, 4),
MEM_PTR("getsockopt", "optval", "optlen", 64),
MEM_ANY("getsockopt", "optlen", INOUT, 4),
MEM_N("setsockopt", "optval", IN, FETCH_BOTH, "optlen", 1, 64),
MEM_ANY("socketpair", "usockvec", OUT, 8),
MEM("sendmsg", "msg", IN, 56),
MSG_VEC("sendmsg", "msg", IN),
MEM("recvmsg", "msg", OUT, 56),
MSG_VEC("recvmsg", "msg", OUT),
MEM("recvmmsg", "timeout", IN, 16),

/* times; the remaining time exists only if the call was interrupted */
MEM("nanosleep", "rqtp", IN, 16),
MEM("nanosleep", "rmtp", FETCH_FAILED, 16),
MEM("clock_nanosleep", "rqtp", IN, 16),
MEM("clock_nanosleep", "rmtp", FETCH_FAILED, 16),
MEM("clock_gettime", "tp", OUT, 16),
MEM("clock_getres", "tp", OUT, 16),
MEM("clock_settime", "tp", IN, 16),
MEM("clock_adjtime", "utx", OUT, 208),
MEM("adjtimex", "txc_p", OUT, 208),
MEM("gettimeofday", "tv", OUT, 16),
MEM_ANY("gettimeofday", "tz", OUT, 8),
MEM("settimeofday", "tv", IN, 16),
MEM_ANY("settimeofday", "tz", IN, 8),
MEM("time", "tloc", OUT, 8),
MEM("times", "tbuf", OUT, 32),
MEM("utimensat", "utimes", IN, 32),
MEM("futimesat", "utimes", IN, 32),
MEM("utimes", "utimes", IN, 32),
MEM("utime", "times", IN, 16),
MEM("futex", "utime", IN, 16),
MEM("futex_wait", "timeout", IN, 16),
MEM("futex_waitv", "timeout", IN, 16),
MEM("setitimer", "value", IN, 32),
MEM("setitimer", "ovalue", OUT, 32),
MEM("getitimer", "value", OUT, 32),
MEM("timer_create", "timer_event_spec", IN, 24),
MEM_ANY("timer_create", "created_timer_id", OUT, 4),
MEM("timer_settime", "new_setting", IN, 32),
MEM("timer_settime", "old_setting", OUT, 32),
MEM("timer_gettime", "setting", OUT, 32),
MEM("timerfd_settime", "utmr", IN, 32),
MEM("timerfd_settime", "otmr", OUT, 32),
MEM("timerfd_gettime", "otmr", OUT, 32),
MEM("semtimedop", "timeout", IN, 16),
MEM("mq_timedsend", "u_abs_timeout", IN, 16),
MEM("mq_timedreceive", "u_abs_timeout", IN, 16),
MEM("sched_rr_get_interval", "interval", OUT, 16),

/* signals */
MEM("rt_sigaction", "act", IN, 32),
MEM("rt_sigaction", "oact", OUT, 32),
MEM("rt_sigprocmask", "nset", IN, 8),
MEM("rt_sigprocmask", "oset", OUT, 8),
MEM("rt_sigpending", "uset", OUT, 8),
MEM("rt_sigsuspend", "unewset", IN, 8),
MEM("rt_sigtimedwait", "uthese", IN, 8),
MEM("rt_sigtimedwait", "uinfo", OUT, 48),
MEM("rt_sigtimedwait", "uts", IN, 16),
MEM("rt_sigqueueinfo", "uinfo", IN, 48),
MEM("rt_tgsigqueueinfo", "uinfo", IN, 48),
MEM("pidfd_send_signal", "info", IN, 48),
MEM("sigaltstack", "uss", IN, 24),
MEM("sigaltstack", "uoss", OUT, 24),
MEM("signalfd", "user_mask", IN, 8),
MEM("signalfd4", "user_mask", IN, 8),
MEM("waitid", "infop", OUT, 48),
MEM("mq_notify", "u_notification", IN, 24),

/* processes and the machine */
MEM_ANY("wait4", "stat_addr", OUT, 4),
MEM_ANY("waitpid", "stat_addr", OUT, 4),
MEM("wait4", "ru", OUT, 32),
MEM("waitid", "ru", OUT, 32),
MEM("getrusage", "ru", OUT, 32),
MEM("getrlimit", "rlim", OUT, 16),
MEM("setrlimit", "rlim", IN, 16),
MEM_ANY("prlimit64", "new_rlim", IN, 16),
MEM_ANY("prlimit64", "old_rlim", OUT, 16),
MEM_RET("sched_getaffinity", "user_mask_ptr", FETCH_BOTH, 1, 128),
MEM_N("sched_setaffinity", "user_mask_ptr", IN, FETCH_BOTH, "len", 1, 128),
MEM_ANY("sched_setparam", "param", IN, 4),
MEM_ANY("sched_setscheduler", "param", IN, 4),
MEM_ANY("sched_getparam", "param", OUT, 4),
MEM_ANY("sched_setattr", "uattr", IN, 48),
MEM_ANY("sched_getattr", "uattr", OUT, 48),
MEM_ANY("clone3", "uargs", IN, 64),
MEM_RET("getgroups", "grouplist", FETCH_ONLY64, 4, 132),
MEM_N("setgroups", "grouplist", IN, FETCH_ONLY64, "gidsetsize", 4, 132),
MEM("getresuid", "ruidp", OUT, 4),
MEM("getresuid", "euidp", OUT, 4),
MEM("getresuid", "suidp", OUT, 4),
MEM("getresgid", "rgidp", OUT, 4),
MEM("getresgid", "egidp", OUT, 4),
MEM("getresgid", "sgidp", OUT, 4),
MEM_ANY("getcpu", "cpup", OUT, 4),
MEM_ANY("getcpu", "nodep", OUT, 4),
MEM_ANY("capget", "header", IN, 8),
MEM_ANY("capget", "dataptr", OUT, 24),
MEM_ANY("capset", "header", IN, 8),
MEM_ANY("capset", "data", IN, 24),
MEM_ANY("uname", "name", OUT, 130),
MEM("sysinfo", "info", OUT, 112),
MEM_N("semop", "tsops", IN, FETCH_BOTH, "nsops", 6, 198),
MEM_N("semtimedop", "tsops", IN, FETCH_BOTH, "nsops", 6, 198),
MEM("get_robust_list", "head_ptr", OUT, 8),
MEM("get_robust_list", "len_ptr", OUT, 8),
/* the command determines the type; these are the maximum sizes */
MEM("ioctl", "arg", INOUT, 36),
MEM_ANY("prctl", "arg2", INOUT, 16),

/* names, and the number of environment variables */
{ "execve", "envp", DT_FETCH_COUNT, DT_EVT_STRINGS,
    FETCH_ENTRY | FETCH_FAILED, FETCH_BOTH, NULL, 0, 0 },
{ "execveat", "envp", DT_FETCH_COUNT, DT_EVT_STRINGS,
    FETCH_ENTRY | FETCH_FAILED, FETCH_BOTH, NULL, 0, 0 },
STR("memfd_create", "uname"),
STR("getxattr", "name"),
STR("lgetxattr", "name"),
STR("fgetxattr", "name"),
STR("setxattr", "name"),
STR("lsetxattr", "name"),
STR("fsetxattr", "name"),
STR("removexattr", "name"),
STR("lremovexattr", "name"),
STR("fremovexattr", "name"),
STR("mount", "dev_name"),
STR("mount", "type"),
STR("fsopen", "_fs_name"),
STR("mq_open", "u_name"),
STR("mq_unlink", "u_name"),

/* data */
DATA_OUT("read", "buf"),
DATA_OUT("pread64", "buf"),
DATA_IN("write", "buf", "count"),
DATA_IN("pwrite64", "buf", "count"),
DATA_IN("sendto", "buff", "len"),
DATA_OUT("recvfrom", "ubuf"),
DATA_IOV("readv", "vec", OUT, "vlen"),
DATA_IOV("preadv", "vec", OUT, "vlen"),
DATA_IOV("preadv2", "vec", OUT, "vlen"),
DATA_IOV("writev", "vec", IN, "vlen"),
DATA_IOV("pwritev", "vec", IN, "vlen"),
DATA_IOV("pwritev2", "vec", IN, "vlen"),
MSG_IOV("sendmsg", "msg", IN),
MSG_IOV("recvmsg", "msg", OUT),
DATA_OUT("getrandom", "ubuf"),
DATA_OUT("getxattr", "value"),
DATA_OUT("lgetxattr", "value"),
DATA_OUT("fgetxattr", "value"),
DATA_IN("setxattr", "value", "size"),
DATA_IN("lsetxattr", "value", "size"),
DATA_IN("fsetxattr", "value", "size"),

#undef FETCH_STAT
#undef FETCH_EPOLL
#undef MEM
#undef MEM_ANY
#undef MEM_N
#undef MEM_RET
#undef MEM_PTR
#undef DATA_IN
#undef DATA_OUT
#undef STR
#undef DATA_IOV
#undef MSG_VEC
#undef MSG_IOV
#undef IN
#undef OUT
#undef INOUT
