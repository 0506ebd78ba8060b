/* SPDX-License-Identifier: ISC */
/* Copies, compares and packs values. */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/script/script_value.h"

int
sval_istrue(const struct sval *sv)
{
	switch (sv->sv_type) {
	case ST_NONE:
		return 0;
	case ST_STR:
	case ST_BUF:
	case ST_TUPLE:
	case ST_KSTACK:
	case ST_USTACK:
		return sv->sv_len > 0;
	default:
		return sv->sv_number != 0;
	}
}

/* Returns the bytes of sv_text. */
static size_t
sval_bytes(const struct sval *sv)
{
	switch (sv->sv_type) {
	case ST_TUPLE:
		return sv->sv_len * sizeof(struct sval);
	case ST_KSTACK:
	case ST_USTACK:
		return sv->sv_len * sizeof(uint64_t);
	default:
		return sv->sv_text != NULL ? sv->sv_len : 0;
	}
}

struct sval
sval_copy(const struct sval *sv)
{
	size_t i, n = sval_bytes(sv);
	struct sval copy = *sv, *kids;
	char *text;

	if (sv->sv_text == NULL)
		return copy;
	if ((text = malloc(n + 1)) == NULL)
		err(1, "value");
	memcpy(text, sv->sv_text, n);
	text[n] = '\0';
	copy.sv_text = text;
	if (sv->sv_type == ST_TUPLE)
		for (kids = (void *)text, i = 0; i < sv->sv_len; i++)
			kids[i] = sval_copy(&kids[i]);
	return copy;
}

void
sval_clear(struct sval *sv)
{
	struct sval *kids = (void *)(uintptr_t)sv->sv_text;
	size_t i;

	if (sv->sv_type == ST_TUPLE && kids != NULL)
		for (i = 0; i < sv->sv_len; i++)
			sval_clear(&kids[i]);
	free(kids);
	*sv = (struct sval){ .sv_type = ST_NONE };
}

/* Head of a packed value, padded to 8 bytes with what follows. */
struct packed {
	uint8_t pkd_type, pkd_isunsigned, pkd_hastext, pkd_isvector;
	uint32_t pkd_len;
	int64_t pkd_number;
	uint64_t pkd_time;
};

void
sval_pack(struct buf *b, const struct sval *sv)
{
	const struct sval *kids = sv->sv_text;
	/* keys are equal by what they print, not by how they were computed */
	struct packed pk = { .pkd_type = sv->sv_type,
		.pkd_len = sv->sv_len,
		.pkd_number = sv->sv_number };
	size_t i, n;

	if (sv->sv_type == ST_USTACK || sv->sv_type == ST_USYM)
		pk.pkd_time = sv->sv_time != 0; /* 0: now */
	if (sv->sv_type == ST_INT)
		pk.pkd_len = 0;
	n = sv->sv_type == ST_INT || sv->sv_type == ST_TUPLE ? 0
							     : sval_bytes(sv);
	pk.pkd_hastext = n > 0;
	buf_mem(b, &pk, sizeof(pk));
	if (n > 0) {
		buf_mem(b, sv->sv_text, n);
		for (; n % 8 != 0; n++)
			buf_c(b, '\0');
	}
	if (sv->sv_type == ST_TUPLE)
		for (i = 0; i < sv->sv_len; i++)
			sval_pack(b, &kids[i]);
}

size_t
sval_unpack(const void *data, struct sval *sv, struct sval *tuple,
    unsigned int *ntuple)
{
	const struct packed *pk = data;
	const char *p = (const char *)(pk + 1);
	struct sval *kids;
	size_t i, n = 0;

	*sv = (struct sval){ .sv_type = pk->pkd_type,
		.sv_len = pk->pkd_len,
		.sv_number = pk->pkd_number };
	if (pk->pkd_type == ST_TUPLE) {
		kids = tuple + *ntuple;
		*ntuple += pk->pkd_len;
		for (i = 0; i < pk->pkd_len; i++)
			n += sval_unpack(p + n, &kids[i], tuple, ntuple);
		sv->sv_text = kids;
	} else if (pk->pkd_hastext) {
		sv->sv_text = p;
		n = (sval_bytes(sv) + 7) & ~(size_t)7;
	}
	return sizeof(*pk) + n;
}

int
sval_compare(const struct sval *a, const struct sval *b)
{
	const struct sval *ka = a->sv_text, *kb = b->sv_text;
	size_t i, na, nb;
	int r;

	if (a->sv_type != b->sv_type)
		return a->sv_type < b->sv_type ? -1 : 1;
	if (a->sv_type == ST_TUPLE) {
		for (i = 0; i < a->sv_len && i < b->sv_len; i++)
			if ((r = sval_compare(&ka[i], &kb[i])) != 0)
				return r;
		return 0;
	}
	if (a->sv_type == ST_INT || a->sv_text == NULL || b->sv_text == NULL)
		return a->sv_number < b->sv_number ? -1
		    : a->sv_number > b->sv_number  ? 1
						   : 0;
	na = sval_bytes(a);
	nb = sval_bytes(b);
	r = memcmp(a->sv_text, b->sv_text, na < nb ? na : nb);
	return r != 0 ? r : na < nb ? -1 : na > nb;
}
