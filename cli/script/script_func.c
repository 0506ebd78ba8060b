/* SPDX-License-Identifier: ISC */
/* The functions of the language. */
#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/suggest.h"
#include "cli/decode/constant.h"
#include "cli/script/script_name.h"

#define FUNC_TIME "%H:%M:%S\n" /* default of time() */
#define FUNC_CAT  (1 << 20)    /* bytes that cat() prints at most */

static const struct sval none = { .sv_type = ST_NONE };

static struct sval
kid_value(struct srun *sr, const struct node *nd, unsigned int n)
{
	return srun_eval(sr, node_kid(nd, n));
}

/* Number of kid n, or a default. */
static uint64_t
kid_number(struct srun *sr, const struct node *nd, unsigned int n, uint64_t def)
{
	return n < nd->nd_nkids ? (uint64_t)kid_value(sr, nd, n).sv_number
				: def;
}

/* Output */

static struct sval
do_printf(struct srun *sr, const struct node *nd)
{
	struct buf b;

	if (!sr->srn_isjson) {
		srun_format(sr, &sr->srn_out, nd->nd_kids);
		buf_line(&sr->srn_out);
		return none;
	}
	buf_init(&b, -1);
	srun_format(sr, &b, nd->nd_kids);
	srun_print_text(sr, "printf", b.b_data, b.b_len);
	buf_free(&b);
	return none;
}

static struct sval
do_print(struct srun *sr, const struct node *nd)
{
	const struct node *kid = nd->nd_kids;
	struct sval sv;

	if (kid->nd_kind == ND_MAP && kid->nd_nkids == 0) {
		srun_print_map(sr, kid->nd_ref, kid_number(sr, nd, 1, 0),
		    kid_number(sr, nd, 2, 1));
		return none;
	}
	sv = srun_eval(sr, kid);
	srun_print_value(sr, &sv);
	return none;
}

static void
do_strftime(struct srun *sr, const char *fmt, const struct timespec *ts,
    struct buf *b)
{
	char text[256], spec[256], us[24];
	const char *p;
	struct tm tm;
	size_t n = 0;

	(void)sr;
	snprintf(us, sizeof(us), "%06ld", ts->tv_nsec / 1000);
	/* %f: microseconds */
	for (p = fmt; *p != '\0' && n < sizeof(spec) - 8; p++)
		if (p[0] == '%' && p[1] == 'f') {
			n += snprintf(spec + n, sizeof(spec) - n, "%s", us);
			p++;
		} else {
			if (p[0] == '%' && p[1] != '\0')
				spec[n++] = *p++;
			spec[n++] = *p;
		}
	spec[n] = '\0';
	localtime_r(&ts->tv_sec, &tm);
	buf_mem(b, text, strftime(text, sizeof(text), spec, &tm));
}

static struct sval
do_time(struct srun *sr, const struct node *nd)
{
	const char *fmt = nd->nd_nkids > 0 ? nd->nd_kids->nd_text : FUNC_TIME;
	struct buf b;

	buf_init(&b, -1);
	do_strftime(sr, fmt, &sr->srn_realtime, &b);
	srun_print_text(sr, "time", b.b_data, b.b_len);
	buf_free(&b);
	return none;
}

static struct sval
fn_strftime(struct srun *sr, const struct node *nd)
{
	uint64_t ns = kid_number(sr, nd, 1, 0);
	uint64_t real = sr->srn_realtime.tv_sec * UINT64_C(1000000000) +
	    sr->srn_realtime.tv_nsec - sr->srn_time + ns;
	const struct timespec ts = { real / 1000000000, real % 1000000000 };
	struct sval sv;
	struct buf b;
	char *text;

	buf_init(&b, -1);
	do_strftime(sr, nd->nd_kids->nd_text, &ts, &b);
	text = srun_alloc(sr, b.b_len + 1);
	memcpy(text, b.b_data, b.b_len);
	sv = SVAL_STR(text, b.b_len);
	buf_free(&b);
	return sv;
}

