/* SPDX-License-Identifier: ISC */
/* Splits the lines of settings files into keys and values. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "common/keyfile.h"

void
keyfile_mistake(struct keyfile *kf, const char *at, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	kf->kf_nmistakes++;
	kf->kf_warnx("%s:%u:%u: %s", kf->kf_path, kf->kf_lineno,
	    (unsigned int)(at - kf->kf_text) + 1, text);
}

/* Trims white space at both ends. */
static char *
keyfile_trim(char *s)
{
	char *end;

	while (isspace((unsigned char)*s))
		s++;
	end = s + strlen(s);
	while (end > s && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return s;
}

/* Parses a line after removing its comment. */
static void
keyfile_line(struct keyfile *kf)
{
	char *hash, *eq, *s;

	if ((hash = strchr(kf->kf_text, '#')) != NULL)
		*hash = '\0';
	s = keyfile_trim(kf->kf_text);
	if (*s == '\0')
		return;
	if ((eq = strchr(s, '=')) == NULL) {
		keyfile_mistake(kf, s, "expected 'key = value'");
		return;
	}
	*eq = '\0';
	kf->kf_set(kf, keyfile_trim(s), keyfile_trim(eq + 1));
}

unsigned int
keyfile_read(struct keyfile *kf, FILE *f)
{
	size_t len;
	int c;

	while (fgets(kf->kf_text, sizeof(kf->kf_text), f) != NULL) {
		kf->kf_lineno++;
		len = strlen(kf->kf_text);
		if (strchr(kf->kf_text, '\n') == NULL && !feof(f)) {
			if (len < KEYFILE_LINE - 1) {
				keyfile_mistake(kf, kf->kf_text + len,
				    "a zero byte: the rest is not read");
				break;
			}
			keyfile_mistake(kf, kf->kf_text + KEYFILE_LINE - 2,
			    "line is longer than %d characters",
			    KEYFILE_LINE - 2);
			while ((c = getc(f)) != EOF && c != '\n')
				;
			continue;
		}
		keyfile_line(kf);
	}
	if (ferror(f)) {
		kf->kf_nmistakes++;
		kf->kf_warnx("%s: %s", kf->kf_path, strerror(errno));
	}
	return kf->kf_nmistakes;
}
