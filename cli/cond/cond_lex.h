/* SPDX-License-Identifier: ISC */
/* Tokens of a condition. */
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
	WORD_EQ, /* comparisons, in the order of enum dt_compare */
	WORD_NE,
	WORD_LT,
	WORD_LE,
	WORD_GT,
	WORD_GE,
};

#define COND_MAXNAME 64

struct cond_tok {
	enum cond_word tok_word;
	unsigned int tok_begin, tok_end; /* position in the text */
	uint64_t tok_number;		 /* integer part */
	double tok_real;		 /* value with its fraction */
	int tok_isreal;			 /* has a fraction */
	char tok_name[COND_MAXNAME];	 /* name, or the unit of a number, or
					  * "" */
};

/* Reads the first token at or after the offset at.  Returns 0 or -1. */
int cond_lex(const char *text, unsigned int at, struct cond_tok *,
    struct cond_error *);
/*
 * Decodes a text: writes at most size bytes to buf and returns the length.
 * *isprefix: the text ends in *.  Returns -1 with an error.
 */
int cond_lex_text(const char *text, const struct cond_tok *, char *buf,
    unsigned int size, int *isprefix, struct cond_error *);

#endif /* CLI_COND_COND_LEX_H */
