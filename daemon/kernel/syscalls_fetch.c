/* SPDX-License-Identifier: ISC */
/*
 * Describes the memory that arguments of system calls point to.  Rows name
 * calls and arguments; numbers, registers and widths come from the tables of
 * calls.
 */
#include "daemon/kernel/syscalls_fetch.h"

#include <stddef.h>
#include <string.h>

#include "wire/argfd.h"
#include <dt/evt.h>

#define NITEMS(a) (sizeof(a) / sizeof((a)[0]))

static const struct syscall_fetch rows[] = {
	/* A call that succeeds returns with registers of another program. */
	{ "execve", "filename", DT_FETCH_PATH, DT_EVT_STRINGS,
	    FETCH_ENTRY | FETCH_FAILED, FETCH_BOTH, NULL, 0, 0 },
	{ "execve", "argv", DT_FETCH_VECTOR, DT_EVT_STRINGS,
	    FETCH_ENTRY | FETCH_FAILED, FETCH_BOTH, NULL, 0, 0 },
	{ "execveat", "filename", DT_FETCH_PATH, DT_EVT_STRINGS,
	    FETCH_ENTRY | FETCH_FAILED, FETCH_BOTH, NULL, 0, 0 },
	{ "execveat", "argv", DT_FETCH_VECTOR, DT_EVT_STRINGS,
	    FETCH_ENTRY | FETCH_FAILED, FETCH_BOTH, NULL, 0, 0 },
#include "daemon/kernel/syscalls_fetch_mem.h"
};

/* The row for all arguments that are paths. */
static const struct syscall_fetch path_row = { "", "", DT_FETCH_PATH,
	DT_EVT_STRINGS, FETCH_ALWAYS, FETCH_BOTH, NULL, 0, 0 };

/* Types with all 64 bits of a register; others have undefined upper bits. */
static const char *const wide[] = { "size_t", "const size_t", "unsigned long",
	"long", "u64", "__u64", "loff_t", "off_t", "aio_context_t" };

const struct syscall_fetch *
syscall_fetch_row(unsigned int n)
{
	return n < NITEMS(rows) ? &rows[n] : NULL;
}

static int
fetch_iswide(const char *type)
{
	size_t i;

	for (i = 0; i < NITEMS(wide); i++)
		if (strcmp(type, wide[i]) == 0)
			return 1;
	return 0;
}

/* The number of a call's argument; DT_FETCH_NOARG without a name, or one that
 * the call does not have. */
static unsigned int
fetch_argn(const struct syscall_desc *sd, const char *name)
{
	unsigned int i;

	for (i = 0; name != NULL && i < sd->nargs; i++)
		if (strcmp(sd->args[i].name, name) == 0)
			return i;
	return DT_FETCH_NOARG;
}

/* Returns the outcomes of a call for which a row is used in this direction. */
static uint8_t
fetch_outcomes(const struct syscall_fetch *sf, int dir)
{
	if (dir == DT_SYS_ENTRY)
		return sf->sf_when & FETCH_ENTRY ? DT_FETCH_OK : 0;
	return (sf->sf_when & FETCH_RETURN ? DT_FETCH_OK : 0) |
	    (sf->sf_when & FETCH_FAILED ? DT_FETCH_FAILED : 0);
}

static uint8_t
fetch_strflags(const struct syscall_fetch *sf, int dir)
{
	uint8_t flags = dir == DT_SYS_RETURN ? DT_STR_RETURN : 0;

	if (sf->sf_how == DT_FETCH_VECTOR || sf->sf_how == DT_FETCH_COUNT)
		return flags | DT_STR_VECTOR;
	if (sf->sf_how >= DT_FETCH_IOVEC)
		flags |= DT_STR_VECTOR;
	if (sf->sf_how == DT_FETCH_PATH)
		return flags;
	return flags |
	    (sf->sf_want == DT_EVT_DATA ? DT_STR_DATA : DT_STR_MEMORY);
}

