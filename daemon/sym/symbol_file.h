/* SPDX-License-Identifier: ISC */
/*
 * The file of a request to a symbolizer: its current identity, and the user who
 * is charged if it takes long.
 */
#ifndef DAEMON_SYM_SYMBOL_FILE_H
#define DAEMON_SYM_SYMBOL_FILE_H

#include "daemon/procs/mapped_file.h"
#include "daemon/sym/symbol_cache.h"

struct symbol_file {
	struct symbol_key sbf_key;
	struct mapped_file *sbf_file; /* NULL: a perf map */
	int sbf_fd;		      /* O_PATH */
	uint64_t sbf_filekey;	      /* for inspectors */
	uid_t sbf_uid;
	int64_t sbf_before; /* time of the thread's earlier requests, ms */
};

/* Reads the identity of sbf_fd through an inspector.  An errno of that. */
int symbol_file_identify(struct symbol_file *);
/* The same of a mapped file, and enters it into the request. */
int
symbol_file_open(struct mapped_file *, struct symbol_file *, struct symreq *);
/*
 * Call before and after requests of this thread about the file: it returns an
 * errno if the file must not be read, and remembers files that take long or fail.
 */
int symbol_file_begin(struct symbol_file *);
void symbol_file_end(struct symbol_file *, int error);
/* Has an inspector send the file to the worker that this thread has. */
int symbol_file_send(const struct symbol_file *, struct symreq *);

#endif /* DAEMON_SYM_SYMBOL_FILE_H */
