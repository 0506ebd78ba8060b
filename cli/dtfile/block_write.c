/* SPDX-License-Identifier: ISC */
/*
 * Writes recordings in the format of block.h, and collects symbols and records
 * into blocks.  Does not open files; the caller does.
 */
#include <sys/utsname.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/dtfile/block_sum.h"

/*
 * Size up to which a block is filled, which limits the loss by damage.  The
 * rest of BLOCK_MAXLEN has space for the longest record or symbol.
 */
#define BLOCK_FILL 0x20000

struct block_pend { /* content of a block being filled */
	unsigned char *pe_data;
	size_t pe_len;
};

struct block_writer {
	int (*bw_write)(void *, const struct iovec *, int);
	void *bw_arg;
	int bw_failed;
	uint64_t bw_lowwater; /* last low water set */
	uint64_t bw_passed;   /* last low water written */
	struct block_pend bw_ksyms;
	struct block_pend bw_files;
	struct block_pend bw_cgroups;
	struct block_pend bw_maps;
	struct block_pend bw_usyms;
	struct block_pend bw_places;
	struct block_pend bw_data;
};

/* Collected blocks, in the order in which they are written. */
static const struct {
	uint32_t type;
	size_t offset; /* in struct block_writer */
} block_pends[] = {
	{ BLOCK_KSYM, offsetof(struct block_writer, bw_ksyms) },
	{ BLOCK_FILE, offsetof(struct block_writer, bw_files) },
	{ BLOCK_CGROUP, offsetof(struct block_writer, bw_cgroups) },
	{ BLOCK_MAPS, offsetof(struct block_writer, bw_maps) },
	{ BLOCK_USYM, offsetof(struct block_writer, bw_usyms) },
	{ BLOCK_PLACE, offsetof(struct block_writer, bw_places) },
	{ BLOCK_DATA, offsetof(struct block_writer, bw_data) },
};

#define BLOCK_NPENDS (sizeof(block_pends) / sizeof(block_pends[0]))

static struct block_pend *
block_pend(const struct block_writer *w, size_t i)
{
	return (struct block_pend *)((char *)w + block_pends[i].offset);
}

struct block_writer *
block_writer_alloc(int (*writefn)(void *, const struct iovec *, int), void *arg)
{
	struct block_writer *w;
	size_t i;

	if ((w = calloc(1, sizeof(*w))) == NULL)
		return NULL;
	w->bw_write = writefn;
	w->bw_arg = arg;
	for (i = 0; i < BLOCK_NPENDS; i++) {
		if ((block_pend(w, i)->pe_data = malloc(BLOCK_MAXLEN)) != NULL)
			continue;
		block_writer_free(w);
		errno = ENOMEM;
		return NULL;
	}
	return w;
}

void
block_writer_free(struct block_writer *w)
{
	size_t i;

	if (w == NULL)
		return;
	for (i = 0; i < BLOCK_NPENDS; i++)
		free(block_pend(w, i)->pe_data);
	free(w);
}

/*
 * Appends a block to iov; h belongs to the caller.  Returns the number of
 * entries: 2, or 3 with padding.
 */
static int
block_iov(struct iovec *iov, struct block_hdr *h, uint32_t type,
    const void *data, size_t nbytes)
{
	size_t npad = BLOCK_PAD(nbytes) - nbytes;

	h->bh_type = type;
	h->bh_version = BLOCK_VERSION;
	h->bh_length = nbytes;
	h->bh_sum = block_sum(h, data, nbytes);
	iov[0] = (struct iovec){ h, sizeof(*h) };
	iov[1] = (struct iovec){ (void *)data, nbytes };
	if (npad == 0)
		return 2;
	iov[2] = (struct iovec){ (void *)block_zeros, npad };
	return 3;
}

static void
block_write(struct block_writer *w, const struct iovec *iov, int niov)
{
	if (!w->bw_failed && w->bw_write(w->bw_arg, iov, niov) == -1)
		w->bw_failed = 1;
}

