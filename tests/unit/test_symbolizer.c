/* SPDX-License-Identifier: ISC */
/*
 * Names of addresses in files, through the worker process: of the files that
 * symfiles/make builds, of the C library, of dtd.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "sym/symbolizer.h"
#include "sym/symdebug.h"
#include "sym/symfile.h"
#include "sym/symreq.h"
#include "sym/symworker.h"
#include "sym/vdso.h"

static char build[3000]; /* the folder of what was built */
static uint64_t next_id = 1;

/* --- files ------------------------------------------------------------------*/

/* A file as a test sees it: its bytes, and the code in it. */
struct view {
	uint8_t *v_base;
	size_t v_size;
};

static const char *
path_of(const char *name)
{
	static char path[4096];

	if (*name == '/')
		snprintf(path, sizeof(path), "%s", name);
	else
		snprintf(path, sizeof(path), "%s/tests/symfiles/%s", build,
		    name);
	return path;
}

static struct view
view_open(const char *name)
{
	int fd = open(path_of(name), O_RDONLY | O_CLOEXEC);
	struct stat st;
	struct view v;

	assert_int_not_equal(fd, -1);
	assert_int_equal(fstat(fd, &st), 0);
	v.v_size = st.st_size;
	v.v_base = mmap(NULL, v.v_size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(v.v_base, MAP_FAILED);
	close(fd);
	return v;
}

static const Elf64_Ehdr *
ehdr(const struct view *v)
{
	return (const void *)v->v_base;
}

static const Elf64_Shdr *
section(const struct view *v, unsigned int i)
{
	return (const Elf64_Shdr *)(v->v_base + ehdr(v)->e_shoff) + i;
}

/* The file offset of an address of code; 0: it is none. */
static uint64_t
off_of(const struct view *v, uint64_t addr)
{
	const Elf64_Phdr *ph = (const void *)(v->v_base + ehdr(v)->e_phoff);
	unsigned int i;

	for (i = 0; i < ehdr(v)->e_phnum; i++, ph++)
		if (ph->p_type == PT_LOAD && (ph->p_flags & PF_X) &&
		    addr >= ph->p_vaddr && addr < ph->p_vaddr + ph->p_filesz)
			return addr - ph->p_vaddr + ph->p_offset;
	return 0;
}

/* Calls fn for each symbol of the tables of one type. */
static void
each_symbol(const struct view *v, uint32_t type,
    void (*fn)(const struct view *, const Elf64_Sym *, const char *, void *),
    void *arg)
{
	unsigned int i;
	size_t n;

	for (i = 0; i < ehdr(v)->e_shnum; i++) {
		const Elf64_Shdr *sh = section(v, i);
		const Elf64_Sym *sym = (const void *)(v->v_base +
		    sh->sh_offset);
		const char *names;

		if (sh->sh_type != type)
			continue;
		names = (const char *)v->v_base +
		    section(v, sh->sh_link)->sh_offset;
		for (n = sh->sh_size / sizeof(*sym); n-- > 0; sym++)
			fn(v, sym, names + sym->st_name, arg);
	}
}

struct lookup {
	const char *lo_name;
	uint64_t lo_off;
};

static void
look(const struct view *v, const Elf64_Sym *sym, const char *name, void *arg)
{
	struct lookup *lo = arg;
	size_t n = strlen(lo->lo_name);

	if (strncmp(name, lo->lo_name, n) == 0 &&
	    (name[n] == '\0' || name[n] == '@') && sym->st_shndx != SHN_UNDEF)
		lo->lo_off = off_of(v, sym->st_value);
}

/* The offset of a function that has not been stripped. */
static uint64_t
where(const char *file, const char *func)
{
	struct lookup lo = { func, 0 };
	struct view v = view_open(file);

	each_symbol(&v, SHT_SYMTAB, look, &lo);
	munmap(v.v_base, v.v_size);
	if (lo.lo_off == 0)
		fail_msg("%s has no %s", file, func);
	return lo.lo_off;
}

static struct symfile
file_open(const char *name)
{
	static char path[4096];
	struct symfile sf = { .sf_id = next_id++,
		.sf_fd = open(path_of(name), O_RDONLY | O_CLOEXEC),
		.sf_path = path,
		.sf_rootfd = -1 };

	assert_int_not_equal(sf.sf_fd, -1);
	snprintf(path, sizeof(path), "%s", path_of(name));
	return sf;
}

/* The same, as seen by a process whose root is symfiles/root. */
static struct symfile
file_open_in(const char *name, const char *seen)
{
	struct symfile sf = file_open(name);

	sf.sf_path = (char *)seen;
	sf.sf_rootfd = open(path_of("root"), O_PATH | O_CLOEXEC);
	assert_int_not_equal(sf.sf_rootfd, -1);
	return sf;
}

static void
file_close(struct symfile *sf)
{
	close(sf->sf_fd);
	if (sf->sf_rootfd != -1)
		close(sf->sf_rootfd);
}

/* The name at an offset, "?" if there is none; stays until the next one. */
static const char *
name_at(struct symfile *sf, uint64_t off)
{
	static char name[SYMREQ_NAME];
	struct symframes f;

	assert_int_equal(symbolizer_names(sf, &off, 1, 0, &f), 0);
	assert_int_equal(f.sy_n, 1);
	snprintf(name, sizeof(name), "%s",
	    f.sy_frames[0].sy_func == NULL ? "?" : f.sy_frames[0].sy_func);
	symframes_free(&f);
	return name;
}

/* The name in one file at the offset that a function has in another. */
static void
expect(struct symfile *sf, const char *whole, const char *func, int64_t plus,
    const char *name)
{
	assert_string_equal(name_at(sf, where(whole, func) + plus), name);
}

static struct symbolizer_stat
stat_now(void)
{
	struct symbolizer_stat ss;

	symbolizer_stat(&ss);
	return ss;
}

/* The worker works. */
static void
expect_alive(void)
{
	struct symfile sf = file_open("pie");

	expect(&sf, "pie", "main", 1, "main");
	file_close(&sf);
}

/* Forgets the worker and what it said, so that it is asked again. */
static void
forget(void)
{
	symworker_trim(-1);
}

/* --- every function of a file -----------------------------------------------*/

struct every {
	const struct view *ev_view;
	uint32_t ev_type;
	size_t ev_n;
	uint64_t ev_offs[1 << 16];
};

static int
is_code(const struct view *v, const Elf64_Sym *sym)
{
	int type = ELF64_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) &&
	    sym->st_shndx != SHN_UNDEF && off_of(v, sym->st_value) != 0;
}

