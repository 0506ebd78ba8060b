/* SPDX-License-Identifier: ISC */
/* Prints values as bpftrace(8) does. */
#include <arpa/inet.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/esc.h"
#include "cli/script/script_value.h"
#include "cli/sym/frames.h"
#include "cli/sym/name_cache.h"
#include "cli/sym/stack.h"
#include "cli/sym/user_symbols.h"

#define TEXT_INDENT "    "

/* A terminal must not obey the names of functions, files and processes. */
void
sval_text_str(struct buf *b, const char *s, size_t n)
{
	if (b->b_isterm)
		esc_text(b, s, n);
	else
		buf_mem(b, s, n);
}

static void
text_ksym(struct buf *b, struct name_cache *nm, uint64_t pc, int hasoffset)
{
	uint64_t offset;
	const char *name = nm != NULL ? name_cache_ksym(nm, pc, &offset) : NULL;

	if (name == NULL)
		buf_hex(b, pc);
	else {
		buf_str(b, name);
		if (hasoffset)
			buf_printf(b, "+%llu", (unsigned long long)offset);
	}
}

static void
text_usyms(struct buf *b, struct name_cache *nm, uint32_t pid, uint64_t nsecs,
    const uint64_t *pcs, unsigned int n, const char *indent)
{
	struct user_symbols us = { 0 };
	uint64_t look[DT_REC_MAXFRAMES] = { 0 };
	struct frame_alone fal;
	const char *name;
	unsigned int i, k = 0;

	for (i = 0; i < n; i++)
		look[i] = stack_pc(pcs, i);
	if (nm != NULL && nm->nm_dt != NULL)
		user_symbols_get(&us, nm, pid, nsecs, look, n);
	for (i = 0; i < n; i++) {
		buf_str(b, indent);
		while (k < us.us_n && us.us_frames[k].df_pc < i)
			k++;
		if (k < us.us_n && us.us_frames[k].df_pc == i) {
			name = frames_alone(&fal, pid, pcs[i], pcs[i] - look[i],
			    &us.us_frames[k])
				   ->fr_name;
			sval_text_str(b, name, strlen(name));
		} else
			buf_hex(b, pcs[i]);
		if (*indent != '\0')
			buf_c(b, '\n');
	}
	if (us.us_n > 0)
		user_symbols_free(&us);
}

static void
text_stack(struct buf *b, const struct sval *sv, struct name_cache *nm,
    int ismapkey)
{
	const char *indent = ismapkey ? TEXT_INDENT : TEXT_INDENT TEXT_INDENT;
	const uint64_t *pcs = sv->sv_text;
	unsigned int i;

	buf_c(b, '\n');
	if (sv->sv_type == ST_USTACK)
		text_usyms(b, nm, sv->sv_number, sv->sv_time, pcs, sv->sv_len,
		    indent);
	else
		for (i = 0; i < sv->sv_len; i++) {
			buf_str(b, indent);
			text_ksym(b, nm, pcs[i], 1);
			buf_c(b, '\n');
		}
}

static void
text_inet(struct buf *b, const struct sval *sv)
{
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(sv->sv_len == 16 ? AF_INET6 : AF_INET, sv->sv_text, text,
	    sizeof(text));
	buf_str(b, text);
}

static void
text_bytes(struct buf *b, const struct sval *sv)
{
	const unsigned char *p = sv->sv_text;
	size_t i;

	for (i = 0; i < sv->sv_len; i++)
		if (sv->sv_type == ST_MAC)
			buf_printf(b, "%s%02X", i > 0 ? ":" : "", p[i]);
		else if (p[i] >= 32 && p[i] < 127)
			buf_c(b, p[i]);
		else
			buf_printf(b, "\\x%02x", p[i]);
}

static void
text_tuple(struct buf *b, const struct sval *sv, struct name_cache *nm)
{
	const struct sval *kids = sv->sv_text;
	size_t i;

	buf_c(b, '(');
	for (i = 0; i < sv->sv_len; i++) {
		if (i > 0)
			buf_str(b, ", ");
		sval_text(b, &kids[i], nm, 1);
	}
	buf_c(b, ')');
}

void
sval_text(struct buf *b, const struct sval *sv, struct name_cache *nm,
    int ismapkey)
{
	uint64_t pc = sv->sv_number;

	switch (sv->sv_type) {
	case ST_STR:
		sval_text_str(b, sv->sv_text, sv->sv_len);
		break;
	case ST_BUF:
	case ST_MAC:
		text_bytes(b, sv);
		break;
	case ST_INET:
		text_inet(b, sv);
		break;
	case ST_TUPLE:
		text_tuple(b, sv, nm);
		break;
	case ST_KSTACK:
	case ST_USTACK:
		text_stack(b, sv, nm, ismapkey);
		break;
	case ST_KSYM:
		text_ksym(b, nm, pc, 0);
		break;
	case ST_USYM:
		text_usyms(b, nm, sv->sv_len, sv->sv_time, &pc, 1, "");
		break;
	default:
		if (sv->sv_isunsigned)
			buf_u64(b, sv->sv_number);
		else
			buf_s64(b, sv->sv_number);
	}
}

void
sval_json_str(struct buf *b, const char *s, size_t n)
{
	buf_c(b, '"');
	esc_json(b, s, n);
	buf_c(b, '"');
}

void
sval_json(struct buf *b, const struct sval *sv, struct name_cache *nm)
{
	const struct sval *kids = sv->sv_text;
	struct buf text;
	size_t i;

	if (sv->sv_type == ST_INT) {
		sval_text(b, sv, nm, 1);
		return;
	}
	if (sv->sv_type == ST_TUPLE) {
		buf_c(b, '[');
		for (i = 0; i < sv->sv_len; i++) {
			if (i > 0)
				buf_c(b, ',');
			sval_json(b, &kids[i], nm);
		}
		buf_c(b, ']');
		return;
	}
	buf_init(&text, -1);
	sval_text(&text, sv, nm, 1);
	sval_json_str(b, text.b_data, text.b_len);
	buf_free(&text);
}
