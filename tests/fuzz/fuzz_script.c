/* SPDX-License-Identifier: ISC */
/*
 * Fuzzes scripts: the text goes through lexer, parser and type checker, and its
 * clauses are executed without a hit.  An error has a place in the text and a
 * reason, and prints as lines without control characters.  Reads of structs are
 * within the bounds that dtd checks.  The clauses, bound to entry and return of
 * one call, are also divided between the kernel and dt.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/script/script_lower.h"
#include "cli/script/script_reads.h"
#include "cli/script/script_run.h"
#include "cli/script/script_target.h"

#define MAXINPUT 4096

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
fuzz_printable(const struct buf *b)
{
	size_t i;

	for (i = 0; i < b->b_len; i++)
		if ((unsigned char)b->b_data[i] < ' ' && b->b_data[i] != '\n')
			abort();
}

static void
fuzz_error(const struct script *sc)
{
	const struct script_error *se = &sc->scr_error;
	struct buf b;

	if (se->ser_why[0] == '\0' || se->ser_begin > strlen(sc->scr_text) + 1)
		abort();
	buf_init(&b, -1);
	script_error_text(&b, se, "fuzz", sc->scr_text);
	fuzz_printable(&b);
	buf_free(&b);
}

static void
fuzz_targets(const struct clause *cl)
{
	const struct script_probe *sp;
	struct script_target tg;
	char why[256];

	for (sp = cl->cla_probes; sp != NULL; sp = sp->scn_next) {
		why[0] = '\0';
		if (script_target(sp->scn_name, &tg, why, sizeof(why)) == -1 &&
		    why[0] == '\0')
			abort();
	}
}

static void
fuzz_read(const struct dt_read *mr)
{
	unsigned int i;

	if (mr->mrd_nsteps > DT_READ_NSTEPS || mr->mrd_size == 0 ||
	    mr->mrd_size > (mr->mrd_kind == DT_READ_TEXT ? DT_READ_MAXTEXT
							 : DT_READ_MAXBYTES) ||
	    (mr->mrd_nsteps == 0 && mr->mrd_size != sizeof(uint64_t)))
		abort();
	for (i = 0; i < DT_READ_NSTEPS; i++)
		if (mr->mrd_off[i] >= DT_READ_MAXOFF ||
		    (i >= mr->mrd_nsteps && mr->mrd_off[i] != 0))
			abort();
}

/* Binds the reads of a clause to a probe whose arguments are sockets. */
static void
fuzz_reads(struct script *sc, const struct clause *cl)
{
	struct probe pr = { .pr_full = "kprobe:f:entry" };
	struct script_bind sbi = { .sbi_script = sc, .sbi_mayread = 1 };
	struct bound bo = { .bo_probe = &pr };
	struct script_read *reads = script_alloc(sc,
	    (sc->scr_nreads + 1) * sizeof(*reads));
	int8_t *argn = script_alloc(sc, sc->scr_nfields + 1);
	const struct node *bad = NULL;
	unsigned int i;

	strcpy(pr.pr_desc.pd_types[0].dtai_argtype, "struct sock *");
	if (script_reads_bind(&sbi, &bo, cl, argn, reads, &bad) == -1 &&
	    (bad == NULL || sbi.sbi_why[0] == '\0'))
		abort();
	for (i = 0; i < bo.bo_nreads; i++)
		fuzz_read(&bo.bo_reads[i]);
}

/* Entry and return of a call with numbers of all sizes, and a text. */
static void
fuzz_call(struct probe pr[2])
{
	struct dtioc_probe_info *pi;
	unsigned int i, n;

	for (i = 0; i < 2; i++) {
		pi = &pr[i].pr_desc.pd_info;
		snprintf(pr[i].pr_full, sizeof(pr[i].pr_full), "syscall:f:%s",
		    i == 0 ? "entry" : "return");
		strcpy(pi->dtpi_prov, "syscall");
		strcpy(pi->dtpi_func, "f");
		strcpy(pi->dtpi_name, i == 0 ? "entry" : "return");
		pi->dtpi_pbn = i + 1;
		pi->dtpi_nargs = VAL_NONE + 1;
		pi->dtpi_flags = DTPI_CALL;
		for (n = 0; n <= VAL_NONE; n++) {
			pr[i].pr_args[n] = n;
			pr[i].pr_desc.pd_names[n].dtan_name[0] = 'a' + n;
		}
	}
}

