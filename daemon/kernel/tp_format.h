/* SPDX-License-Identifier: ISC */
/*
 * The fields of a tracepoint's record and their positions, from the kernel's
 * text (events/SUBSYSTEM/NAME/format of tracefs).  Does not read files.
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
	uint32_t tfm_id;      /* the kernel's number of the tracepoint */
	unsigned int tfm_n;   /* fields */
	unsigned int tfm_cut; /* further fields, beyond DT_TP_FIELDS */
	unsigned int
	    tfm_bytes; /* of the record, up to the last of all fields */
	struct tfm_format_field tfm_fields[DT_TP_FIELDS];
};

/*
 * Parses a text that ends with NUL.  issyscall: the tracepoint is of the
 * subsystem syscalls; its pointers are user addresses, and its record ends
 * after the six arguments, even if the text has more fields.  The fields of all
 * records (common_*) are omitted.  Returns 0, or EINVAL: the text is invalid
 * and *tp undefined.
 */
int tp_format_parse(const char *text, int issyscall, struct tp_format *tp);

#endif /* DAEMON_KERNEL_TP_FORMAT_H */
