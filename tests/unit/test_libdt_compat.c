/* SPDX-License-Identifier: ISC */
/*
 * The file /dev/ksyms of dt/compat.h, against a peer that plays the daemon:
 * several pages, and invalid ones.
 */
#include "tests/unit/test_libdt_peer.h"

#include <elf.h>
#include <fcntl.h>

#include "lib/compat_ksyms.h"

/* A page of two functions; the test of an invalid one changes a field. */
struct page {
	struct wire_ksyms_page pg;
	struct wire_ksym ks[2];
	char names[8];
};

static const struct page good = {
	.pg = { .wkl_next = 0, .wkl_count = 2 },
	.ks = { { 0x1000, 0x10, 0 }, { 0x1010, 0x20, 4 } },
	.names = "abc\0xyz",
};

/* Takes a request for the functions from an address on. */
static void
ksyms_question(struct peer *pe, uint64_t from)
{
	struct wire_ksyms rq;

	PEER_ASSERT(peer_get(pe));
	PEER_ASSERT(pe->pe_hdr.wh_command == (uint32_t)DTIOCGKSYMS);
	PEER_ASSERT(pe->pe_hdr.wh_length == sizeof(rq));
	memcpy(&rq, pe->pe_req, sizeof(rq));
	PEER_ASSERT(rq.wks_from == from);
}

static void
script_pages(struct peer *pe)
{
	struct page first = good;
	const struct wire_ksyms_page none = { 0 };

	peer_hello(pe);
	peer_welcome(pe);
	first.pg.wkl_next = 0x2000;
	ksyms_question(pe, 0);
	peer_reply(pe, 0, &first, sizeof(first));
	ksyms_question(pe, 0x2000);
	first.pg.wkl_next = 0x3000;
	first.ks[0].wkm_start = 0x2000;
	first.ks[1].wkm_start = 0x2010;
	peer_reply(pe, 0, &first, sizeof(first));
	ksyms_question(pe, 0x3000);
	peer_reply(pe, 0, &none, sizeof(none));
	ksyms_question(pe, 0);
	peer_reply(pe, EPERM, "hidden", 6);
}

static void
pages_become_a_symbol_table(void **state)
{
	struct peer *pe = peer_start(script_pages);
	struct dt *dt = peer_open(pe, 0);
	static const char *const want[] = { "", "abc", "xyz", "abc", "xyz" };
	static uint64_t file[512];
	const Elf64_Ehdr *eh = (const void *)file;
	const Elf64_Shdr *sh;
	const Elf64_Sym *sym;
	const char *names, *bytes = (const char *)file;
	int fd = dt_ksyms_file(dt, O_CLOEXEC), i;

	(void)state;
	assert_int_not_equal(fd, -1);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_in_range(read(fd, file, sizeof(file)), sizeof(*eh),
	    sizeof(file) - 1);
	sh = (const void *)(bytes + eh->e_shoff);
	sym = (const void *)(bytes + sh[2].sh_offset);
	names = bytes + sh[sh[2].sh_link].sh_offset;
	assert_int_equal(sh[2].sh_size, 5 * sizeof(*sym));
	for (i = 0; i < 5; i++)
		assert_string_equal(names + sym[i].st_name, want[i]);
	assert_int_equal(sym[3].st_value, 0x2000);
	assert_int_equal(sym[4].st_size, 0x20);
	close(fd);
	assert_int_equal(dt_ksyms_file(dt, 0), -1);
	assert_int_equal(errno, EPERM);
	peer_join(pe);
	dt_close(dt);
	peer_free(pe);
}

/* No header; too many entries; no NUL; a name outside; no progress. */
static void
script_lies(struct peer *pe)
{
	struct page pg = good;

	peer_hello(pe);
	peer_welcome(pe);
	ksyms_question(pe, 0);
	peer_reply(pe, 0, &pg, sizeof(pg.pg) - 1);
	ksyms_question(pe, 0);
	pg.pg.wkl_count = UINT32_MAX;
	peer_reply(pe, 0, &pg, sizeof(pg));
	ksyms_question(pe, 0);
	pg = good;
	peer_reply(pe, 0, &pg, offsetof(struct page, names));
	ksyms_question(pe, 0);
	pg.names[7] = 'z';
	peer_reply(pe, 0, &pg, sizeof(pg));
	ksyms_question(pe, 0);
	pg = good;
	pg.ks[1].wkm_name = sizeof(pg.names);
	peer_reply(pe, 0, &pg, sizeof(pg));
	ksyms_question(pe, 0);
	pg = good;
	pg.pg.wkl_next = 0x2000;
	peer_reply(pe, 0, &pg, sizeof(pg));
	ksyms_question(pe, 0x2000);
	peer_reply(pe, 0, &pg, sizeof(pg));
}

static void
pages_that_lie_are_eproto(void **state)
{
	struct peer *pe = peer_start(script_lies);
	struct dt *dt = peer_open(pe, 0);
	int i;

	(void)state;
	for (i = 0; i < 6; i++) {
		assert_int_equal(dt_ksyms_file(dt, 0), -1);
		assert_int_equal(errno, EPROTO);
	}
	peer_join(pe);
	dt_close(dt);
	peer_free(pe);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_become_a_symbol_table),
		cmocka_unit_test(pages_that_lie_are_eproto),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
