/* SPDX-License-Identifier: ISC */
/*
 * Finds a function's types by its name.  libbpf reads the BTF (5 MB, 3 to 11
 * ms) when the first session requests it; a hash of the functions' names takes
 * 4 ms more.  Both are kept for a while after the last session has released
 * them, since the next recording of functions usually follows soon and would
 * spend most of its start on this.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>

#include "bpf/dt_kprobe_table.h"
#include "daemon/base/timer.h"
#include "daemon/kernel/func_proto.h"

#define TYPES_KEPT 60 /* s for which unused types are kept */

/* The types of the kernel or of a module; a module's refer to the kernel's. */
struct types {
	struct types *ty_next;
	char ty_module[DTNAMESIZE]; /* "" for the kernel itself */
	struct btf *ty_btf;	    /* NULL: it has none */
	uint32_t *ty_hash;	    /* numbers of functions, 0: free */
	uint32_t ty_mask;
};

/* All by types_mtx. */
static pthread_mutex_t types_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct types *types_list;
static unsigned int types_users;
static struct timer types_timer; /* frees unused types */

static uint32_t
hash_of(const char *s)
{
	uint32_t h = 2166136261U;

	for (; *s != '\0'; s++)
		h = (h ^ (unsigned char)*s) * 16777619U;
	return h;
}

static void
types_free(struct types *ty)
{
	if (ty == NULL)
		return;
	btf__free(ty->ty_btf);
	free(ty->ty_hash);
	free(ty);
}

/* Adds the functions from number first on. */
static int
types_index(struct types *ty, uint32_t first)
{
	uint32_t id, n = btf__type_cnt(ty->ty_btf), nfunc = 0, size = 64, i;
	const struct btf_type *t;

	for (id = first; id < n; id++)
		nfunc += btf_is_func(btf__type_by_id(ty->ty_btf, id));
	while (size < 2 * nfunc)
		size *= 2;
	if ((ty->ty_hash = calloc(size, sizeof(*ty->ty_hash))) == NULL)
		return ENOMEM;
	ty->ty_mask = size - 1;
	for (id = first; id < n; id++) {
		t = btf__type_by_id(ty->ty_btf, id);
		if (!btf_is_func(t))
			continue;
		i = hash_of(btf__name_by_offset(ty->ty_btf, t->name_off));
		while (ty->ty_hash[i & ty->ty_mask] != 0)
			i++;
		ty->ty_hash[i & ty->ty_mask] = id;
	}
	return 0;
}

static struct types *
types_load(const char *module, struct types *base)
{
	struct types *ty = calloc(1, sizeof(*ty));
	uint32_t first = 1;

	if (ty == NULL)
		return NULL;
	snprintf(ty->ty_module, sizeof(ty->ty_module), "%s", module);
	if (base == NULL)
		ty->ty_btf = btf__load_vmlinux_btf();
	else if (base->ty_btf != NULL) {
		ty->ty_btf = btf__load_module_btf(module, base->ty_btf);
		first = btf__type_cnt(base->ty_btf);
	}
	if (ty->ty_btf != NULL && types_index(ty, first) != 0) {
		types_free(ty);
		return NULL;
	}
	return ty;
}

/*
 * Returns the types of a module, which are read at the first use.  The kernel's
 * own types are first in the list.
 */
static struct types *
types_of(const char *module)
{
	struct types *ty, **last = &types_list;

	if (types_list == NULL && (types_list = types_load("", NULL)) == NULL)
		return NULL;
	for (ty = types_list; ty != NULL; ty = ty->ty_next) {
		if (strcmp(ty->ty_module, module) == 0)
			return ty;
		last = &ty->ty_next;
	}
	return *last = types_load(module, types_list);
}

/* Returns the number of a function, 0 if it is missing. */
static uint32_t
types_func(const struct types *ty, const char *symbol)
{
	const struct btf_type *t;
	uint32_t i, id;

	if (ty == NULL || ty->ty_btf == NULL)
		return 0;
	for (i = hash_of(symbol); (id = ty->ty_hash[i & ty->ty_mask]) != 0;
	     i++) {
		t = btf__type_by_id(ty->ty_btf, id);
		if (strcmp(btf__name_by_offset(ty->ty_btf, t->name_off),
			symbol) == 0)
			break;
	}
	return id;
}

static const struct btf_type *
types_proto(const struct types *ty, const char *symbol)
{
	uint32_t id = types_func(ty, symbol);
	const struct btf_type *t;

	if (id == 0)
		return NULL;
	t = btf__type_by_id(ty->ty_btf, id);
	t = btf__type_by_id(ty->ty_btf, t->type);
	return t != NULL && btf_is_func_proto(t) ? t : NULL;
}

/*
 * Types as C text
 */