static struct sval
do_join(struct srun *sr, const struct node *nd)
{
	struct sval sv = kid_value(sr, nd, 0), sep = SVAL_STR(" ", 1);
	const char *p = sv.sv_text;
	size_t left = p != NULL ? sv.sv_len : 0, n;
	struct buf b;

	if (nd->nd_nkids > 1)
		sep = kid_value(sr, nd, 1);
	if (sep.sv_type != ST_STR && sep.sv_type != ST_BUF)
		sep = (struct sval)SVAL_STR("", 0);
	buf_init(&b, -1);
	b.b_isterm = sr->srn_out.b_isterm && !sr->srn_isjson;
	while (left > 0) {
		if (p != sv.sv_text)
			buf_mem(&b, sep.sv_text, sep.sv_len);
		n = strnlen(p, left);
		sval_text_str(&b, p, n);
		n += n < left; /* the NUL after it */
		p += n;
		left -= n;
	}
	buf_c(&b, '\n');
	srun_print_text(sr, "join", b.b_data, b.b_len);
	buf_free(&b);
	return none;
}

static struct sval
do_cat(struct srun *sr, const struct node *nd)
{
	struct buf name, b;
	char text[4096];
	ssize_t n;
	int fd;

	buf_init(&name, -1);
	srun_format(sr, &name, nd->nd_kids);
	buf_c(&name, '\0');
	buf_init(&b, -1);
	fd = open(name.b_data, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd == -1)
		buf_printf(&b, "cat: %s: %s\n", name.b_data, strerror(errno));
	while (fd != -1 && b.b_len < FUNC_CAT &&
	    (n = read(fd, text, sizeof(text))) > 0)
		buf_mem(&b, text, n);
	if (fd != -1)
		close(fd);
	srun_print_text(sr, "cat", b.b_data, b.b_len);
	buf_free(&b);
	buf_free(&name);
	return none;
}

static struct sval
do_system(struct srun *sr, const struct node *nd)
{
	struct buf b;

	buf_init(&b, -1);
	srun_format(sr, &b, nd->nd_kids);
	buf_c(&b, '\0');
	(void)buf_flush(&sr->srn_out);
	if (system(b.b_data) == -1)
		fprintf(stderr, "dt: system: %s\n", strerror(errno));
	buf_free(&b);
	return none;
}

static struct sval
do_signal(struct srun *sr, const struct node *nd)
{
	struct sval sv = kid_value(sr, nd, 0);

	if (sr->srn_ev != NULL && sr->srn_ev->ev_rec->dr_pid > 1)
		(void)kill(sr->srn_ev->ev_rec->dr_pid, sv.sv_number);
	return none;
}

static struct sval
do_exit(struct srun *sr, const struct node *nd)
{
	sr->srn_status = kid_number(sr, nd, 0, 0);
	sr->srn_isover = 1;
	sr->srn_jump = SRUN_RETURN;
	return none;
}

/* Maps */

static struct sval
do_clear(struct srun *sr, const struct node *nd)
{
	struct smap *sm = &sr->srn_maps[nd->nd_kids->nd_ref];

	srun_sync(sr, sm);
	smap_clear(sm);
	return none;
}

static struct sval
do_zero(struct srun *sr, const struct node *nd)
{
	struct smap *sm = &sr->srn_maps[nd->nd_kids->nd_ref];

	srun_sync(sr, sm);
	smap_zero(sm);
	return none;
}

static struct sval
do_delete(struct srun *sr, const struct node *nd)
{
	const struct node *kid;

	for (kid = nd->nd_kids; kid != NULL; kid = kid->nd_next)
		if (kid->nd_kind == ND_MAP) {
			srun_sync(sr, &sr->srn_maps[kid->nd_ref]);
			smap_delete(srun_key(sr, kid));
		}
	return none;
}

static struct sval
fn_len(struct srun *sr, const struct node *nd)
{
	const struct node *kid = nd->nd_kids;
	struct sval sv;

	if (kid->nd_kind == ND_MAP && kid->nd_nkids == 0 &&
	    sr->srn_script->scr_maps[kid->nd_ref].sn_nkeys > 0) {
		srun_sync(sr, &sr->srn_maps[kid->nd_ref]);
		return SVAL_INT(sr->srn_maps[kid->nd_ref].sm_n);
	}
	sv = srun_eval(sr, kid);
	return SVAL_INT(sv.sv_len);
}