/*
 * Calls that the filter by path has to let pass: they change the meaning of
 * relative paths, or close descriptors that they do not name.
 */
static int
fetch_passes(const char *name)
{
	static const char *const names[] = { "chdir", "fchdir", "chroot",
		"close_range" };
	size_t i;

	for (i = 0; i < NITEMS(names); i++)
		if (strcmp(name, names[i]) == 0)
			return 1;
	return 0;
}

/* Whether argument argn is a path that begins at the one before it. */
static int
fetch_hasdir(const struct syscall_desc *sd, unsigned int argn)
{
	return argn > 0 && argn < sd->nargs && sd->args[argn].is_path &&
	    argfd_isdir(sd->name, sd->args[argn - 1].name);
}

/*
 * Appends a row for an argument to the table entry, for these outcomes and this
 * direction.
 */
static void
fetch_add(struct dt_fetches *fe, unsigned int *n,
    const struct syscall_fetch *sf, enum syscall_abi abi,
    const struct syscall_desc *sd, unsigned int argn, int dir, uint8_t bits)
{
	unsigned int lenarg = fetch_argn(sd, sf->sf_len);

	if (bits == 0 || *n == DT_NFETCH)
		return;
	if (lenarg != DT_FETCH_NOARG && !fetch_iswide(sd->args[lenarg].type))
		bits |= DT_FETCH_LEN32;
	if (fetch_hasdir(sd, argn))
		lenarg = argn - 1;
	if (abi == SYSCALL_ABI_32)
		bits |= DT_FETCH_PTR32;
	if (sd->args[argn].is_path && !fetch_passes(sd->name))
		bits |= DT_FETCH_ISPATH;
	fe->fe_row[(*n)++] = (struct dt_fetch){
		.fet_argn = argn,
		.fet_how = sf->sf_how,
		.fet_lenarg = lenarg,
		.fet_want = sf->sf_want,
		.fet_flags = fetch_strflags(sf, dir),
		.fet_bits = bits,
		.fet_unit = sf->sf_unit != 0 ? sf->sf_unit : 1,
		.fet_max = sf->sf_max,
	};
}

static int
fetch_is_of(const struct syscall_fetch *sf, enum syscall_abi abi,
    const struct syscall_desc *sd, unsigned int argn)
{
	if (sf->sf_abi != FETCH_BOTH &&
	    (sf->sf_abi == FETCH_ONLY32) != (abi == SYSCALL_ABI_32))
		return 0;
	/* the first letter saves most of a private daemon's comparisons */
	return sf->sf_call[0] == sd->name[0] &&
	    strcmp(sf->sf_call, sd->name) == 0 &&
	    strcmp(sf->sf_arg, sd->args[argn].name) == 0;
}

/* Returns the next row of an argument: rows that name it, then path_row. */
static const struct syscall_fetch *
fetch_next(enum syscall_abi abi, const struct syscall_desc *sd,
    unsigned int argn, const struct syscall_fetch *after)
{
	const struct syscall_fetch *sf = after == NULL ? rows : after + 1;
	size_t i;

	if (after == &path_row)
		return NULL;
	for (; sf < rows + NITEMS(rows); sf++)
		if (fetch_is_of(sf, abi, sd, argn))
			return sf;
	if (!sd->args[argn].is_path)
		return NULL;
	for (i = 0; i < NITEMS(rows); i++)
		if (fetch_is_of(&rows[i], abi, sd, argn) &&
		    rows[i].sf_how == DT_FETCH_PATH)
			return NULL;
	return &path_row;
}

/*
 * Returns the outcomes after which a row's memory is unchanged when the call
 * returns: all for which no row reads it at the return, since such a call
 * writes to it.  None after an execve, which replaces the memory.
 */
