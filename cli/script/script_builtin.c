/* SPDX-License-Identifier: ISC */
/* Built-in values, and constants. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/suggest.h"
#include "cli/script/script_name.h"
#include "cli/sym/name_cache.h"

#define NUMA_NCPUS 8192 /* CPUs whose nodes are remembered */

static struct sval
unsigned_int(uint64_t n)
{
	struct sval sv = SVAL_INT(n);

	sv.sv_isunsigned = 1;
	return sv;
}

static struct sval
get_pid(struct srun *sr, const struct node *nd)
{
	(void)nd;
	return unsigned_int(sr->srn_ev != NULL ? sr->srn_ev->ev_rec->dr_pid
					       : (uint32_t)getpid());
}

static struct sval
get_tid(struct srun *sr, const struct node *nd)
{
	(void)nd;
	return unsigned_int(sr->srn_ev != NULL ? sr->srn_ev->ev_rec->dr_tid
					       : (uint32_t)getpid());
}

static struct sval
get_uid(struct srun *sr, const struct node *nd)
{
	(void)nd;
	if (sr->srn_ev == NULL)
		return unsigned_int(getuid());
	return unsigned_int(
	    sr->srn_ev->ev_who != NULL ? sr->srn_ev->ev_who->drw_uid : 0);
}

static struct sval
get_ppid(struct srun *sr, const struct node *nd)
{
	(void)nd;
	if (sr->srn_ev == NULL)
		return unsigned_int(getppid());
	return unsigned_int(
	    sr->srn_ev->ev_who != NULL ? sr->srn_ev->ev_who->drw_ppid : 0);
}

static struct sval
get_cgroup(struct srun *sr, const struct node *nd)
{
	(void)nd;
	return unsigned_int(sr->srn_ev != NULL && sr->srn_ev->ev_who != NULL
		? sr->srn_ev->ev_who->drw_cgroup
		: 0);
}

static struct sval
get_username(struct srun *sr, const struct node *nd)
{
	const uint32_t uid = get_uid(sr, nd).sv_number;
	const struct passwd *pw;
	const char *name;

	if (sr->srn_names != NULL)
		name = name_cache_user(sr->srn_names, uid);
	else
		name = (pw = getpwuid(uid)) != NULL ? pw->pw_name : NULL;
	return name != NULL ? SVAL_STR(name, strlen(name)) : SVAL_STR("", 0);
}

static struct sval
get_comm(struct srun *sr, const struct node *nd)
{
	const char *comm = sr->srn_ev != NULL ? sr->srn_ev->ev_comm : "dt";

	(void)nd;
	return comm != NULL ? SVAL_STR(comm, strnlen(comm, DT_REC_COMMLEN))
			    : SVAL_STR("", 0);
}

static struct sval
get_nsecs(struct srun *sr, const struct node *nd)
{
	(void)nd;
	return unsigned_int(sr->srn_time);
}

static struct sval
get_elapsed(struct srun *sr, const struct node *nd)
{
	(void)nd;
	return unsigned_int(
	    sr->srn_time > sr->srn_start ? sr->srn_time - sr->srn_start : 0);
}

static struct sval
get_cpu(struct srun *sr, const struct node *nd)
{
	(void)nd;
	return unsigned_int(sr->srn_ev != NULL ? sr->srn_ev->ev_cpu : 0);
}

/* Returns the NUMA node of a CPU, 0 if the kernel has none. */
static unsigned int
numa_node(unsigned int cpu)
{
	const struct dirent *de;
	unsigned int node = 0;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u", cpu);
	if ((dir = opendir(path)) == NULL)
		return 0;
	while ((de = readdir(dir)) != NULL)
		if (sscanf(de->d_name, "node%u", &node) == 1)
			break;
	closedir(dir);
	return node;
}

static struct sval
get_numaid(struct srun *sr, const struct node *nd)
{
	static uint16_t nodes[NUMA_NCPUS]; /* plus 1; 0: not read yet */
	unsigned int cpu = sr->srn_ev != NULL ? sr->srn_ev->ev_cpu : 0;

	(void)nd;
	if (cpu >= NUMA_NCPUS)
		return unsigned_int(numa_node(cpu));
	if (nodes[cpu] == 0)
		nodes[cpu] = numa_node(cpu) + 1;
	return unsigned_int(nodes[cpu] - 1);
}

int
script_builtin_fixed(const struct node *nd, const struct script_hit *sh,
    struct sval *sv)
{
	const char *name = strcmp(nd->nd_text, "func") == 0 ? sh->sht_func
	    : strcmp(nd->nd_text, "probe") == 0		    ? sh->sht_name
							    : NULL;

	if (name == NULL)
		return -1;
	*sv = SVAL_STR(name, strlen(name));
	return 0;
}

