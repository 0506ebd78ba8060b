/* SPDX-License-Identifier: ISC */
/*
 * Fuzzes how dt(1) prints the arguments of a call, as a recording may have
 * them: any numbers, any memory.
 *
 * An input: two bytes with the number of the call, one with bits (1: of a
 * 32-bit program, 2: no entry, 4: no return), 5 unused bytes, 6 arguments and a
 * result of 8 bytes each; then the section of strings, for the entry and the
 * return.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/decode/args.h"
#include "cli/decode/kind.h"
#include "daemon/kernel/syscalls.h"

#define INPUT_NUMBERS 8
#define INPUT_STRINGS (INPUT_NUMBERS + 7 * 8)

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* Copies a record to memory of its exact size, for the sanitizer. */
struct fuzz_event {
	struct dt_rec *fe_rec;
	struct dt_event fe_ev;
};

static int
fuzz_event(struct fuzz_event *fe, const uint64_t *numbers, unsigned int nargs,
    int isret, const uint8_t *strings, size_t nbytes)
{
	struct dt_rec_ret ret = { .drr_retval = (int64_t)numbers[6] };
	struct dt_rec_strings sz = { .drz_nbytes = nbytes };
	size_t fixed = isret ? sizeof(ret) : nargs * 8;
	uint8_t *p;

	fe->fe_rec = calloc(1,
	    sizeof(*fe->fe_rec) + fixed + sizeof(sz) + nbytes);
	if (fe->fe_rec == NULL)
		abort();
	fe->fe_rec->dr_length = sizeof(*fe->fe_rec) + fixed + sizeof(sz) +
	    nbytes;
	fe->fe_rec->dr_kind = DT_REC_EVENT;
	fe->fe_rec->dr_flags = DT_REC_STRINGS |
	    (isret ? DT_REC_RETVAL : DT_REC_ARGS);
	p = (uint8_t *)(fe->fe_rec + 1);
	memcpy(p, isret ? (const void *)&ret : numbers, fixed);
	p += fixed;
	/* as many as fit, each with its padding */
	for (size_t at = 0, len; at + 8 <= nbytes; sz.drz_count++) {
		memcpy(&len, strings + at, sizeof(len));
		len = len >> 32 & 0xffff;
		at += 8 + ((len + 7) & ~(size_t)7);
		if (at > nbytes)
			break;
	}
	memcpy(p, &sz, sizeof(sz));
	memcpy(p + sizeof(sz), strings, nbytes);
	return dt_decode(fe->fe_rec, fe->fe_rec->dr_length, isret ? 0 : nargs,
	    &fe->fe_ev);
}

static void
fuzz_call(const struct syscall_desc *sd, int is32, const struct fuzz_event *in,
    const struct fuzz_event *out)
{
	struct probe pr = { .pr_ret = val_classify_ret(sd->name),
		.pr_retkind = arg_find(sd->name, "=", "") };
	struct arg_call ac = { .ac_probe = &pr,
		.ac_entry = in != NULL ? &in->fe_ev : NULL,
		.ac_ret = out != NULL ? &out->fe_ev : NULL };
	struct buf b;
	unsigned int i;

	for (i = 0; i < sd->nargs; i++) {
		pr.pr_args[i] = val_classify(sd->args[i].type,
		    sd->args[i].name);
		pr.pr_kinds[i] = arg_find(sd->name, sd->args[i].name,
		    sd->args[i].type);
	}
	pr.pr_desc.pd_info.dtpi_flags = DTPI_CALL | (is32 ? DTPI_COMPAT : 0);
	pr.pr_shown = arg_find_shown(sd->name);
	buf_init(&b, -1);
	for (i = 0; in != NULL && i < sd->nargs; i++)
		if (arg_shown(&ac, i))
			arg_text(&b, &ac, i);
	if (out != NULL)
		arg_ret_text(&b, &ac);
	for (size_t at = 0; at < b.b_len; at++)
		if ((uint8_t)b.b_data[at] < ' ' || b.b_data[at] == 0x7f)
			abort(); /* a terminal's escape */
	buf_free(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_event in = { 0 }, out = { 0 };
	const struct syscall_desc *sd;
	uint64_t numbers[7];
	size_t nbytes;
	int is32, ok;

	if (size < INPUT_STRINGS || size > 4096)
		return 0;
	is32 = data[2] & 1;
	sd = syscall_desc(is32 ? SYSCALL_ABI_32 : SYSCALL_ABI_64,
	    data[0] | data[1] << 8);
	if (sd == NULL)
		return 0;
	memcpy(numbers, data + INPUT_NUMBERS, sizeof(numbers));
	nbytes = (size - INPUT_STRINGS) & ~(size_t)7;
	ok = fuzz_event(&in, numbers, sd->nargs, 0, data + INPUT_STRINGS,
		 nbytes) == 0 &&
	    fuzz_event(&out, numbers, sd->nargs, 1, data + INPUT_STRINGS,
		nbytes) == 0;
	if (ok)
		fuzz_call(sd, is32, data[2] & 2 ? NULL : &in,
		    data[2] & 4 ? NULL : &out);
	free(in.fe_rec);
	free(out.fe_rec);
	return 0;
}
