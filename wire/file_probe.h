/* SPDX-License-Identifier: ISC */
/*
 * Places in a file where a program can be probed: queries of dtd to a symbolizer
 * (SYMREQ_PROBES in wire/symbolizer.h), and replies.
 *
 * A query is a struct probe_query in the place of addresses, padded to whole
 * ones.  A reply has messages (struct symrep_probes) of sites, their arguments
 * and strings, and ends like other replies.  dtd checks each message.
 */
#ifndef WIRE_FILE_PROBE_H
#define WIRE_FILE_PROBE_H

#include <stdint.h>

#define PROBE_QUERY_NAME 1024	/* size of a name or pattern, with its NUL */
#define PROBE_SITES_MAX	 131072 /* sites of a reply */
#define PROBE_ARGS_MAX	 32	/* arguments of a site */

enum probe_query_kind {
	/*
	 * Functions whose name matches pq_name: as stored, or demangled, with
	 * or without parameters.  One site for each address, by address.  A
	 * name without '*', '?' and '[' is matched as it is; a version
	 * ("@GLIBC_2.2.5") is not part of a name.
	 */
	PROBE_QUERY_FUNCTIONS = 1,
	/*
	 * The function that begins at pq_off, with its arguments in order, and
	 * its return value unless it has none.  No arguments are known without
	 * DWARF: PROBE_SITE_DWARF is not set.
	 */
	PROBE_QUERY_ARGS,
	/*
	 * The function that contains pq_off; a site for each RET in it.  A
	 * function that ends with a jump to another one has none there.
	 */
	PROBE_QUERY_RETS,
	/*
	 * The instruction that begins at pq_off: psi_size is its length.  If none
	 * begins there, the site is the nearest one before, without
	 * PROBE_SITE_EXACT.
	 */
	PROBE_QUERY_INSN,
	/*
	 * Line pq_line of the source file pq_name (the end of its path, whole
	 * components): its first instruction in each function, and in each
	 * place where that is inlined.  If the line has no code, the sites of
	 * the next line that has, without PROBE_SITE_EXACT.
	 */
	PROBE_QUERY_LINE,
	/*
	 * The notes of static probes whose "PROVIDER:NAME" matches pq_name, with
	 * their arguments.  Several sites may have one name.
	 */
	PROBE_QUERY_NOTES,
	/*
	 * The functions whose name is nearest to pq_name, the best first, at
	 * most pq_max; none if all differ much.  Sites have only a name.
	 */
	PROBE_QUERY_NEAREST,
	/* The same of "PROVIDER:NAME" of static probes. */
	PROBE_QUERY_NEARNOTES,
	/* PROBE_QUERY_FUNCTIONS with the arguments of PROBE_QUERY_ARGS. */
	PROBE_QUERY_SIGNATURES,
	/*
	 * The variable or function pq_name: psi_off is its distance from the code
	 * at pq_off, modulo 2^64.  If several static ones have the name, one of
	 * them and sps_more.
	 */
	PROBE_QUERY_VARIABLE,
};

struct probe_query {
	uint32_t pq_kind;
	uint32_t pq_max; /* sites of the reply; more are left out (sps_more) */
	uint64_t pq_off; /* in the file */
	uint32_t pq_line;
	uint32_t pq_namelen; /* without the NUL */
	char pq_name[PROBE_QUERY_NAME];
};

#define PROBE_SITE_DWARF 0x1  /* args: the debug information has it */
#define PROBE_SITE_EXACT 0x2  /* insn, line: as requested */
#define PROBE_SITE_GO	 0x4  /* a return probe would break the program */
#define PROBE_SITE_CXX	 0x8  /* C++, by its name */
#define PROBE_SITE_RUST	 0x10 /* Rust, by its name */
/* It returns the address of the function that is used in its place. */
#define PROBE_SITE_IFUNC 0x20
/* The kernel's uprobes refuse the instruction there. */
#define PROBE_SITE_REFUSED 0x40

struct probe_site {
	uint64_t psi_off;	/* in the file, for the kernel */
	uint64_t psi_start;	/* the same of its function's entry */
	uint64_t psi_size;	/* of the function, 0: unknown */
	uint64_t psi_semaphore; /* notes: in the file; 0: none */
	/* strings; 0: none */
	uint32_t psi_name; /* function, demangled; name of a note */
	uint32_t psi_more; /* the stored name if that differs; notes: provider;
			     line: the source file */
	uint32_t psi_line; /* line: of the code */
	uint16_t psi_flags;
	uint8_t psi_nargs; /* with the return value */
	uint8_t psi_zero;
};

enum probe_arg_kind {
	PROBE_ARG_INT = 1, /* also bool, enum and characters */
	PROBE_ARG_PTR,
	PROBE_ARG_TEXT,	  /* pointer to characters */
	PROBE_ARG_STRUCT, /* struct, union, class or array of pra_size bytes */
	PROBE_ARG_FLOAT,  /* cannot be read */
	PROBE_ARG_UNKNOWN,
};

/*
 * Where a value is.  Registers are 64-bit words of what ptrace(2) returns:
 * struct user_regs_struct on x86-64 (rdi is 14), struct user_pt_regs on arm64
 * (x0 is 0, sp 31, pc 32).  The program counter is the address of the probe.
 */
enum probe_arg_place {
	PROBE_PLACE_NONE = 1, /* cannot be read: pra_why */
	PROBE_PLACE_CONST,    /* pra_value */
	/* pra_base >> pra_shift; a struct goes on in pra_index, if that is one */
	PROBE_PLACE_REG,
	/* in memory at pra_base + pra_index * pra_scale + pra_value */
	PROBE_PLACE_MEM,
};

#define PROBE_REG_NONE	 0xff
#define PROBE_REG_MAX	 33  /* words of the registers */
#define PROBE_ARG_SIGNED 0x1 /* extend its sign from pra_size bytes */
#define PROBE_ARG_BYREF	 0x2 /* the value is the address of the struct */
#define PROBE_ARG_RETURN 0x4 /* the return value, when the function returns */

struct probe_arg {
	int64_t pra_value;
	uint32_t pra_name; /* strings; 0: none */
	uint32_t pra_type;
	uint32_t pra_why;
	uint32_t pra_size; /* bytes; 0: unknown */
	uint8_t pra_kind;  /* enum probe_arg_kind */
	uint8_t pra_place; /* enum probe_arg_place */
	uint8_t pra_base;
	uint8_t pra_index;
	uint8_t pra_scale; /* 1, 2, 4 or 8 */
	uint8_t pra_shift; /* bits; 8 for ah, bh, ch and dh */
	uint8_t pra_flags;
	uint8_t pra_zero;
};

/* Followed by sites, the arguments of all of them in order, and strings. */
struct symrep_probes {
	uint32_t sps_type; /* SYMREP_PROBES */
	uint32_t sps_nsites;
	uint32_t sps_nargs;
	uint32_t sps_nbytes;
	uint32_t sps_more; /* the reply does not have all sites */
	uint32_t sps_zero;
};

_Static_assert(sizeof(struct probe_query) == 24 + PROBE_QUERY_NAME,
    "probe_query");
_Static_assert(sizeof(struct probe_site) == 48, "probe_site");
_Static_assert(sizeof(struct probe_arg) == 32, "probe_arg");
_Static_assert(sizeof(struct symrep_probes) == 24, "symrep_probes");

#endif /* WIRE_FILE_PROBE_H */