static void
add_every(const struct view *v, const Elf64_Sym *sym, const char *name,
    void *arg)
{
	struct every *ev = arg;
	uint64_t off = off_of(v, sym->st_value);

	(void)name;
	if (!is_code(v, sym) || sym->st_size == 0)
		return;
	assert_in_range(ev->ev_n, 0, (1 << 16) - 2);
	ev->ev_offs[ev->ev_n++] = off;
	ev->ev_offs[ev->ev_n++] = off + sym->st_size - 1;
}

/* What a name has to be: that of a function which has the address. */
struct claim {
	uint64_t cl_off;
	const struct symframe *cl_frame;
	int cl_ok;
};

static void
check_claim(const struct view *v, const Elf64_Sym *sym, const char *name,
    void *arg)
{
	struct claim *cl = arg;
	uint64_t off = off_of(v, sym->st_value);
	size_t n = strcspn(name, "@");

	if (is_code(v, sym) && cl->cl_off >= off &&
	    cl->cl_off < off + sym->st_size && cl->cl_frame->sy_start == off &&
	    cl->cl_frame->sy_end == off + sym->st_size &&
	    (strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0 ||
		n >= SYMREQ_NAME ||
		(strncmp(name, cl->cl_frame->sy_func, n) == 0 &&
		    cl->cl_frame->sy_func[n] == '\0')))
		cl->cl_ok = 1;
}

static void
check_every(const char *file, uint32_t type)
{
	struct view v = view_open(file);
	struct symfile sf = file_open(file);
	static struct every ev;
	struct symframes f;
	size_t i;

	ev = (struct every){ .ev_view = &v };
	each_symbol(&v, type, add_every, &ev);
	assert_in_range(ev.ev_n, 20, 1 << 16);
	assert_int_equal(symbolizer_names(&sf, ev.ev_offs, ev.ev_n, 0, &f), 0);
	assert_int_equal(f.sy_n, ev.ev_n);
	for (i = 0; i < f.sy_n; i++) {
		struct claim cl = { ev.ev_offs[i], &f.sy_frames[i], 0 };

		assert_int_equal(f.sy_frames[i].sy_pc, i);
		assert_in_range(cl.cl_off, f.sy_frames[i].sy_from,
		    f.sy_frames[i].sy_to - 1);
		if (f.sy_frames[i].sy_func != NULL)
			each_symbol(&v, type, check_claim, &cl);
		if (!cl.cl_ok)
			fail_msg("%s: %#lx is not %s", file, cl.cl_off,
			    f.sy_frames[i].sy_func);
	}
	symframes_free(&f);
	file_close(&sf);
	munmap(v.v_base, v.v_size);
}

static void
test_every_function(void **state)
{
	char dtd[4096];

	(void)state;
	snprintf(dtd, sizeof(dtd), "%s/dtd", build);
	check_every(dtd, SHT_SYMTAB);
	check_every("pie", SHT_SYMTAB);
	check_every("nopie", SHT_SYMTAB);
	check_every("static", SHT_SYMTAB);
	check_every("libc", SHT_DYNSYM);
}

/* --- which name -------------------------------------------------------------*/

static void
test_best_name(void **state)
{
	struct symfile sf = file_open("pie");

	(void)state;
	expect(&sf, "pie", "strong", 0, "strong");
	expect(&sf, "pie", "weak_alias", 1, "strong");
	expect(&sf, "pie", "__under_alias", 1, "plain_alias");
	expect(&sf, "pie", "versioned", 2, "versioned");
	expect(&sf, "pie", "resolved", 0, "resolved");
	expect(&sf, "pie", "quiet", 3, "quiet");
	expect(&sf, "pie", "narrow", 15, "narrow");
	expect(&sf, "pie", "narrow", 16, "wide");
	file_close(&sf);
}

