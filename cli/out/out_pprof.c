/* SPDX-License-Identifier: ISC */
/*
 * Writes a profile for pprof(1): profile.proto, compressed with gzip.
 *
 * The encoder is our own: the six messages below consist of numbers and
 * strings, for which two functions are enough; protobuf-c would add a compiler
 * to the build and a library to the program, for more lines than these.
 *
 * A file is mapped at different addresses in different processes, so an address
 * here is an offset in the file plus a base per file: one file is one mapping
 * in all processes.  Kernel addresses are unchanged.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cli/base/esc.h"
#include "cli/base/hash.h"
#include "cli/out/flame.h"
#include "cli/out/out.h"
#include "cli/out/weight.h"

#define PPROF_BASE(id) (((uint64_t)(id) + 1) << 40)

/* Fields of the messages, as profile.proto numbers them. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING_TABLE,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_COMMENT,
	VALUETYPE_TYPE = 1,
	VALUETYPE_UNIT,
	SAMPLE_LOCATION_ID = 1,
	SAMPLE_VALUE,
	SAMPLE_LABEL,
	LABEL_KEY = 1,
	LABEL_STR,
	LABEL_NUM,
	MAPPING_ID = 1,
	MAPPING_MEMORY_START,
	MAPPING_MEMORY_LIMIT,
	MAPPING_FILE_OFFSET,
	MAPPING_FILENAME,
	MAPPING_BUILD_ID,
	MAPPING_HAS_FUNCTIONS,
	MAPPING_HAS_FILENAMES,
	MAPPING_HAS_LINE_NUMBERS,
	MAPPING_HAS_INLINE_FRAMES,
	LOCATION_ID = 1,
	LOCATION_MAPPING_ID,
	LOCATION_ADDRESS,
	LOCATION_LINE,
	LINE_FUNCTION_ID = 1,
	LINE_LINE,
	FUNCTION_ID = 1,
	FUNCTION_NAME,
	FUNCTION_SYSTEM_NAME,
	FUNCTION_FILENAME,
};

/* The range of a module's code; pm_module NULL: no frame of it. */
struct pprof_mapping {
	const struct module *pm_module;
	uint64_t pm_start, pm_end;
	int pm_hasfiles, pm_hasinlined;
};

struct pprof {
	struct buf pp_all;		   /* struct Profile */
	struct buf pp_msg[3];		   /* nested messages */
	struct hash pp_strings;		   /* string -> index + 1 */
	struct hash pp_functions;	   /* frame without its address -> id */
	struct hash pp_locations;	   /* ids of frames -> id */
	struct pprof_mapping *pp_mappings; /* by mo_id */
	size_t pp_nmappings;
	const struct out_profile *pp_profile;
};

/*
 * The encoding
 */

static void
pprof_varint(struct buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_c(b, (char)(v | 0x80));
	buf_c(b, (char)v);
}

static void
pprof_number(struct buf *b, unsigned int field, uint64_t v)
{
	if (v == 0)
		return; /* 0 is omitted */
	pprof_varint(b, field << 3);
	pprof_varint(b, v);
}

static void
pprof_bytes(struct buf *b, unsigned int field, const void *data, size_t n)
{
	pprof_varint(b, field << 3 | 2);
	pprof_varint(b, n);
	buf_mem(b, data, n);
}

/* Appends the message to the outer one and empties it. */
static void
pprof_message(struct buf *outer, unsigned int field, struct buf *msg)
{
	pprof_bytes(outer, field, msg->b_data, msg->b_len);
	msg->b_len = 0;
}

/* Returns the index of a string; proto3 requires UTF-8. */
static uint64_t
pprof_str(struct pprof *pp, const char *s)
{
	struct hash_entry *e = hash_get(&pp->pp_strings, s, strlen(s) + 1);
	struct buf text;

	if (e->he_sum != 0)
		return e->he_sum - 1;
	e->he_sum = pp->pp_strings.ha_n;
	buf_init(&text, -1);
	esc_str(&text, s);
	pprof_bytes(&pp->pp_all, PROFILE_STRING_TABLE, text.b_data, text.b_len);
	buf_free(&text);
	return e->he_sum - 1;
}