/* Binds a clause; a name of a field in it is one of the numbers. */
static void
fuzz_bind(struct script *sc, struct bound *bo, const struct clause *cl,
    int isreturn)
{
	int8_t *argn = script_alloc(sc, sc->scr_nfields + 1);
	unsigned int i;

	for (i = 0; i < sc->scr_nfields; i++)
		argn[i] = isreturn ? SCRIPT_RET
				   : sc->scr_fields[i]->nd_text[0] % VAL_NONE;
	bo->bo_clauses[bo->bo_nclauses++] = (struct bound_clause){ cl,
		{ .sht_name = bo->bo_probe->pr_full,
		    .sht_func = "f",
		    .sht_probe = bo->bo_probe,
		    .sht_argn = argn } };
}

/* Clauses of a return have "re" in the name of their first probe. */
static void
fuzz_lower(struct script *sc)
{
	static const struct opts o;
	static struct session ss = { .ss_opts = &o };
	struct probe pr[2] = { 0 };
	struct bound bos[2] = { 0 }, *all[2] = { &bos[0], &bos[1] };
	struct script_bind sbi = { .sbi_script = sc,
		.sbi_session = &ss,
		.sbi_bounds = all,
		.sbi_n = 2 };
	struct script_lower slo = { 0 };
	const struct clause *cl;
	struct buf b;
	int i;

	fuzz_call(pr);
	for (i = 0; i < 2; i++) {
		ss.ss_names.nm_last[i + 1] = bos[i].bo_probe = &pr[i];
		bos[i].bo_info = pr[i].pr_desc.pd_info;
		strcpy(bos[i].bo_info.dtpi_name, "f"); /* no look-up */
		bos[i].bo_clauses = script_alloc(sc,
		    (sc->scr_nclauses + 1) * sizeof(*bos[i].bo_clauses));
	}
	for (cl = sc->scr_clauses; cl != NULL; cl = cl->cla_next) {
		i = strstr(cl->cla_probes->scn_name, "re") != NULL;
		if (strcmp(cl->cla_probes->scn_name, "END") != 0)
			fuzz_bind(sc, &bos[i], cl, i);
	}
	if (bos[0].bo_nclauses == 0 || bos[1].bo_nclauses == 0)
		return;
	script_lower_plan(&slo, &sbi, NULL, 1);
	buf_init(&b, -1);
	script_explain(sc, &slo, NULL, &b);
	fuzz_printable(&b);
	buf_free(&b);
	script_lower_free(&slo);
}

static void
fuzz_run(const struct script *sc)
{
	static const struct script_limits limits = { 8, 64, 3 };
	const struct script_hit sh = { .sht_name = "BEGIN",
		.sht_func = "BEGIN" };
	const struct clause *cl;
	struct srun sr;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		srun_init(&sr, sc, -1, &limits);
		sr.srn_isjson = i;
		for (cl = sc->scr_clauses; cl != NULL; cl = cl->cla_next)
			srun_clause(&sr, cl, &sh, NULL, 1000000000);
		srun_maps(&sr);
		srun_free(&sr);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
	char *params[] = { (char *)"7", (char *)"text" };
	const struct clause *cl;
	struct script *sc;
	char *text;

	if (nbytes > MAXINPUT || memchr(data, '\0', nbytes) != NULL)
		return 0;
	if ((text = malloc(nbytes + 1)) == NULL)
		abort();
	memcpy(text, data, nbytes);
	text[nbytes] = '\0';
	if ((sc = script_open(text, params, 2, 0)) == NULL)
		abort();
	for (cl = sc->scr_clauses; cl != NULL && !sc->scr_error.ser_is;
	     cl = cl->cla_next) {
		fuzz_targets(cl);
		fuzz_reads(sc, cl);
	}
	if (!sc->scr_error.ser_is)
		fuzz_lower(sc);
	/* files of this machine are not for the fuzzer to read */
	if (sc->scr_error.ser_is)
		fuzz_error(sc);
	else if (strstr(text, "cat") == NULL)
		fuzz_run(sc);
	script_free(sc);
	free(text);
	return 0;
}
