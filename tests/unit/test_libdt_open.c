/* SPDX-License-Identifier: ISC */
/*
 * dt_open() against daemons that refuse, contradict themselves or disconnect;
 * and the private dtd: started without inherited resources, and ended by
 * dt_close().  This program plays the private dtd itself: see fake_dtd().
 */
#include <sys/wait.h>

#include <fcntl.h>
#include <signal.h>

#include "tests/unit/test_libdt_peer.h"

static char self[4096];

/*
 * An emulator of programs ($UNIT_RUN) cannot execute programs of its own
 * architecture, and it drops descriptors of a message with too many of them.
 */
static void
no_emulator(void)
{
	if (getenv("UNIT_RUN") != NULL)
		skip();
}

static int
count_fds(void)
{
	int fd, n = 0;

	for (fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) != -1;
	return n;
}

/*
 * Opens a peer that refuses: checks the errno, and that nothing is left open.
 */
static int
refused(void (*script)(struct peer *))
{
	struct peer *pe = peer_start(script);
	int error, nfds = count_fds();

	assert_null(dt_open(pe->pe_path, 0));
	error = errno;
	peer_join(pe);
	assert_int_equal(count_fds(), nfds);
	peer_free(pe);
	return error;
}

static void
script_welcome(struct peer *pe)
{
	peer_hello(pe);
	peer_welcome(pe);
	PEER_ASSERT(!peer_get(pe));
}

static void
an_open_that_is_granted(void **state)
{
	struct peer *pe = peer_start(script_welcome);
	struct dt *dt = peer_open(pe, 0);

	(void)state;
	assert_int_equal(dt_rights(dt), RIGHT_ALL);
	assert_int_equal(dt_is_private(dt), 0);
	assert_int_equal(strspn(dt_release(dt), "r"), 63);
	assert_int_equal(strlen(dt_release(dt)), 63);
	assert_true(dt_fd(dt) >= 0);
	assert_true(fcntl(dt_fd(dt), F_GETFD) & FD_CLOEXEC);
	assert_string_equal(dt_error(dt), "no error");
	assert_int_equal(dt_late(dt), 0);
	dt_close(dt);
	peer_stop(pe);
}

static void
script_eperm(struct peer *pe)
{
	peer_hello(pe);
	peer_reply(pe, EPERM, "allowdt\33[2J=no", 14);
}

static void
a_refusal_gives_its_errno_and_text(void **state)
{
	(void)state;
	assert_int_equal(refused(script_eperm), EPERM);
	assert_string_equal(dt_error(NULL), "allowdt?[2J=no");
}

/* Replies before it has read, and closes: EMFILE of a full daemon. */
static void
script_early(struct peer *pe)
{
	pe->pe_hdr.wh_version = WIRE_VERSION;
	pe->pe_hdr.wh_command = WIRE_OPEN;
	pe->pe_hdr.wh_tag = 1;
	peer_reply(pe, EMFILE, "", 0);
	shutdown(pe->pe_ctl, SHUT_RDWR);
}

static void
an_answer_before_the_question_is_heard(void **state)
{
	(void)state;
	assert_int_equal(refused(script_early), EMFILE);
	assert_string_equal(dt_error(NULL), strerror(EMFILE));
}

static void
script_version(struct peer *pe)
{
	peer_hello(pe);
	pe->pe_hdr.wh_version = 77;
	peer_reply(pe, EPROTONOSUPPORT, "", 0);
}

static void
another_version_is_eprotonosupport(void **state)
{
	(void)state;
	assert_int_equal(refused(script_version), EPROTONOSUPPORT);
	assert_non_null(strstr(dt_error(NULL), "77"));
}

static void
script_hangup(struct peer *pe)
{
	peer_hello(pe);
	peer_restart(pe);
	peer_hello(pe);
}

static void
script_half(struct peer *pe)
{
	peer_hello(pe);
	peer_send(pe->pe_ctl, &pe->pe_hdr, 10);
	peer_restart(pe);
	peer_hello(pe);
	peer_send(pe->pe_ctl, &pe->pe_hdr, 10);
}

