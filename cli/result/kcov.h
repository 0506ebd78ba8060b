/* SPDX-License-Identifier: ISC */
/* Places in code, as dt kcov prints them. */
#ifndef CLI_RESULT_KCOV_H
#define CLI_RESULT_KCOV_H

#include <stddef.h>
#include <stdint.h>

#include <libdt.h>
#include <sys/kcov.h>

/* What kcov found: a place in code that was reached. */
struct out_place {
	const char *oa_func;   /* what to call it, never NULL */
	const char *oa_module; /* file without folders; NULL: the kernel */
	const char *oa_file;   /* source; NULL: not known */
	unsigned int oa_line;
	uint64_t oa_offset; /* in the function; 0 if there is a line */
	int oa_iscmp;	    /* it is a comparison, with */
	uint64_t oa_type;   /* KCOV_CMP_*, and its operands; else these are 0 */
	uint64_t oa_arg1, oa_arg2;
	uint64_t oa_count;
	uint64_t oa_before; /* in the earlier run */
	uint64_t oa_first;  /* the number of its first record, from 1 on */
};

struct out_kcov {
	const struct out_place *ok_places; /* in the order to be shown */
	size_t ok_n;
	int ok_iscmp;		 /* they are comparisons */
	int ok_isdiff;		 /* beside an earlier run */
	int ok_isuser;		 /* of the command's own code: nobody counts */
	struct kio_stat ok_stat; /* else */
	int ok_isgone;		 /* the service: ok_stat is not known */
	uint64_t ok_read;	 /* records that were read */
	uint64_t ok_nothers;	 /* of them, of places that had no room */
	uint64_t ok_nfull;	 /* so often the memory was found full */
	int ok_islate;		 /* and the command may have lost some then */
};

#endif /* CLI_RESULT_KCOV_H */
