/* SPDX-License-Identifier: ISC */
/*
 * The symbolizer's reader of files, without its process: an emulator of
 * programs has no filters of system calls, so this is the part that is tested
 * for other machines.  The file is this program.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/object_file.h"

#include "tests/unit/test_elf.h"

#define SELF "/proc/self/exe"

/* The address looked up, and the reply. */
struct answer {
	struct frame_sink an_sink;  /* first: sink is answer */
	struct wire_frame an_frame; /* the last one */
	char an_func[SYMREQ_NAME];
	char an_file[SYMREQ_NAME];
	int an_n;
};

static struct view self;
static struct object_file *object;

static int
no_file(const struct symrep_find *sa, int *fd)
{
	(void)sa;
	(void)fd;
	return ENOENT;
}

static void
answer_put(struct frame_sink *fs, const struct wire_frame *wf,
    const struct symrep_span *sp, const char *func, const char *file)
{
	struct answer *an = (struct answer *)fs;

	(void)sp;
	an->an_frame = *wf;
	snprintf(an->an_func, sizeof(an->an_func), "%s",
	    func == NULL ? "" : func);
	snprintf(an->an_file, sizeof(an->an_file), "%s",
	    file == NULL ? "" : file);
	an->an_n++;
}

static void
ask(uint64_t off, int lines, struct answer *an)
{
	*an = (struct answer){ .an_sink = { answer_put } };
	assert_int_equal(object_file_names(object, &off, 1, lines,
			     &an->an_sink),
	    0);
	assert_in_range(an->an_n, 1, 100);
}

static int
test_open(void **state)
{
	struct file_bytes im;
	int fd = open(SELF, O_RDONLY | O_CLOEXEC);

	(void)state;
	(void)elf_version(EV_CURRENT);
	self = view_open(SELF);
	assert_int_equal(file_bytes_map(fd, &im), 0);
	assert_int_equal(object_file_open(&im, NULL, 0, no_file, &object), 0);
	close(fd);
	return 0;
}

static int
test_close(void **state)
{
	(void)state;
	object_file_close(object);
	munmap(self.v_base, self.v_size);
	return 0;
}

/*
 * One address may have several symbols: all those with the same size are valid.
 */
struct claim {
	uint64_t cl_off;
	uint64_t cl_size;
	const char *cl_func;
	int cl_ok;
};

/* The linker's own code on arm64 has names with an @, which is cut off. */
static void
claim_check(const struct view *v, const Elf64_Sym *sym, const char *name,
    void *arg)
{
	struct claim *cl = arg;
	size_t len = strcspn(name, "@");

	if (is_code(v, sym) && off_of(v, sym->st_value) == cl->cl_off &&
	    sym->st_size == cl->cl_size && strlen(cl->cl_func) == len &&
	    memcmp(name, cl->cl_func, len) == 0)
		cl->cl_ok = 1;
}

static void
function_check(const struct view *v, const Elf64_Sym *sym, const char *name,
    void *arg)
{
	uint64_t off = off_of(v, sym->st_value);
	struct claim cl = { off, sym->st_size, NULL, 0 };
	int *n = arg;
	struct answer an;

	if (!is_code(v, sym) || sym->st_size == 0)
		return;
	ask(off + sym->st_size - 1, 0, &an);
	cl.cl_func = an.an_func;
	each_symbol(v, SHT_SYMTAB, claim_check, &cl);
	if (!cl.cl_ok)
		fail_msg("%s is told to be %s", name, an.an_func);
	++*n;
}

static void
test_functions(void **state)
{
	int n = 0;

	(void)state;
	each_symbol(&self, SHT_SYMTAB, function_check, &n);
	assert_in_range(n, 50, 100000);
}

/* Returns the symbol of a relocation; NULL: it belongs to no stub. */
static const char *
stub_name(const struct view *v, const Elf64_Shdr *sh, const Elf64_Rela *r)
{
	const Elf64_Shdr *syms = section(v, sh->sh_link);
	const Elf64_Sym *sym = (const void *)(v->v_base + syms->sh_offset);

	if (ELF64_R_TYPE(r->r_info) != R_X86_64_JUMP_SLOT &&
	    ELF64_R_TYPE(r->r_info) != R_AARCH64_JUMP_SLOT)
		return NULL;
	return (const char *)v->v_base + section(v, syms->sh_link)->sh_offset +
	    sym[ELF64_R_SYM(r->r_info)].st_name;
}

/* Returns whether the stubs have one of this name. */
static int
has_stub(const struct view *v, const char *name)
{
	const char *names = (const char *)v->v_base +
	    section(v, ehdr(v)->e_shstrndx)->sh_offset;
	char want[SYMREQ_NAME];
	struct answer an;
	unsigned int i;
	uint64_t off;

	snprintf(want, sizeof(want), "%s@plt", name);
	for (i = 0; i < ehdr(v)->e_shnum; i++) {
		const Elf64_Shdr *sh = section(v, i);

		if (strncmp(names + sh->sh_name, ".plt", 4) != 0)
			continue;
		for (off = 0; off < sh->sh_size; off += 8) {
			ask(sh->sh_offset + off, 0, &an);
			if (strcmp(an.an_func, want) == 0)
				return 1;
		}
	}
	return 0;
}

static void
test_stubs(void **state)
{
	unsigned int i;
	size_t j;
	int n = 0;

	(void)state;
	for (i = 0; i < ehdr(&self)->e_shnum; i++) {
		const Elf64_Shdr *sh = section(&self, i);
		const Elf64_Rela *r = (const void *)(self.v_base +
		    sh->sh_offset);
		const char *name;

		if (sh->sh_type != SHT_RELA)
			continue;
		for (j = sh->sh_size / sizeof(*r); j-- > 0; r++) {
			if ((name = stub_name(&self, sh, r)) == NULL)
				continue;
			if (!has_stub(&self, name))
				fail_msg("no stub of %s", name);
			n++;
		}
	}
	assert_in_range(n, 10, 10000);
}

static __attribute__((noinline)) unsigned int
here(void)
{
	return __LINE__;
}

/* Returns the offset in the file of an address in memory. */
static uint64_t
off_here(void)
{
	const char *p = (const char *)here;
	const uint8_t *found;

	found = memmem(self.v_base, self.v_size, p, 16);
	assert_non_null(found);
	/* the only such function: its line is unique */
	assert_null(
	    memmem(found + 1, self.v_base + self.v_size - found - 1, p, 16));
	return found - self.v_base;
}

static void
test_line(void **state)
{
	struct answer an;

	(void)state;
	ask(off_here(), 1, &an);
	assert_string_equal(an.an_func, "here");
	assert_non_null(strstr(an.an_file, "test_symobject.c"));
	assert_in_range(an.an_frame.wf_line, here() - 2, here() + 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_stubs),
		cmocka_unit_test(test_line),
	};

	return cmocka_run_group_tests(tests, test_open, test_close);
}
