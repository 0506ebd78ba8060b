/* SPDX-License-Identifier: ISC */
/*
 * Classifies and formats values.  The kernel passes registers: 64 bits, of
 * which an int uses 32, with undefined upper bits.  So the type determines the
 * width and the format; where it is too general (unsigned long is an address as
 * often as a number), the name of the argument does.
 */
#include <stdio.h>
#include <string.h>

#include "cli/base/val.h"

/* Types of the kernel's calls, without const and struct. */
static const struct {
	const char *type;
	enum val_class class;
} val_types[] = {
	{ "int", VAL_S32 },
	{ "signed int", VAL_S32 },
	{ "s32", VAL_S32 },
	{ "__s32", VAL_S32 },
	{ "int32_t", VAL_S32 },
	{ "pid_t", VAL_S32 },
	{ "key_t", VAL_S32 },
	{ "clockid_t", VAL_S32 },
	{ "timer_t", VAL_S32 },
	{ "mqd_t", VAL_S32 },
	{ "key_serial_t", VAL_S32 },
	{ "rwf_t", VAL_X32 },
	{ "unsigned int", VAL_U32 },
	{ "unsigned", VAL_U32 },
	{ "u32", VAL_U32 },
	{ "__u32", VAL_U32 },
	{ "uint32_t", VAL_U32 },
	{ "qid_t", VAL_U32 },
	{ "dev_t", VAL_U32 },
	{ "gfp_t", VAL_X32 },
	{ "uid_t", VAL_S32 }, /* -1: unchanged */
	{ "gid_t", VAL_S32 },
	{ "old_uid_t", VAL_U16 }, /* of the old 16-bit calls */
	{ "old_gid_t", VAL_U16 },
	{ "compat_long_t", VAL_S32 },
	{ "compat_off_t", VAL_S32 },
	{ "long", VAL_S64 },
	{ "long int", VAL_S64 },
	{ "long long", VAL_S64 },
	{ "s64", VAL_S64 },
	{ "__s64", VAL_S64 },
	{ "int64_t", VAL_S64 },
	{ "off_t", VAL_S64 },
	{ "loff_t", VAL_S64 },
	{ "ssize_t", VAL_S64 },
	{ "time_t", VAL_S64 },
	{ "ktime_t", VAL_S64 },
	{ "unsigned long", VAL_U64 },
	{ "unsigned long long", VAL_U64 },
	{ "long unsigned int", VAL_U64 },
	{ "u64", VAL_U64 },
	{ "__u64", VAL_U64 },
	{ "uint64_t", VAL_U64 },
	{ "size_t", VAL_U64 },
	{ "sector_t", VAL_U64 },
	{ "umode_t", VAL_O32 },
	{ "mode_t", VAL_O32 },
	{ "fmode_t", VAL_X32 },
	{ "bool", VAL_U8 },
	{ "_Bool", VAL_U8 },
	{ "char", VAL_S8 },
	{ "signed char", VAL_S8 },
	{ "unsigned char", VAL_U8 },
	{ "u8", VAL_U8 },
	{ "__u8", VAL_U8 },
	{ "short", VAL_S16 },
	{ "short int", VAL_S16 },
	{ "s16", VAL_S16 },
	{ "unsigned short", VAL_U16 },
	{ "u16", VAL_U16 },
	{ "__u16", VAL_U16 },
};

/* Names that are more specific than a type; * matches any prefix. */
static const struct {
	const char *name;
	enum val_class from, to;
} val_names[] = {
	{ "*flags", VAL_S32, VAL_X32 }, { "*flags", VAL_U32, VAL_X32 },
	{ "*flags", VAL_S64, VAL_X64 }, { "*flags", VAL_U64, VAL_X64 },
	{ "prot", VAL_U64, VAL_X64 }, { "prot", VAL_S32, VAL_X32 },
	{ "*fd", VAL_U32, VAL_S32 }, /* -1 is a common mistake */
	{ "*fd", VAL_U64, VAL_S32 }, { "fildes", VAL_U32, VAL_S32 },
	{ "*addr", VAL_U64, VAL_HEX }, { "start", VAL_U64, VAL_HEX },
	{ "brk", VAL_U64, VAL_HEX }, { "newsp", VAL_U64, VAL_HEX },
	{ "tls", VAL_U64, VAL_HEX }, { "arg", VAL_U64, VAL_HEX },
	{ "arg?", VAL_U64, VAL_HEX }, { "data", VAL_U64, VAL_HEX },
	{ "entry", VAL_U64, VAL_HEX },
	{ "cmd", VAL_U32, VAL_X32 }, /* of ioctl and fcntl */
};

