/* SPDX-License-Identifier: ISC */
/*
 * probable FILE: compares x86_insn_isprobed() with what the kernel's uprobes
 * accept, for each opcode of each map.  Writes the instructions to FILE, maps it
 * as code, since the kernel examines what is mapped, and attaches to them by
 * uprobe.multi.  Nothing executes them.
 *
 * Instructions of a form that should be accepted are attached together, since
 * the kernel waits for a grace period when a link is closed.
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "symbolizer/x86_insn.h"

#define NOTSUPP 524 /* ENOTSUPP, within the kernel */
#define MULTI	48  /* BPF_TRACE_UPROBE_MULTI */
#define SLOT	32  /* bytes of an instruction in the file */
#define NOPS	256

/* Bytes before an opcode, in hex. */
static const char *const forms[] = { "", "66", "0f", "660f", "660f38", "c5f9",
	"c4e279", "62f27d48" };

#define NFORMS (sizeof(forms) / sizeof(forms[0]))

static uint8_t code[NFORMS * NOPS * SLOT];

static void
code_fill(void)
{
	unsigned int byte;
	uint8_t *p;
	size_t i, op, at;

	memset(code, 0x90, sizeof(code));
	for (i = 0; i < NFORMS; i++)
		for (op = 0; op < NOPS; op++) {
			p = &code[(i * NOPS + op) * SLOT];
			for (at = 0; sscanf(forms[i] + at, "%2x", &byte) == 1;
			     at += 2)
				*p++ = byte;
			*p++ = op;
			*p++ = 0xc0; /* two registers */
			memset(p, 0, 8);
		}
}

/* The part of union bpf_attr for BPF_LINK_CREATE. */
struct probable_link {
	uint32_t pbl_prog, pbl_target, pbl_type, pbl_flags;
	uint64_t pbl_path, pbl_offsets, pbl_semaphores, pbl_cookies;
	uint32_t pbl_count, pbl_multi, pbl_pid, pbl_pad;
};

static char path[PATH_MAX];
static int prog, errors[NFORMS * NOPS]; /* 0: accepted */

static void
prog_make(void)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = MULTI);
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K }, /* r0 = 0 */
		{ .code = BPF_JMP | BPF_EXIT },
	};

	prog = bpf_prog_load(BPF_PROG_TYPE_KPROBE, NULL, "GPL", insns, 2,
	    &opts);
	if (prog < 0)
		errx(1, "this kernel has no uprobe.multi");
}

/* Attaches to instructions, by their numbers.  Returns the kernel's error. */
static int
attach(const size_t *list, size_t n)
{
	uint64_t offsets[NOPS];
	struct probable_link pbl = { .pbl_prog = prog,
		.pbl_type = MULTI,
		.pbl_path = (uintptr_t)path,
		.pbl_offsets = (uintptr_t)offsets,
		.pbl_count = n };
	size_t i;
	int fd;

	for (i = 0; i < n; i++)
		offsets[i] = list[i] * SLOT;
	if ((fd = syscall(SYS_bpf, BPF_LINK_CREATE, &pbl, sizeof(pbl))) == -1)
		return errno;
	close(fd);
	return 0;
}

static void
try_list(const size_t *list, size_t n)
{
	int error = n > 0 ? attach(list, n) : 0;

	if (error != 0 && n == 1)
		errors[*list] = error;
	else if (error != 0) {
		try_list(list, n / 2);
		try_list(list + n / 2, n - n / 2);
	}
}

static int
is_ours(size_t i)
{
	return x86_insn_isprobed(&code[i * SLOT], SLOT);
}

static void
try_form(size_t form)
{
	size_t list[NOPS], n = 0, i;

	for (i = form * NOPS; i < (form + 1) * NOPS; i++)
		if (is_ours(i))
			list[n++] = i;
		else
			try_list(&i, 1);
	try_list(list, n);
}

/*
 * Returns whether it is after VEX or EVEX, where the kernel takes some for others;
 * or REX2, which is a prefix for some kernels only.
 */
static int
is_avoided(size_t i)
{
	const char *form = forms[i / NOPS];

	return *form == 'c' || strncmp(form, "62", 2) == 0 || i % NOPS == 0xd5;
}

int
main(int argc, char **argv)
{
	unsigned int nyes = 0, nno = 0, nbad = 0, navoided = 0;
	size_t i;
	int fd;

	if (argc != 2)
		errx(2, "usage: probable FILE");
	prog_make();
	code_fill();
	fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	if (fd == -1 || write(fd, code, sizeof(code)) != sizeof(code) ||
	    realpath(argv[1], path) == NULL)
		err(1, "%s", argv[1]);
	if (mmap(NULL, sizeof(code), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd,
		0) == MAP_FAILED)
		err(1, "mmap");
	for (i = 0; i < NFORMS; i++)
		try_form(i);
	for (i = 0; i < NFORMS * NOPS; i++) {
		nyes += errors[i] == 0;
		nno += errors[i] == NOTSUPP;
		/* the kernel cannot decode all of them */
		if (is_ours(i) ? errors[i] != NOTSUPP : errors[i] != 0)
			continue;
		if (errors[i] == 0 && is_avoided(i)) {
			navoided++;
			continue;
		}
		nbad++;
		printf("%s %02zx: the kernel %s it\n", forms[i / NOPS],
		    i % NOPS, errors[i] == 0 ? "accepts" : "refuses");
	}
	printf("%u accepted, %u avoided, %u refused, %u differ\n",
	    nyes - navoided, navoided, nno, nbad);
	return nbad != 0;
}