static void
block_put(struct block_writer *w, uint32_t type, const void *data,
    size_t nbytes)
{
	struct block_hdr h;
	struct iovec iov[3];
	int n;

	if (w->bw_failed)
		return;
	n = block_iov(iov, &h, type, data, nbytes);
	block_write(w, iov, n);
}

/* Appends data; the caller has checked the space. */
static void
block_pend_raw(struct block_pend *p, const void *data, size_t nbytes)
{
	memcpy(p->pe_data + p->pe_len, data, nbytes);
	p->pe_len += nbytes;
}

/* Appends data and pads it. */
static void
block_pend_add(struct block_pend *p, const void *data, size_t nbytes)
{
	size_t npad;

	block_pend_raw(p, data, nbytes);
	npad = BLOCK_PAD(p->pe_len) - p->pe_len;
	if (npad > 0)
		memset(p->pe_data + p->pe_len, 0, npad);
	p->pe_len += npad;
}

/* Returns whether to write low water: only after records. */
static int
block_haspass(const struct block_writer *w)
{
	return w->bw_data.pe_len > 0 && w->bw_lowwater > w->bw_passed;
}

static void
block_pend_put(struct block_writer *w, uint32_t type, struct block_pend *p)
{
	if (p->pe_len > 0)
		block_put(w, type, p->pe_data, p->pe_len);
	p->pe_len = 0;
}

int
block_flush(struct block_writer *w)
{
	struct block_hdr h[BLOCK_NPENDS + 1];
	struct iovec iov[2 * (BLOCK_NPENDS + 1)];
	int n = 0, ispass = block_haspass(w);
	struct block_pend *p;
	size_t i;

	for (i = 0; i < BLOCK_NPENDS && !w->bw_failed; i++) {
		p = block_pend(w, i);
		if (p->pe_len > 0)
			n += block_iov(iov + n, &h[i], block_pends[i].type,
			    p->pe_data, p->pe_len);
	}
	if (ispass && !w->bw_failed)
		n += block_iov(iov + n, &h[BLOCK_NPENDS], BLOCK_PASS,
		    &w->bw_lowwater, sizeof(w->bw_lowwater));
	if (n > 0)
		block_write(w, iov, n);
	for (i = 0; i < BLOCK_NPENDS; i++)
		block_pend(w, i)->pe_len = 0;
	if (ispass)
		w->bw_passed = w->bw_lowwater;
	return w->bw_failed ? -1 : 0;
}

void
block_discard(struct block_writer *w)
{
	size_t i;

	for (i = 0; i < BLOCK_NPENDS; i++)
		block_pend(w, i)->pe_len = 0;
	w->bw_failed = 0;
}

/* Without the file, for example in a chroot, the boot id is unknown. */
static void
block_boot_id(struct block_head *head)
{
	FILE *fp = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (fp == NULL)
		return;
	if (fgets(head->bf_boot, sizeof(head->bf_boot), fp) != NULL)
		head->bf_boot[strcspn(head->bf_boot, "\n")] = '\0';
	fclose(fp);
}

void
block_head_init(struct block_head *head)
{
	struct timespec ts;
	struct utsname un;

	memset(head, 0, sizeof(*head));
	clock_gettime(CLOCK_REALTIME, &ts);
	head->bf_start = ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
	block_boot_id(head);
	head->bf_ncpu = sysconf(_SC_NPROCESSORS_CONF);
	if (uname(&un) == 0) {
		snprintf(head->bf_host, sizeof(head->bf_host), "%.63s",
		    un.nodename);
		snprintf(head->bf_release, sizeof(head->bf_release), "%.63s",
		    un.release);
		snprintf(head->bf_machine, sizeof(head->bf_machine), "%.15s",
		    un.machine);
	}
	snprintf(head->bf_writer, sizeof(head->bf_writer), "dt %s", DT_RELEASE);
}

void
block_head(struct block_writer *w, const struct block_head *head)
{
	block_put(w, BLOCK_HEAD, head, sizeof(*head));
}

