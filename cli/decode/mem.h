/* SPDX-License-Identifier: ISC */
/*
 * What pointers lead to, in words: types of what was read, from numbers to
 * structs and arrays of them, and the kinds of arguments that print one.
 *
 * Layouts are those of 64-bit Linux.  The daemon reads of 32-bit programs only
 * what looks the same there; for the rest there is no memory in the record,
 * and what is shown is the address.
 *
 * The bytes may be a hostile recording's: any length comes here.  A type that
 * isn't there as a whole is printed as "..."; a struct, as far as whole fields
 * go.
 */
#ifndef CLI_DECODE_MEM_H
#define CLI_DECODE_MEM_H

#include "cli/decode/flag_names.h"

/* Bytes of a value, from its first on. */
struct mem {
	const struct arg_call *m_ac;
	unsigned int m_argn;
	const uint8_t *m_bytes;
	size_t m_len;  /* that were read */
	size_t m_true; /* that there are in the process, at least m_len */
};

/*
 * A type.  Its function is called if mt_size bytes are there, and may look at
 * all m_len.
 */
struct mem_type {
	void (
	    *mt_put)(struct buf *, const struct mem *, const struct mem_type *);
	size_t mt_size;
	const void *mt_table; /* the function's */
};

/* A struct: "{name=value, name=value}". */
struct mem_field {
	const char *mf_name;
	size_t mf_off;
	const struct mem_type *mf_type;
};

struct mem_struct {
	const struct mem_field *ms_fields;
	size_t ms_n;
	int ms_more; /* has others, not shown: "..." */
};

/* For tables. */
#define MEM_FIELDS(list, more) \
	{ \
		(list), sizeof(list) / sizeof((list)[0]), (more) \
	}
#define MEM_STRUCT(size, fields) \
	{ \
		mem_struct_put, (size), &(fields) \
	}
/* As many as there are of a type: "[value, value]". */
#define MEM_ARRAY(elem) \
	{ \
		mem_array_put, 0, &(elem) \
	}
#define MEM_FLAGS(size, names) \
	{ \
		mem_flags_put, (size), &(names) \
	}
#define MEM_ENUM(size, names) \
	{ \
		mem_enum_put, (size), &(names) \
	}

void mem_struct_put(struct buf *, const struct mem *, const struct mem_type *);
void mem_array_put(struct buf *, const struct mem *, const struct mem_type *);
void mem_flags_put(struct buf *, const struct mem *, const struct mem_type *);
void mem_enum_put(struct buf *, const struct mem *, const struct mem_type *);
/* char[mt_size] up to its NUL, quoted */
void mem_chars_put(struct buf *, const struct mem *, const struct mem_type *);

extern const struct mem_type mem_s16, mem_u16, mem_s32, mem_u32, mem_s64,
    mem_u64, mem_x32, mem_x64, mem_ptr, mem_fd, mem_sig;
/* Arrays of some. */
extern const struct mem_type mem_ints, mem_fds, mem_ids, mem_ptrs;

/* mem_time.c */
extern const struct mem_type mem_timespec, mem_timeval;
/* mem_iov.c: a vector of buffers, with what is in them */
extern const struct mem_type mem_iovecs;
/* mem_signal.c */
extern const struct mem_type mem_sigset;
/* mem_net.c */
extern const struct mem_type mem_sockaddr;

/* A value, or "..." if not all of it is there. */
void mem_put(struct buf *, const struct mem *, const struct mem_type *);
/* What is at off: less of the same memory. */
struct mem mem_at(const struct mem *, size_t off);
/* A number of 1, 2, 4 or 8 bytes at off; 0 if it isn't there. */
uint64_t mem_uint(const struct mem *, size_t off, size_t nbytes);
int64_t mem_int(const struct mem *, size_t off, size_t nbytes);

/* Bytes as strace quotes them, with octal escapes; ... behind if cut. */
void mem_put_bytes(struct buf *, const uint8_t *, size_t, int cut);

/* What was read for an argument, at the entry or the return; 0: nothing. */
int mem_entry(const struct arg_call *, unsigned int argn, struct mem *);
int mem_return(const struct arg_call *, unsigned int argn, struct mem *);
/* What is behind pointers that are there: buffer number n of a vector, and the
 * vector of a message; whichever event has it. */
int
mem_buffer(const struct arg_call *, unsigned int argn, size_t n, struct mem *);
int mem_vector(const struct arg_call *, unsigned int argn, struct mem *);

/*
 * Kinds; ak_table is a struct mem_type.  Without memory they show the address.
 */
/* what the call is given, what it fills in */
void mem_in_text(struct buf *, const struct arg_call *, unsigned int, uint64_t,
    const struct arg_kind *);
void mem_out_text(struct buf *, const struct arg_call *, unsigned int, uint64_t,
    const struct arg_kind *);
/* descriptors that it makes; their table is mem_fds */
void mem_made_text(struct buf *, const struct arg_call *, unsigned int,
    uint64_t, const struct arg_kind *);
/* a number that it changes: "[5]", "[128 => 16]" */
void mem_change_text(struct buf *, const struct arg_call *, unsigned int,
    uint64_t, const struct arg_kind *);
/* a string that it fills in; no table */
void mem_text_text(struct buf *, const struct arg_call *, unsigned int,
    uint64_t, const struct arg_kind *);
/* data */
void mem_data_text(struct buf *, const struct arg_call *, unsigned int,
    uint64_t, const struct arg_kind *);

/*
 * An argument that is what a command says, which is another argument.
 */
enum mem_dir {
	MEM_IN,
	MEM_OUT,
};

struct mem_cmd {
	uint64_t mc_cmd;
	enum mem_dir mc_dir;
	const struct mem_type *mc_type;
};

struct mem_cmds {
	const struct mem_cmd *ms_list;
	size_t ms_n;
	unsigned int ms_argn;		/* of the command */
	uint64_t ms_mask;		/* its bits that say which */
	const struct arg_kind *ms_else; /* of other commands, or no memory */
};

#define MEM_CMDS(list, argn, mask, other) \
	{ \
		(list), sizeof(list) / sizeof((list)[0]), (argn), (mask), \
		    (other) \
	}

void mem_cmd_text(struct buf *, const struct arg_call *, unsigned int, uint64_t,
    const struct arg_kind *);

#define ARG_CMDS(cmds)	 ARG_KIND(mem_cmd_text, &(cmds))
#define ARG_IN(type)	 ARG_KIND(mem_in_text, &(type))
#define ARG_OUT(type)	 ARG_KIND(mem_out_text, &(type))
#define ARG_MADE	 ARG_KIND(mem_made_text, &mem_fds)
#define ARG_CHANGE(type) ARG_KIND(mem_change_text, &(type))
#define ARG_TEXT	 ARG_FUNC(mem_text_text)
#define ARG_DATA	 ARG_FUNC(mem_data_text)

#endif /* CLI_DECODE_MEM_H */