static uint8_t
fetch_kept(const struct syscall_fetch *sf, enum syscall_abi abi,
    const struct syscall_desc *sd, unsigned int argn)
{
	const struct syscall_fetch *other = NULL;
	uint8_t bits = DT_FETCH_OK | DT_FETCH_FAILED;

	if ((sf->sf_when & FETCH_ENTRY) == 0)
		return 0;
	if ((sf->sf_when & FETCH_ALWAYS) == (FETCH_ENTRY | FETCH_FAILED))
		return 0;
	while ((other = fetch_next(abi, sd, argn, other)) != NULL)
		bits &= ~fetch_outcomes(other, DT_SYS_RETURN);
	return bits;
}

/*
 * The outcomes of a call after which a descriptor, or the working directory
 * (iscwd), is still the same as at its entry.
 */
static uint8_t
fetch_file_outcomes(const struct syscall_desc *sd, int dir, int iscwd)
{
	if (dir == DT_SYS_ENTRY)
		return DT_FETCH_OK;
	if (strcmp(sd->name, "close") == 0 || (iscwd && fetch_passes(sd->name)))
		return 0;
	if (strncmp(sd->name, "execve", 6) == 0)
		return DT_FETCH_FAILED;
	return DT_FETCH_OK | DT_FETCH_FAILED;
}

/* Appends rows for paths of descriptors and of the working directory.  They
 * are the first rows, because other strings may use up the section. */
static void
fetch_files(struct dt_fetches *fe, unsigned int *n, enum syscall_abi abi,
    const struct syscall_desc *sd, int dir)
{
	unsigned int argn;
	int iscwd, isdir;
	uint8_t bits;

	for (argn = 0; argn < sd->nargs && *n < DT_NFETCH; argn++) {
		iscwd = sd->args[argn].is_path && !fetch_hasdir(sd, argn);
		isdir = fetch_hasdir(sd, argn + 1);
		bits = fetch_file_outcomes(sd, dir, iscwd);
		if (bits == 0 ||
		    (!iscwd && !isdir &&
			!argfd_is(sd->args[argn].name, sd->args[argn].type)))
			continue;
		if (abi == SYSCALL_ABI_32)
			bits |= DT_FETCH_PTR32;
		if (!iscwd && !isdir && !fetch_passes(sd->name))
			bits |= DT_FETCH_ISPATH;
		fe->fe_row[(*n)++] = (struct dt_fetch){
			.fet_argn = argn,
			.fet_how = iscwd ? DT_FETCH_CWD : DT_FETCH_FILE,
			.fet_lenarg = iscwd ? argn
			    : isdir	    ? argn + 1
					    : DT_FETCH_NOARG,
			.fet_want = DT_WANT_FILES,
			.fet_flags = DT_STR_FILE |
			    (dir == DT_SYS_RETURN ? DT_STR_RETURN : 0),
			.fet_bits = bits,
		};
	}
}

unsigned int
syscall_fetches(enum syscall_abi abi, unsigned int nr, int dir,
    struct dt_fetches *fe)
{
	const struct syscall_desc *sd = syscall_desc(abi, nr);
	int ispair = dir == DT_SYS_PAIR;
	const struct syscall_fetch *sf;
	unsigned int argn, n = 0;

	memset(fe, 0, sizeof(*fe));
	if (sd != NULL)
		fetch_files(fe, &n, abi, sd, dir);
	if (ispair)
		dir = DT_SYS_RETURN;
	for (argn = 0; sd != NULL && argn < sd->nargs; argn++) {
		sf = NULL;
		while ((sf = fetch_next(abi, sd, argn, sf)) != NULL) {
			fetch_add(fe, &n, sf, abi, sd, argn, dir,
			    fetch_outcomes(sf, dir));
			if (ispair)
				fetch_add(fe, &n, sf, abi, sd, argn,
				    DT_SYS_ENTRY,
				    fetch_kept(sf, abi, sd, argn));
		}
	}
	return n;
}
