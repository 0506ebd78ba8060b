/* SPDX-License-Identifier: ISC */
/*
 * Finds the lengths of instructions in 64-bit mode: prefixes, an opcode of one of
 * several maps, the bytes of an operand in memory (ModRM), and immediate bytes.
 * Each opcode of the two large maps has a letter for what follows it.
 *
 * States which instructions Linux can probe.  It looks up the first byte of an
 * opcode in a set, for VEX and EVEX the byte after them, whatever its map is.
 * It takes some of the latter for jumps, calls and returns, and does not execute
 * what the program has: it skips vpbroadcastb, of which __memset_evex_unaligned
 * needs the result.
 */
#include "symbolizer/x86_insn.h"

/*
 * Lower case without ModRM, upper case with it:
 *	.	nothing
 *	b w z v	an immediate of 1 byte; 2; 4, or 2 after prefix 66; 8 with REX.W
 *	j	the distance of a jump, 4 bytes
 *	a	an address, 8 bytes, or 4 after prefix 67
 *	e	3 bytes (ENTER)
 *	M B Z	ModRM; and an immediate
 *	F G	ModRM, whose operation may take an immediate of 1 or 4 bytes
 *	p r	a prefix; REX
 *	#	another map: 0F, VEX, EVEX, XOP
 *	x	no instruction
 */
static const char one_byte[] = "MMMMbzxxMMMMbzx#" /* 00 */
			       "MMMMbzxxMMMMbzxx"
			       "MMMMbzpxMMMMbzpx"
			       "MMMMbzpxMMMMbzpx"
			       "rrrrrrrrrrrrrrrr" /* 40 */
			       "................"
			       "xx#MppppzZbB...."
			       "bbbbbbbbbbbbbbbb"
			       "BZxBMMMMMMMMMMM#" /* 80 */
			       "..........x....."
			       "aaaa....bz......"
			       "bbbbbbbbvvvvvvvv"
			       "BBw.##BZe.w..bx." /* c0 */
			       "MMMMxxx.MMMMMMMM"
			       "bbbbbbbbjjxb...."
			       "p.pp..FG......MM";

static const char two_bytes[] = "MMMMx.....x.xM.B" /* 0f 00 */
				"MMMMMMMMMMMMMMMM"
				"MMMMxxxxMMMMMMMM"
				"......x.#x#xxxxx"
				"MMMMMMMMMMMMMMMM" /* 40 */
				"MMMMMMMMMMMMMMMM"
				"MMMMMMMMMMMMMMMM"
				"BBBBMMM.MMxxMMMM"
				"jjjjjjjjjjjjjjjj" /* 80 */
				"MMMMMMMMMMMMMMMM"
				"...MBMMM...MBMMM"
				"MMMMMMMMMMBMMMMM"
				"MMBMBBBM........" /* c0 */
				"MMMMMMMMMMMMMMMM"
				"MMMMMMMMMMMMMMMM"
				"MMMMMMMMMMMMMMMM";

_Static_assert(sizeof(one_byte) == 257 && sizeof(two_bytes) == 257,
    "a letter for each opcode");

/* A cursor in an instruction, and its prefixes. */
struct insn {
	const uint8_t *xin_at;
	const uint8_t *xin_end;
	int xin_isshort; /* prefix 66 */
	int xin_isaddr4; /* prefix 67 */
	int xin_isrep;	 /* prefix f2 */
	int xin_iswide;	 /* REX.W */
};

/* Returns the next byte; -1 at the end. */
static int
next(struct insn *in)
{
	return in->xin_at < in->xin_end ? *in->xin_at++ : -1;
}

static int
skip(struct insn *in, size_t n)
{
	if ((size_t)(in->xin_end - in->xin_at) < n)
		return 0;
	in->xin_at += n;
	return 1;
}