void
block_probe(struct block_writer *w, const struct block_probe *pb)
{
	_Alignas(8) unsigned char buf[sizeof(struct block_probe_hdr) +
	    DT_REC_NARGS + (3 + 2 * DT_REC_NARGS) * 256];
	struct block_probe_hdr *h = (struct block_probe_hdr *)buf;
	const char *strs[3 + 2 * DT_REC_NARGS] = { pb->pb_prov, pb->pb_func,
		pb->pb_name };
	size_t len = sizeof(*h), n;
	unsigned int i, nstrs = 3;

	memset(buf, 0, sizeof(*h));
	h->bp_pbn = pb->pb_pbn;
	h->bp_nargs = pb->pb_nargs > DT_REC_NARGS ? DT_REC_NARGS : pb->pb_nargs;
	h->bp_flags = pb->pb_flags;
	for (i = 0; i < h->bp_nargs; i++) {
		buf[len++] = pb->pb_args[i].flags;
		strs[nstrs++] = pb->pb_args[i].type;
		strs[nstrs++] = pb->pb_args[i].name;
	}
	for (i = 0; i < nstrs; i++) {
		n = strnlen(strs[i], 255);
		memcpy(buf + len, strs[i], n);
		buf[len + n] = '\0';
		len += n + 1;
	}
	block_put(w, BLOCK_PROBE, buf, len);
}

void
block_clock(struct block_writer *w, int64_t offset)
{
	block_put(w, BLOCK_CLOCK, &offset, sizeof(offset));
}

void
block_ksym(struct block_writer *w, uint64_t pc, const char *name,
    uint64_t offset)
{
	struct block_ksym_hdr h = {
		.bk_pc = pc,
		.bk_offset = offset,
		.bk_namelen = strnlen(name, 255),
	};

	if (w->bw_ksyms.pe_len > BLOCK_FILL)
		block_pend_put(w, BLOCK_KSYM, &w->bw_ksyms);
	block_pend_add(&w->bw_ksyms, &h, sizeof(h));
	block_pend_add(&w->bw_ksyms, name, h.bk_namelen);
}

void
block_file(struct block_writer *w, uint32_t pid, int fd, const char *path)
{
	struct block_file_hdr h = {
		.bx_pid = pid,
		.bx_fd = fd,
		.bx_pathlen = strnlen(path, BLOCK_MAXPATH),
	};

	if (w->bw_files.pe_len > BLOCK_FILL)
		block_pend_put(w, BLOCK_FILE, &w->bw_files);
	block_pend_add(&w->bw_files, &h, sizeof(h));
	block_pend_add(&w->bw_files, path, h.bx_pathlen);
}

void
block_cgroup(struct block_writer *w, uint64_t id, const char *path)
{
	struct block_cgroup_hdr h = {
		.bg_id = id,
		.bg_pathlen = strnlen(path, BLOCK_MAXPATH),
	};

	if (w->bw_cgroups.pe_len > BLOCK_FILL)
		block_pend_put(w, BLOCK_CGROUP, &w->bw_cgroups);
	block_pend_add(&w->bw_cgroups, &h, sizeof(h));
	block_pend_add(&w->bw_cgroups, path, h.bg_pathlen);
}

void
block_maps(struct block_writer *w, const struct block_map_hdr *hdr,
    const char *path)
{
	struct block_map_hdr h = *hdr;

	h.bmh_pathlen = strnlen(path, BLOCK_MAXPATH);
	if (w->bw_maps.pe_len > BLOCK_FILL)
		block_pend_put(w, BLOCK_MAPS, &w->bw_maps);
	block_pend_raw(&w->bw_maps, &h, sizeof(h));
	block_pend_add(&w->bw_maps, path, h.bmh_pathlen);
}