static void
test_no_size(void **state)
{
	struct symfile sf = file_open("pie");

	(void)state;
	expect(&sf, "pie", "nosize", 15, "nosize");
	expect(&sf, "pie", "label", 0, "label");
	expect(&sf, "pie", "label", 8, "$x");
	expect(&sf, "pie", "inside", 0, "marked");
	expect(&sf, "pie", "inside", 15, "marked");
	expect(&sf, "pie", "data_here", 0, "?");
	file_close(&sf);
}

static void
test_marks(void **state)
{
	struct symfile sf = file_open("marks");

	(void)state;
	expect(&sf, "nopie", "label", 0, "label");
	expect(&sf, "nopie", "label", 8, "label");
	file_close(&sf);
}

/* A function that lies in another one: the ranges tell where which holds. */
static void
test_nested(void **state)
{
	uint64_t base = where("pie", "around");
	uint64_t offs[] = { base + 47, base, base + 16, base + 31, base + 48 };
	struct symfile sf = file_open("pie");
	struct symframes f;
	struct symframe *v;

	(void)state;
	assert_int_equal(symbolizer_names(&sf, offs, 5, 0, &f), 0);
	assert_int_equal(f.sy_n, 5);
	v = f.sy_frames;
	assert_string_equal(v[0].sy_func, "around");
	assert_int_equal(v[0].sy_start, base);
	assert_int_equal(v[0].sy_end, base + 48);
	assert_int_equal(v[0].sy_from, base + 32);
	assert_int_equal(v[0].sy_to, base + 48);
	assert_string_equal(v[1].sy_func, "around");
	assert_int_equal(v[1].sy_from, base);
	assert_int_equal(v[1].sy_to, base + 16);
	assert_string_equal(v[2].sy_func, "within");
	assert_string_equal(v[3].sy_func, "within");
	assert_int_equal(v[3].sy_start, base + 16);
	assert_int_equal(v[3].sy_end, base + 32);
	symframes_free(&f);
	file_close(&sf);
}

static void
test_demangled(void **state)
{
	struct symfile sf = file_open("pie");

	(void)state;
	expect(&sf, "pie", "_ZNK3BoxIiE3getEi", 0, "Box<int>::get");
	expect(&sf, "pie", "_ZN3FooC2ERKSt6vectorIiSaIiEE", 0, "Foo::Foo");
	expect(&sf, "pie", "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
	    0, "core::fmt::Write::write_fmt");
	expect(&sf, "pie", "_RNvMs_NtC5alloc3vecINtB4_3VechE4push", 0,
	    "<alloc::vec::Vec<u8>>::push");
	expect(&sf, "pie",
	    "_ZN2ns4spinILi100000EiEElRK3BoxIT0_ENSt6vectorIiSaIiEEE", 0,
	    "ns::spin<100000, int>");
	expect(&sf, "pie", "_Znonsense", 0, "_Znonsense");
	file_close(&sf);
}

/* Names are given as they are: to escape them is for who prints them. */
static void
test_hostile_names(void **state)
{
	struct symfile sf = file_open("pie");
	uint64_t before = where("pie", "_Znonsense");
	const char *name;

	(void)state;
	assert_string_equal(name_at(&sf, before + 16), "a\033[31m<script>&\"b");
	name = name_at(&sf, before + 32);
	assert_int_equal(strlen(name), SYMREQ_NAME - 1);
	assert_string_equal(name + SYMREQ_NAME - 6, "xx...");
	file_close(&sf);
}

/* --- stubs ------------------------------------------------------------------*/

struct stub {
	struct symfile st_file;
	int st_n;
};

/* An undefined function with a value: that of its stub. */
static void
check_stub(const struct view *v, const Elf64_Sym *sym, const char *name,
    void *arg)
{
	struct stub *st = arg;
	char want[SYMREQ_NAME];

	if (sym->st_shndx != SHN_UNDEF || sym->st_value == 0 ||
	    ELF64_ST_TYPE(sym->st_info) != STT_FUNC)
		return;
	snprintf(want, sizeof(want), "%s@plt", name);
	assert_string_equal(name_at(&st->st_file, off_of(v, sym->st_value)),
	    want);
	st->st_n++;
}

/* How many of the stubs in the sections of a file have this name. */
static int
count_stubs(const char *file, const char *name)
{
	struct view v = view_open(file);
	struct symfile sf = file_open(file);
	const char *names = (const char *)v.v_base +
	    section(&v, ehdr(&v)->e_shstrndx)->sh_offset;
	unsigned int i;
	uint64_t off;
	int n = 0;

	for (i = 0; i < ehdr(&v)->e_shnum; i++) {
		const Elf64_Shdr *sh = section(&v, i);

		if (strncmp(names + sh->sh_name, ".plt", 4) != 0)
			continue;
		for (off = 0; off < sh->sh_size; off += 8)
			n += strcmp(name_at(&sf, sh->sh_offset + off), name) ==
			    0;
	}
	file_close(&sf);
	munmap(v.v_base, v.v_size);
	return n;
}

