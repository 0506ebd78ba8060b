/* SPDX-License-Identifier: ISC */
/*
 * Names of cgroups, and paths by id.
 */
#include "tests/unit/test_cli.h"

#include "cli/sym/cgroup.h"

#define ID12 "0123456789ab"
#define ID64 ID12 "cdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct {
	const char *path, *name;
} names[] = {
	{ "/", "/" },
	{ "/init.scope", "init.scope" },
	{ "/system.slice/nginx.service", "nginx.service" },
	{ "/system.slice/nginx.service/workers/3", "nginx.service" },
	{ "/system.slice/dbus.socket", "dbus.socket" },
	{ "/user.slice/user-1000.slice/session-3.scope", "session-3.scope" },
	{ "/user.slice/user-1000.slice/user@1000.service",
	    "user@1000.service" },
	{ "/user.slice/user-1000.slice/user@1000.service/init.scope",
	    "user@1000.service" },
	{ "/user.slice/user-1000.slice/user@1000.service/app.slice/a.service",
	    "a.service" },
	{ "/user.slice", "user.slice" },
	{ "/user.slice/by-hand", "/user.slice/by-hand" },
	{ "/machine.slice/machine-deb.scope", "machine-deb.scope" },
	{ "/system.slice/docker-" ID64 ".scope", "docker:" ID12 },
	{ "/system.slice/docker-" ID64 ".scope/init.scope", "docker:" ID12 },
	{ "/docker/" ID64, "docker:" ID12 },
	{ "/docker/" ID64 "/system.slice/x.service", "docker:" ID12 },
	{ "/docker", "/docker" },
	{ "/system.slice/docker.service", "docker.service" },
	{ "/system.slice/docker-helper.scope", "docker-helper.scope" },
	{ "/docker/buildx", "/docker/buildx" },
	{ "/kubepods.slice/kubepods-burstable.slice/"
	  "kubepods-burstable-pod12.slice/cri-containerd-" ID64 ".scope",
	    "cri-containerd:" ID12 },
	{ "/kubepods.slice/kubepods-pod1.slice/crio-" ID64 ".scope",
	    "crio:" ID12 },
	{ "/kubepods/burstable/pod7-8-9/" ID64, "kubepods:" ID12 },
	{ "/kubepods/burstable/pod7-8-9", "/kubepods/burstable/pod7-8-9" },
	{ "/machine.slice/libpod-" ID64 ".scope/container", "libpod:" ID12 },
	{ "/user.slice/user-1.slice/user@1.service/user.slice/libpod-" ID64
	  ".scope",
	    "libpod:" ID12 },
	{ "/libpod_parent/libpod-" ID64, "libpod:" ID12 },
	{ "/system.slice/nerdctl-" ID64 ".scope", "nerdctl:" ID12 },
	{ "/lxc.payload.web/init.scope", "lxc:web" },
	{ "/lxc/web", "lxc:web" },
	{ "/lxc.monitor.web", "/lxc.monitor.web" },
	{ "/" ID64, "/" ID64 },
	{ "", "" },
	{ "no/slash.service", "slash.service" },
};

static void
paths_have_names(void **state)
{
	char name[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(cgroup_name(names[i].path, name,
					sizeof(name)),
		    names[i].name);
}

/* The words by which a path is found. */
static void
units_and_containers_are_found(void **state)
{
	static const struct {
		const char *path, *name;
		int unit, container;
	} found[] = {
		{ "/system.slice/ssh.service", "ssh.service", 1, 0 },
		{ "/system.slice/ssh.service", "ssh", 1, 0 },
		{ "/system.slice/ssh.service", "ss", 0, 0 },
		{ "/system.slice/ssh.service/x", "ssh.service", 0, 0 },
		{ "/system.slice/ssh.socket", "ssh", 1, 0 },
		{ "/system.slice/ssh.slice", "ssh", 0, 0 },
		{ "/system.slice/docker-" ID64 ".scope", ID12, 0, 1 },
		{ "/system.slice/docker-" ID64 ".scope", "0123", 0, 1 },
		{ "/system.slice/docker-" ID64 ".scope", ID64, 0, 1 },
		{ "/system.slice/docker-" ID64 ".scope", "1234", 0, 0 },
		{ "/system.slice/docker-" ID64 ".scope", "docker:01", 0, 1 },
		{ "/system.slice/docker-" ID64 ".scope", "libpod:01", 0, 0 },
		{ "/system.slice/docker-" ID64 ".scope", "docker:", 0, 0 },
		{ "/system.slice/docker-" ID64 ".scope", "docke:01", 0, 0 },
		{ "/system.slice/docker-" ID64 ".scope/init", "0123", 0, 0 },
		{ "/machine.slice/libpod-" ID64 ".scope", "0123", 0, 1 },
		{ "/kubepods/burstable/pod7/" ID64, "kubepods:012", 0, 1 },
		{ "/lxc.payload.web", "web", 0, 1 },
		{ "/lxc.payload.web", "we", 0, 0 },
		{ "/", "x", 0, 0 },
		{ "", "", 0, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(found) / sizeof(found[0]); i++) {
		assert_int_equal(cgroup_isunit(found[i].path, found[i].name),
		    found[i].unit);
		assert_int_equal(cgroup_iscontainer(found[i].path,
				     found[i].name),
		    found[i].container);
	}
}

static void
a_long_name_is_cut(void **state)
{
	char path[600] = "/", name[16];

	(void)state;
	memset(path + 1, 'a', sizeof(path) - 2);
	assert_string_equal(cgroup_name(path, name, sizeof(name)),
	    "/aaaaaaaaaaaaaa");
	strcpy(path + sizeof(path) - 9, ".service");
	assert_string_equal(cgroup_name(path, name, sizeof(name)),
	    "aaaaaaaaaaaaaaa");
}

static void
what_was_added_is_found(void **state)
{
	struct cgroups cg;

	(void)state;
	cgroups_init(&cg, 0);
	assert_null(cgroups_path(&cg, 7));
	cgroups_add(&cg, 7, "/a");
	cgroups_add(&cg, 7, "/b");
	cgroups_add(&cg, 8, "/b");
	assert_string_equal(cgroups_path(&cg, 7), "/a");
	assert_string_equal(cgroups_path(&cg, 8), "/b");
	assert_null(cgroups_path(&cg, 9));
	cgroups_free(&cg);
}

static void
an_unknown_id_of_this_machine_is_none(void **state)
{
	struct cgroups cg;

	(void)state;
	cgroups_init(&cg, 1);
	assert_null(cgroups_path(&cg, UINT64_MAX - 5));
	assert_null(cgroups_path(&cg, UINT64_MAX - 5));
	cg.cg_nohandles = 1; /* like a user who may not open handles */
	assert_null(cgroups_path(&cg, UINT64_MAX - 6));
	cgroups_free(&cg);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_have_names),
		cmocka_unit_test(units_and_containers_are_found),
		cmocka_unit_test(a_long_name_is_cut),
		cmocka_unit_test(what_was_added_is_found),
		cmocka_unit_test(an_unknown_id_of_this_machine_is_none),
	};

	return cmocka_run_group_tests_name("test_cli_cgroup", tests, NULL,
	    NULL);
}