static void
a_daemon_that_hangs_up_is_epipe(void **state)
{
	(void)state;
	assert_int_equal(refused(script_hangup), EPIPE);
	assert_int_equal(refused(script_half), EPIPE);
}

static void
script_restart(struct peer *pe)
{
	peer_hello(pe);
	peer_restart(pe);
	script_welcome(pe);
}

static void
a_daemon_that_hangs_up_is_asked_again_once(void **state)
{
	struct peer *pe = peer_start(script_restart);
	struct dt *dt = peer_open(pe, 0);

	(void)state;
	assert_int_equal(dt_rights(dt), RIGHT_ALL);
	dt_close(dt);
	peer_stop(pe);
}

static void
script_nofd(struct peer *pe)
{
	struct wire_opened wp = { 0 };

	peer_hello(pe);
	peer_reply(pe, 0, &wp, sizeof(wp));
}

static void
script_wrongfd(struct peer *pe)
{
	uint8_t frame[sizeof(struct wire_hdr) + sizeof(struct wire_opened)];
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	peer_hello(pe);
	memset(frame, 0, sizeof(frame));
	pe->pe_hdr.wh_length = sizeof(struct wire_opened);
	memcpy(frame, &pe->pe_hdr, sizeof(pe->pe_hdr));
	peer_sendfd(pe, frame, sizeof(frame), fd, 1);
	close(fd);
}

/* Sends more descriptors than requested, and then a refusal. */
static void
script_manyfds(struct peer *pe)
{
	peer_hello(pe);
	pe->pe_hdr.wh_length = 0;
	pe->pe_hdr.wh_error = EPERM;
	peer_sendfd(pe, &pe->pe_hdr, sizeof(pe->pe_hdr), 0, 8);
}

static void
script_short(struct peer *pe)
{
	peer_hello(pe);
	peer_reply(pe, 0, "x", 1);
}

static void
script_long(struct peer *pe)
{
	peer_hello(pe);
	pe->pe_hdr.wh_length = UINT32_MAX;
	peer_send(pe->pe_ctl, &pe->pe_hdr, sizeof(pe->pe_hdr));
}

static void
script_tag(struct peer *pe)
{
	peer_hello(pe);
	pe->pe_hdr.wh_tag += 1;
	peer_reply(pe, 0, "", 0);
}

static void
script_errno(struct peer *pe)
{
	peer_hello(pe);
	peer_reply(pe, -1, "", 0);
}

static void
script_trailing(struct peer *pe)
{
	uint8_t frame[2 * sizeof(pe->pe_hdr)];

	peer_hello(pe);
	pe->pe_hdr.wh_length = 0;
	memcpy(frame, &pe->pe_hdr, sizeof(pe->pe_hdr));
	memcpy(frame + sizeof(pe->pe_hdr), &pe->pe_hdr, sizeof(pe->pe_hdr));
	peer_send(pe->pe_ctl, frame, sizeof(frame));
}

static void
replies_that_make_no_sense_are_eproto(void **state)
{
	(void)state;
	no_emulator();
	assert_int_equal(refused(script_nofd), EPROTO);
	assert_int_equal(refused(script_wrongfd), EPROTO);
	assert_int_equal(refused(script_manyfds), EPERM);
	assert_int_equal(refused(script_short), EPROTO);
	assert_int_equal(refused(script_long), EPROTO);
	assert_int_equal(refused(script_tag), EPROTO);
	assert_int_equal(refused(script_errno), EPROTO);
	assert_int_equal(refused(script_trailing), EPROTO);
}

static void
flags_and_paths_that_are_wrong(void **state)
{
	char path[200];

	(void)state;
	assert_null(dt_open(NULL, 0x1000));
	assert_int_equal(errno, EINVAL);
	assert_null(dt_open(NULL, DT_OPEN_PRIVATE | DT_OPEN_SERVICE));
	assert_int_equal(errno, EINVAL);
	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	assert_null(dt_open(path, 0));
	assert_int_equal(errno, ENAMETOOLONG);
	assert_null(dt_open("/nonexistent/dt", DT_OPEN_SERVICE));
	assert_int_equal(errno, ENOENT);
	dt_close(NULL);
}

