/* SPDX-License-Identifier: ISC */
/* Places to probe in files, through the worker process. */
#include "daemon/sym/file_probes.h"

#include "tests/unit/test_symbolizer.h"

static struct file_probes
find(const char *file, uint32_t kind, const char *name, uint64_t off)
{
	struct probe_query pq = { .pq_kind = kind,
		.pq_max = PROBE_SITES_MAX,
		.pq_off = off };
	struct mapped_file mf = file_open(file);
	struct file_probes fip = { 0 };

	symbolizer_begin(60000, getuid());
	assert_int_equal(file_probes_get(&mf, &pq, name, &fip), 0);
	file_close(&mf);
	return fip;
}

static const char *
site_name(const struct file_probes *fip, uint32_t i)
{
	return wire_string(fip->fip_strings, fip->fip_sites[i].ps_name);
}

/* A name finds its function, at the offset that its symbol has. */
static void
test_function(void **state)
{
	static const char *const files[] = { "pie", "nopie", "static" };
	struct file_probes fip;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		fip = find(files[i], PROBE_QUERY_FUNCTIONS, "main", 0);
		assert_int_equal(fip.fip_nsites, 1);
		assert_string_equal(site_name(&fip, 0), "main");
		assert_int_equal(fip.fip_sites[0].ps_off,
		    where(files[i], "main"));
		assert_int_not_equal(fip.fip_sites[0].ps_size, 0);
		file_probes_free(&fip);
	}
}

/* Nothing matches: no sites, and no error. */
static void
test_no_function(void **state)
{
	struct file_probes fip = find("pie", PROBE_QUERY_FUNCTIONS, "mainx", 0);

	(void)state;
	assert_int_equal(fip.fip_nsites, 0);
	assert_int_equal(fip.fip_ismore, 0);
	file_probes_free(&fip);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_function),
		cmocka_unit_test(test_no_function),
	};

	find_build();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