static const char *const val_addrfuncs[] = { "mmap", "mmap2", "brk", "mremap",
	"shmat" };

/*
 * Errnos internal to the kernel, for calls that continue or restart; programs
 * never see them.
 */
static const struct {
	unsigned int nr;
	const char *name;
	const char *desc;
} val_restarts[] = {
	{ 512, "ERESTARTSYS", "To be restarted if SA_RESTART is set" },
	{ 513, "ERESTARTNOINTR", "To be restarted" },
	{ 514, "ERESTARTNOHAND", "To be restarted if no handler ran" },
	{ 515, "ENOIOCTLCMD", "No such ioctl command" },
	{ 516, "ERESTART_RESTARTBLOCK", "Interrupted by signal" },
};

#define N(array) (sizeof(array) / sizeof((array)[0]))

static int
val_matches(const char *pattern, const char *name)
{
	size_t n = strlen(name), m;

	if (*pattern == '*') {
		m = strlen(++pattern);
		return n >= m && strcmp(name + n - m, pattern) == 0;
	}
	m = strlen(pattern);
	if (pattern[m - 1] == '?')
		return n == m && strncmp(name, pattern, m - 1) == 0;
	return strcmp(name, pattern) == 0;
}

/* Returns the class after considering the name. */
static enum val_class
val_refine(enum val_class class, const char *name)
{
	size_t i;

	for (i = 0; i < N(val_names); i++) {
		if (val_names[i].from == class &&
		    val_matches(val_names[i].name, name))
			return val_names[i].to;
	}
	return class;
}

enum val_class
val_classify(const char *type, const char *name)
{
	enum val_class class = VAL_HEX;
	size_t i;

	if (strpbrk(type, "*[(") != NULL)
		return VAL_HEX;
	while (strncmp(type, "const ", 6) == 0 ||
	    strncmp(type, "volatile ", 9) == 0)
		type = strchr(type, ' ') + 1;
	if (strncmp(type, "enum ", 5) == 0)
		class = VAL_S32;
	for (i = 0; i < N(val_types); i++) {
		if (strcmp(type, val_types[i].type) == 0)
			class = val_types[i].class;
	}
	return val_refine(class, name);
}

enum val_class
val_classify_number(const char *type, const char *name, int issigned)
{
	enum val_class class = val_classify(type, name);

	if (class != VAL_HEX || val_refine(VAL_U64, name) == VAL_HEX)
		return class;
	return val_refine(issigned ? VAL_S64 : VAL_U64, name);
}

enum val_class
val_classify_ret(const char *func)
{
	size_t i;

	for (i = 0; i < N(val_addrfuncs); i++) {
		if (strcmp(func, val_addrfuncs[i]) == 0)
			return VAL_HEX;
	}
	return VAL_S64;
}

static void
val_octal(struct buf *b, uint32_t v)
{
	if (v != 0)
		buf_c(b, '0');
	buf_printf(b, "%o", v);
}

uint64_t
val_whole(enum val_class class, uint64_t v)
{
	switch (class) {
	case VAL_S32:
		return (int32_t)v;
	case VAL_U32:
	case VAL_X32:
	case VAL_O32:
		return (uint32_t)v;
	case VAL_S16:
		return (int16_t)v;
	case VAL_U16:
		return (uint16_t)v;
	case VAL_S8:
		return (int8_t)v;
	case VAL_U8:
		return (uint8_t)v;
	default:
		return v;
	}
}

/* Width and sign of a value, by class. */
static const struct {
	uint8_t size;
	uint8_t issigned;
} val_widths[] = {
	[VAL_HEX] = { 8, 0 },
	[VAL_S32] = { 4, 1 },
	[VAL_U32] = { 4, 0 },
	[VAL_S64] = { 8, 1 },
	[VAL_U64] = { 8, 0 },
	[VAL_X32] = { 4, 0 },
	[VAL_X64] = { 8, 0 },
	[VAL_O32] = { 4, 0 },
	[VAL_S16] = { 2, 1 },
	[VAL_U16] = { 2, 0 },
	[VAL_S8] = { 1, 1 },
	[VAL_U8] = { 1, 0 },
	[VAL_NONE] = { 0, 0 },
};