static void
test_stubs(void **state)
{
	struct view v = view_open("nopie");
	struct stub st = { file_open("nopie"), 0 };

	(void)state;
	each_symbol(&v, SHT_DYNSYM, check_stub, &st);
	assert_in_range(st.st_n, 1, 100);
	file_close(&st.st_file);
	munmap(v.v_base, v.v_size);
	/* Every 8 bytes are asked for, and a stub has 16. */
	assert_in_range(count_stubs("pie", "rename@plt"), 1, 4);
	assert_in_range(count_stubs("byid", "rename@plt"), 1, 4);
	assert_in_range(count_stubs("static", "strchr@plt") +
		count_stubs("static", "strlen@plt"),
	    1, 9);
}

/* --- what was stripped ------------------------------------------------------*/

static void
test_debug_by_id(void **state)
{
	struct symfile sf = file_open_in("byid", "/usr/bin/byid");
	struct symfile no = file_open("byid");

	(void)state;
	expect(&sf, "pie", "quiet", 0, "quiet");
	expect(&no, "pie", "main", 0, "main"); /* exported */
	file_close(&sf);
	file_close(&no);
}

/* Where its debug file is not found, the exported names are there. */
static void
test_debug_missing(void **state)
{
	struct symfile sf;

	(void)state;
	forget();
	symbolizer_trim();
	sf = file_open_in("badlink", "/opt/badlink");
	expect(&sf, "noid", "quiet", 0, "?");
	file_close(&sf);
}

static void
test_debug_by_link(void **state)
{
	struct symfile sf = file_open_in("bylink", "/opt/bylink");

	(void)state;
	expect(&sf, "noid", "quiet", 0, "quiet");
	expect(&sf, "noid", "main", 0, "main");
	file_close(&sf);
}

static void
test_minidebug(void **state)
{
	struct symfile sf = file_open("mini");

	(void)state;
	expect(&sf, "noid", "quiet", 0, "quiet");
	expect(&sf, "noid", "quiet_caller", 0, "?"); /* was left out */
	file_close(&sf);
}

/* --- lines ------------------------------------------------------------------*/

static unsigned int
line_of(const char *mark)
{
	char line[256], want[64];
	FILE *f = fopen(DT_SYMFILES "/func.c", "re");
	unsigned int n = 0, found = 0;

	assert_non_null(f);
	snprintf(want, sizeof(want), "LINE %s *", mark);
	while (found == 0 && fgets(line, sizeof(line), f) != NULL) {
		n++;
		if (strstr(line, want) != NULL)
			found = n;
	}
	fclose(f);
	assert_int_not_equal(found, 0);
	return found;
}

static int
is_frame(const struct symframe *sy, const char *func, int inlined)
{
	return sy->sy_func != NULL && strcmp(sy->sy_func, func) == 0 &&
	    sy->sy_inlined == inlined && sy->sy_file != NULL &&
	    strstr(sy->sy_file, "func.c") != NULL &&
	    sy->sy_line == line_of(func);
}

/* Somewhere in outer() are all three, each at its line. */
static void
check_inlined(struct symfile *sf, const char *whole)
{
	uint64_t base = where(whole, "outer"), offs[20];
	struct symframes f;
	size_t i;
	int n = 0;

	for (i = 0; i < 20; i++)
		offs[i] = base + i;
	assert_int_equal(symbolizer_names(sf, offs, 20, SYM_LINES, &f), 0);
	for (i = 0; i + 2 < f.sy_n; i++) {
		struct symframe *sy = &f.sy_frames[i];

		if (sy[0].sy_pc == sy[2].sy_pc &&
		    is_frame(sy, "innermost", 1) &&
		    is_frame(sy + 1, "middle", 1) &&
		    is_frame(sy + 2, "outer", 0)) {
			assert_int_equal(sy[0].sy_start, base);
			n++;
		}
	}
	assert_int_not_equal(n, 0);
	symframes_free(&f);
}

static void
test_lines(void **state)
{
	struct symfile sf = file_open("pie");

	(void)state;
	check_inlined(&sf, "pie");
	check_inlined(&sf, "pie"); /* from the cache */
	file_close(&sf);
	sf = file_open("packed");
	check_inlined(&sf, "pie");
	file_close(&sf);
	sf = file_open("nopie");
	check_inlined(&sf, "nopie");
	file_close(&sf);
	sf = file_open_in("bylink", "/opt/bylink");
	check_inlined(&sf, "noid");
	file_close(&sf);
	assert_int_equal(stat_now().ss_deaths, 0);
}

/* --- perf maps --------------------------------------------------------------*/

static int
memfile(const char *text, size_t n)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_int_not_equal(fd, -1);
	assert_int_equal(write(fd, text, n), n);
	return fd;
}

