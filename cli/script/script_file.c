/* SPDX-License-Identifier: ISC */
/* Reads the files of scripts. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/script/script.h"
#include "cli/script/script_file.h"
#include "cli/tool/tool.h"

int
script_file_is(const char *path)
{
	const size_t len = strlen(path);
	char head[3] = "";
	ssize_t n;
	int fd;

	if (strcmp(path, "-") == 0 ||
	    (len > 3 && strcmp(path + len - 3, ".bt") == 0))
		return 1;
	if (strchr(path, '/') == NULL)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd == -1)
		return 0;
	n = read(fd, head, 2);
	close(fd);
	return n == 2 && strcmp(head, "#!") == 0;
}

/* Reads at most one byte more than a script may have. */
static ssize_t
file_slurp(int fd, char *text)
{
	size_t n = 0;
	ssize_t r;

	while (n <= SCRIPT_MAXSIZE &&
	    (r = read(fd, text + n, SCRIPT_MAXSIZE + 1 - n)) != 0) {
		if (r == -1)
			return -1;
		n += r;
	}
	return n;
}

char *
script_file_read(const char *path, char *why, size_t nwhy)
{
	const int isstdin = strcmp(path, "-") == 0;
	int fd = isstdin ? STDIN_FILENO
			 : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	char *text = calloc(1, SCRIPT_MAXSIZE + 2);
	ssize_t n = fd != -1 && text != NULL ? file_slurp(fd, text) : -1;

	if (n == -1)
		snprintf(why, nwhy, "%s", strerror(errno));
	else if (n > SCRIPT_MAXSIZE)
		snprintf(why, nwhy, "has more than %d bytes", SCRIPT_MAXSIZE);
	else if (memchr(text, '\0', n) != NULL)
		snprintf(why, nwhy, "is not a text");
	else
		*why = '\0';
	if (fd != -1 && !isstdin)
		close(fd);
	if (*why == '\0')
		return text;
	free(text);
	return NULL;
}

char *
script_file_what(const char *text, size_t *notes)
{
	const char *p = text;
	size_t len;

	*notes = 0;
	while (*p != '\0') {
		len = strcspn(p, "\n");
		if (strncmp(p, "// ", 3) == 0) {
			*notes = p + len - text + (p[len] == '\n');
			return strndup(p + 3, len - 3);
		}
		p += len + (p[len] == '\n');
	}
	return strdup("a script");
}

char *
script_file_tool(const char *path, char *why, size_t nwhy)
{
	struct tool tl;
	char *text, *what;
	size_t notes;

	if (script_file_is(path)) {
		if ((text = script_file_read(path, why, nwhy)) == NULL)
			return NULL;
		what = script_file_what(text, &notes);
		free(text);
	} else {
		if (tool_read(&tl, path, why, nwhy) == -1)
			return NULL;
		what = strdup(tl.tl_what);
		tool_free(&tl);
	}
	if (what == NULL)
		err(1, NULL);
	return what;
}

char *
script_file_own(const char *path)
{
	static const char mark[] = " With TRACE_OWN: ";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char *text = calloc(1, SCRIPT_MAXSIZE + 2), *own = NULL, *p;

	if (text == NULL)
		err(1, NULL);
	if (fd != -1 && file_slurp(fd, text) != -1 &&
	    (p = strstr(text, mark)) != NULL && p > text &&
	    strchr("#/", p[-1]) != NULL) {
		p += sizeof(mark) - 1;
		own = strndup(p, strcspn(p, "\n"));
	}
	if (fd != -1)
		close(fd);
	free(text);
	return own;
}

int
script_file_hasoption(const char *text, const char *option)
{
	const char *p = text, *end = text + strcspn(text, "\n");
	size_t len;

	if (strncmp(text, "#!", 2) != 0)
		return 0;
	for (; p < end; p += len + 1) {
		len = strcspn(p, " \t\n");
		if (strlen(option) == len && memcmp(p, option, len) == 0)
			return 1;
	}
	return 0;
}
