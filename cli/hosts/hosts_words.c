/* SPDX-License-Identifier: ISC */
/*
 * Writes each option as its name and its value, then the operands, then the
 * command: so the other dt reads what this one has read, whatever the words
 * contain.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "cli/hosts/hosts_message.h"
#include "cli/hosts/hosts_words.h"

struct hosts_words {
	struct buf hwo_options, hwo_operands;
	unsigned int hwo_n;
	const char *hwo_script; /* replaces the next operand */
};

/* Options that this dt has to handle. */
static const char *const words_ours[] = { "host", "ssh", "output" };

static int
words_isours(const struct opt *op)
{
	unsigned int i;

	for (i = 0; i < sizeof(words_ours) / sizeof(words_ours[0]); i++)
		if (op->opt_long != NULL &&
		    strcmp(op->opt_long, words_ours[i]) == 0)
			return 1;
	return 0;
}

static void
words_put(struct hosts_words *hw, struct buf *b, const char *word)
{
	buf_mem(b, word, strlen(word) + 1);
	hw->hwo_n++;
}

static void
words_put_option(struct hosts_words *hw, const struct opt *op,
    const char *value)
{
	char name[64];

	if (op->opt_letter != 0)
		snprintf(name, sizeof(name), "-%c", op->opt_letter);
	else
		snprintf(name, sizeof(name), "--%s", op->opt_long);
	words_put(hw, &hw->hwo_options, name);
	if (op->opt_arg != NULL)
		words_put(hw, &hw->hwo_options, value);
}

static void
words_add(void *arg, const struct opt *op, const char *value)
{
	struct hosts_words *hw = arg;

	if (op == NULL && hw->hwo_script != NULL) {
		words_put(hw, &hw->hwo_options, "-e");
		words_put(hw, &hw->hwo_options, hw->hwo_script);
		hw->hwo_script = NULL;
	} else if (op == NULL)
		words_put(hw, &hw->hwo_operands, value);
	else if (!words_isours(op))
		words_put_option(hw, op, value);
}

void
hosts_words(struct buf *b, const struct opts *o, int argc, char **argv,
    const char *script, int isexact)
{
	struct hosts_words hw = { .hwo_script = script };
	size_t nbytes;
	int i;

	buf_init(&hw.hwo_options, -1);
	buf_init(&hw.hwo_operands, -1);
	words_put(&hw, &hw.hwo_options, o->o_cmd->cmd_name);
	if (o->o_print.opi_json)
		words_put(&hw, &hw.hwo_options, "-j");
	i = opts_scan(o->o_cmd, argc, argv, words_add, &hw);
	if (i < argc)
		words_put(&hw, &hw.hwo_operands, "--");
	for (; i < argc; i++)
		words_put(&hw, &hw.hwo_operands, argv[i]);
	nbytes = hw.hwo_options.b_len + hw.hwo_operands.b_len;
	if (hw.hwo_n > HOSTS_MAXARGS || nbytes > HOSTS_MAXBYTES)
		errx(1, "-H: the command line is too long");
	buf_printf(b, HOSTS_REQUEST, hw.hwo_n, (unsigned int)nbytes,
	    (unsigned int)isexact);
	buf_mem(b, hw.hwo_options.b_data, hw.hwo_options.b_len);
	buf_mem(b, hw.hwo_operands.b_data, hw.hwo_operands.b_len);
	buf_free(&hw.hwo_options);
	buf_free(&hw.hwo_operands);
}
