/* SPDX-License-Identifier: ISC */
/*
 * Runs a fuzzer's entry point with files, or with all files of folders: its
 * seed corpus as a test, or one input that libFuzzer has found.
 */
#include <dirent.h>
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static int nfile;

static void
run_file(const char *path)
{
	struct stat st;
	uint8_t *buf;
	FILE *f;
	size_t n;

	if ((f = fopen(path, "re")) == NULL || fstat(fileno(f), &st) == -1)
		err(1, "%s", path);
	/* One more byte, so that an empty file has memory, too. */
	if ((buf = malloc(st.st_size + 1)) == NULL)
		err(1, NULL);
	n = fread(buf, 1, st.st_size, f);
	fclose(f);
	(void)LLVMFuzzerTestOneInput(buf, n);
	free(buf);
	nfile++;
}

static void
run_path(const char *path)
{
	char name[4096];
	struct dirent *de;
	struct stat st;
	DIR *d;

	if (stat(path, &st) == -1)
		err(1, "%s", path);
	if (!S_ISDIR(st.st_mode)) {
		run_file(path);
		return;
	}
	if ((d = opendir(path)) == NULL)
		err(1, "%s", path);
	while ((de = readdir(d)) != NULL) {
		if (de->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, de->d_name);
		run_path(name);
	}
	closedir(d);
}

int
main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		run_path(argv[i]);
	if (nfile == 0)
		errx(1, "no input: an empty corpus tests nothing");
	return 0;
}