void
block_usym(struct block_writer *w, const struct block_usym_hdr *hdr,
    const char *func, const char *file)
{
	struct block_usym_hdr h = *hdr;

	h.buh_funclen = strnlen(func, BLOCK_MAXPATH);
	h.buh_filelen = strnlen(file, BLOCK_MAXPATH);
	if (w->bw_usyms.pe_len > BLOCK_FILL)
		block_pend_put(w, BLOCK_USYM, &w->bw_usyms);
	block_pend_raw(&w->bw_usyms, &h, sizeof(h));
	block_pend_raw(&w->bw_usyms, func, h.buh_funclen);
	block_pend_add(&w->bw_usyms, file, h.buh_filelen);
}

void
block_place(struct block_writer *w, const struct block_place *pl)
{
	const char *strs[] = { pl->bl_func, pl->bl_module, pl->bl_srcfile };
	struct block_place_hdr h = pl->bl_hdr;
	struct block_pend *p = &w->bw_places;
	size_t i, n;

	if (p->pe_len > BLOCK_FILL)
		block_pend_put(w, BLOCK_PLACE, p);
	h.bpl_textlen = 0;
	for (i = 0; i < 3; i++)
		h.bpl_textlen += strnlen(strs[i], BLOCK_MAXPATH) + 1;
	block_pend_raw(p, &h, sizeof(h));
	for (i = 0; i < 3; i++) {
		n = strnlen(strs[i], BLOCK_MAXPATH);
		block_pend_raw(p, strs[i], n);
		block_pend_raw(p, "", 1);
	}
	block_pend_add(p, "", 0);
}

int
block_full(const struct block_writer *w, size_t nbytes)
{
	return w->bw_data.pe_len + sizeof(struct block_rec_hdr) + nbytes >
	    BLOCK_FILL;
}

static size_t
block_pend_size(const struct block_pend *p)
{
	return p->pe_len > 0 ? sizeof(struct block_hdr) + p->pe_len : 0;
}

size_t
block_pending(const struct block_writer *w)
{
	size_t pass = sizeof(struct block_hdr) + sizeof(w->bw_lowwater);

	size_t i, nbytes = block_haspass(w) ? pass : 0;

	for (i = 0; i < BLOCK_NPENDS; i++)
		nbytes += block_pend_size(block_pend(w, i));
	return nbytes;
}

void
block_each(const struct block_writer *w,
    void (*fn)(void *, const struct dt_rec *), void *arg)
{
	const struct block_rec_hdr *h;
	size_t pos;

	for (pos = 0; pos < w->bw_data.pe_len;
	     pos += sizeof(*h) + BLOCK_PAD(h->br_length)) {
		h = (const void *)(w->bw_data.pe_data + pos);
		fn(arg, (const struct dt_rec *)(h + 1));
	}
}

void
block_record(struct block_writer *w, uint32_t cpu, const struct dt_rec *rec)
{
	struct block_rec_hdr h = {
		.br_length = rec->dr_length,
		.br_cpu = cpu,
	};

	if (block_full(w, rec->dr_length))
		block_flush(w);
	block_pend_add(&w->bw_data, &h, sizeof(h));
	block_pend_add(&w->bw_data, rec, rec->dr_length);
}

void
block_pass(struct block_writer *w, uint64_t lowwater)
{
	w->bw_lowwater = lowwater;
}

int
block_end(struct block_writer *w, const struct block_stop *stop,
    const struct dt_ledger *ledger)
{
	struct block_hdr h[2];
	struct iovec iov[4];
	int n = 0;

	if (stop != NULL)
		n += block_iov(iov + n, &h[0], BLOCK_STOP, stop, sizeof(*stop));
	if (ledger != NULL)
		n += block_iov(iov + n, &h[1], BLOCK_LEDGER, ledger,
		    sizeof(*ledger));
	if (n > 0)
		block_write(w, iov, n);
	return w->bw_failed ? -1 : 0;
}

int
block_end_kcov(struct block_writer *w, const struct block_kcov *kc)
{
	block_put(w, BLOCK_KCOV, kc, sizeof(*kc));
	return w->bw_failed ? -1 : 0;
}