static void
expect_jit(int fd, uint64_t id, uint64_t pc, const char *name)
{
	struct symframes f;

	assert_int_equal(symbolizer_jit(fd, id, &pc, 1, &f), 0);
	assert_int_equal(f.sy_n, 1);
	if (name == NULL)
		assert_null(f.sy_frames[0].sy_func);
	else {
		assert_non_null(f.sy_frames[0].sy_func);
		assert_string_equal(f.sy_frames[0].sy_func, name);
	}
	symframes_free(&f);
}

static void
test_jit(void **state)
{
	static const char text[] = "7f0000001000 100 LazyCompile:~a b.js:1\n"
				   "0x7f0000002000 0x40 second\n"
				   "no line\n7f0000003000\n7f0000003000 10\n"
				   "7f0000003000 -1 minus\n"
				   "7f0000003000 0 nothing\n"
				   "7f0000001080 20 later\n"
				   "7f0000002000 80 again\n"
				   "7f0000004000 10 unended";
	int fd = memfile(text, strlen(text));

	(void)state;
	expect_jit(fd, 1, 0x7f0000001000, "LazyCompile:~a b.js:1");
	expect_jit(fd, 1, 0x7f00000010ff, "LazyCompile:~a b.js:1");
	expect_jit(fd, 1, 0x7f0000001080, "later");
	expect_jit(fd, 1, 0x7f000000109f, "later");
	expect_jit(fd, 1, 0x7f00000010a0, "LazyCompile:~a b.js:1");
	expect_jit(fd, 1, 0x7f0000001100, NULL);
	expect_jit(fd, 1, 0x7f0000002000, "again");
	expect_jit(fd, 1, 0x7f0000002070, "again");
	expect_jit(fd, 1, 0x7f0000003000, NULL);
	expect_jit(fd, 1, 0x7f0000004000, NULL);
	/* It grows. */
	assert_int_equal(write(fd, "\n7f0000000ff0 20 new\n", 21), 21);
	expect_jit(fd, 1, 0x7f0000004000, "unended");
	expect_jit(fd, 1, 0x7f0000001000, "new");
	close(fd);
}

/* --- the vdso, other files, none --------------------------------------------*/

static void
test_vdso(void **state)
{
	struct symfile sf = { .sf_id = next_id++,
		.sf_kind = SYMFILE_VDSO,
		.sf_fd = vdso_fd(),
		.sf_rootfd = -1 };
	struct symframes f;
	uint64_t offs[0x2000 / 16], i;
	int n = 0;

	(void)state;
	if (sf.sf_fd == -1)
		skip();
	for (i = 0; i < 0x2000 / 16; i++)
		offs[i] = i * 16;
	assert_int_equal(symbolizer_names(&sf, offs, i, 0, &f), 0);
	for (i = 0; i < f.sy_n; i++)
		n += f.sy_frames[i].sy_func != NULL &&
		    strstr(f.sy_frames[i].sy_func, "gettimeofday") != NULL;
	assert_int_not_equal(n, 0);
	symframes_free(&f);
}

static void
expect_error(int fd, const uint8_t *id, size_t len, int error)
{
	struct symfile sf = { .sf_id = next_id++,
		.sf_fd = fd,
		.sf_error = ESTALE,
		.sf_rootfd = -1,
		.sf_wantlen = len };
	struct symframes f;
	uint64_t off = 0x1000;

	memcpy(sf.sf_want, id, len);
	assert_int_equal(symbolizer_names(&sf, &off, 1, 0, &f), error);
	assert_int_equal(symbolizer_names(&sf, &off, 1, 0, &f), error);
	if (fd != -1)
		close(fd);
}

static void
test_errors(void **state)
{
	const uint8_t id[20] = { 1, 2, 3 };

	(void)state;
	expect_error(-1, id, 0, ESTALE);
	expect_error(memfile("", 0), id, 0, ENOEXEC);
	expect_error(memfile("#!/bin/sh\n", 10), id, 0, ENOEXEC);
	expect_error(memfile("\177ELF\2\1\1", 7), id, 0, ENOEXEC);
	expect_error(open(path_of("pie"), O_RDONLY | O_CLOEXEC), id, 20,
	    ESTALE);
	assert_int_equal(stat_now().ss_deaths, 0);
}

/* Offsets that no file has. */
static void
test_no_offsets(void **state)
{
	const uint64_t offs[] = { UINT64_MAX, 0, UINT64_MAX - 1, 1ULL << 63,
		UINT64_MAX };
	struct symfile sf = file_open("nopie");
	struct symframes f;
	size_t i;

	(void)state;
	assert_int_equal(symbolizer_names(&sf, offs, 5, SYM_LINES, &f), 0);
	assert_int_equal(f.sy_n, 5);
	for (i = 0; i < 5; i++)
		assert_null(f.sy_frames[i].sy_func);
	symframes_free(&f);
	assert_int_equal(symbolizer_names(&sf, offs, 0, 0, &f), 0);
	assert_int_equal(f.sy_n, 0);
	assert_int_equal(symbolizer_names(&sf, offs, SYM_MAXPCS + 1, 0, &f),
	    E2BIG);
	expect(&sf, "nopie", "main", 0, "main");
	file_close(&sf);
}

