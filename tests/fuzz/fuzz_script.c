/* SPDX-License-Identifier: ISC */
/*
 * Fuzzes scripts: the text goes through lexer, parser and type checker, and its
 * clauses are executed without a hit.  An error has a place in the text and a
 * reason, and prints as lines without control characters.  Reads of structs are
 * within the bounds that dtd checks.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/script/script_reads.h"
#include "cli/script/script_run.h"
#include "cli/script/script_target.h"

#define MAXINPUT 4096

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
fuzz_error(const struct script *sc)
{
	const struct script_error *se = &sc->scr_error;
	struct buf b;
	size_t i;

	if (se->ser_why[0] == '\0' || se->ser_begin > strlen(sc->scr_text) + 1)
		abort();
	buf_init(&b, -1);
	script_error_text(&b, se, "fuzz", sc->scr_text);
	for (i = 0; i < b.b_len; i++)
		if ((unsigned char)b.b_data[i] < ' ' && b.b_data[i] != '\n')
			abort();
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
	/* files of this machine are not for the fuzzer to read */
	if (sc->scr_error.ser_is)
		fuzz_error(sc);
	else if (strstr(text, "cat") == NULL)
		fuzz_run(sc);
	script_free(sc);
	free(text);
	return 0;
}
