/* SPDX-License-Identifier: ISC */
/* Recognizes functions of start files by their code. */
#include <string.h>

#include "symbolizer/unwind_crt.h"

#define CRT_MAX	  256  /* bytes of a function that are searched */
#define CRT_AUX	  96   /* bytes of the functions about destructors */
#define CRT_DTORS 4096 /* destructors that are looked at */
#define CRT_HEAD  10
#define CRT_TAIL  5
#define CRT_ANY	  -1 /* any byte */
#define X86_SP	  7
#define ARM64_LR  30
#define ARM64_SP  31

/* Code that makes a frame of 16 bytes, and code that removes it. */
struct crt_code {
	uint16_t crc_machine;
	uint8_t crc_isaux, crc_hasfp; /* the frame pointer is saved in it */
	uint8_t crc_nhead, crc_ntail;
	uint8_t crc_nremove; /* bytes of the tail until the frame is removed */
	int16_t crc_head[CRT_HEAD], crc_tail[CRT_TAIL];
};

static const struct crt_code crt_codes[] = {
	/* sub $8,%rsp; add $8,%rsp; ret: glibc */
	{ EM_X86_64, 0, 0, 4, 5, 4, { 0x48, 0x83, 0xec, 0x08 },
	    { 0x48, 0x83, 0xc4, 0x08, 0xc3 } },
	/* push %rax; pop %rax; ret: musl */
	{ EM_X86_64, 0, 0, 1, 2, 1, { 0x50 }, { 0x58, 0xc3 } },
	/* cmpb $0,completed(%rip); jne; push %rbp; pop %rbp; ret */
	{ EM_X86_64, 1, 1, 10, 2, 1,
	    { 0x80, 0x3d, CRT_ANY, CRT_ANY, CRT_ANY, CRT_ANY, 0x00, 0x75,
		CRT_ANY, 0x55 },
	    { 0x5d, 0xc3 } },
	/* stp x29,x30,[sp,#-16]!; ldp x29,x30,[sp],#16 */
	{ EM_AARCH64, 0, 1, 4, 4, 4, { 0xfd, 0x7b, 0xbf, 0xa9 },
	    { 0xfd, 0x7b, 0xc1, 0xa8 } },
};

static int
crt_is(const uint8_t *p, const int16_t *code, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (code[i] != CRT_ANY && p[i] != code[i])
			return 0;
	return 1;
}

/* Returns the bytes of an instruction that is for branches to the function. */
static size_t
crt_landing(const uint8_t *p, size_t n, uint16_t machine)
{
	uint32_t insn;

	if (n < sizeof(insn))
		return 0;
	memcpy(&insn, p, sizeof(insn));
	if (machine == EM_X86_64)
		return insn == 0xfa1e0ff3 ? sizeof(insn) : 0; /* endbr64 */
	return (insn & 0xfffff01f) == 0xd503201f ? sizeof(insn) : 0; /* hint */
}

/* Fills in the rows of a function of n bytes at an address. */
static void
crt_rows(struct crt_func *cf, const struct crt_code *crc, uint64_t addr,
    size_t made, size_t removed, size_t n)
{
	static const struct unwind_rule x86 = { .un_cfa = UNWIND_CFA_REG,
		.un_reg = X86_SP,
		.un_cfaoff = 8,
		.un_raoff = -8 };
	static const struct unwind_rule arm64 = { .un_cfa = UNWIND_CFA_REG,
		.un_reg = ARM64_SP,
		.un_ra = UNWIND_RA_REG,
		.un_raoff = ARM64_LR };
	struct unwind_rule leaf = crc->crc_machine == EM_X86_64 ? x86 : arm64;
	struct unwind_rule frame = leaf;

	frame.un_ra = UNWIND_RA_MEM;
	frame.un_cfaoff = 16;
	frame.un_raoff = -8;
	if (crc->crc_hasfp) {
		frame.un_fp = UNWIND_FP_CFA;
		frame.un_fpoff = -16;
	}
	cf->cfn_rows[0] = (struct crt_row){ addr, leaf };
	cf->cfn_rows[1] = (struct crt_row){ addr + made, frame };
	cf->cfn_rows[2] = (struct crt_row){ addr + removed, leaf };
	cf->cfn_rows[3] = (struct crt_row){ addr + n, { 0 } };
}

/* Returns whether the n bytes of code at an address are a function's. */
static int
crt_match(struct crt_func *cf, const struct crt_code *crc, uint64_t addr,
    const uint8_t *p, size_t n)
{
	size_t at = crt_landing(p, n, crc->crc_machine), made;

	if (n - at < crc->crc_nhead ||
	    !crt_is(p + at, crc->crc_head, crc->crc_nhead))
		return 0;
	made = at += crc->crc_nhead;
	while (n - at >= crc->crc_ntail &&
	    !crt_is(p + at, crc->crc_tail, crc->crc_ntail))
		at++;
	if (n - at < crc->crc_ntail)
		return 0;
	crt_rows(cf, crc, addr, made, at + crc->crc_nremove, n);
	return 1;
}

static size_t
crt_function(const struct elffile *ef, struct crt_func *cf, int isaux,
    uint64_t addr, const uint8_t *p, size_t n)
{
	const struct crt_code *crc;

	for (crc = crt_codes;
	     crc < crt_codes + sizeof(crt_codes) / sizeof(crt_codes[0]); crc++)
		if (crc->crc_machine == ef->ef_ehdr.e_machine &&
		    crc->crc_isaux == isaux && crt_match(cf, crc, addr, p, n))
			return 1;
	return 0;
}

/* _init and _fini are each the only code of a section. */
static size_t
crt_section(const struct elffile *ef, const char *name, struct crt_func *cf)
{
	const uint8_t *p;
	GElf_Shdr sh;
	size_t n;

	p = elffile_bytes(elffile_section(ef, name, &sh), &n);
	return p != NULL && n <= CRT_MAX &&
	    crt_function(ef, cf, 0, sh.sh_addr, p, n);
}

/* Looks at the code of a destructor. */
static size_t
crt_destructor(const struct elffile *ef, struct crt_func *cf, uint64_t addr)
{
	const struct elfload *el = elffile_ataddr(ef, addr);
	uint64_t off;
	size_t n;

	if (el == NULL)
		return 0;
	off = addr - el->el_addr;
	n = el->el_size - off < CRT_AUX ? el->el_size - off : CRT_AUX;
	off += el->el_off;
	if (off > ef->ef_bytes.fby_size || n > ef->ef_bytes.fby_size - off)
		return 0;
	return crt_function(ef, cf, 1, addr, ef->ef_bytes.fby_base + off, n);
}

/*
 * __do_global_dtors_aux is in .fini_array, after destructors with a priority,
 * which for example the address sanitizer adds.  frame_dummy follows it, and jumps to
 * another function.
 */
static size_t
crt_aux(const struct elffile *ef, struct crt_func *cf)
{
	const uint8_t *p;
	uint64_t addr;
	GElf_Shdr sh;
	size_t n, i;

	p = elffile_bytes(elffile_section(ef, ".fini_array", &sh), &n);
	for (i = 0; p != NULL && i < n / sizeof(addr) && i < CRT_DTORS; i++) {
		memcpy(&addr, p + i * sizeof(addr), sizeof(addr));
		if (crt_destructor(ef, cf, addr))
			return 1;
	}
	return 0;
}

size_t
crt_find(const struct elffile *ef, struct crt_func *cf)
{
	size_t n = crt_section(ef, ".init", cf);

	n += crt_section(ef, ".fini", cf + n);
	return n + crt_aux(ef, cf + n);
}