static struct sval
fn_has_key(struct srun *sr, const struct node *nd)
{
	const struct node *map = nd->nd_kids;
	struct smap *sm = &sr->srn_maps[map->nd_ref];
	struct sval sv = srun_eval(sr, map->nd_next);
	const struct sval *kids = sv.sv_text;
	size_t i;

	srun_sync(sr, sm);
	sm->sm_key.b_len = 0;
	if (sv.sv_type == ST_TUPLE)
		for (i = 0; i < sv.sv_len; i++)
			sval_pack(&sm->sm_key, &kids[i]);
	else
		sval_pack(&sm->sm_key, &sv);
	return SVAL_INT(smap_find(sm) != NULL);
}

/* Values */

/* A value with the text or bytes that it points to, as read at the hit. */
static struct sval
pointed_value(struct srun *sr, const struct node *nd)
{
	const struct script_read *reads = sr->srn_hit->sht_reads;

	return nd->nd_isread && reads != NULL && reads[nd->nd_ref].srd_isused
	    ? srun_read(sr, nd)
	    : kid_value(sr, nd, 0);
}

/* The text of a pointer, as recorded at the hit, or a text itself. */
static struct sval
fn_str(struct srun *sr, const struct node *nd)
{
	struct sval sv = pointed_value(sr, nd);
	uint64_t max = kid_number(sr, nd, 1, sr->srn_limits.slm_string);

	if (max > sr->srn_limits.slm_string)
		max = sr->srn_limits.slm_string;
	if (sv.sv_text == NULL || sv.sv_type == ST_TUPLE)
		return SVAL_STR("", 0);
	/* str(x, n) returns n bytes at most, including the final NUL */
	if (nd->nd_nkids > 1 && max > 0)
		max--;
	if (sv.sv_len > max) {
		sv.sv_len = max;
		sr->srn_ncut += nd->nd_nkids == 1;
	}
	return SVAL_STR(sv.sv_text, strnlen(sv.sv_text, sv.sv_len));
}

static struct sval
fn_buf(struct srun *sr, const struct node *nd)
{
	struct sval sv = pointed_value(sr, nd);
	uint64_t max = kid_number(sr, nd, 1, UINT32_MAX);

	sv.sv_type = ST_BUF;
	if (sv.sv_text == NULL)
		sv.sv_len = 0;
	if (sv.sv_len > max)
		sv.sv_len = max;
	return sv;
}

static struct sval
fn_sym(struct srun *sr, const struct node *nd)
{
	struct sval sv = kid_value(sr, nd, 0);

	sv.sv_type = nd->nd_func->sf_type;
	sv.sv_text = NULL;
	sv.sv_len = 0;
	if (sv.sv_type == ST_USYM && sr->srn_ev != NULL) {
		sv.sv_len = sr->srn_ev->ev_rec->dr_pid;
		sv.sv_time = sr->srn_ev->ev_rec->dr_time;
	}
	return sv;
}

/* kstack(n) and ustack(n), of which a mode may be the first argument */
static struct sval
fn_stack(struct srun *sr, const struct node *nd)
{
	const struct node *last = nd->nd_nkids > 0
	    ? node_kid(nd, nd->nd_nkids - 1)
	    : NULL;
	struct sval sv = script_builtin(nd->nd_func->sf_name)->sb_eval(sr, nd);
	struct sval n;

	if (last != NULL && last->nd_type == ST_INT) {
		n = srun_eval(sr, last);
		if (n.sv_number >= 0 && (uint64_t)n.sv_number < sv.sv_len)
			sv.sv_len = n.sv_number;
	}
	return sv;
}

static struct sval
fn_ntop(struct srun *sr, const struct node *nd)
{
	struct sval sv = kid_value(sr, nd, nd->nd_nkids - 1);
	uint32_t *addr;

	if (sv.sv_text == NULL || (sv.sv_len != 4 && sv.sv_len < 16)) {
		addr = srun_alloc(sr, sizeof(*addr));
		*addr = sv.sv_number;
		sv.sv_text = addr;
		sv.sv_len = 4;
	} else
		sv.sv_len = sv.sv_len == 4 ? 4 : 16;
	sv.sv_type = ST_INET;
	return sv;
}

