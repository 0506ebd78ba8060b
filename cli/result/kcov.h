/* SPDX-License-Identifier: ISC */
/* Places in code, as dt kcov prints them. */
#ifndef CLI_RESULT_KCOV_H
#define CLI_RESULT_KCOV_H

#include <stddef.h>
#include <stdint.h>

#include <libdt.h>
#include <sys/kcov.h>

/* A place in code that was reached. */
struct out_place {
	const char *oa_func;   /* printed name, never NULL */
	const char *oa_module; /* file name without folders; NULL: the kernel */
	const char *oa_file;   /* source file; NULL: unknown */
	unsigned int oa_line;
	uint64_t oa_offset; /* offset in the function; 0 if there is a line */
	int oa_iscmp;	    /* a comparison, with the following */
	uint64_t oa_type;   /* KCOV_CMP_*, and its operands; otherwise 0 */
	uint64_t oa_arg1, oa_arg2;
	uint64_t oa_count;
	uint64_t oa_before; /* count in the earlier run */
	uint64_t oa_first;  /* number of its first record, from 1 */
};

struct out_kcov {
	const struct out_place *ok_places; /* in the order of output */
	size_t ok_n;
	int ok_iscmp;		 /* places are comparisons */
	int ok_isdiff;		 /* compared with an earlier run */
	int ok_isuser;		 /* the command's own code: without ok_stat */
	struct kio_stat ok_stat; /* otherwise */
	int ok_hasexited;	 /* the service has exited: ok_stat is
				  * unknown */
	uint64_t ok_read;	 /* records that were read */
	uint64_t ok_nothers;	 /* records read, of places beyond the
				  * capacity */
	uint64_t ok_nfull;	 /* times that the memory was full */
	int ok_islate;		 /* and the command may have lost records
				  * then */
};

#endif /* CLI_RESULT_KCOV_H */
