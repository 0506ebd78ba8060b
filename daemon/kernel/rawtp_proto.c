/* SPDX-License-Identifier: ISC */
/*
 * Derives prototypes of raw tracepoints from BTF.  A tracepoint NAME has a
 * function __traceiter_NAME, whose first parameter is internal and whose other
 * parameters have names.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>

#include "daemon/kernel/rawtp_proto.h"

#define RAW_FUNCTION "__traceiter_"

/* Returns the type without qualifiers, typedefs and tags. */
static const struct btf_type *
raw_bare(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t != NULL &&
	    (btf_is_mod(t) || btf_is_typedef(t) || btf_is_type_tag(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

static int
raw_ischar(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = raw_bare(btf, id);

	return t != NULL && btf_is_int(t) && t->size == 1 &&
	    strcmp(btf__name_by_offset(btf, t->name_off), "char") == 0;
}

/* Describes how to read an argument, whose type without qualifiers is t. */
static void
raw_field(const struct btf *btf, const struct btf_type *t, unsigned int n,
    struct tfm_format_field *tf)
{
	struct dt_field *f = &tf->tf_field;

	f->fld_off = 8 * n;
	f->fld_size = 8;
	f->fld_how = DT_FIELD_NUMBER;
	if (t == NULL)
		return;
	if (btf_is_ptr(t)) {
		if (raw_ischar(btf, t->type))
			f->fld_how = DT_FIELD_KERNTEXT;
		return;
	}
	tf->tf_isnumber = 1;
	if (t->size == 1 || t->size == 2 || t->size == 4)
		f->fld_size = t->size;
	if (btf_is_int(t))
		f->fld_signed = (btf_int_encoding(t) & BTF_INT_SIGNED) != 0;
	else if (btf_is_any_enum(t))
		f->fld_signed = btf_kflag(t);
}

/*
 * A btf_dump_printf_fn_t: appends to a type's text, and cuts it at the maximum.
 */
static void
raw_print(void *text, const char *fmt, va_list ap)
{
	size_t n = strlen(text);

	vsnprintf((char *)text + n, TP_FORMAT_NAME - n, fmt, ap);
}

static void
raw_proto(const struct btf *btf, struct btf_dump *dump, char *text,
    const struct btf_type *proto, struct tp_format *tp)
{
	LIBBPF_OPTS(btf_dump_emit_type_decl_opts, opts, .field_name = "");
	const struct btf_param *p = btf_params(proto) + 1;
	unsigned int i, n = btf_vlen(proto);
	struct tfm_format_field *tf;
	const char *name;

	memset(tp, 0, sizeof(*tp));
	for (i = 0; i + 1 < n; i++, p++) {
		if (tp->tfm_n == DT_TP_FIELDS) {
			tp->tfm_cut++;
			continue;
		}
		tf = &tp->tfm_fields[tp->tfm_n++];
		raw_field(btf, raw_bare(btf, p->type), i, tf);
		text[0] = '\0';
		if (btf_dump__emit_type_decl(dump, p->type, &opts) != 0)
			text[0] = '\0';
		snprintf(tf->tf_type, sizeof(tf->tf_type), "%s", text);
		name = btf__name_by_offset(btf, p->name_off);
		snprintf(tf->tf_name, sizeof(tf->tf_name), "%s",
		    name != NULL ? name : "");
	}
}

int
rawtp_proto_each(void (*fn)(const char *, const struct tp_format *, void *),
    void *arg)
{
	char text[TP_FORMAT_NAME];
	const struct btf_type *t;
	struct btf_dump *dump;
	struct tp_format tp;
	const char *name;
	struct btf *btf;
	uint32_t id, n;

	if ((btf = btf__load_vmlinux_btf()) == NULL)
		return errno;
	if ((dump = btf_dump__new(btf, raw_print, text, NULL)) == NULL) {
		btf__free(btf);
		return ENOMEM;
	}
	n = btf__type_cnt(btf);
	for (id = 1; id < n; id++) {
		t = btf__type_by_id(btf, id);
		name = btf__name_by_offset(btf, t->name_off);
		if (!btf_is_func(t) ||
		    strncmp(name, RAW_FUNCTION, sizeof(RAW_FUNCTION) - 1) != 0)
			continue;
		t = btf__type_by_id(btf, t->type);
		if (!btf_is_func_proto(t) || btf_vlen(t) == 0)
			continue;
		raw_proto(btf, dump, text, t, &tp);
		fn(name + sizeof(RAW_FUNCTION) - 1, &tp, arg);
	}
	btf_dump__free(dump);
	btf__free(btf);
	return 0;
}