/*
 * The messages
 */

static void
pprof_type(struct pprof *pp, unsigned int field, const char *type,
    const char *unit)
{
	struct buf *msg = &pp->pp_msg[0];
	uint64_t t = pprof_str(pp, type), u = pprof_str(pp, unit);

	pprof_number(msg, VALUETYPE_TYPE, t);
	pprof_number(msg, VALUETYPE_UNIT, u);
	pprof_message(&pp->pp_all, field, msg);
}

static uint64_t
pprof_function(struct pprof *pp, const struct frame *fr)
{
	const struct {
		const char *name, *file;
		const struct module *module;
	} key = { fr->fr_name, fr->fr_file, fr->fr_module };
	struct hash_entry *e = hash_get(&pp->pp_functions, &key, sizeof(key));
	struct buf *msg = &pp->pp_msg[1];
	uint64_t name;

	if (e->he_sum != 0)
		return e->he_sum;
	e->he_sum = pp->pp_functions.ha_n;
	name = pprof_str(pp, fr->fr_name);
	pprof_number(msg, FUNCTION_ID, e->he_sum);
	pprof_number(msg, FUNCTION_NAME, name);
	pprof_number(msg, FUNCTION_SYSTEM_NAME, name);
	if (fr->fr_file != NULL)
		pprof_number(msg, FUNCTION_FILENAME,
		    pprof_str(pp, fr->fr_file));
	pprof_message(&pp->pp_all, PROFILE_FUNCTION, msg);
	return e->he_sum;
}

/* Returns the mapping of a frame, widened to include it; NULL: none. */
static struct pprof_mapping *
pprof_mapping(struct pprof *pp, const struct frame *fr, uint64_t *address)
{
	const struct module *mo = fr->fr_module;
	struct pprof_mapping *pm;
	size_t n;

	*address = fr->fr_pc;
	if (mo == NULL)
		return NULL;
	if (mo->mo_id >= pp->pp_nmappings) {
		n = mo->mo_id * 2 + 16;
		pm = reallocarray(pp->pp_mappings, n, sizeof(*pm));
		if (pm == NULL)
			err(1, "pprof");
		memset(pm + pp->pp_nmappings, 0,
		    (n - pp->pp_nmappings) * sizeof(*pm));
		pp->pp_mappings = pm;
		pp->pp_nmappings = n;
	}
	pm = &pp->pp_mappings[mo->mo_id];
	*address = fr->fr_fileoff +
	    (fr->fr_iskernel ? 0 : PPROF_BASE(mo->mo_id));
	if (pm->pm_module == NULL) {
		pm->pm_module = mo;
		pm->pm_start = fr->fr_iskernel ? *address & ~UINT64_C(0xfff)
					       : PPROF_BASE(mo->mo_id);
		pm->pm_end = pm->pm_start;
	}
	if (*address < pm->pm_start)
		pm->pm_start = *address & ~UINT64_C(0xfff);
	if (*address >= pm->pm_end)
		pm->pm_end = (*address | 0xfff) + 1;
	if (fr->fr_file != NULL)
		pm->pm_hasfiles = 1;
	return pm;
}

/*
 * A location: n frames, of which the last is the function, and those before are
 * inlined into it.
 */
static uint64_t
pprof_location(struct pprof *pp, const struct frame *const *frames, size_t n)
{
	struct buf *msg = &pp->pp_msg[0], *line = &pp->pp_msg[2];
	struct pprof_mapping *pm;
	struct hash_entry *e;
	uint64_t address;
	size_t i;

	msg->b_len = 0;
	for (i = 0; i < n; i++)
		buf_mem(msg, &frames[i]->fr_id, sizeof(frames[i]->fr_id));
	e = hash_get(&pp->pp_locations, msg->b_data, msg->b_len);
	msg->b_len = 0;
	if (e->he_sum != 0)
		return e->he_sum;
	e->he_sum = pp->pp_locations.ha_n;
	pm = pprof_mapping(pp, frames[n - 1], &address);
	pprof_number(msg, LOCATION_ID, e->he_sum);
	if (pm != NULL)
		pprof_number(msg, LOCATION_MAPPING_ID,
		    frames[n - 1]->fr_module->mo_id + 1);
	pprof_number(msg, LOCATION_ADDRESS, address);
	for (i = 0; i < n; i++) {
		pprof_number(line, LINE_FUNCTION_ID,
		    pprof_function(pp, frames[i]));
		pprof_number(line, LINE_LINE, frames[i]->fr_line);
		pprof_message(msg, LOCATION_LINE, line);
	}
	if (pm != NULL && n > 1)
		pm->pm_hasinlined = 1;
	pprof_message(&pp->pp_all, PROFILE_LOCATION, msg);
	return e->he_sum;
}