static struct sval
fn_macaddr(struct srun *sr, const struct node *nd)
{
	struct sval sv = kid_value(sr, nd, 0);

	sv.sv_type = ST_MAC;
	sv.sv_len = sv.sv_text == NULL ? 0 : sv.sv_len > 6 ? 6 : sv.sv_len;
	return sv;
}

static struct sval
fn_strncmp(struct srun *sr, const struct node *nd)
{
	struct sval a = kid_value(sr, nd, 0), b = kid_value(sr, nd, 1);
	uint64_t n = kid_number(sr, nd, 2, 0), i;
	const char *x = a.sv_text, *y = b.sv_text;
	char cx, cy;

	for (i = 0; i < n; i++) {
		cx = x != NULL && i < a.sv_len ? x[i] : '\0';
		cy = y != NULL && i < b.sv_len ? y[i] : '\0';
		if (cx != cy)
			return SVAL_INT(1);
		if (cx == '\0')
			break;
	}
	return SVAL_INT(0);
}

static struct sval
fn_cgroupid(struct srun *sr, const struct node *nd)
{
	struct {
		struct file_handle fh;
		uint64_t id;
	} h = { .fh = { .handle_bytes = sizeof(uint64_t) } };
	int mount;

	(void)sr;
	if (name_to_handle_at(AT_FDCWD, nd->nd_kids->nd_text, &h.fh, &mount,
		0) == -1)
		return SVAL_INT(0);
	return SVAL_INT(h.id);
}

/* An address of the kernel, which the session has looked up. */
static struct sval
fn_kaddr(struct srun *sr, const struct node *nd)
{
	struct sval sv = SVAL_INT(nd->nd_number);

	(void)sr;
	sv.sv_isunsigned = 1;
	return sv;
}

static struct sval
fn_same(struct srun *sr, const struct node *nd)
{
	return kid_value(sr, nd, 0);
}

static struct sval
fn_bswap(struct srun *sr, const struct node *nd)
{
	struct sval sv = kid_value(sr, nd, 0);
	const struct node *kid = nd->nd_kids;
	const unsigned int size = kid->nd_size != 0 ? kid->nd_size : 8;

	sv.sv_number = size == 2 ? bswap_16(sv.sv_number)
	    : size == 4		 ? bswap_32(sv.sv_number)
	    : size == 1		 ? sv.sv_number
				 : (int64_t)bswap_64(sv.sv_number);
	return sv;
}

#define AGG(name, n, args, type) \
	{ \
		name, n, n, args, type, FUNC_AGG, 0, NULL, NULL \
	}
#define VOID(name, min, max, args, flags, fn) \
	{ \
		name, min, max, args, ST_NONE, FUNC_VOID | (flags), 0, fn, \
		    NULL \
	}
#define VALUE(name, min, max, args, type, evt, fn) \
	{ \
		name, min, max, args, type, 0, evt, fn, NULL \
	}
#define ROOT(name, flags, fn) \
	{ \
		name, 1, 1, "l", ST_INT, FUNC_ROOT | (flags), 0, fn, NULL \
	}
#define REFUSED(name, why) \
	{ \
		name, 0, 0, "", ST_NONE, 0, 0, NULL, why \
	}
#define MANY 64

