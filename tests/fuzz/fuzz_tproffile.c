/* SPDX-License-Identifier: ISC */
/*
 * dt tprof analyze: files of samples from any source, and the recording next to
 * a file, which has its symbols.  The output must be harmless for a terminal.
 * The parts of dt(1) that read them are included here, so that a recording need
 * not match its samples.
 *
 * The first byte of the input: 1 for samples alone, 2 for by symbol.
 *
 * Links with $(filter-out %/main.o %/tprof_reading.o %/tprof_analyze.o,
 * $(call obj,$(cli_src))).
 */
#include <sys/mman.h>

#include <libdt.h>

#define dt_open(path, flags) ((struct dt *)NULL) /* no daemon for each input */
#include "cli/tprof/tprof_analyze.c"
#include "cli/tprof/tprof_read.c"
#include "tests/fuzz/mend.h"
#include "tests/fuzz/terminal.h"

#define HOW_RAW	  0x1
#define HOW_BYSYM 0x2

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* Descriptors of the input and of the output; the saved ones of 1 and 2. */
static int input, output, kept[3];
static char name[64], dtname[80], target[32];

static void
wrong(const char *what, size_t at)
{
	dprintf(kept[2], "fuzz_tproffile: %s at byte %zu\n", what, at);
	abort();
}

static void
start(void)
{
	int i;

	input = memfd_create("fuzz_tproffile", MFD_CLOEXEC);
	output = memfd_create("fuzz_tproffile", MFD_CLOEXEC);
	for (i = 1; i < 3; i++)
		if ((kept[i] = fcntl(i, F_DUPFD_CLOEXEC, 10)) == -1)
			err(1, "fcntl");
	if (input == -1 || output == -1)
		err(1, "memory file");
	/* the recording is found by its name */
	snprintf(target, sizeof(target), "/proc/self/fd/%d", input);
	snprintf(name, sizeof(name), "/tmp/fuzz_tproffile.%d", (int)getpid());
	snprintf(dtname, sizeof(dtname), "%s" TPROF_SUFFIX, name);
}

static void
lead(int out, int errors)
{
	fflush(NULL);
	if (dup2(out, STDOUT_FILENO) == -1 || dup2(errors, STDERR_FILENO) == -1)
		_exit(1);
}

/* Returns the output, and empties it. */
static void
check_output(void)
{
	off_t len = lseek(output, 0, SEEK_END);
	const char *what;
	uint8_t *p;
	size_t at;

	if (len > 0) {
		p = mmap(NULL, len, PROT_READ, MAP_SHARED, output, 0);
		if (p == MAP_FAILED)
			err(1, "mmap");
		if ((what = terminal_wrong(p, len, &at)) != NULL)
			wrong(what, at);
		munmap(p, len);
	}
	if (ftruncate(output, 0) == -1 || lseek(output, 0, SEEK_SET) == -1)
		err(1, "output");
}

static void
read_recording(struct tprof_reading *rd)
{
	if (symlink(target, dtname) == -1)
		err(1, "%s", dtname);
	if (!reading_dt(rd, name))
		err(1, "%s", dtname);
	unlink(dtname);
}

static void
read_samples(struct tprof_reading *rd)
{
	FILE *f = fopen(target, "re");

	if (f == NULL)
		err(1, "%s", target);
	reading_raw(rd, f);
	fclose(f);
}

static void
analyze(int how)
{
	const struct analyze_opts ao = { .ano_bysym = (how & HOW_BYSYM) != 0 };
	struct analysis an = { .ana_opts = &ao };
	struct tprof_reading *rd = calloc(1, sizeof(*rd));

	if (rd == NULL)
		err(1, NULL);
	rd->rd_fn = analyze_sample;
	rd->rd_arg = &an;
	if (how & HOW_RAW)
		read_samples(rd);
	else
		read_recording(rd);
	analyze_print(&an);
	hash_free(&an.ana_rows);
	hash_clear(&an.ana_funcs);
	tprof_reading_free(rd);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static int started;
	uint8_t *copy;

	if (len == 0)
		return 0;
	if (!started++)
		start();
	if ((copy = malloc(len)) == NULL)
		return 0;
	memcpy(copy, data + 1, len - 1);
	if (!(data[0] & HOW_RAW))
		mend(copy, len - 1);
	if (ftruncate(input, 0) == -1 ||
	    pwrite(input, copy, len - 1, 0) != (ssize_t)(len - 1))
		err(1, "input");
	free(copy);
	lead(output, output);
	analyze(data[0]);
	lead(kept[1], kept[2]);
	check_output();
	return 0;
}
