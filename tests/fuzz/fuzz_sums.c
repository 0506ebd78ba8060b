/* SPDX-License-Identifier: ISC */
/*
 * dt-exporter's processing of a daemon's replies: dt_sums_read() and the
 * resulting page, which must be valid Prometheus text whatever dtd sends.
 *
 * The input: messages, each after two bytes: its length, and in the highest bit
 * whether our request's number is put into it.
 */
#include <sys/socket.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exporter/dtd_link.h"
#include "exporter/metrics.h"
#include "exporter/process_metrics.h"
#include "lib/handle.h"

#define ANSWERS	 0x8000
#define MESSAGES 16 /* that fit into the socket, whatever their contents */

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static struct dt handle;
static int count;

static void
wrong(const char *what, const char *text)
{
	fprintf(stderr, "fuzz_sums: %s: %s\n", what, text);
	abort();
}

/* Symbols that the exporter has elsewhere. */
int
dtd_link_read(struct dtioc_sum *list, size_t n, char *release, size_t size)
{
	count = dt_sums_read(&handle, list, n, 0);
	if (count > (int)n)
		wrong("more sums than there is room for", "");
	snprintf(release, size, "%s", "a\"\n\\\xff");
	return count;
}

void
process_metrics_print(FILE *f)
{
	(void)f;
}

void
http_error(struct http_reply *hr, unsigned int status, const char *fmt, ...)
{
	(void)hr;
	(void)status;
	wrong("no page", fmt);
}

/*
 * Parses a name, the quoted values after its equal signs, and the rest after
 * the braces.
 */
static const char *
check_labels(const char *p, const char *line)
{
	if (*p != '{')
		return p;
	do {
		p++;
		p += strspn(p, "abcdefghijklmnopqrstuvwxyz_");
		if (p[0] != '=' || p[1] != '"')
			wrong("a label", line);
		for (p += 2; *p != '"'; p++) {
			if (*p == '\\')
				p++;
			if (*p == '\0')
				wrong("a label without an end", line);
		}
		p++;
	} while (*p == ',');
	if (*p != '}')
		wrong("labels without an end", line);
	return p + 1;
}

static void
check_line(const char *line)
{
	const char *p = line;
	char *end;

	for (; *p != '\0'; p++)
		if (*p < ' ' || *p > '~')
			wrong("a character", line);
	if (strncmp(line, "# HELP ", 7) == 0 ||
	    strncmp(line, "# TYPE ", 7) == 0)
		return;
	p = line + strspn(line, "abcdefghijklmnopqrstuvwxyz_");
	if (p == line)
		wrong("no metric", line);
	p = check_labels(p, line);
	if (*p != ' ')
		wrong("no value", line);
	(void)strtod(p + 1, &end);
	if (end == p + 1 || *end != '\0')
		wrong("a value", line);
}

static void
check_page(struct http_reply *hr)
{
	char *line = hr->hr_body, *end;

	if (strlen(line) != hr->hr_len)
		wrong("a zero byte", line);
	for (; *line != '\0'; line = end + 1) {
		if ((end = strchr(line, '\n')) == NULL)
			wrong("half a line", line);
		*end = '\0';
		check_line(line);
	}
	free(hr->hr_body);
}

/*
 * Sends the daemon's messages.  Those that do not fit into the socket are
 * dropped.
 */
static void
answer(int fd, const uint8_t *data, size_t len)
{
	uint64_t tag = handle.h_sums.as_tag + 1;
	static uint8_t message[ANSWERS];
	uint16_t head;
	size_t n;
	int i;

	for (i = 0; i < MESSAGES && len >= sizeof(head); i++) {
		memcpy(&head, data, sizeof(head));
		data += sizeof(head);
		len -= sizeof(head);
		n = head & ~ANSWERS;
		n = n < len ? n : len;
		memcpy(message, data, n);
		if ((head & ANSWERS) && n >= sizeof(tag))
			memcpy(message, &tag, sizeof(tag));
		if (send(fd, message, n, MSG_DONTWAIT | MSG_NOSIGNAL) == -1 &&
		    errno != EAGAIN)
			wrong("send", strerror(errno));
		data += n;
		len -= n;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct http_reply hr = { .hr_status = 0 };
	int sv[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) == -1)
		wrong("socketpair", strerror(errno));
	memset(&handle, 0, sizeof(handle));
	dt_errtext_init(&handle.h_err);
	dt_session_sums_init(&handle.h_sums);
	handle.h_sums.as_fd = sv[0];
	answer(sv[1], data, len);
	metrics_page(NULL, &hr);
	if (count == -1 && errno == 0)
		wrong("no reason", "");
	check_page(&hr);
	dt_session_sums_free(&handle.h_sums);
	dt_errtext_free(&handle.h_err);
	close(sv[1]);
	return 0;
}
