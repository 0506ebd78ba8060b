/* SPDX-License-Identifier: ISC */
/*
 * The format of a tracepoint's record, as the kernel tells it in text
 * (events/SUBSYSTEM/NAME/format of tracefs): which fields it has, and where.
 * Pure code: a text in, a struct out.
 */
#ifndef DAEMON_KERNEL_TP_FORMAT_H
#define DAEMON_KERNEL_TP_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/dt_tracepoint_table.h"

#define TP_FORMAT_NAME 64 /* DTNAMESIZE: longer names are cut */

struct tfm_format_field {
	struct dt_field tf_field; /* how it is read */
	int tf_isnumber;	  /* of a type without a pointer */
	char tf_type[TP_FORMAT_NAME];
	char tf_name[TP_FORMAT_NAME];
};

struct tp_format {
	uint32_t tfm_id;      /* the kernel's number of it */
	unsigned int tfm_n;   /* fields */
	unsigned int tfm_cut; /* and those for which there was no room */
	unsigned int
	    tfm_bytes; /* of the record, up to the last of all fields */
	struct tfm_format_field tfm_fields[DT_TP_FIELDS];
};

/*
 * Parses a text that ends with NUL.  issyscall: of the subsystem syscalls,
 * whose pointers are those of the process; their records end behind the six
 * arguments, what else the text may tell is not there.  The fields that all
 * records have (common_*) are left out.  0, or EINVAL: the text is none that we
 * know, and *tp is worthless.
 */
int tp_format_parse(const char *text, int issyscall, struct tp_format *tp);

#endif /* DAEMON_KERNEL_TP_FORMAT_H */
