/* SPDX-License-Identifier: ISC */
/*
 * Rights from the configuration, LSMs that confine ptrace, and credentials in
 * /proc, for machines of other kinds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "daemon/device/cdevsw.h"
#include "daemon/base/conf.h"
#include "daemon/access/limit.h"
#include "daemon/access/owner.h"
#include "daemon/inspect/inspect_file.h"
#include "daemon/inspect/inspect_client.h"
#include "daemon/inspect/proccred.h"
#include "daemon/access/right.h"

/* There are no inspectors here. */
int
inspect_client_request(pid_t pid, struct inspect_client *ic)
{
	(void)pid;
	(void)ic;
	return ESRCH;
}

struct conf conf; /* the daemon's own is in a larger file */

#define OWN RIGHT_TRACE_OWN

static void
assert_allows(const char *value)
{
	char why[128] = "";

	if (right_allow(value, why, sizeof(why)) != 0)
		fail_msg("'%s': %s", value, why);
}

static void
assert_wrong(const char *value, const char *why)
{
	char got[128] = "";

	assert_int_equal(right_allow(value, got, sizeof(got)), -1);
	assert_string_equal(got, why);
}

static void
a_line_gives_rights(void **state)
{
	const gid_t gids[] = { 7, 4001, 8 };

	(void)state;
	right_begin();
	assert_allows("trace-own to user 3001");
	assert_allows("stats,profile to group 4001");
	assert_allows("  stats , profile   to   user   3002  ");
	assert_allows("admin to user root"); /* has the right */
	right_commit();
	assert_int_equal(right_find(3000, NULL, 0, 1), RIGHT_LIST);
	assert_int_equal(right_find(3001, NULL, 0, 1), RIGHT_LIST | OWN);
	assert_int_equal(right_find(3002, NULL, 0, 1),
	    RIGHT_LIST | RIGHT_STATS | RIGHT_PROFILE);
	assert_int_equal(right_find(3000, gids, 3, 1),
	    RIGHT_LIST | RIGHT_STATS | RIGHT_PROFILE);
	assert_int_equal(right_find(3001, gids, 3, 1),
	    RIGHT_LIST | RIGHT_STATS | RIGHT_PROFILE | OWN);
	assert_int_equal(right_find(0, NULL, 0, 1), RIGHT_ALL);
}

static void
rights_include_others(void **state)
{
	(void)state;
	right_begin();
	assert_allows("trace-all to user 3001");
	assert_allows("admin to user 3002");
	right_commit();
	assert_int_equal(right_find(3001, NULL, 0, 1),
	    RIGHT_ALL & ~RIGHT_ADMIN);
	assert_int_equal(right_find(3002, NULL, 0, 1), RIGHT_ALL);
}

static void
another_user_namespace_has_what_everybody_has(void **state)
{
	const gid_t gids[] = { 4001 };

	(void)state;
	right_begin();
	assert_allows("admin to user 3001");
	assert_allows("admin to group 4001");
	assert_allows("admin to user 0");
	assert_allows("stats to everybody");
	right_commit();
	assert_int_equal(right_find(3001, gids, 1, 0),
	    RIGHT_LIST | RIGHT_STATS);
	assert_int_equal(right_find(0, NULL, 0, 0), RIGHT_LIST | RIGHT_STATS);
	assert_int_equal(right_find(3000, NULL, 0, 1),
	    RIGHT_LIST | RIGHT_STATS);
}

static void
a_table_that_is_given_up_changes_nothing(void **state)
{
	(void)state;
	right_begin();
	assert_allows("stats to user 3001");
	right_commit();
	right_begin();
	assert_allows("admin to user 3001");
	right_abort();
	assert_int_equal(right_find(3001, NULL, 0, 1),
	    RIGHT_LIST | RIGHT_STATS);
	right_begin();
	right_commit();
	assert_int_equal(right_find(3001, NULL, 0, 1), RIGHT_LIST);
}