/* func or probe */
static struct sval
get_fixed(struct srun *sr, const struct node *nd)
{
	struct sval sv = SVAL_STR("", 0);

	(void)script_builtin_fixed(nd, sr->srn_hit, &sv);
	return sv;
}

/* The result of a call; of a failed one, -errno in probes named as on Linux. */
static struct sval
get_retval(struct srun *sr, const struct node *nd)
{
	const struct dt_rec_ret *ret = sr->srn_ev != NULL ? sr->srn_ev->ev_ret
							  : NULL;

	(void)nd;
	if (ret == NULL)
		return SVAL_INT(0);
	if (ret->drr_error != 0 && sr->srn_hit->sht_islinux)
		return SVAL_INT(-(int64_t)ret->drr_error);
	return srun_memory(sr, DT_STR_RETVAL, SVAL_INT(ret->drr_retval));
}

static struct sval
get_arg(struct srun *sr, const struct node *nd)
{
	const struct dt_event *ev = sr->srn_ev;

	if (ev == NULL || nd->nd_number >= (int)ev->ev_nargs)
		return unsigned_int(0);
	return srun_memory(sr, nd->nd_number,
	    unsigned_int(ev->ev_args[nd->nd_number]));
}

static struct sval
get_stack(enum script_type type, const struct dt_rec_stack *st,
    const struct dt_event *ev)
{
	struct sval sv = { .sv_type = type };

	if (st == NULL)
		return sv;
	sv.sv_text = DT_STACK_PCS(st);
	sv.sv_len = st->drs_count;
	if (type == ST_USTACK) {
		sv.sv_number = ev->ev_rec->dr_pid;
		sv.sv_time = ev->ev_rec->dr_time;
	}
	return sv;
}

static struct sval
get_kstack(struct srun *sr, const struct node *nd)
{
	const struct dt_rec_stack *st = sr->srn_ev != NULL
	    ? sr->srn_ev->ev_kstack
	    : NULL;
	struct sval sv = get_stack(ST_KSTACK, st, sr->srn_ev);
	unsigned int n;

	(void)nd;
	if (st == NULL || sr->srn_names == NULL)
		return sv;
	n = name_cache_kfirst(sr->srn_names, st);
	sv.sv_text = DT_STACK_PCS(st) + n;
	sv.sv_len -= n;
	return sv;
}

static struct sval
get_ustack(struct srun *sr, const struct node *nd)
{
	(void)nd;
	return get_stack(ST_USTACK,
	    sr->srn_ev != NULL ? sr->srn_ev->ev_ustack : NULL, sr->srn_ev);
}

static struct sval
get_rand(struct srun *sr, const struct node *nd)
{
	(void)nd;
	/* xorshift */
	sr->srn_rand ^= sr->srn_rand << 13;
	sr->srn_rand ^= sr->srn_rand >> 7;
	sr->srn_rand ^= sr->srn_rand << 17;
	return unsigned_int((uint32_t)sr->srn_rand);
}

#define U 1
static const struct script_builtin builtins[] = {
	{ "pid", ST_INT, U, 0, get_pid, NULL, READ_NONE },
	{ "tid", ST_INT, U, 0, get_tid, NULL, READ_NONE },
	{ "uid", ST_INT, U, DTEVT_WHO, get_uid, NULL, READ_NONE },
	{ "ppid", ST_INT, U, DTEVT_WHO, get_ppid, NULL, READ_NONE },
	{ "cgroup", ST_INT, U, DTEVT_WHO, get_cgroup, NULL, READ_NONE },
	{ "username", ST_STR, 0, DTEVT_WHO, get_username, NULL, READ_NONE },
	{ "comm", ST_STR, 0, DTEVT_EXECNAME, get_comm, NULL, READ_NONE },
	{ "nsecs", ST_INT, U, 0, get_nsecs, NULL, READ_NONE },
	{ "elapsed", ST_INT, U, 0, get_elapsed, NULL, READ_NONE },
	{ "cpu", ST_INT, U, 0, get_cpu, NULL, READ_NONE },
	{ "numaid", ST_INT, U, 0, get_numaid, NULL, READ_NONE },
	{ "probe", ST_STR, 0, 0, get_fixed, NULL, READ_NONE },
	{ "func", ST_STR, 0, 0, get_fixed, NULL, READ_NONE },
	{ "retval", ST_INT, 0, DTEVT_FUNCARGS, get_retval, NULL, READ_ROOT },
	{ "kstack", ST_KSTACK, 0, DTEVT_KSTACK, get_kstack, NULL, READ_NONE },
	{ "ustack", ST_USTACK, 0, DTEVT_USTACK | DTEVT_UTABLE, get_ustack, NULL,
	    READ_NONE },
	{ "rand", ST_INT, U, 0, get_rand, NULL, READ_NONE },
	{ "curtask", ST_INT, U, 0, srun_read, NULL, READ_VALUE },
	{ "cpid", ST_NONE, 0, 0, NULL,
	    "with -- COMMAND, only the command and its descendants "
	    "have hits",
	    READ_NONE },
	{ "ctx", ST_NONE, 0, 0, NULL,
	    "hits have no registers; arguments are args.NAME or arg0",
	    READ_NONE },
	{ "jiffies", ST_NONE, 0, 0, NULL, "use nsecs", READ_NONE },
};
static const struct script_builtin builtin_arg = { "arg0", ST_INT, U,
	DTEVT_FUNCARGS, get_arg, NULL, READ_ROOT };