static void
test_cache(void **state)
{
	struct symbolizer_stat before, after;
	struct symfile sf;

	(void)state;
	expect_alive();
	before = stat_now();
	sf = file_open("pie"); /* the same file, another number */
	expect(&sf, "pie", "main", 3, "main");
	expect(&sf, "pie", "main", 4, "main");
	after = stat_now();
	assert_int_equal(after.ss_asked, before.ss_asked);
	assert_int_equal(after.ss_hits, before.ss_hits + 2);
	assert_in_range(after.ss_bytes, 1, 16 << 20);
	file_close(&sf);
}

/* --- the process ------------------------------------------------------------*/

static void
status_line(pid_t pid, const char *key, char *value, size_t size)
{
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	assert_non_null(f);
	*value = '\0';
	while (fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, key, strlen(key)) == 0)
			snprintf(value, size, "%s", line + strlen(key));
	fclose(f);
}

#define expect_status(pid, key, want) \
	do { \
		char value_[256]; \
		status_line(pid, key, value_, sizeof(value_)); \
		assert_string_equal(value_, want); \
	} while (0)

static void
test_no_rights(void **state)
{
	pid_t pid;

	(void)state;
	expect_alive();
	pid = stat_now().ss_pid;
	expect_status(pid, "CapEff:", "\t0000000000000000\n");
	expect_status(pid, "CapPrm:", "\t0000000000000000\n");
	expect_status(pid, "CapInh:", "\t0000000000000000\n");
	expect_status(pid, "NoNewPrivs:", "\t1\n");
	if (geteuid() == 0) {
		expect_status(pid, "CapBnd:", "\t0000000000000000\n");
		expect_status(pid, "Uid:", "\t65534\t65534\t65534\t65534\n");
		expect_status(pid, "Gid:", "\t65534\t65534\t65534\t65534\n");
		expect_status(pid, "Groups:", "\t \n");
	}
#if !defined(__SANITIZE_ADDRESS__)
	expect_status(pid, "Seccomp:", "\t2\n");
#endif
}

static void *
ask_thread(void *arg)
{
	struct symfile sf = { .sf_id = next_id++,
		.sf_fd = *(int *)arg,
		.sf_rootfd = -1 };
	struct symframes f;
	uint64_t off = 0x1001;
	long error = symbolizer_names(&sf, &off, 1, 0, &f);

	if (error == 0)
		symframes_free(&f);
	return (void *)error;
}

/* A copy of a file, which is a file of its own. */
static int
copy_of(const char *name)
{
	struct view v = view_open(name);
	int fd = memfile((char *)v.v_base, v.v_size);

	munmap(v.v_base, v.v_size);
	return fd;
}

static void
wait_state(pid_t pid, const char *state)
{
	char value[256];

	do
		status_line(pid, "State:", value, sizeof(value));
	while (strstr(value, state) == NULL);
}

/* Killed while it does nothing, it costs nothing. */
static void
test_killed_idle(void **state)
{
	struct symbolizer_stat before, after;
	struct symfile sf;
	int fd = copy_of("static");

	(void)state;
	sf = file_open("static");
	close(sf.sf_fd);
	sf.sf_fd = fd; /* nobody has asked for this one */
	assert_int_equal((long)ask_thread(&(int){ copy_of("pie") }), 0);
	before = stat_now();
	assert_int_equal(kill(before.ss_pid, SIGKILL), 0);
	wait_state(before.ss_pid, "zombie");
	expect(&sf, "static", "quiet_caller", 3, "quiet_caller");
	after = stat_now();
	assert_int_equal(after.ss_starts, before.ss_starts + 1);
	assert_int_equal(after.ss_badfiles, before.ss_badfiles);
	file_close(&sf);
}

/* The file that it died over is not asked again; others are. */
static void
expect_lost(int fd)
{
	struct symbolizer_stat before = stat_now();
	void *error;

	error = ask_thread(&fd);
	assert_int_equal((long)error, EIO);
	assert_int_equal(stat_now().ss_starts, before.ss_starts);
	close(fd);
	fd = copy_of("pie");
	assert_int_equal((long)ask_thread(&fd), 0);
	close(fd);
}

static void
test_killed_busy(void **state)
{
	struct symbolizer_stat before;
	int fd = copy_of("pie");
	void *error;
	pthread_t th;

	(void)state;
	assert_int_equal((long)ask_thread(&(int){ copy_of("pie") }), 0);
	before = stat_now();
	assert_int_equal(kill(before.ss_pid, SIGSTOP), 0);
	wait_state(before.ss_pid, "stopped");
	assert_int_equal(pthread_create(&th, NULL, ask_thread, &fd), 0);
	while (stat_now().ss_asked == before.ss_asked)
		sched_yield();
	/* The request is in its queue, or about to be; it dies over it. */
	usleep(100000);
	assert_int_equal(kill(before.ss_pid, SIGKILL), 0);
	assert_int_equal(pthread_join(th, &error), 0);
	assert_int_equal((long)error, EIO);
	assert_int_equal(stat_now().ss_deaths, before.ss_deaths + 1);
	expect_lost(fd);
}