static void
pprof_label(struct pprof *pp, struct buf *outer, const char *key,
    const char *str, uint64_t num)
{
	struct buf *msg = &pp->pp_msg[0];
	uint64_t k = pprof_str(pp, key), s = str ? pprof_str(pp, str) : 0;

	pprof_number(msg, LABEL_KEY, k);
	pprof_number(msg, LABEL_STR, s);
	pprof_number(msg, LABEL_NUM, num);
	pprof_message(outer, SAMPLE_LABEL, msg);
}

/* Returns how many frames from this one on are one location. */
static size_t
pprof_place(const struct out_stack *os, unsigned int i)
{
	unsigned int n = 1;

	while (i + n < os->os_nframes && os->os_frames[i + n - 1]->fr_isinlined)
		n++;
	return n;
}

static void
pprof_sample(struct pprof *pp, const struct out_stack *os)
{
	const struct out_profile *op = pp->pp_profile;
	struct buf ids, values, msg;
	unsigned int i, n;

	buf_init(&ids, -1);
	buf_init(&values, -1);
	buf_init(&msg, -1);
	for (i = 0; i < os->os_nframes; i += n) {
		n = pprof_place(os, i);
		pprof_varint(&ids, pprof_location(pp, os->os_frames + i, n));
	}
	pprof_message(&msg, SAMPLE_LOCATION_ID, &ids);
	pprof_varint(&values, weight_isvalue(op) ? os->os_hits : os->os_weight);
	if (weight_isvalue(op))
		pprof_varint(&values, os->os_weight);
	else if (op->opr_period != 0)
		pprof_varint(&values, os->os_weight * op->opr_period);
	pprof_message(&msg, SAMPLE_VALUE, &values);
	pprof_label(pp, &msg, "pid", NULL, os->os_pid);
	pprof_label(pp, &msg, "comm", os->os_comm, 0);
	if (os->os_wait != PROFILE_NOWAIT)
		pprof_label(pp, &msg, "wait", weight_wait(os->os_wait), 0);
	if (os->os_hasuser)
		pprof_label(pp, &msg, "complete",
		    os->os_why == NULL ? "yes" : "no", 0);
	if (os->os_why != NULL)
		pprof_label(pp, &msg, "incomplete", os->os_why, 0);
	pprof_message(&pp->pp_all, PROFILE_SAMPLE, &msg);
	buf_free(&ids);
	buf_free(&values);
	buf_free(&msg);
}

static void
pprof_put_mapping(struct pprof *pp, const struct pprof_mapping *pm)
{
	struct buf *msg = &pp->pp_msg[0];
	const struct module *mo = pm->pm_module;
	char hex[2 * sizeof(mo->mo_buildid) + 1] = "";
	unsigned int i;

	for (i = 0; i < mo->mo_buildidlen; i++)
		snprintf(hex + 2 * i, 3, "%02x", mo->mo_buildid[i]);
	pprof_number(msg, MAPPING_ID, mo->mo_id + 1);
	pprof_number(msg, MAPPING_MEMORY_START, pm->pm_start);
	pprof_number(msg, MAPPING_MEMORY_LIMIT, pm->pm_end);
	pprof_number(msg, MAPPING_FILENAME, pprof_str(pp, mo->mo_path));
	pprof_number(msg, MAPPING_BUILD_ID, pprof_str(pp, hex));
	pprof_number(msg, MAPPING_HAS_FUNCTIONS, 1);
	pprof_number(msg, MAPPING_HAS_FILENAMES, pm->pm_hasfiles);
	pprof_number(msg, MAPPING_HAS_LINE_NUMBERS, pm->pm_hasfiles);
	pprof_number(msg, MAPPING_HAS_INLINE_FRAMES, pm->pm_hasinlined);
	pprof_message(&pp->pp_all, PROFILE_MAPPING, msg);
}