/* Skips typedefs and qualifiers. */
static const struct btf_type *
bare(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t != NULL &&
	    (btf_is_mod(t) || btf_is_typedef(t) ||
		btf_kind(t) == BTF_KIND_TYPE_TAG))
		t = btf__type_by_id(btf, t->type);
	return t;
}

/* Appends to a text; a text that is too long is cut and ends with "...". */
static void
text_add(char *text, const char *s)
{
	size_t len = strlen(text);

	if (len + strlen(s) < DTNAMESIZE) {
		strcpy(text + len, s);
		return;
	}
	snprintf(text + len, DTNAMESIZE - len, "%s", s);
	strcpy(text + DTNAMESIZE - sizeof("..."), "...");
}

/* Writes the base type with its keyword, without asterisks. */
static void
text_base(const struct btf *btf, const struct btf_type *t, char *text)
{
	static const char *const words[] = {
		[BTF_KIND_STRUCT] = "struct ",
		[BTF_KIND_UNION] = "union ",
		[BTF_KIND_ENUM] = "enum ",
		[BTF_KIND_ENUM64] = "enum ",
	};
	unsigned int kind = btf_kind(t);
	const char *name;

	if (kind == BTF_KIND_FWD)
		text_add(text, btf_kflag(t) ? "union " : "struct ");
	else if (kind < sizeof(words) / sizeof(words[0]) && words[kind] != NULL)
		text_add(text, words[kind]);
	name = btf__name_by_offset(btf, t->name_off);
	if (btf_is_void(t))
		name = "void";
	text_add(text, name != NULL && *name != '\0' ? name : "{...}");
}

static void
type_text(const struct btf *btf, uint32_t id, char *text)
{
	const struct btf_type *t = btf__type_by_id(btf, id);
	unsigned int stars = 0;

	text[0] = '\0';
	for (; t != NULL; t = btf__type_by_id(btf, t->type)) {
		if (btf_is_ptr(t))
			stars++;
		else if (btf_is_const(t)) /* of a pointer: omitted */
			text_add(text, stars > 0 ? "const " : "");
		else if (!btf_is_volatile(t) && !btf_is_restrict(t) &&
		    btf_kind(t) != BTF_KIND_TYPE_TAG)
			break;
	}
	if (t == NULL)
		return;
	if (btf_is_func_proto(t)) { /* RESULT (*)(...) */
		text_add(text, "void (*)()");
		return;
	}
	if (btf_is_array(t)) {
		text_add(text, "void *");
		return;
	}
	text_base(btf, t, text);
	if (stars > 0)
		text_add(text, " ");
	for (; stars > 0; stars--)
		text_add(text, "*");
}

/* Returns how to read a register with a value of the type. */
static uint8_t
type_how(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = bare(btf, id), *to;
	uint8_t sign = 0;

	if (t == NULL)
		return 0;
	if (btf_is_ptr(t)) {
		to = bare(btf, t->type);
		if (to != NULL && btf_is_int(to) && to->size == 1 &&
		    strcmp(btf__name_by_offset(btf, to->name_off), "char") == 0)
			return DT_KARG_STRING;
		return 0;
	}
	if (btf_is_int(t))
		sign = btf_int_encoding(t) & BTF_INT_SIGNED ? DT_KARG_SIGNED
							    : 0;
	else if (btf_is_any_enum(t))
		sign = btf_kflag(t) ? DT_KARG_SIGNED : 0;
	else
		return 0;
	return t->size < 8 ? sign | (64 - 8 * t->size) : sign;
}

/* Pointers that are returned may be errors. */
static uint8_t
type_ret(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = bare(btf, id);

	if (id == 0 || t == NULL || btf_is_void(t))
		return DT_KRET_NONE;
	return btf_is_ptr(t) ? DT_KRET_PTR : type_how(btf, id);
}

/*
 * Returns whether each argument is in one register, in order.  A struct by
 * value takes none or two.
 */
static int
is_plain(const struct btf *btf, const struct btf_param *p, unsigned int n)
{
	const struct btf_type *t;
	unsigned int i;

	for (i = 0; i < n; i++) {
		t = bare(btf, p[i].type);
		if (t == NULL || btf_is_composite(t) || btf_is_array(t) ||
		    btf_is_float(t) || (btf_is_int(t) && t->size > 8))
			return 0;
	}
	return 1;
}

static void
proto_unknown(struct func_proto *kp, struct func_proto_text *kt)
{
	unsigned int i;

	memset(kp, 0, sizeof(*kp));
	kp->fpr_nargs = FUNC_PROTO_NARGS;
	if (kt == NULL)
		return;
	memset(kt, 0, sizeof(*kt));
	strcpy(kt->fpt_ret, "u64");
	for (i = 0; i < FUNC_PROTO_NARGS; i++) {
		strcpy(kt->fpt_type[i], "u64");
		snprintf(kt->fpt_name[i], DTNAMESIZE, "arg%u", i);
	}
}

