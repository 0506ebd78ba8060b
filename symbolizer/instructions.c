/* SPDX-License-Identifier: ISC */
/*
 * Finds instructions from the entry of their function on, as a debugger would.
 * Data between instructions, which compilers do not write to functions, makes
 * the instructions after it wrong or ends them.
 */
#include <errno.h>
#include <string.h>

#include "symbolizer/demangle.h"
#include "symbolizer/instructions.h"
#include "symbolizer/x86_insn.h"

#define FUNCTION_MAX (16U << 20) /* bytes of a function that are read */

/* The code of a function: an offset and its bytes. */
struct function_code {
	uint64_t fnc_off;
	const uint8_t *fnc_bytes;
	size_t fnc_n;
	unsigned int fnc_machine;
	char fnc_name[SYMREQ_NAME];
};

/* Finds the function that contains an offset.  ENOENT: none does. */
static int
function_at(struct object_file *ob, uint64_t off, struct function_code *fnc)
{
	const struct elffile *ef = object_file_main(ob);
	const struct elfload *el = elffile_at(ef, off);
	const struct symbol_index *ix;
	struct ranges_hit hit;
	const char *raw;
	size_t len;
	int error;

	if ((ef->ef_ehdr.e_machine != EM_X86_64 &&
		ef->ef_ehdr.e_machine != EM_AARCH64) ||
	    ef->ef_ehdr.e_ident[EI_CLASS] != ELFCLASS64)
		return EOPNOTSUPP;
	if ((error = object_file_index(ob, &ix)) != 0)
		return error;
	if (el == NULL)
		return ENOENT;
	ranges_find(&ix->ix_ranges, off - el->el_off + el->el_addr, &hit);
	if (hit.rh_range == NULL || hit.rh_range->r_start < el->el_addr)
		return ENOENT;
	fnc->fnc_machine = ef->ef_ehdr.e_machine;
	fnc->fnc_off = hit.rh_range->r_start - el->el_addr + el->el_off;
	fnc->fnc_n = hit.rh_range->r_size;
	if (fnc->fnc_n > el->el_off + el->el_size - fnc->fnc_off)
		fnc->fnc_n = el->el_off + el->el_size - fnc->fnc_off;
	if (fnc->fnc_off >= ef->ef_bytes.fby_size)
		return ENOENT;
	if (fnc->fnc_n > ef->ef_bytes.fby_size - fnc->fnc_off)
		fnc->fnc_n = ef->ef_bytes.fby_size - fnc->fnc_off;
	fnc->fnc_bytes = ef->ef_bytes.fby_base + fnc->fnc_off;
	raw = symbol_index_name(ix, hit.rh_range, &len);
	demangle_name(raw, len, fnc->fnc_name);
	return 0;
}

/* Returns the length of the instruction at a byte of a function; 0: none. */
static size_t
length_at(const struct function_code *fnc, size_t at)
{
	if (fnc->fnc_machine == EM_AARCH64)
		return fnc->fnc_n - at < 4 ? 0 : 4;
	return x86_insn_length(fnc->fnc_bytes + at, fnc->fnc_n - at);
}

/* RET, RETAA and RETAB of arm64. */
static int
is_ret(const struct function_code *fnc, size_t at, size_t len)
{
	uint32_t insn;

	if (fnc->fnc_machine == EM_X86_64)
		return x86_insn_isret(fnc->fnc_bytes + at, len);
	memcpy(&insn, fnc->fnc_bytes + at, sizeof(insn));
	return (insn & 0xfffffc1f) == 0xd65f0000 || insn == 0xd65f0bff ||
	    insn == 0xd65f0fff;
}

uint16_t
instructions_flags(const struct elffile *ef, uint64_t off)
{
	const struct file_bytes *fby = &ef->ef_bytes;

	if (ef->ef_ehdr.e_machine != EM_X86_64 || off >= fby->fby_size ||
	    x86_insn_isprobed(fby->fby_base + off, fby->fby_size - off))
		return 0;
	return PROBE_SITE_REFUSED;
}

static struct found_site
site_of(const struct function_code *fnc, size_t at)
{
	return (struct found_site){ .fo_name = fnc->fnc_name,
		.fo_site = { .psi_off = fnc->fnc_off + at,
		    .psi_start = fnc->fnc_off,
		    .psi_size = fnc->fnc_n } };
}

int
instructions_at(struct object_file *ob, const struct probe_query *pq,
    struct probe_sink *sink)
{
	struct function_code fnc;
	struct found_site fo;
	size_t at = 0, want, len;
	int error;

	if ((error = function_at(ob, pq->pq_off, &fnc)) != 0)
		return error == ENOENT ? 0 : error;
	if ((want = pq->pq_off - fnc.fnc_off) > FUNCTION_MAX)
		return EOPNOTSUPP;
	while ((len = length_at(&fnc, at)) > 0 && at + len <= want)
		at += len;
	if (len == 0)
		return EOPNOTSUPP;
	fo = site_of(&fnc, at);
	fo.fo_site.psi_size = len;
	fo.fo_site.psi_flags = (at == want ? PROBE_SITE_EXACT : 0) |
	    instructions_flags(object_file_main(ob), fo.fo_site.psi_off);
	sink->psk_put(sink, &fo);
	return 0;
}

int
instructions_rets(struct object_file *ob, const struct probe_query *pq,
    struct probe_sink *sink)
{
	struct function_code fnc;
	struct found_site fo;
	size_t at, len;
	uint32_t nput = 0;
	int error;

	if ((error = function_at(ob, pq->pq_off, &fnc)) != 0)
		return error == ENOENT ? 0 : error;
	if (fnc.fnc_n > FUNCTION_MAX)
		return EOPNOTSUPP;
	for (at = 0; at < fnc.fnc_n; at += len) {
		if ((len = length_at(&fnc, at)) == 0)
			return EOPNOTSUPP;
		if (!is_ret(&fnc, at, len))
			continue;
		if (nput++ == pq->pq_max) {
			sink->psk_more(sink);
			break;
		}
		fo = site_of(&fnc, at);
		sink->psk_put(sink, &fo);
	}
	return 0;
}