/* Skips ModRM, SIB and the displacement. */
static int
skip_modrm(struct insn *in, int *reg)
{
	int modrm = next(in), sib, mod, rm;

	if (modrm < 0)
		return 0;
	mod = modrm >> 6;
	rm = modrm & 7;
	*reg = modrm >> 3 & 7;
	if (mod == 3)
		return 1;
	if (rm == 4) {
		if ((sib = next(in)) < 0)
			return 0;
		if (mod == 0 && (sib & 7) == 5)
			return skip(in, 4);
	}
	if (mod == 0)
		return rm == 5 ? skip(in, 4) : 1;
	return skip(in, mod == 1 ? 1 : 4);
}

static size_t
size_z(const struct insn *in)
{
	return in->xin_isshort && !in->xin_iswide ? 2 : 4;
}

/* Skips what follows an opcode of this letter. */
static int
skip_operands(struct insn *in, char letter)
{
	int reg = 0;

	if (letter >= 'A' && letter <= 'Z' && !skip_modrm(in, &reg))
		return 0;
	switch (letter) {
	case '.':
	case 'M':
		return 1;
	case 'b':
	case 'B':
		return skip(in, 1);
	case 'F':
		return reg > 1 || skip(in, 1);
	case 'w':
		return skip(in, 2);
	case 'e':
		return skip(in, 3);
	case 'j':
		return skip(in, 4);
	case 'z':
	case 'Z':
		return skip(in, size_z(in));
	case 'G':
		return reg > 1 || skip(in, size_z(in));
	case 'v':
		return skip(in, in->xin_iswide ? 8 : size_z(in));
	case 'a':
		return skip(in, in->xin_isaddr4 ? 4 : 8);
	default:
		return 0;
	}
}

/* Skips an opcode of the maps 0F, 0F 38 and 0F 3A. */
static int
skip_map(struct insn *in, int map)
{
	int op = next(in);

	if (op < 0)
		return 0;
	switch (map) {
	case 1:
		/* EXTRQ and INSERTQ have two immediates */
		if (op == 0x78 && (in->xin_isshort || in->xin_isrep))
			return skip_operands(in, 'B') && skip(in, 1);
		return skip_operands(in, two_bytes[op]);
	case 2:
	case 5: /* EVEX: half precision */
	case 6:
		return skip_operands(in, 'M');
	case 3:
		return skip_operands(in, 'B');
	default:
		return 0;
	}
}

static int
skip_0f(struct insn *in)
{
	if (in->xin_at < in->xin_end && *in->xin_at == 0x38)
		return skip(in, 1) && skip_map(in, 2);
	if (in->xin_at < in->xin_end && *in->xin_at == 0x3a)
		return skip(in, 1) && skip_map(in, 3);
	return skip_map(in, 1);
}

/* VEX, EVEX and XOP contain their own prefixes. */
static void
forget_prefixes(struct insn *in)
{
	in->xin_isshort = in->xin_isrep = 0;
}

static int
skip_vex(struct insn *in, int op)
{
	int map = 1;

	forget_prefixes(in);
	if (op == 0xc4) {
		if ((map = next(in)) < 0)
			return 0;
		map &= 0x1f;
	}
	return map >= 1 && map <= 3 && skip(in, 1) && skip_map(in, map);
}

static int
skip_evex(struct insn *in)
{
	int first = next(in), second = next(in);

	forget_prefixes(in);
	if (first < 0 || second < 0 || (first & 8) || !(second & 4))
		return 0;
	return skip(in, 1) && skip_map(in, first & 7);
}

/* 8F is XOP, or POP, whose ModRM has a 0 where the map of XOP is. */
static int
skip_xop(struct insn *in)
{
	int map;

	if (in->xin_at == in->xin_end)
		return 0;
	if ((map = *in->xin_at & 0x1f) < 8)
		return skip_operands(in, 'M');
	forget_prefixes(in);
	in->xin_iswide = 1; /* immediates have 4 bytes */
	return map <= 10 && skip(in, 3) &&
	    skip_operands(in,
		map == 8       ? 'B'
		    : map == 9 ? 'M'
			       : 'Z');
}

