/* SPDX-License-Identifier: ISC */
/*
 * A script: its clauses as trees, and the tables of its names.  script_parse()
 * builds it from a text, script_check() assigns types; nothing changes it
 * afterwards, except the binding of probes.  One arena owns the memory.
 */
#ifndef CLI_SCRIPT_SCRIPT_H
#define CLI_SCRIPT_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

#include "cli/script/script_error.h"

struct script_func;
struct script_builtin;

/* Type of a value.  ANY: only the probe decides. */
enum script_type {
	ST_NONE = 0, /* unknown yet, or no value */
	ST_INT,
	ST_STR,
	ST_ANY,
	ST_BUF,
	ST_TUPLE,
	ST_KSTACK,
	ST_USTACK,
	ST_KSYM,
	ST_USYM,
	ST_INET,
	ST_MAC,
	ST_USER, /* name of a uid */
	/* types of maps, by the function that is assigned */
	ST_COUNT,
	ST_SUM,
	ST_AVG,
	ST_MIN,
	ST_MAX,
	ST_STATS,
	ST_HIST,
	ST_LHIST,
};
#define ST_ISAGG(t) ((t) >= ST_COUNT)

/*
 * A type of C: pointers to a type of the kernel, or to a number.  All 0: none is
 * known.
 */
struct script_ctype {
	uint32_t sct_id;   /* in BTF, without modifiers; 0: a number, or void */
	uint8_t sct_stars; /* pointers */
	uint8_t sct_size;  /* of the number; 0: void */
	uint8_t sct_issigned;
};

enum node_kind {
	ND_NUMBER,
	ND_STRING,
	ND_PARAM,   /* nd_number: from 1; -1: $# */
	ND_VAR,	    /* nd_ref */
	ND_MAP,	    /* nd_ref; kids: the keys */
	ND_BUILTIN, /* nd_builtin; nd_number: of argN */
	ND_FIELD,   /* args.nd_text; nd_ref: number of the field */
	ND_CALL,    /* nd_func; kids: arguments */
	ND_UNARY,   /* nd_op; kid */
	ND_BINARY,  /* nd_op; kids */
	ND_TERNARY, /* kids */
	ND_CAST,    /* nd_size, nd_isunsigned, nd_text: its pointer; kid */
	ND_MEMBER,  /* nd_text; kid: a struct, or a pointer to it */
	ND_INDEX,   /* kids: an array or pointer, a constant */
	ND_DEREF,   /* kid: a pointer */
	ND_TUPLE,
	ND_ELEMENT, /* kid; nd_number */
	ND_INCR, /* nd_op ++ or --; nd_number: before; kid: variable or map */
	/* statements */
	ND_ASSIGN, /* nd_op 0 or an operator; kids: target, value */
	ND_EXPR,
	ND_IF,	  /* kids: condition, block, block or none */
	ND_WHILE, /* kids: condition, block */
	ND_UNROLL,
	ND_BLOCK,
	ND_BREAK,
	ND_CONTINUE,
	ND_RETURN,
	ND_NKINDS
};

struct node {
	enum node_kind nd_kind;
	enum script_type nd_type;
	uint8_t nd_size; /* bytes of a cast */
	uint8_t nd_isunsigned;
	uint8_t nd_isliteral; /* a number without a sign */
	uint8_t nd_islate;    /* the probe decides what type it has */
	/*
	 * A call whose result is read at the hit, or an assignment of a pointer
	 * whose text is.
	 */
	uint8_t nd_isread;
	unsigned int nd_op;
	unsigned int nd_ref;
	size_t nd_begin, nd_end; /* offsets in the text */
	int64_t nd_number;
	const char *nd_text;
	size_t nd_len;
	const struct script_func *nd_func;
	const struct script_builtin *nd_builtin;
	struct script_ctype nd_ctype;
	const struct node *nd_def; /* of a variable: its value, or NULL */
	struct node *nd_kids, *nd_next;
	unsigned int nd_nkids;
	unsigned int nd_depth; /* levels of nodes below */
};

/* A probe as the script names it. */
struct script_probe {
	const char *scn_name;
	size_t scn_begin, scn_end;
	struct script_probe *scn_next;
};

struct clause {
	struct script_probe *cla_probes;
	struct node *cla_pred; /* NULL: none */
	struct node *cla_body; /* ND_BLOCK */
	unsigned int cla_number;
	struct clause *cla_next;
};

/* A variable or a map. */
struct script_name {
	const char *sn_name;
	enum script_type sn_type;
	int sn_isunsigned;
	unsigned int sn_nkeys; /* of a map */
	int sn_isused;	       /* keys are known */
	int sn_isassigned;     /* of a map */
	int sn_istext;	       /* str() takes its value */
	enum script_type *sn_keys;
	int64_t sn_lhist[3]; /* of ST_LHIST: min, max, step */
	size_t sn_begin;     /* where its type was set */
};

#define SCRIPT_MAXNAMES 4096
#define SCRIPT_MAXNODES 65536
#define SCRIPT_MAXDEPTH 64
#define SCRIPT_MAXSIZE	(1 << 20) /* bytes of a text */
#define SCRIPT_MAXKEYS	16
#define SCRIPT_MAXTUPLE 256  /* values, also of tuples inside */
#define SCRIPT_MAXTERMS 1000 /* depth of operators that follow each other */

/* One block of the arena. */
struct script_block;

struct script {
	const char *scr_text;
	struct script_error scr_error;
	struct clause *scr_clauses;
	unsigned int scr_nclauses, scr_nnodes;
	struct script_name scr_vars[SCRIPT_MAXNAMES], scr_maps[SCRIPT_MAXNAMES];
	unsigned int scr_nvars, scr_nmaps;
	struct node **scr_fields; /* each args.NAME */
	unsigned int scr_nfields;
	unsigned int scr_nreads;  /* values that are read by structs */
	unsigned int scr_nkaddrs; /* calls of kaddr() */
	char **scr_params;
	unsigned int scr_nparams;
	int scr_isunsafe; /* system() and signal() are allowed */
	unsigned int scr_nincludes, scr_nstructs; /* that are ignored */
	uint64_t scr_config;			  /* unused settings */
	struct script_block *scr_blocks;
};

/*
 * Parses and checks a text, which has to live as long as the script.  params:
 * $1 and so on.  Returns NULL if memory runs out; scr_error.ser_is: there is a
 * mistake.
 */
struct script *script_open(const char *text, char **params,
    unsigned int nparams, int isunsafe);
void script_free(struct script *);
/* Returns zeroed memory of the arena; exits without memory. */
void *script_alloc(struct script *, size_t);

int script_parse(struct script *);
int script_check(struct script *);

/* Returns the n-th kid, which exists. */
static inline struct node *
node_kid(const struct node *nd, unsigned int n)
{
	struct node *kid = nd->nd_kids;

	while (n-- > 0)
		kid = kid->nd_next;
	return kid;
}

/* Calls a function for a node and all below it, parents first. */
void node_walk(struct node *, void (*fn)(void *, struct node *), void *);

#endif /* CLI_SCRIPT_SCRIPT_H */