/* Appends everything, compressed. */
static void
pprof_compress(struct buf *b, const struct buf *all)
{
	z_stream z = { 0 };
	size_t room;

	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16,
		8, Z_DEFAULT_STRATEGY) != Z_OK)
		errx(1, "pprof: zlib: %s", z.msg != NULL ? z.msg : "memory");
	room = deflateBound(&z, all->b_len);
	z.next_in = (Bytef *)all->b_data;
	z.avail_in = all->b_len;
	z.next_out = (Bytef *)buf_room(b, room);
	z.avail_out = room;
	if (all->b_len > UINT32_MAX || room > UINT32_MAX ||
	    deflate(&z, Z_FINISH) != Z_STREAM_END)
		errx(1, "pprof: the profile is too large");
	b->b_len += z.total_out;
	deflateEnd(&z);
}

static void
pprof_free(struct pprof *pp)
{
	size_t i;

	for (i = 0; i < sizeof(pp->pp_msg) / sizeof(pp->pp_msg[0]); i++)
		buf_free(&pp->pp_msg[i]);
	buf_free(&pp->pp_all);
	hash_clear(&pp->pp_strings);
	hash_clear(&pp->pp_functions);
	hash_clear(&pp->pp_locations);
	free(pp->pp_mappings);
}

/* Writes the fields besides samples: command, time, period. */
static void
pprof_head(struct pprof *pp, const struct out *out,
    const struct out_profile *op)
{
	struct buf title;

	pprof_str(pp, ""); /* required as the first string */
	pprof_type(pp, PROFILE_SAMPLE_TYPE, weight_hits_type(op), "count");
	if (weight_isvalue(op))
		pprof_type(pp, PROFILE_SAMPLE_TYPE, weight_type(op),
		    weight_unit(op));
	else if (op->opr_period != 0) {
		pprof_type(pp, PROFILE_SAMPLE_TYPE, "cpu", "nanoseconds");
		pprof_type(pp, PROFILE_PERIOD_TYPE, "cpu", "nanoseconds");
		pprof_number(&pp->pp_all, PROFILE_PERIOD, op->opr_period);
	}
	pprof_number(&pp->pp_all, PROFILE_TIME_NANOS,
	    op->opr_start.tv_sec * UINT64_C(1000000000) +
		op->opr_start.tv_nsec);
	pprof_number(&pp->pp_all, PROFILE_DURATION_NANOS, op->opr_nsecs);
	buf_init(&title, -1);
	flame_title(&title, out, op);
	buf_c(&title, '\0');
	pprof_number(&pp->pp_all, PROFILE_COMMENT, pprof_str(pp, title.b_data));
	buf_free(&title);
}

static void
pprof_profile(struct out *out, const struct out_profile *op)
{
	struct pprof pp = { .pp_profile = op };
	size_t i;

	buf_init(&pp.pp_all, -1);
	for (i = 0; i < sizeof(pp.pp_msg) / sizeof(pp.pp_msg[0]); i++)
		buf_init(&pp.pp_msg[i], -1);
	pprof_head(&pp, out, op);
	for (i = 0; i < op->opr_nstacks; i++)
		pprof_sample(&pp, &op->opr_stacks[i]);
	for (i = 0; i < pp.pp_nmappings; i++)
		if (pp.pp_mappings[i].pm_module != NULL)
			pprof_put_mapping(&pp, &pp.pp_mappings[i]);
	pprof_compress(&out->out_buf, &pp.pp_all);
	pprof_free(&pp);
}

const struct out_format out_pprof = {
	.f_name = "pprof",
	.f_opens = "go tool pprof -http=:",
	.f_isexact = 1,
	.f_profile = pprof_profile,
};