static void
proto_fill(const struct btf *btf, const struct btf_type *proto,
    struct func_proto *kp, struct func_proto_text *kt)
{
	const struct btf_param *p = btf_params(proto);
	unsigned int i, n = btf_vlen(proto);
	const char *name;

	if (n > 0 && p[n - 1].type == 0)
		n--; /* "..." */
	if (n > FUNC_PROTO_NARGS)
		n = FUNC_PROTO_NARGS;
	if (!is_plain(btf, p, n)) {
		proto_unknown(kp, kt);
		kp->fpr_ret = type_ret(btf, proto->type);
		if (kt != NULL)
			type_text(btf, proto->type, kt->fpt_ret);
		return;
	}
	memset(kp, 0, sizeof(*kp));
	kp->fpr_nargs = n;
	kp->fpr_ret = type_ret(btf, proto->type);
	if (kt != NULL) {
		memset(kt, 0, sizeof(*kt));
		type_text(btf, proto->type, kt->fpt_ret);
	}
	for (i = 0; i < n; i++) {
		kp->fpr_args[i] = type_how(btf, p[i].type);
		if (kt == NULL)
			continue;
		type_text(btf, p[i].type, kt->fpt_type[i]);
		name = btf__name_by_offset(btf, p[i].name_off);
		if (name != NULL && *name != '\0')
			snprintf(kt->fpt_name[i], DTNAMESIZE, "%s", name);
		else
			snprintf(kt->fpt_name[i], DTNAMESIZE, "arg%u", i);
	}
}

void
func_proto_get(const char *symbol, const char *module, struct func_proto *kp,
    struct func_proto_text *kt)
{
	const struct btf_type *proto;
	const struct types *ty;

	pthread_mutex_lock(&types_mtx);
	ty = types_of(module);
	if ((proto = types_proto(ty, symbol)) != NULL)
		proto_fill(ty->ty_btf, proto, kp, kt);
	else
		proto_unknown(kp, kt);
	pthread_mutex_unlock(&types_mtx);
}

uint32_t
func_proto_btfid(const char *symbol)
{
	uint32_t id;

	pthread_mutex_lock(&types_mtx);
	id = types_func(types_of(""), symbol);
	pthread_mutex_unlock(&types_mtx);
	return id;
}

int
func_proto_hasmember(const char *structure, const char *member)
{
	const struct btf_type *t = NULL;
	const struct btf_member *m;
	const struct types *ty;
	int32_t id = -1;
	int i, has = 0;

	pthread_mutex_lock(&types_mtx);
	if ((ty = types_of("")) != NULL && ty->ty_btf != NULL)
		id = btf__find_by_name_kind(ty->ty_btf, structure,
		    BTF_KIND_STRUCT);
	if (id > 0)
		t = btf__type_by_id(ty->ty_btf, id);
	for (i = 0; t != NULL && i < btf_vlen(t) && !has; i++) {
		m = &btf_members(t)[i];
		has = strcmp(btf__name_by_offset(ty->ty_btf, m->name_off),
			  member) == 0;
	}
	pthread_mutex_unlock(&types_mtx);
	return has;
}

void
func_proto_hold(void)
{
	pthread_mutex_lock(&types_mtx);
	types_users++;
	pthread_mutex_unlock(&types_mtx);
}

/* Frees the last first: types of modules refer to the kernel's, the first. */
static void
types_free_all(struct types *ty)
{
	if (ty == NULL)
		return;
	types_free_all(ty->ty_next);
	types_free(ty);
}

/* Tries again later if a thread holds the lock, as reading types is slow. */
static void
types_timeout(void)
{
	if (pthread_mutex_trylock(&types_mtx) != 0) {
		timer_start(&types_timer, TYPES_KEPT * TIMER_SEC);
		return;
	}
	if (types_users == 0) {
		types_free_all(types_list);
		types_list = NULL;
	}
	pthread_mutex_unlock(&types_mtx);
}

int
func_proto_init(void)
{
	return timer_init(&types_timer, types_timeout);
}

void
func_proto_drop(void)
{
	pthread_mutex_lock(&types_mtx);
	if (--types_users == 0)
		timer_start(&types_timer, TYPES_KEPT * TIMER_SEC);
	pthread_mutex_unlock(&types_mtx);
}

void
func_proto_forget(void)
{
	pthread_mutex_lock(&types_mtx);
	if (types_list != NULL) {
		types_free_all(types_list->ty_next);
		types_list->ty_next = NULL;
	}
	pthread_mutex_unlock(&types_mtx);
}