/*
 * This program as dtd --private FD.  Its role is in the environment; status 99
 * means that it was started incorrectly.
 */
static int
fake_dtd(int argc, char **argv)
{
	static struct peer pe = { .pe_data = -1 };
	const char *how = getenv("FAKE_DTD");
	sigset_t set;
	int fd;

	if (argc < 5 || strcmp(argv[0], "dtd") != 0 || how == NULL ||
	    strcmp(argv[3], "--device") != 0 ||
	    strcmp(argv[4], strcmp(how, "tprof") == 0 ? "tprof" : "dt") != 0)
		return 99;
	pe.pe_ctl = atoi(argv[2]);
	for (fd = 3; fd < 256; fd++) {
		if (fd != pe.pe_ctl && fcntl(fd, F_GETFD) != -1)
			return 99;
	}
	sigprocmask(SIG_SETMASK, NULL, &set);
	if (sigismember(&set, SIGTERM) || read(0, &fd, 1) != 0 ||
	    signal(SIGUSR1, SIG_DFL) != SIG_DFL || getsid(0) != getpid())
		return 99;
	if (strcmp(how, "exit") == 0)
		return 3;
	if (strcmp(how, "kill") == 0)
		raise(SIGKILL);
	peer_hello(&pe);
	if (strcmp(how, "refuse") == 0) {
		peer_reply(&pe, EPERM, "not root", 8);
	} else {
		if (strcmp(how, "verbose") == 0 &&
		    (argc != 6 || strcmp(argv[5], "--verbose") != 0))
			return 99;
		peer_welcome(&pe);
	}
	return peer_get(&pe) ? 99 : 0;
}

static struct dt *
private_open(const char *how, int flags)
{
	setenv("DT_DTD", self, 1);
	setenv("FAKE_DTD", how, 1);
	return dt_open("/nonexistent/dt", flags);
}