static void
a_mistake_has_its_place(void **state)
{
	(void)state;
	right_begin();
	assert_wrong("",
	    "1: not a right: list, stats, profile, trace-own, trace-all or "
	    "admin");
	assert_wrong("stats, tracing to user 1",
	    "8: not a right: list, stats, profile, trace-own, trace-all or "
	    "admin");
	assert_wrong("stats user 1", "7: expected 'to', or a comma");
	assert_wrong("stats to users 1",
	    "10: expected user, group or everybody");
	assert_wrong("stats to user", "14: expected a name or a number");
	assert_wrong("stats to user no-such-user", "15: no such user");
	assert_wrong("stats to group no-such-group", "16: no such group");
	assert_wrong("stats to user 4294967295", "15: no such user");
	assert_wrong("stats to user 1x", "15: no such user");
	assert_wrong("stats to user -1", "15: no such user");
	assert_wrong("stats to user 1 2", "17: unexpected text");
	assert_wrong("stats to everybody 1", "20: unexpected text");
	right_commit();
	assert_int_equal(right_find(1, NULL, 0, 1), RIGHT_LIST);
}

#define STATUS(uid, gid, caps, nonew, seccomp) \
	"Name:\tUid: 7\nUid:\t" uid "\nGid:\t" gid "\nGroups:\t1 2\n" \
	"CapInh:\t0000000000000000\nCapPrm:\t" caps "\nNoNewPrivs:\t" nonew \
	"\nSeccomp:\t" seccomp "\n"

static void
credentials_are_read(void **state)
{
	struct proccred pc;

	(void)state;
	assert_int_equal(proccred_parse(STATUS("5\t5\t5\t5", "6\t6\t6\t6",
					    "0000000000002000", "0", "0"),
			     5, &pc),
	    0);
	assert_int_equal(pc.pc_uid, 5);
	assert_int_equal(pc.pc_gid, 6);
	assert_true(pc.pc_isone);
	assert_true(pc.pc_dumpable);
	assert_false(pc.pc_sandboxed);
	assert_int_equal(pc.pc_caps, 0x2000);
}

static void
credentials_that_are_of_two_or_hidden(void **state)
{
	static const char *const two[] = {
		STATUS("5\t0\t5\t5", "6\t6\t6\t6", "0", "0", "0"),
		STATUS("5\t5\t0\t5", "6\t6\t6\t6", "0", "0", "0"),
		STATUS("5\t5\t5\t5", "6\t7\t6\t6", "0", "0", "0"),
		STATUS("5\t5\t5\t5", "6\t6\t7\t6", "0", "0", "0"),
	};
	struct proccred pc;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(two) / sizeof(two[0]); i++) {
		assert_int_equal(proccred_parse(two[i], 5, &pc), 0);
		assert_false(pc.pc_isone);
	}
	/* its files are root's: it is not dumpable; for root this is unknown */
	assert_int_equal(proccred_parse(two[0], 0, &pc), 0);
	assert_false(pc.pc_dumpable);
	assert_int_equal(proccred_parse(STATUS("0\t0\t0\t0", "0\t0\t0\t0", "0",
					    "0", "0"),
			     0, &pc),
	    0);
	assert_false(pc.pc_dumpable);
	assert_int_equal(proccred_parse(STATUS("5\t5\t5\t5", "6\t6\t6\t6", "0",
					    "1", "0"),
			     5, &pc),
	    0);
	assert_true(pc.pc_sandboxed);
	assert_int_equal(proccred_parse(STATUS("5\t5\t5\t5", "6\t6\t6\t6", "0",
					    "0", "2"),
			     5, &pc),
	    0);
	assert_true(pc.pc_sandboxed);
	assert_int_equal(proccred_parse("Name:\tx\nUid:\t5 5 5 5\n", 5, &pc),
	    EINVAL);
	assert_int_equal(proccred_parse("", 5, &pc), EINVAL);
}

/* A machine's files and their contents. */
static char root[64];