#undef U

#define NBUILTINS (sizeof(builtins) / sizeof(builtins[0]))

const struct script_builtin *
script_builtin(const char *name)
{
	size_t i;

	if (strncmp(name, "arg", 3) == 0 && name[3] >= '0' && name[3] <= '9' &&
	    name[4] == '\0')
		return &builtin_arg;
	for (i = 0; i < NBUILTINS; i++)
		if (strcmp(builtins[i].sb_name, name) == 0)
			return &builtins[i];
	return NULL;
}

const char *
script_builtin_near(const char *name)
{
	const char *names[NBUILTINS];
	size_t i, n = 0;

	for (i = 0; i < NBUILTINS; i++)
		if (builtins[i].sb_why == NULL)
			names[n++] = builtins[i].sb_name;
	return suggest_word(name, names, n);
}

/* Constants that scripts take from headers. */
#define C(name) \
	{ \
#name, name \
	}
static const struct {
	const char *name;
	int64_t value;
} constants[] = {
	C(AF_UNIX),
	C(AF_INET),
	C(AF_INET6),
	C(AF_NETLINK),
	C(AF_PACKET),
	C(SOCK_STREAM),
	C(SOCK_DGRAM),
	C(SOCK_RAW),
	C(IPPROTO_TCP),
	C(IPPROTO_UDP),
	C(IPPROTO_ICMP),
	C(O_RDONLY),
	C(O_WRONLY),
	C(O_RDWR),
	C(O_CREAT),
	C(O_TRUNC),
	C(O_APPEND),
	C(O_CLOEXEC),
	C(O_NONBLOCK),
	C(O_DIRECTORY),
	C(O_SYNC),
	C(AT_FDCWD),
	C(PROT_READ),
	C(PROT_WRITE),
	C(PROT_EXEC),
	C(MAP_SHARED),
	C(MAP_PRIVATE),
	C(MAP_ANONYMOUS),
	C(S_IFMT),
	C(S_IFREG),
	C(S_IFDIR),
	C(S_IFCHR),
	C(S_IFBLK),
	C(S_IFIFO),
	C(S_IFLNK),
	C(S_IFSOCK),
	C(SIGHUP),
	C(SIGINT),
	C(SIGQUIT),
	C(SIGKILL),
	C(SIGTERM),
	C(SIGSEGV),
	C(SIGUSR1),
	C(SIGUSR2),
	C(SIGCHLD),
	C(SIGPIPE),
	C(SIGALRM),
	C(SIGSTOP),
	C(EPERM),
	C(ENOENT),
	C(EINTR),
	C(EIO),
	C(EAGAIN),
	C(ENOMEM),
	C(EACCES),
	C(EBUSY),
	C(EEXIST),
	C(EINVAL),
	C(ENOSPC),
	C(EPIPE),
	C(ECONNREFUSED),
	C(ETIMEDOUT),
	C(EINPROGRESS),
	/* include/linux/sched.h, include/net/tcp_states.h */
	{ "TASK_RUNNING", 0 },
	{ "TASK_INTERRUPTIBLE", 1 },
	{ "TASK_UNINTERRUPTIBLE", 2 },
	{ "TCP_ESTABLISHED", 1 },
	{ "TCP_SYN_SENT", 2 },
	{ "TCP_SYN_RECV", 3 },
	{ "TCP_FIN_WAIT1", 4 },
	{ "TCP_FIN_WAIT2", 5 },
	{ "TCP_TIME_WAIT", 6 },
	{ "TCP_CLOSE", 7 },
	{ "TCP_CLOSE_WAIT", 8 },
	{ "TCP_LAST_ACK", 9 },
	{ "TCP_LISTEN", 10 },
	{ "TCP_CLOSING", 11 },
	{ "TCP_NEW_SYN_RECV", 12 },
	{ "true", 1 },
	{ "false", 0 },
	{ "NULL", 0 },
};
#undef C

int
script_constant(const char *name, int64_t *value)
{
	size_t i;

	for (i = 0; i < sizeof(constants) / sizeof(constants[0]); i++)
		if (strcmp(constants[i].name, name) == 0) {
			*value = constants[i].value;
			return 0;
		}
	return -1;
}
