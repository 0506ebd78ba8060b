/* SPDX-License-Identifier: ISC */
/* The kernel's description of its types (BTF) in memory. */
#ifndef COMMON_BTF_FILE_H
#define COMMON_BTF_FILE_H

#include <stddef.h>
#include <stdint.h>

#define BTF_FILE "/sys/kernel/btf/vmlinux"

struct btf_type;

/* Offsets of strings are below bff_stringlen; the last string ends there. */
struct btf_file {
	void *bff_data; /* NULL: closed */
	size_t bff_size;
	const char *bff_types, *bff_strings;
	uint32_t bff_typelen, bff_stringlen;
};

/* Returns 0 or an errno: EINVAL if the format is unknown. */
int btf_file_open(struct btf_file *);
void btf_file_close(struct btf_file *);
/* Returns the bytes of a type in the list, with its parts; 0: unknown kind. */
size_t btf_file_typesize(const struct btf_type *);

#endif /* COMMON_BTF_FILE_H */