static int
skip_other(struct insn *in, int op)
{
	switch (op) {
	case 0x0f:
		return skip_0f(in);
	case 0x62:
		return skip_evex(in);
	case 0x8f:
		return skip_xop(in);
	default:
		return skip_vex(in, op);
	}
}

/* Skips prefixes, and returns the opcode; -1: there is none. */
static int
opcode(struct insn *in)
{
	int op;

	while ((op = next(in)) >= 0) {
		if (one_byte[op] == 'r') {
			in->xin_iswide = (op & 8) != 0;
			continue;
		}
		if (one_byte[op] != 'p')
			return op;
		in->xin_iswide = 0; /* only right before an opcode */
		in->xin_isshort |= op == 0x66;
		in->xin_isaddr4 |= op == 0x67;
		in->xin_isrep |= op == 0xf2;
	}
	return -1;
}

size_t
x86_insn_length(const uint8_t *p, size_t n)
{
	struct insn in = { .xin_at = p,
		.xin_end = p + (n < X86_INSN_MAX ? n : X86_INSN_MAX) };
	int op = opcode(&in);

	if (op < 0 ||
	    !(one_byte[op] == '#' ? skip_other(&in, op)
				  : skip_operands(&in, one_byte[op])))
		return 0;
	return in.xin_at - p;
}

int
x86_insn_isret(const uint8_t *p, size_t len)
{
	struct insn in = { .xin_at = p, .xin_end = p + len };
	int op = opcode(&in);

	return op == 0xc3 || op == 0xc2;
}

/*
 * Opcodes that Linux accepts: a word for each row of 16, the first one in the
 * highest bit.
 */
static const uint16_t probed[] = { 0xfcfd, 0xfcfc, 0xfefe, 0xfefe, 0xffff,
	0xffff, 0x1ff0, 0xffff, 0xdfff, 0xffdf, 0xffff, 0xffff, 0xfff0, 0xf1ff,
	0xf0d0, 0x37cf };

static int
is_probed(int op)
{
	return op >= 0 && (probed[op >> 4] >> (15 - (op & 15)) & 1);
}

/* A jump or call with a distance, whose prefix 66 Linux refuses. */
static int
is_branch(int op)
{
	return (op >= 0x70 && op <= 0x7f) || op == 0xe8 || op == 0xe9 ||
	    op == 0xeb;
}

/* After VEX or EVEX: accepted, and not taken for another instruction. */
static int
is_probed_vex(int op)
{
	switch (op) {
	case 0x90:
	case 0x9d:
	case 0xc2:
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xff:
		return 0;
	default:
		return is_probed(op) && !is_branch(op) && (op & 0xf8) != 0x50;
	}
}

/* Prefixes that Linux refuses: segments other than fs and gs, and lock. */
static int
is_bad_prefix(int op)
{
	return op == 0x26 || op == 0x2e || op == 0x36 || op == 0x3e ||
	    op == 0xf0;
}

int
x86_insn_isprobed(const uint8_t *p, size_t n)
{
	struct insn in = { .xin_at = p,
		.xin_end = p + (n < X86_INSN_MAX ? n : X86_INSN_MAX) };
	const uint8_t *at;
	int op = opcode(&in);

	for (at = p; at < in.xin_at; at++)
		if (is_bad_prefix(*at))
			return 0;
	switch (op) {
	case 0x0f:
		op = next(&in);
		return op >= 0 && !(in.xin_isshort && (op & 0xf0) == 0x80);
	case 0x62:
		return skip(&in, 3) && is_probed_vex(next(&in));
	case 0xc4:
		return skip(&in, 2) && is_probed_vex(next(&in));
	case 0xc5:
		return skip(&in, 1) && is_probed_vex(next(&in));
	case 0x8e: /* it may load ss */
		op = next(&in);
		return op >= 0 && (op & 0x38) != 0x10;
	default:
		return is_probed(op) && !(in.xin_isshort && is_branch(op));
	}
}
