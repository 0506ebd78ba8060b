/* SPDX-License-Identifier: ISC */
/*
 * The step of ask.c that gives a probe a condition:
 *
 *	if PROBE|pbn=N [i=KIND,OP,VALUE,TRUE,FALSE[,MASK]] ... [poke=OFF:BYTE]
 *
 * Each i is a comparison.  KIND: arg, str (with the number of the argument),
 * ret, errno, duration, pid, tid, uid, cpu, comm, probe, cgroup; a number may be followed by
 * /SIZE, and by s if it is signed.  VALUE: a number, a worker's number, or a
 * text after @.  TRUE and FALSE: pass, fail, or the index of an item.  poke
 * changes one byte of the request.  Without any i the step removes the probe's
 * condition.
 */
#ifndef ASK_COND_H
#define ASK_COND_H

#include <err.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <libdt.h>

#include "tests/run/prog/ask_handle.h"
#include "tests/run/prog/ask_name.h"
#include "tests/run/prog/ask_probe.h"
#include "tests/run/prog/ask_worker.h"

static const struct {
	const char *name;
	uint8_t kind;
	uint8_t size, issigned; /* default if the operand has none */
} cond_kinds[] = {
	{ "arg", DT_OPD_ARG, 8, 0 },
	{ "str", DT_OPD_STRING, 0, 0 },
	{ "ret", DT_OPD_RETVAL, 8, 1 },
	{ "errno", DT_OPD_ERRNO, 4, 0 },
	{ "duration", DT_OPD_DURATION, 8, 0 },
	{ "pid", DT_OPD_PID, 4, 0 },
	{ "tid", DT_OPD_TID, 4, 0 },
	{ "uid", DT_OPD_UID, 4, 0 },
	{ "cpu", DT_OPD_CPU, 4, 0 },
	{ "comm", DT_OPD_COMM, 0, 0 },
	{ "probe", DT_OPD_PROBE, 4, 0 },
	{ "cgroup", DT_OPD_CGROUP, 8, 0 },
	{ "socket", DT_OPD_SOCKET, 8, 0 },
};

static const char *const cond_ops[DT_NCMP] = { "eq", "ne", "lt", "le", "gt",
	"ge", "prefix" };

#define COND_N(array) (sizeof(array) / sizeof((array)[0]))

static void
cond_operand_of(char *s, struct dt_opd *op)
{
	char *size = strchr(s, '/');
	size_t i, n = strcspn(s, "0123456789/");

	for (i = 0; i < COND_N(cond_kinds); i++)
		if (strlen(cond_kinds[i].name) == n &&
		    strncmp(cond_kinds[i].name, s, n) == 0)
			break;
	if (i == COND_N(cond_kinds))
		errx(2, "there is no operand %s", s);
	op->op_kind = cond_kinds[i].kind;
	op->op_argn = strtoul(s + n, NULL, 10);
	op->op_size = cond_kinds[i].size;
	op->op_issigned = cond_kinds[i].issigned;
	if (size != NULL) {
		op->op_size = strtoul(size + 1, &size, 10);
		op->op_issigned = *size == 's';
	}
}

static uint8_t
cond_where(const char *s)
{
	if (strcmp(s, "pass") == 0)
		return DT_COND_PASS;
	return strcmp(s, "fail") == 0 ? DT_COND_FAIL : strtoul(s, NULL, 0);
}

/* Appends a text to the ntext bytes used so far. */
static void
cond_text_of(const char *s, struct dt_cond *co, struct dt_insn *in,
    unsigned int *ntext)
{
	in->in_len = strlen(s);
	in->in_text = *ntext;
	in->in_mask = 0;
	if (*ntext + in->in_len > sizeof(co->co_text))
		errx(2, "texts of too many bytes");
	memcpy(co->co_text + *ntext, s, in->in_len);
	*ntext += in->in_len;
}

static void
cond_insn_of(const char *word, struct dt_cond *co, unsigned int *ntext)
{
	struct dt_insn *in = &co->co_insn[co->co_ninsn];
	char *copy = strdup(word), *save = NULL, *part[6] = { NULL };
	size_t i;

	for (i = 0; i < 6; i++)
		part[i] = strtok_r(i == 0 ? copy : NULL, ",", &save);
	if (part[4] == NULL || co->co_ninsn == DT_COND_NINSN)
		errx(2, "this is no comparison: %s", word);
	cond_operand_of(part[0], &in->in_left);
	for (i = 0; i < DT_NCMP && strcmp(cond_ops[i], part[1]) != 0; i++)
		continue;
	in->in_op = i;
	in->in_true = cond_where(part[3]);
	in->in_false = cond_where(part[4]);
	in->in_mask = part[5] != NULL ? strtoull(part[5], NULL, 0) : UINT64_MAX;
	if (part[2][0] == '@')
		cond_text_of(part[2] + 1, co, in, ntext);
	else if (part[2][0] >= 'A' && part[2][0] <= 'Z')
		in->in_value = worker_id(part[2]);
	else
		in->in_value = strtoull(part[2], NULL, 0);
	co->co_ninsn++;
	free(copy);
}

static void
ask_if(struct handle *h, const struct words *w, struct answer *an)
{
	struct dtioc_condition cn = { 0 };
	unsigned int ntext = 0;
	const char *colon;
	int i;

	if (ask_pbn(h, w, &cn.dtcn_pbn) == -1) {
		ask_say_result(an, -1);
		return;
	}
	for (i = 1; i < w->wd_n; i++)
		if (strncmp(w->wd_v[i], "i=", 2) == 0)
			cond_insn_of(w->wd_v[i] + 2, &cn.dtcn_cond, &ntext);
	for (i = 1; i < w->wd_n; i++) {
		if (strncmp(w->wd_v[i], "poke=", 5) != 0)
			continue;
		if ((colon = strchr(w->wd_v[i], ':')) == NULL)
			errx(2, "poke=OFF:BYTE");
		((uint8_t *)&cn)[strtoul(w->wd_v[i] + 5, NULL, 0) %
		    sizeof(cn)] = strtoul(colon + 1, NULL, 0);
	}
	ask_say_result(an, dt_ioctl(h->h_dt, DTIOCSCONDITION, &cn));
}

#endif /* ASK_COND_H */
