/* SPDX-License-Identifier: ISC */
/*
 * Names of other users on terminals and in JSON.
 */
#include "tests/unit/test_cli.h"

#include "cli/base/esc.h"

static const struct {
	const char *in;
	const char *text;
	const char *json;
} cases[] = {
	{ "", "", "" },
	{ "bash", "bash", "bash" },
	{ "a b~", "a b~", "a b~" },
	{ "say \"hi\" \\o", "say \"hi\" \\o", "say \\\"hi\\\" \\\\o" },
	{ "a\nb\tc", "a\\x0ab\\x09c", "a\\u000ab\\u0009c" },
	{ "\033[2J", "\\x1b[2J", "\\u001b[2J" },
	{ "\177", "\\x7f", "\\u007f" },
	/* valid UTF-8 stays */
	{ "gr\303\274n \342\202\254 \360\237\220\247",
	    "gr\303\274n \342\202\254 \360\237\220\247",
	    "gr\303\274n \342\202\254 \360\237\220\247" },
	/* U+009B, which is ESC [ to a terminal */
	{ "\302\2332J", "\\xc2\\x9b2J", "\\u009b2J" },
	/* U+202E reverses the text, U+E0041 is invisible */
	{ "\342\200\256x", "\\xe2\\x80\\xaex", "\\u202ex" },
	{ "\363\240\201\201", "\\xf3\\xa0\\x81\\x81", "\\udb40\\udc41" },
	/* a stray byte, a name cut inside a character */
	{ "\377x", "\\xffx", "\\u00ffx" },
	{ "\233x", "\\x9bx", "\\u009bx" },
	{ "gr\303", "gr\\xc3", "gr\\u00c3" },
	{ "\342\202", "\\xe2\\x82", "\\u00e2\\u0082" },
	{ "\342x\254", "\\xe2x\\xac", "\\u00e2x\\u00ac" },
	/* overlong, surrogate, beyond the last */
	{ "\300\257", "\\xc0\\xaf", "\\u00c0\\u00af" },
	{ "\340\200\257", "\\xe0\\x80\\xaf", "\\u00e0\\u0080\\u00af" },
	{ "\355\240\200", "\\xed\\xa0\\x80", "\\u00ed\\u00a0\\u0080" },
	{ "\364\220\200\200", "\\xf4\\x90\\x80\\x80",
	    "\\u00f4\\u0090\\u0080\\u0080" },
};

#define NCASES (sizeof(cases) / sizeof(cases[0]))

static void
names_are_escaped(void **state)
{
	struct buf b;
	char *copy;
	size_t i, n;

	(void)state;
	buf_init(&b, -1);
	for (i = 0; i < NCASES; i++) {
		/*
		 * exact size, so that the sanitizer detects a read past the end
		 */
		n = strlen(cases[i].in);
		copy = malloc(n ? n : 1);
		memcpy(copy, cases[i].in, n);
		esc_text(&b, copy, n);
		assert_buf(&b, cases[i].text);
		esc_json(&b, copy, n);
		assert_buf(&b, cases[i].json);
		free(copy);
	}
	buf_free(&b);
}

/*
 * Any two bytes: no control character remains, and JSON is ASCII or valid
 * UTF-8.
 */
static void
no_byte_gets_through(void **state)
{
	unsigned char in[2];
	struct buf b;
	unsigned int i;
	size_t j;

	(void)state;
	buf_init(&b, -1);
	for (i = 0; i < 65536; i++) {
		in[0] = i >> 8;
		in[1] = i;
		b.b_len = 0;
		esc_text(&b, (char *)in, 2);
		esc_json(&b, (char *)in, 2);
		for (j = 0; j < b.b_len; j++) {
			assert_true((unsigned char)b.b_data[j] >= 0x20);
			assert_int_not_equal(b.b_data[j], 0x7f);
			if ((unsigned char)b.b_data[j] < 0x80)
				continue;
			/* two bytes, above U+009F, and no others */
			assert_true((unsigned char)b.b_data[j] >= 0xc2 &&
			    (unsigned char)b.b_data[j] <= 0xdf);
			assert_int_equal(b.b_data[j + 1] & 0xc0, 0x80);
			assert_true((unsigned char)b.b_data[j] > 0xc2 ||
			    (unsigned char)b.b_data[j + 1] >= 0xa0);
			j++;
		}
	}
	buf_free(&b);
}

static void
a_string_and_a_length_agree(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, -1);
	esc_str(&b, "a\001");
	assert_buf(&b, "a\\x01");
	buf_free(&b);
}

static void
xml_has_no_markup_of_names(void **state)
{
	static const struct {
		const char *name, *want;
	} rows[] = {
		{ "main", "main" },
		{ "<script>", "&lt;script&gt;" },
		{ "a&b\"c'd", "a&amp;b&quot;c&#39;d" },
		{ "]]>", "]]&gt;" },
		{ "\033[m\n", "\\x1b[m\\x0a" },
		{ "\xff\xe6\xbc\xa2", "\\xff\xe6\xbc\xa2" },
		/* U+FFFF, U+FFFE and U+FFFD: the last one is valid in XML */
		{ "\xef\xbf\xbf\xef\xbf\xbe",
		    "\\xef\\xbf\\xbf\\xef\\xbf\\xbe" },
		{ "\xef\xbf\xbd", "\xef\xbf\xbd" },
		{ "\xe2\x80\xae", "\\xe2\\x80\\xae" },
	};
	struct buf b;
	size_t i;

	(void)state;
	buf_init(&b, -1);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		esc_xml(&b, rows[i].name, strlen(rows[i].name));
		assert_buf(&b, rows[i].want);
	}
	buf_free(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_escaped),
		cmocka_unit_test(no_byte_gets_through),
		cmocka_unit_test(a_string_and_a_length_agree),
		cmocka_unit_test(xml_has_no_markup_of_names),
	};

	return cmocka_run_group_tests_name("test_cli_esc", tests, NULL, NULL);
}
