/* SPDX-License-Identifier: ISC */
/*
 * A device for tests: it proves that the device switch supports several devices
 * and that server and connections do not depend on dt.  It is offered only if
 * the configuration sets test-device = yes.
 *
 * TESTIOCECHO returns the payload, TESTIOCLATER does so from a worker,
 * TESTIOCSEND sends that many bytes, counting up, over the data socket,
 * TESTIOCADMIN requires the right ADMIN.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/workers.h"
#include "daemon/device/cdevsw.h"
#include "daemon/device/stream.h"
#include "daemon/testdev/testdev.h"

struct test_softc {
	struct work tst_work; /* first: work is softc */
	struct stream *tst_stream;
	struct ioctl_call *tst_call; /* waits for the worker */
	atomic_uint tst_tosend;	     /* bytes, control adds, data takes */
	uint8_t tst_next;	     /* value of the next byte */
};

static int
test_open(const struct peer *pr __attribute__((unused)), struct stream *st,
    const struct wire_open *wo __attribute__((unused)), void **scp,
    struct reason *rs __attribute__((unused)))
{
	struct test_softc *sc;

	if ((sc = calloc(1, sizeof(*sc))) == NULL)
		return ENOMEM;
	sc->tst_stream = st;
	*scp = sc;
	return 0;
}

static void
test_close_run(struct work *w)
{
	stream_free(((struct test_softc *)w)->tst_stream);
}

static void
test_close_done(struct work *w)
{
	free(w);
	dev_closed();
}

static void
test_close(void *arg)
{
	struct test_softc *sc = arg;

	sc->tst_work.w_run = test_close_run;
	sc->tst_work.w_done = test_close_done;
	workers_submit(&sc->tst_work);
}

static int
test_echo(void *arg __attribute__((unused)), struct ioctl_call *ic)
{
	memcpy(ic->ic_out, ic->ic_in, ic->ic_inlen);
	ic->ic_outlen = ic->ic_inlen;
	return 0;
}

static void
test_later_run(struct work *w)
{
	struct test_softc *sc = (struct test_softc *)w;

	test_echo(sc, sc->tst_call);
}

static void
test_later_done(struct work *w)
{
	ioctl_done(((struct test_softc *)w)->tst_call, 0);
}

static int
test_later(void *arg, struct ioctl_call *ic)
{
	struct test_softc *sc = arg;

	sc->tst_call = ic;
	sc->tst_work.w_run = test_later_run;
	sc->tst_work.w_done = test_later_done;
	workers_submit(&sc->tst_work);
	return IOCTL_LATER;
}

static int
test_send(void *arg, struct ioctl_call *ic)
{
	struct test_softc *sc = arg;
	uint32_t n;

	memcpy(&n, ic->ic_in, sizeof(n));
	if (n > TEST_MAXSEND)
		return EINVAL;
	atomic_fetch_add(&sc->tst_tosend, n);
	stream_kick(sc->tst_stream);
	return 0;
}

static enum stream_state
test_stream(void *arg, struct stream *st)
{
	struct test_softc *sc = arg;
	uint8_t buf[256];
	struct iovec iov = { buf, 0 };
	enum stream_state state = STREAM_IDLE;
	unsigned int i, left;
	ssize_t n;

	while ((left = atomic_load(&sc->tst_tosend)) != 0) {
		iov.iov_len = left < sizeof(buf) ? left : sizeof(buf);
		for (i = 0; i < iov.iov_len; i++)
			buf[i] = sc->tst_next + i;
		n = stream_send(st, &iov, 1);
		if (n <= 0)
			return n == 0 ? STREAM_FULL : STREAM_IDLE;
		sc->tst_next += n;
		atomic_fetch_sub(&sc->tst_tosend, n);
		state = STREAM_FLOWING;
	}
	return state;
}

static const struct ioctl_desc test_ioctls[] = {
	{ TESTIOCECHO, RIGHT_LIST, 0, WIRE_MAXPAYLOAD, test_echo },
	{ TESTIOCLATER, RIGHT_LIST, 0, WIRE_MAXPAYLOAD, test_later },
	{ TESTIOCSEND, RIGHT_LIST, 4, 4, test_send },
	{ TESTIOCADMIN, RIGHT_ADMIN, 0, WIRE_MAXPAYLOAD, test_echo },
};

const struct cdevsw test_cdevsw = {
	.d_name = "test",
	.d_open = test_open,
	.d_close = test_close,
	.d_ioctls = test_ioctls,
	.d_nioctls = sizeof(test_ioctls) / sizeof(test_ioctls[0]),
	.d_stream = test_stream,
};