static void
test_time_out(void **state)
{
	struct symbolizer_stat before;
	int fd = copy_of("pie");

	(void)state;
	assert_int_equal((long)ask_thread(&(int){ copy_of("pie") }), 0);
	before = stat_now();
	assert_int_equal(kill(before.ss_pid, SIGSTOP), 0);
	wait_state(before.ss_pid, "stopped");
	symworker_msecs = 200;
	assert_int_equal((long)ask_thread(&fd), EIO);
	symworker_msecs = SYMWORKER_MSECS;
	assert_int_equal(stat_now().ss_timeouts, before.ss_timeouts + 1);
	expect_lost(fd);
}

/* A file that had only a part of its time is asked again. */
static void
test_limit(void **state)
{
	const struct timespec ts = { 0, 1000000 };
	struct symbolizer_stat before;
	int fd = copy_of("pie");

	(void)state;
	assert_int_equal((long)ask_thread(&(int){ copy_of("pie") }), 0);
	before = stat_now();
	assert_int_equal(kill(before.ss_pid, SIGSTOP), 0);
	wait_state(before.ss_pid, "stopped");
	symworker_limit(200);
	assert_int_equal((long)ask_thread(&fd), ETIMEDOUT);
	assert_int_equal((long)ask_thread(&fd), ETIMEDOUT); /* at once */
	assert_int_equal(stat_now().ss_timeouts, before.ss_timeouts + 1);
	assert_int_equal(stat_now().ss_badfiles, before.ss_badfiles);
	symworker_limit(SYMWORKER_MSECS);
	assert_int_equal((long)ask_thread(&fd), 0);
	symworker_limit(0);
	nanosleep(&ts, NULL);
	assert_int_equal((long)ask_thread(&(int){ copy_of("pie") }), ETIMEDOUT);
	symworker_limit(3600000);
	close(fd);
}

/* Nobody waits for a worker that hangs when the daemon ends. */
static void
ended_child(void)
{
	struct symbolizer_stat before;
	int fd = copy_of("pie"), other = copy_of("pie");
	pthread_t th;
	void *error;

	alarm(60);
	if (ask_thread(&(int){ copy_of("pie") }) != NULL)
		_exit(2);
	before = stat_now();
	kill(before.ss_pid, SIGSTOP);
	symworker_msecs = 3600000;
	if (pthread_create(&th, NULL, ask_thread, &fd) != 0)
		_exit(3);
	while (stat_now().ss_asked == before.ss_asked)
		sched_yield();
	symbolizer_end();
	if (pthread_join(th, &error) != 0 || error == NULL)
		_exit(4);
	_exit((long)ask_thread(&other) != ECHILD);
}

