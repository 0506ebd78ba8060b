/* SPDX-License-Identifier: ISC */
/*
 * Formats memory that pointers refer to: types of the memory, from numbers to
 * structs and arrays, and the kinds of arguments that print them.
 *
 * Layouts are those of 64-bit Linux.  For 32-bit programs the daemon reads only
 * types with the same layout; for others the record contains no memory, and the
 * address is printed.
 *
 * The bytes may come from a hostile recording, so any length is possible.  An
 * incomplete value is printed as "..."; of an incomplete struct, the complete
 * fields are printed.
 */
#ifndef CLI_DECODE_MEM_H
#define CLI_DECODE_MEM_H

#include "cli/decode/flag_names.h"

/* Bytes of a value, from its start. */
struct mem {
	const struct arg_call *m_ac;
	unsigned int m_argn;
	const uint8_t *m_bytes;
	size_t m_len;  /* bytes that were read */
	size_t m_true; /* bytes that the process has, at least m_len */
};

/*
 * A type.  Its function is called if at least mt_size bytes were read, and may
 * use all m_len.
 */
struct mem_type {
	void (
	    *mt_put)(struct buf *, const struct mem *, const struct mem_type *);
	size_t mt_size;
	const void *mt_table; /* for the function */
};

/* A struct, printed as "{name=value, name=value}". */
struct mem_field {
	const char *mf_name;
	size_t mf_off;
	const struct mem_type *mf_type;
};

struct mem_struct {
	const struct mem_field *ms_fields;
	size_t ms_n;
	int ms_more; /* has fields that are not printed: "..." */
};

/* Initializers for tables. */
#define MEM_FIELDS(list, more) \
	{ \
		(list), sizeof(list) / sizeof((list)[0]), (more) \
	}
#define MEM_STRUCT(size, fields) \
	{ \
		mem_struct_put, (size), &(fields) \
	}
/* All elements of a type: "[value, value]". */
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
/* char[mt_size] up to its NUL, in quotes */
void mem_chars_put(struct buf *, const struct mem *, const struct mem_type *);

extern const struct mem_type mem_s16, mem_u16, mem_s32, mem_u32, mem_s64,
    mem_u64, mem_x32, mem_x64, mem_ptr, mem_fd, mem_sig;
/* Arrays of some types. */
extern const struct mem_type mem_ints, mem_fds, mem_ids, mem_ptrs;

/* mem_time.c */
extern const struct mem_type mem_timespec, mem_timeval;
/* mem_iov.c: a vector of buffers, with their contents */
extern const struct mem_type mem_iovecs;
/* mem_signal.c */
extern const struct mem_type mem_sigset;
/* mem_net.c */
extern const struct mem_type mem_sockaddr;

/* Prints a value, or "..." if it is incomplete. */
void mem_put(struct buf *, const struct mem *, const struct mem_type *);
/* Returns the part of the memory from off. */
struct mem mem_at(const struct mem *, size_t off);
/* A number of 1, 2, 4 or 8 bytes at off; 0 if it is incomplete. */
uint64_t mem_uint(const struct mem *, size_t off, size_t nbytes);
int64_t mem_int(const struct mem *, size_t off, size_t nbytes);

/*
 * Prints bytes in quotes, as strace does, with octal escapes; followed by ...
 * if cut.
 */
void mem_put_bytes(struct buf *, const uint8_t *, size_t, int cut);

/* Memory read for an argument, at the entry or the return; 0: none. */
int mem_entry(const struct arg_call *, unsigned int argn, struct mem *);
int mem_return(const struct arg_call *, unsigned int argn, struct mem *);
/*
 * Memory that pointers in that memory refer to: buffer number n of a vector,
 * and the vector of a message, from the event that has it.
 */
int
mem_buffer(const struct arg_call *, unsigned int argn, size_t n, struct mem *);
int mem_vector(const struct arg_call *, unsigned int argn, struct mem *);

/*
 * Kinds; ak_table is a struct mem_type.  Without memory they print the address.
 */
/* memory that the call reads, and memory that it writes */
void mem_in_text(struct buf *, const struct arg_call *, unsigned int, uint64_t,
    const struct arg_kind *);
void mem_out_text(struct buf *, const struct arg_call *, unsigned int, uint64_t,
    const struct arg_kind *);
/* descriptors that the call creates; the table is mem_fds */
/* a number that the call changes: "[5]", "[128 => 16]" */
void mem_change_text(struct buf *, const struct arg_call *, unsigned int,
    uint64_t, const struct arg_kind *);
/* a string that the call writes; no table */
void mem_text_text(struct buf *, const struct arg_call *, unsigned int,
    uint64_t, const struct arg_kind *);
/* data */
void mem_data_text(struct buf *, const struct arg_call *, unsigned int,
    uint64_t, const struct arg_kind *);

/* An argument whose type depends on a command, which is another argument. */
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
	const struct mem_cmd *mcs_list;
	size_t mcs_n;
	unsigned int mcs_argn;		 /* index of the command */
	uint64_t mcs_mask;		 /* bits of it that select the type */
	const struct arg_kind *mcs_else; /* kind for other commands, or
					 * without memory */
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
#define ARG_MADE	 ARG_KIND(mem_out_text, &mem_fds)
#define ARG_CHANGE(type) ARG_KIND(mem_change_text, &(type))
#define ARG_TEXT	 ARG_FUNC(mem_text_text)
#define ARG_DATA	 ARG_FUNC(mem_data_text)

#endif /* CLI_DECODE_MEM_H */