static void
root_file(const char *name, const char *text)
{
	char path[256], cmd[320];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", root, name);
	snprintf(cmd, sizeof(cmd), "mkdir -p \"$(dirname '%s')\"", path);
	assert_int_equal(system(cmd), 0);
	assert_non_null(f = fopen(path, "w"));
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static int
root_make(void **state)
{
	(void)state;
	strcpy(root, "/tmp/right-XXXXXX");
	return mkdtemp(root) == NULL;
}

static int
root_remove(void **state)
{
	char cmd[96];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", root);
	return system(cmd);
}

static void
assert_confined(const char *word)
{
	struct proccred pc = { .pc_sandboxed = 0 };
	char why[120] = "";

	assert_int_equal(ptrace_confined(root, "7", &pc, why, sizeof(why)),
	    word != NULL);
	if (word != NULL && strstr(why, word) == NULL)
		fail_msg("not about %s: %s", word, why);
}

static void
security_modules_confine(void **state)
{
	const char *const scope = "/proc/sys/kernel/yama/ptrace_scope";
	const char *const label = "/proc/7/attr/apparmor/current";

	(void)state;
	assert_confined(NULL);
	root_file(scope, "0\n");
	assert_confined(NULL);
	root_file(scope, "1\n");
	assert_confined("ptrace_scope is 1");
	root_file(scope, "3\n");
	assert_confined("ptrace_scope is 3");
	root_file(scope, "0\n");
	root_file(label, "unconfined\n");
	assert_confined(NULL);
	root_file(label, "browser (complain)\n");
	assert_confined(NULL);
	root_file(label, "browser (enforce)\n");
	assert_confined("AppArmor");
	root_file(label, "");
	root_file("/sys/fs/selinux/enforce", "0");
	assert_confined(NULL);
	root_file("/sys/fs/selinux/enforce", "1");
	assert_confined("SELinux");
	root_file("/sys/fs/selinux/enforce", "0");
	root_file("/sys/fs/smackfs/load2", "");
	assert_confined("Smack");
}

static void
sandboxes_confine(void **state)
{
	struct proccred pc = { .pc_sandboxed = 1 };
	char why[120] = "";

	(void)state;
	assert_true(ptrace_confined(root, "7", &pc, why, sizeof(why)));
	assert_non_null(strstr(why, "sandbox"));
}

/* The file as an inspector sees it; a closed one shows nothing. */
static int
may_read(const struct owner *ow, int fd)
{
	struct find_stat fs;

	return inspect_stat_request(fd, 0, 0, &fs) == 0 &&
	    owner_mayread(ow, &fs);
}

/* Decides like open(2), by the mode and all groups. */
static void
files_are_readable_by_their_mode(void **state)
{
	const struct owner ow = { .onr_uid = getuid() + 1,
		.onr_gid = getgid() + 1 };
	const struct owner me = { .onr_uid = getuid(),
		.onr_gid = getgid() + 1 };
	const struct owner us = { .onr_uid = getuid() + 1,
		.onr_gid = getgid() };
	const struct owner too = { .onr_uid = getuid() + 1,
		.onr_gid = getgid() + 1,
		.onr_gids = { getgid() + 1, getgid() },
		.onr_ngids = 2 };
	const struct owner many = { .onr_uid = getuid() + 1,
		.onr_gid = getgid() + 1,
		.onr_hasmore = 1 };
	char path[96];
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/file", root);
	assert_true((fd = open(path, O_RDWR | O_CREAT, 0600)) != -1);
	assert_int_equal(fchown(fd, getuid(), getgid()), 0);
	assert_int_equal(fchmod(fd, 0711), 0);
	assert_false(may_read(&ow, fd));
	assert_true(may_read(&me, fd));
	assert_false(may_read(&us, fd));
	assert_int_equal(fchmod(fd, 0404), 0);
	assert_true(may_read(&ow, fd));
	assert_false(may_read(&us, fd));
	assert_false(may_read(&too, fd));
	assert_false(may_read(&many, fd));
	assert_int_equal(fchmod(fd, 0440), 0);
	assert_true(may_read(&us, fd));
	assert_true(may_read(&too, fd));
	assert_false(may_read(&many, fd));
	assert_int_equal(fchmod(fd, 0044), 0);
	assert_false(may_read(&me, fd));
	assert_true(may_read(&many, fd));
	close(fd);
	assert_false(may_read(&me, fd));
}

/*
 * With an access control list, only the owner's access is certain.  Some file
 * systems have none.
 */
static void
lists_of_access_are_not_guessed(void **state)
{
	/* version 2; tag, permissions, id: owner rw-, user 4711 ---, group
	 * r--, mask r--, others r-- */
	static const uint8_t acl[] = { 2, 0, 0, 0, 0x01, 0, 6, 0, 0xff, 0xff,
		0xff, 0xff, 0x02, 0, 0, 0, 0x67, 0x12, 0, 0, 0x04, 0, 4, 0,
		0xff, 0xff, 0xff, 0xff, 0x10, 0, 4, 0, 0xff, 0xff, 0xff, 0xff,
		0x20, 0, 4, 0, 0xff, 0xff, 0xff, 0xff };
	const struct owner he = { .onr_uid = 4711 };
	const struct owner me = { .onr_uid = getuid() };
	char path[96];
	int fd, r;

	(void)state;
	snprintf(path, sizeof(path), "%s/listed", root);
	assert_true((fd = open(path, O_RDWR | O_CREAT, 0644)) != -1);
	assert_int_equal(fchmod(fd, 0644), 0);
	assert_true(may_read(&he, fd));
	r = fsetxattr(fd, "system.posix_acl_access", acl, sizeof(acl), 0);
	if (r == -1 && errno == EOPNOTSUPP) {
		close(fd);
		skip();
	}
	assert_int_equal(r, 0);
	assert_false(may_read(&he, fd));
	assert_true(may_read(&me, fd));
	close(fd);
}

static uint64_t
refused(void)
{
	struct limit_refusal lr[REFUSED_N];

	assert_int_equal(limit_refusals(lr, REFUSED_N), REFUSED_N);
	return lr[REFUSED_RIGHTS].lr_n;
}

static void
who_lacks_a_right_is_told_which(void **state)
{
	const struct peer pr = { .peer_uid = 3001,
		.peer_rights = RIGHT_LIST,
		.peer_noown = "no" };
	const uint64_t before = refused();
	struct reason rs = { "" };

	(void)state;
	assert_int_equal(right_check(&pr, RIGHT_LIST | OWN, NULL, &rs), 0);
	assert_string_equal(rs.rsn_text, "");
	assert_int_equal(refused(), before);
	assert_int_equal(right_check(&pr, RIGHT_STATS, NULL, &rs), EPERM);
	assert_string_equal(rs.rsn_text, "user 3001 lacks the right STATS");
	assert_int_equal(right_check(&pr, OWN | RIGHT_TRACE_ALL, "these", &rs),
	    EPERM);
	assert_string_equal(rs.rsn_text,
	    "these need the right TRACE_OWN or TRACE_ALL; TRACE_OWN: no");
	assert_int_equal(refused(), before + 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_lacks_a_right_is_told_which),
		cmocka_unit_test(a_line_gives_rights),
		cmocka_unit_test(rights_include_others),
		cmocka_unit_test(another_user_namespace_has_what_everybody_has),
		cmocka_unit_test(a_table_that_is_given_up_changes_nothing),
		cmocka_unit_test(a_mistake_has_its_place),
		cmocka_unit_test(credentials_are_read),
		cmocka_unit_test(credentials_that_are_of_two_or_hidden),
		cmocka_unit_test_setup_teardown(security_modules_confine,
		    root_make, root_remove),
		cmocka_unit_test_setup_teardown(sandboxes_confine, root_make,
		    root_remove),
		cmocka_unit_test_setup_teardown(lists_of_access_are_not_guessed,
		    root_make, root_remove),
		cmocka_unit_test_setup_teardown(
		    files_are_readable_by_their_mode, root_make, root_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
