/* SPDX-License-Identifier: ISC */
/* The words of a condition. */
#ifndef CLI_COND_COND_LEX_H
#define CLI_COND_COND_LEX_H

#include <stdint.h>

struct cond_error;

enum cond_word {
	WORD_END,
	WORD_NUMBER,
	WORD_TEXT,
	WORD_NAME,
	WORD_OPEN,
	WORD_CLOSE,
	WORD_NOT,
	WORD_AND,
	WORD_OR,
	WORD_BITAND,
	WORD_BITOR,
	WORD_MINUS,
	WORD_INVERT,
	WORD_EQ, /* the comparisons, in the order of enum dt_compare */
	WORD_NE,
	WORD_LT,
	WORD_LE,
	WORD_GT,
	WORD_GE,
};

#define COND_MAXNAME 64

struct cond_tok {
	enum cond_word tok_word;
	unsigned int tok_begin, tok_end; /* in the text */
	uint64_t tok_number;		 /* without its fraction */
	double tok_real;		 /* with it */
	int tok_isreal;			 /* there is one */
	char tok_name[COND_MAXNAME];	 /* or the unit of a number, or "" */
};

/* The word at or behind place at.  0 or -1. */
int cond_lex(const char *text, unsigned int at, struct cond_tok *,
    struct cond_error *);
/* What a text means: at most size bytes go to buf, the length is returned.
 * *isprefix: it ends in *. -1 with an error. */
int cond_lex_text(const char *text, const struct cond_tok *, char *buf,
    unsigned int size, int *isprefix, struct cond_error *);

#endif /* CLI_COND_COND_LEX_H */
