/* SPDX-License-Identifier: ISC */
/*
 * Messages of 'dt remote' to dt -H, with tables and profiles.  Two machines send
 * the input, or each a part if there is a separator; the merged results must be
 * harmless for a terminal.
 *
 * Links with $(filter-out %/main.o,$(call obj,$(cli_src))).
 */
#include <sys/mman.h>

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/hosts/host.h"
#include "cli/hosts/hosts_message.h"
#include "cli/hosts/merge.h"
#include "tests/fuzz/terminal.h"

#define NHOSTS 2

static const uint8_t separator[] = { 0xff, 0xff, 0xff, 0xff };

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* Checks what was printed, and empties the file. */
static void
check_file(int fd)
{
	off_t len = lseek(fd, 0, SEEK_END);
	const char *what;
	uint8_t *p;
	size_t at;

	if (len > 0) {
		p = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);
		if (p == MAP_FAILED)
			err(1, "mmap");
		if ((what = terminal_wrong(p, len, &at)) != NULL) {
			fprintf(stderr,
			    "fuzz_hosts: %s at byte %zu of the output\n", what,
			    at);
			abort();
		}
		munmap(p, len);
	}
	if (ftruncate(fd, 0) == -1 || lseek(fd, 0, SEEK_SET) == -1)
		err(1, "output");
}

/* Messages and the output of a command are printed as ssh(1) would. */
static void
result(void *arg, struct host *ho, enum host_line kind, char *line, size_t len)
{
	if (kind == HOST_RESULT)
		merge_line(arg, ho, kind, line, len);
}

/* A machine that has sent its greeting; it has no ssh. */
static void
host_make(struct host *ho, unsigned int i, const uint8_t *data, size_t len)
{
	memset(ho, 0, sizeof(*ho));
	ho->hst_i = i;
	ho->hst_name = strdup(i == 0 ? "a" : "longer");
	ho->hst_in = ho->hst_err = -1;
	ho->hst_out = memfd_create("fuzz_hosts", MFD_CLOEXEC);
	if (ho->hst_name == NULL || ho->hst_out == -1 ||
	    dprintf(ho->hst_out, HOSTS_HELLO "%s\n", DT_RELEASE) < 0 ||
	    write(ho->hst_out, data, len) != (ssize_t)len ||
	    lseek(ho->hst_out, 0, SEEK_SET) == -1)
		err(1, "input");
}

static void
run(const uint8_t *data, size_t len, struct opts opts, int fd)
{
	const struct pollfd pfd[HOST_NFDS] = { [1].revents = POLLIN };
	const uint8_t *parts[NHOSTS] = { data };
	size_t lens[NHOSTS] = { len, len };
	struct host hosts[NHOSTS];
	struct merge mg;
	unsigned int i;

	opts.o_print.opi_fd = fd;
	if ((parts[1] = memmem(data, len, separator, sizeof(separator))) !=
	    NULL) {
		lens[0] = parts[1] - data;
		parts[1] += sizeof(separator);
		lens[1] = data + len - parts[1];
	} else
		parts[1] = data;
	for (i = 0; i < NHOSTS; i++)
		host_make(&hosts[i], i, parts[i], lens[i]);
	merge_begin(&mg, &opts, hosts, NHOSTS);
	for (i = 0; i < NHOSTS; i++)
		while (hosts[i].hst_out != -1)
			host_serve(&hosts[i], pfd, result, &mg);
	(void)merge_print(&mg);
	(void)merge_end(&mg);
	for (i = 0; i < NHOSTS; i++)
		host_free(&hosts[i]);
	check_file(fd);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static int fd = -1;

	if (fd == -1 && (fd = memfd_create("fuzz_hosts", MFD_CLOEXEC)) == -1)
		err(1, "output");
	run(data, len, (struct opts){ 0 }, fd);
	run(data, len, (struct opts){ .o_print = { .opi_folded = 1 } }, fd);
	return 0;
}