static const struct script_func funcs[] = {
	VOID("printf", 1, MANY, "la", FUNC_FORMAT, do_printf),
	VOID("print", 1, 3, "aii", 0, do_print),
	VOID("clear", 1, 1, "m", 0, do_clear),
	VOID("zero", 1, 1, "m", 0, do_zero),
	VOID("delete", 1, MANY, "a", 0, do_delete),
	VOID("time", 0, 1, "l", 0, do_time),
	VOID("join", 1, 2, "pt", 0, do_join),
	VOID("exit", 0, 1, "i", 0, do_exit),
	VOID("cat", 1, MANY, "la", FUNC_FORMAT, do_cat),
	VOID("system", 1, MANY, "la", FUNC_FORMAT | FUNC_UNSAFE, do_system),
	VOID("signal", 1, 1, "s", FUNC_UNSAFE, do_signal),
	AGG("count", 0, "", ST_COUNT),
	AGG("sum", 1, "i", ST_SUM),
	AGG("avg", 1, "i", ST_AVG),
	AGG("min", 1, "i", ST_MIN),
	AGG("max", 1, "i", ST_MAX),
	AGG("stats", 1, "i", ST_STATS),
	{ "hist", 1, 2, "i", ST_HIST, FUNC_AGG, 0, NULL, NULL },
	AGG("lhist", 4, "i", ST_LHIST),
	VALUE("len", 1, 1, "a", ST_INT, 0, fn_len),
	VALUE("has_key", 2, 2, "ma", ST_INT, 0, fn_has_key),
	VALUE("str", 1, 2, "pi", ST_STR, 0, fn_str),
	VALUE("buf", 1, 2, "pi", ST_BUF, 0, fn_buf),
	VALUE("ksym", 1, 1, "i", ST_KSYM, 0, fn_sym),
	VALUE("usym", 1, 1, "i", ST_USYM, 0, fn_sym),
	VALUE("kstack", 0, 2, "a", ST_KSTACK, DTEVT_KSTACK, fn_stack),
	VALUE("ustack", 0, 2, "a", ST_USTACK, DTEVT_USTACK | DTEVT_UTABLE,
	    fn_stack),
	VALUE("ntop", 1, 2, "p", ST_INET, 0, fn_ntop),
	VALUE("macaddr", 1, 1, "p", ST_MAC, 0, fn_macaddr),
	VALUE("strftime", 2, 2, "li", ST_STR, 0, fn_strftime),
	VALUE("strncmp", 3, 3, "tti", ST_INT, 0, fn_strncmp),
	VALUE("cgroupid", 1, 1, "l", ST_INT, 0, fn_cgroupid),
	{ "kptr", 1, 1, "p", ST_ANY, FUNC_SAME, 0, fn_same, NULL },
	{ "uptr", 1, 1, "p", ST_ANY, FUNC_SAME, 0, fn_same, NULL },
	VALUE("bswap", 1, 1, "i", ST_INT, 0, fn_bswap),
	ROOT("reg", FUNC_READ, srun_read),
	ROOT("kaddr", 0, fn_kaddr),
	ROOT("uaddr", FUNC_READ, srun_read),
	REFUSED("override", "a traced call cannot be changed"),
	REFUSED("path", "str() of an argument has its path"),
	REFUSED("sizeof", "x->NAME reads a member, whatever its place"),
	REFUSED("offsetof", "x->NAME reads a member, whatever its place"),
	REFUSED("cgroup_path", "cgroup has the id"),
	REFUSED("strcontains", "strncmp(a, b, n) compares the first n bytes"),
	REFUSED("pton", "use ntop(), and compare its text"),
	REFUSED("unwatch", "there are no watchpoints"),
	REFUSED("skboutput", "packets cannot be read"),
};

#define NFUNCS (sizeof(funcs) / sizeof(funcs[0]))

const struct script_func *
script_func(const char *name)
{
	size_t i;

	for (i = 0; i < NFUNCS; i++)
		if (strcmp(funcs[i].sf_name, name) == 0)
			return &funcs[i];
	return NULL;
}

const char *
script_func_near(const char *name)
{
	const char *names[NFUNCS];
	size_t i, n = 0;

	for (i = 0; i < NFUNCS; i++)
		if (funcs[i].sf_why == NULL)
			names[n++] = funcs[i].sf_name;
	return suggest_word(name, names, n);
}

const struct script_func *
script_func_agg(const struct node *nd)
{
	const struct script_func *sf = nd->nd_kind == ND_CALL
	    ? script_func(nd->nd_text)
	    : NULL;

	return sf != NULL && sf->sf_flags & FUNC_AGG ? sf : NULL;
}

int
script_signal(const char *name, const char **near)
{
	const char *names[SCRIPT_NSIGNALS], *own;
	const int isfull = strncasecmp(name, "SIG", 3) == 0;
	unsigned int i, n = 0;

	for (i = 1; i <= SCRIPT_NSIGNALS; i++) {
		if ((own = arg_signame(i)) == NULL)
			continue;
		names[n] = isfull ? own : own + 3;
		if (strcasecmp(names[n++], name) == 0)
			return i;
	}
	*near = suggest_word(name, names, n);
	return 0;
}
