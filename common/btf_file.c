/* SPDX-License-Identifier: ISC */
/* Maps and checks the kernel's BTF, as libbpf would, for dtd and dt. */
#include <sys/mman.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <string.h>
#include <unistd.h>

#include "common/btf_file.h"

#define BTF_MAXFILE (256 << 20)

/* Reads the file, which kernels before 6.16 do not allow to map. */
static void *
file_read(int fd, size_t size)
{
	size_t have;
	ssize_t n;
	char *p;

	p = mmap(NULL, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return p;
	for (have = 0; have < size; have += n)
		if ((n = read(fd, p + have, size - have)) <= 0) {
			munmap(p, size);
			return MAP_FAILED;
		}
	return p;
}

static int
file_isvalid(const struct btf_header *bh, size_t size)
{
	return bh->magic == BTF_MAGIC && bh->version == BTF_VERSION &&
	    bh->type_off % 4 == 0 && bh->hdr_len % 4 == 0 &&
	    (uint64_t)bh->hdr_len + bh->type_off + bh->type_len <= size &&
	    (uint64_t)bh->hdr_len + bh->str_off + bh->str_len <= size &&
	    bh->str_len > 0 &&
	    ((const char *)bh)[(uint64_t)bh->hdr_len + bh->str_off +
		bh->str_len - 1] == '\0';
}

int
btf_file_open(struct btf_file *bff)
{
	const struct btf_header *bh;
	struct stat st;
	int fd;

	memset(bff, 0, sizeof(*bff));
	if ((fd = open(BTF_FILE, O_RDONLY | O_CLOEXEC)) == -1)
		return errno;
	if (fstat(fd, &st) == -1 || st.st_size > BTF_MAXFILE ||
	    (size_t)st.st_size < sizeof(*bh)) {
		close(fd);
		return EINVAL;
	}
	bff->bff_data = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bff->bff_data == MAP_FAILED)
		bff->bff_data = file_read(fd, st.st_size);
	close(fd);
	if (bff->bff_data == MAP_FAILED) {
		bff->bff_data = NULL;
		return EIO;
	}
	bff->bff_size = st.st_size;
	bh = bff->bff_data;
	if (!file_isvalid(bh, bff->bff_size)) {
		btf_file_close(bff);
		return EINVAL;
	}
	bff->bff_types = (const char *)bh + bh->hdr_len + bh->type_off;
	bff->bff_typelen = bh->type_len;
	bff->bff_strings = (const char *)bh + bh->hdr_len + bh->str_off;
	bff->bff_stringlen = bh->str_len;
	return 0;
}

void
btf_file_close(struct btf_file *bff)
{
	if (bff->bff_data != NULL)
		munmap(bff->bff_data, bff->bff_size);
	bff->bff_data = NULL;
}

size_t
btf_file_typesize(const struct btf_type *t)
{
	static const struct {
		uint8_t fixed, each; /* bytes after the type; per part */
	} sizes[] = {
		[BTF_KIND_INT] = { sizeof(uint32_t), 0 },
		[BTF_KIND_ARRAY] = { sizeof(struct btf_array), 0 },
		[BTF_KIND_STRUCT] = { 0, sizeof(struct btf_member) },
		[BTF_KIND_UNION] = { 0, sizeof(struct btf_member) },
		[BTF_KIND_ENUM] = { 0, sizeof(struct btf_enum) },
		[BTF_KIND_FUNC_PROTO] = { 0, sizeof(struct btf_param) },
		[BTF_KIND_VAR] = { sizeof(struct btf_var), 0 },
		[BTF_KIND_DATASEC] = { 0, sizeof(struct btf_var_secinfo) },
		[BTF_KIND_DECL_TAG] = { sizeof(struct btf_decl_tag), 0 },
		[BTF_KIND_ENUM64] = { 0, sizeof(struct btf_enum64) },
	};
	unsigned int kind = BTF_INFO_KIND(t->info);

	if (kind == BTF_KIND_UNKN || kind >= sizeof(sizes) / sizeof(sizes[0]))
		return 0;
	return sizeof(*t) + sizes[kind].fixed +
	    (size_t)sizes[kind].each * BTF_INFO_VLEN(t->info);
}