void
val_width(enum val_class class, uint8_t *size, uint8_t *issigned)
{
	*size = val_widths[class].size;
	*issigned = val_widths[class].issigned;
}

int64_t
val_amount(enum val_class class, uint64_t v)
{
	int isunsigned = class == VAL_U64 || class == VAL_X64 ||
	    class == VAL_HEX;

	v = val_whole(class, v);
	return isunsigned && v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

void
val_text(struct buf *b, enum val_class class, uint64_t v)
{
	switch (class) {
	case VAL_HEX:
	case VAL_X64:
		buf_hex(b, v);
		break;
	case VAL_X32:
		buf_hex(b, (uint32_t)v);
		break;
	case VAL_S32:
		buf_s64(b, (int32_t)v);
		break;
	case VAL_U32:
		buf_u64(b, (uint32_t)v);
		break;
	case VAL_S64:
		buf_s64(b, (int64_t)v);
		break;
	case VAL_U64:
		buf_u64(b, v);
		break;
	case VAL_O32:
		val_octal(b, (uint32_t)v);
		break;
	case VAL_S16:
		buf_s64(b, (int16_t)v);
		break;
	case VAL_U16:
		buf_u64(b, (uint16_t)v);
		break;
	case VAL_S8:
		buf_s64(b, (int8_t)v);
		break;
	case VAL_U8:
		buf_u64(b, (uint8_t)v);
		break;
	case VAL_NONE:
		buf_mem(b, "...", 3);
		break;
	}
}

void
val_json(struct buf *b, enum val_class class, uint64_t v)
{
	switch (class) {
	case VAL_NONE:
		buf_mem(b, "null", 4);
		break;
	case VAL_HEX:
		buf_c(b, '"');
		buf_hex(b, v);
		buf_c(b, '"');
		break;
	case VAL_X32:
	case VAL_O32:
		val_text(b, VAL_U32, v);
		break;
	case VAL_X64:
		val_text(b, VAL_U64, v);
		break;
	default:
		val_text(b, class, v);
	}
}

/* Converts the date only once per second. */
void
val_time(struct buf *b, const struct timespec *ts)
{
	static time_t last = -1;
	static char hms[16];
	struct tm tm;

	if (ts->tv_sec != last) {
		last = ts->tv_sec;
		if (localtime_r(&last, &tm) == NULL ||
		    strftime(hms, sizeof(hms), "%H:%M:%S", &tm) == 0)
			strcpy(hms, "??:??:??");
	}
	buf_str(b, hms);
	buf_c(b, '.');
	buf_dec(b, ts->tv_nsec / 1000, 6);
}

void
val_seconds(struct buf *b, uint64_t nsecs, int width)
{
	uint64_t secs = nsecs / 1000000000, digit = 1;

	while (--width > 0)
		digit *= 10;
	for (; digit > 1 && secs < digit; digit /= 10)
		buf_c(b, ' ');
	buf_u64(b, secs);
	buf_c(b, '.');
	buf_dec(b, nsecs % 1000000000 / 1000, 6);
}

/* Prints a value in the largest unit of n that leaves a digit before the point. */
static const char *
val_scaled(char text[VAL_NSECS], double v, double base,
    const char *const *units, unsigned int n)
{
	unsigned int i = 0;

	for (; v >= 999.95 && i < n - 1; i++)
		v /= base;
	snprintf(text, VAL_NSECS,
	    i == 0	      ? "%.0f%s"
		: v >= 99.995 ? "%.1f%s"
			      : "%.2f%s",
	    v, units[i]);
	return text;
}

const char *
val_nsecs(char text[VAL_NSECS], int64_t nsecs)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };

	return val_scaled(text, nsecs, 1000, units, N(units));
}

const char *
val_nbytes(char text[VAL_NSECS], int64_t nbytes)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB",
		"EB" };

	return val_scaled(text, nbytes, 1024, units, N(units));
}

const char *
val_errname(unsigned int nr)
{
	size_t i;

	for (i = 0; i < N(val_restarts); i++) {
		if (val_restarts[i].nr == nr)
			return val_restarts[i].name;
	}
	return nr == 0 ? NULL : strerrorname_np(nr);
}

const char *
val_errdesc(unsigned int nr)
{
	size_t i;

	for (i = 0; i < N(val_restarts); i++) {
		if (val_restarts[i].nr == nr)
			return val_restarts[i].desc;
	}
	return nr == 0 ? NULL : strerrordesc_np(nr);
}