static void
without_a_service_a_private_dtd_starts(void **state)
{
	int nfds = count_fds();
	struct dt *dt;
	sigset_t all, old;

	(void)state;
	no_emulator();
	/*
	 * resources that must not be inherited: a descriptor, masks, handlers
	 */
	assert_int_equal(dup2(0, 200), 200);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	signal(SIGUSR1, SIG_IGN);
	dt = private_open("serve", 0);
	signal(SIGUSR1, SIG_DFL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	close(200);
	assert_non_null(dt);
	assert_int_equal(dt_is_private(dt), 1);
	dt_close(dt);
	/* nothing is left: no descriptor, no child */
	assert_int_equal(count_fds(), nfds);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void
which_dtd_would_be_started(void **state)
{
	char path[4096] = "as it was";

	(void)state;
	setenv("DT_DTD", "/of/the/environment", 1);
	assert_int_equal(dt_daemon_path(path, 19), -1);
	assert_int_equal(errno, ENAMETOOLONG);
	assert_string_equal(path, "as it was");
	assert_int_equal(dt_daemon_path(path, 20), 0);
	assert_string_equal(path, "/of/the/environment");
	setenv("DT_DTD", "", 1); /* as if it were unset */
	assert_int_equal(dt_daemon_path(path, sizeof(path)), 0);
	assert_string_equal(path, DT_LIBEXEC_DTD); /* none in this folder */
}

static void
flags_private_and_verbose_reach_the_private_dtd(void **state)
{
	struct dt *dt;

	(void)state;
	no_emulator();
	dt = private_open("verbose", DT_OPEN_PRIVATE | DT_OPEN_VERBOSE);
	assert_non_null(dt);
	dt_close(dt);
}

static void
a_private_dtd_is_told_which_device_it_is_for(void **state)
{
	struct dt *dt;

	(void)state;
	no_emulator();
	setenv("FAKE_DTD", "tprof", 1);
	setenv("DT_DTD", self, 1);
	dt = dt_open("/nowhere/tprof", 0);
	assert_non_null(dt);
	dt_close(dt);
}

static void
a_private_dtd_starts_with_closed_standard_descriptors(void **state)
{
	int saved[2] = { dup(0), dup(1) };
	struct dt *dt;

	(void)state;
	no_emulator();
	close(0);
	close(1);
	dt = private_open("serve", 0);
	dt_close(dt);
	dup2(saved[0], 0);
	dup2(saved[1], 1);
	close(saved[0]);
	close(saved[1]);
	assert_non_null(dt);
}

static void
a_private_dtd_that_ends_at_once_is_echild(void **state)
{
	int nfds = count_fds();

	(void)state;
	no_emulator();
	assert_null(private_open("exit", 0));
	assert_int_equal(errno, ECHILD);
	assert_non_null(strstr(dt_error(NULL), "status 3"));
	assert_null(private_open("kill", 0));
	assert_int_equal(errno, ECHILD);
	assert_non_null(strstr(dt_error(NULL), "signal 9"));
	assert_int_equal(count_fds(), nfds);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void
a_private_dtd_that_refuses_is_waited_for(void **state)
{
	(void)state;
	no_emulator();
	assert_null(private_open("refuse", 0));
	assert_int_equal(errno, EPERM);
	assert_string_equal(dt_error(NULL), "not root");
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void
a_dtd_that_does_not_exist_is_enoent(void **state)
{
	int nfds = count_fds();

	(void)state;
	setenv("DT_DTD", "/nonexistent/dtd", 1);
	assert_null(dt_open("/nonexistent/dt", 0));
	assert_int_equal(errno, ENOENT);
	assert_non_null(strstr(dt_error(NULL), "/nonexistent/dtd"));
	setenv("DT_DTD", "/dev/null", 1);
	assert_null(dt_open("/nonexistent/dt", 0));
	assert_int_equal(errno, EACCES);
	assert_int_equal(count_fds(), nfds);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void
other_children_are_left_alone(void **state)
{
	struct dt *dt;
	pid_t pid;
	int status;

	(void)state;
	no_emulator();
	pid = fork();
	if (pid == 0)
		_exit(5);
	dt = private_open("serve", 0);
	assert_non_null(dt);
	dt_close(dt);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 5);
}

static void
a_program_that_ignores_sigchld_is_served(void **state)
{
	struct dt *dt;

	(void)state;
	no_emulator();
	signal(SIGCHLD, SIG_IGN);
	dt = private_open("serve", 0);
	assert_non_null(dt);
	dt_close(dt);
	assert_null(private_open("exit", 0));
	assert_int_equal(errno, ECHILD);
	signal(SIGCHLD, SIG_DFL);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_open_that_is_granted),
		cmocka_unit_test(a_refusal_gives_its_errno_and_text),
		cmocka_unit_test(an_answer_before_the_question_is_heard),
		cmocka_unit_test(another_version_is_eprotonosupport),
		cmocka_unit_test(a_daemon_that_hangs_up_is_epipe),
		cmocka_unit_test(a_daemon_that_hangs_up_is_asked_again_once),
		cmocka_unit_test(replies_that_make_no_sense_are_eproto),
		cmocka_unit_test(flags_and_paths_that_are_wrong),
		cmocka_unit_test(which_dtd_would_be_started),
		cmocka_unit_test(without_a_service_a_private_dtd_starts),
		cmocka_unit_test(
		    flags_private_and_verbose_reach_the_private_dtd),
		cmocka_unit_test(a_private_dtd_is_told_which_device_it_is_for),
		cmocka_unit_test(
		    a_private_dtd_starts_with_closed_standard_descriptors),
		cmocka_unit_test(a_private_dtd_that_ends_at_once_is_echild),
		cmocka_unit_test(a_private_dtd_that_refuses_is_waited_for),
		cmocka_unit_test(a_dtd_that_does_not_exist_is_enoent),
		cmocka_unit_test(other_children_are_left_alone),
		cmocka_unit_test(a_program_that_ignores_sigchld_is_served),
	};

	if (argc > 1 && strcmp(argv[1], "--private") == 0)
		return fake_dtd(argc, argv);
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) <= 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
