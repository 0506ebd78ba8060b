/* SPDX-License-Identifier: ISC */
/* Identifies the files of requests to symbolizers. */
#include <errno.h>
#include <string.h>

#include "daemon/inspect/inspect_file.h"
#include "daemon/inspect/root_dir.h"
#include "daemon/sym/slow_files.h"
#include "daemon/sym/symbol_file.h"
#include "daemon/sym/symbolizer_process.h"

/*
 * Mixes the required build id into the key, by FNV-1a. Only the worker can
 * check the id, so its reply for one id does not hold for another, or for none.
 */
static void
key_expect(struct symbol_key *sk, const struct mapped_file *mf)
{
	uint64_t h = 0xcbf29ce484222325ULL;
	uint32_t i;

	for (i = 0; i < mf->mf_wantlen; i++)
		h = (h ^ mf->mf_want[i]) * 0x100000001b3ULL;
	sk->sk_size ^= h;
}

int
symbol_file_identify(struct symbol_file *sf)
{
	struct find_stat fs;
	int error;

	error = inspect_stat_request(sf->sbf_fd, sf->sbf_filekey, sf->sbf_uid,
	    &fs);
	if (error == 0)
		sf->sbf_key = (struct symbol_key){ .sk_dev = fs.fs_dev,
			.sk_ino = fs.fs_ino,
			.sk_ctime = fs.fs_ctime,
			.sk_size = fs.fs_size,
			.sk_path = "" };
	return error;
}

int
symbol_file_open(struct mapped_file *mf, struct symbol_file *sf,
    struct symreq *rq)
{
	int error;

	*sf = (struct symbol_file){ .sbf_file = mf, .sbf_fd = mf->mf_fd };
	if (mf->mf_fd == -1)
		return mf->mf_error != 0 ? mf->mf_error : ENOENT;
	sf->sbf_filekey = mapped_file_key(mf);
	sf->sbf_uid = mf->mf_uid;
	if ((error = symbol_file_identify(sf)) != 0)
		return error;
	if (mf->mf_path != NULL)
		sf->sbf_key.sk_path = mf->mf_path;
	if (mf->mf_rootfd != -1 && mf->mf_root != NULL)
		sf->sbf_key.sk_root = root_dir_serial(mf->mf_root);
	if (mf->mf_wantlen > 0)
		key_expect(&sf->sbf_key, mf);
	rq->srq_id = mf->mf_id;
	rq->srq_gen = sf->sbf_key.sk_ctime;
	rq->srq_buildidlen = mf->mf_wantlen;
	memcpy(rq->srq_buildid, mf->mf_want, mf->mf_wantlen);
	return 0;
}

/* Returns the key of the file for slow_files.h. */
static struct slow_file
slow_file(const struct symbol_file *sf)
{
	return (struct slow_file){ .slf_dev = sf->sbf_key.sk_dev,
		.slf_ino = sf->sbf_key.sk_ino,
		.slf_gen = sf->sbf_key.sk_ctime,
		.slf_owner = sf->sbf_uid };
}

int
symbol_file_begin(struct symbol_file *sf)
{
	struct slow_file slow = slow_file(sf);
	int error;

	if ((error = symbol_cache_isbad(&sf->sbf_key, 0)) != 0 ||
	    (error = slow_files_check(&slow)) != 0)
		return error;
	symbolizer_process_file(slow.slf_owner,
	    slow_files_limit(&slow, symbolizer_process_msecs));
	sf->sbf_before = symbolizer_process_took();
	return 0;
}

void
symbol_file_end(struct symbol_file *sf, int error)
{
	struct slow_file slow = slow_file(sf);

	slow_files_note(&slow, symbolizer_process_took() - sf->sbf_before,
	    error);
	if (error != 0 && error != ECHILD && !mapped_file_ispassing(error) &&
	    (sf->sbf_file != NULL || error == EIO))
		symbol_cache_bad(&sf->sbf_key, 0, error);
}

int
symbol_file_send(const struct symbol_file *sf, struct symreq *rq)
{
	rq->srq_serial = symbolizer_process_serial();
	return inspect_read_request(sf->sbf_fd, sf->sbf_filekey, sf->sbf_uid,
	    symbolizer_process_channel(), rq->srq_serial);
}