static void
test_ended(void **state)
{
	int status;
	pid_t child;

	(void)state;
	forget();
	if ((child = fork()) == 0)
		ended_child();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* --- build ids --------------------------------------------------------------*/

/* The build id is the same by whichever way it was learnt; of file, or none. */
static void
expect_buildid(const char *file, uint32_t want)
{
	struct symfile named = file_open(file), asked = file_open(file);
	uint8_t a[SYMFILE_BUILDID], b[SYMFILE_BUILDID];
	struct symframes f;
	uint64_t off = 0;
	uint32_t len;

	assert_false(symfile_getid(&named, a, &len));
	assert_int_equal(symbolizer_names(&named, &off, 1, 0, &f), 0);
	symframes_free(&f);
	assert_int_equal(symbolizer_buildid(&named, a, &len), 0);
	assert_int_equal(len, want);
	assert_int_equal(symbolizer_buildid(&asked, b, &len), 0);
	assert_int_equal(len, want);
	assert_memory_equal(a, b, want);
	assert_true(symfile_getid(&asked, b, &len));
	file_close(&named);
	if (want > 0) { /* it is the one that the file has to have */
		memcpy(asked.sf_want, b, want);
		asked.sf_wantlen = want;
		asked.sf_id = next_id++;
		assert_int_equal(symbolizer_names(&asked, &off, 1, 0, &f), 0);
		symframes_free(&f);
	}
	file_close(&asked);
}

static void
test_buildid(void **state)
{
	struct symfile no = { .sf_id = next_id++,
		.sf_fd = memfile("#!/bin/sh\n", 10),
		.sf_rootfd = -1 };
	uint8_t id[SYMFILE_BUILDID];
	uint32_t len;

	(void)state;
	expect_buildid("pie", 20);
	expect_buildid("noid", 0);
	assert_int_equal(symbolizer_buildid(&no, id, &len), ENOEXEC);
	assert_int_equal(len, 0);
	file_close(&no);
}

/* The file that gets shorter while the worker has it mapped: it is so when the
 * worker asks for its debug file. */
static int truncate_fd = -1;

int
__real_symdebug_open(const struct symrep_ask *, const struct symfile *, int *);
int
__wrap_symdebug_open(const struct symrep_ask *, const struct symfile *, int *);

int
__wrap_symdebug_open(const struct symrep_ask *sa, const struct symfile *sf,
    int *fd)
{
	if (truncate_fd == -1)
		return __real_symdebug_open(sa, sf, fd);
	assert_int_equal(ftruncate(truncate_fd, 0), 0);
	truncate_fd = -1;
	return ENOENT;
}

static void
test_truncated(void **state)
{
	struct symbolizer_stat before = stat_now();
	int fd = copy_of("byid");

	(void)state;
	truncate_fd = fd;
	assert_int_equal((long)ask_thread(&fd), EIO);
	assert_int_equal(truncate_fd, -1);
	assert_int_equal(stat_now().ss_deaths, before.ss_deaths + 1);
	close(fd);
	fd = copy_of("byid");
	assert_int_equal((long)ask_thread(&fd), 0);
	close(fd);
}

/* Without the program there are no names, and no file is to blame. */
static void
test_no_program(void **state)
{
	char *worker = strdup(getenv("DT_SYMBOLIZER"));
	uint64_t bad = stat_now().ss_badfiles;
	int fd = copy_of("pie");

	(void)state;
	forget();
	setenv("DT_SYMBOLIZER", "/nonexistent", 1);
	assert_int_equal((long)ask_thread(&fd), ECHILD);
	assert_int_equal(stat_now().ss_badfiles, bad);
	setenv("DT_SYMBOLIZER", worker, 1);
	assert_int_equal((long)ask_thread(&fd), 0);
	free(worker);
	close(fd);
}

/* Who started it is killed: it ends, too. */
static void
test_ends_with_dtd(void **state)
{
	struct pollfd p = { .events = POLLIN };
	int pair[2], status, fd;
	pid_t child, worker;

	(void)state;
	forget();
	assert_int_equal(pipe(pair), 0);
	fd = copy_of("pie");
	if ((child = fork()) == 0) {
		alarm(60);
		(void)ask_thread(&fd);
		worker = stat_now().ss_pid;
		(void)!write(pair[1], &worker, sizeof(worker));
		pause();
		_exit(0);
	}
	assert_int_equal(read(pair[0], &worker, sizeof(worker)),
	    sizeof(worker));
	p.fd = syscall(SYS_pidfd_open, worker, 0);
	assert_int_not_equal(p.fd, -1);
	assert_int_equal(poll(&p, 1, 0), 0);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(poll(&p, 1, 20000), 1);
	close(fd);
	close(p.fd);
	close(pair[0]);
	close(pair[1]);
}

/* 10,000 addresses take some 10 ms. */
static void
test_fast(void **state)
{
	static uint64_t offs[10000];
	struct symfile sf = file_open("static");
	uint64_t base = where("static", "main");
	struct timespec a, b;
	struct symframes f;
	size_t i;

	(void)state;
	for (i = 0; i < 10000; i++)
		offs[i] = base + (i - 5000) * 16;
	clock_gettime(CLOCK_MONOTONIC, &a);
	assert_int_equal(symbolizer_names(&sf, offs, 10000, 0, &f), 0);
	clock_gettime(CLOCK_MONOTONIC, &b);
	assert_int_equal(f.sy_n, 10000);
	assert_true(b.tv_sec - a.tv_sec + (b.tv_nsec - a.tv_nsec) / 1e9 < 1);
	symframes_free(&f);
	file_close(&sf);
}

/* Beside this program is what the Makefile has built. */
static void
find_build(void)
{
	char worker[4096];
	ssize_t n = readlink("/proc/self/exe", build, sizeof(build) - 1);

	assert_int_not_equal(n, -1);
	build[n] = '\0';
	*strrchr(build, '/') = '\0';
	*strrchr(build, '/') = '\0';
	snprintf(worker, sizeof(worker), "%s/dt-symbolizer", build);
	setenv("DT_SYMBOLIZER", worker, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_function),
		cmocka_unit_test(test_best_name),
		cmocka_unit_test(test_no_size),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_demangled),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_stubs),
		cmocka_unit_test(test_debug_by_id),
		cmocka_unit_test(test_debug_by_link),
		cmocka_unit_test(test_debug_missing),
		cmocka_unit_test(test_minidebug),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_jit),
		cmocka_unit_test(test_vdso),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_no_offsets),
		cmocka_unit_test(test_cache),
		cmocka_unit_test(test_no_rights),
		cmocka_unit_test(test_fast),
		cmocka_unit_test(test_killed_idle),
		cmocka_unit_test(test_killed_busy),
		cmocka_unit_test(test_time_out),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_ended),
		cmocka_unit_test(test_buildid),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_no_program),
		cmocka_unit_test(test_ends_with_dtd),
	};

	/* An emulator of programs runs no other one of its kind. */
	if (getenv("UNIT_RUN") != NULL)
		return 0;
	find_build();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
