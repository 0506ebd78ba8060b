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

#include "daemon/device/cdevsw.h"
#include "daemon/device/stream.h"
#include "daemon/testdev/testdev.h"

struct test_softc {
	struct stream *tst_stream;
	atomic_uint tst_tosend; /* bytes, control adds, data takes */
	uint8_t tst_next;	/* value of the next byte */
};

static int
test_open(struct op *op __attribute__((unused)),
    const struct peer *pr __attribute__((unused)), struct stream *st,
    void **scp)
{
	struct test_softc *sc;

	if ((sc = calloc(1, sizeof(*sc))) == NULL)
		return ENOMEM;
	sc->tst_stream = st;
	*scp = sc;
	return 0;
}

static int
test_close_run(struct op *op)
{
	struct test_softc *sc = op->op_sc;

	stream_free(sc->tst_stream);
	free(sc);
	return 0;
}

static int
test_close(struct op *op)
{
	return op_later(op, test_close_run, NULL, 0);
}

static int
test_echo(struct op *op)
{
	return op_reply(op, op->op_arg, op->op_arglen);
}

static int
test_send(struct op *op)
{
	struct test_softc *sc = op->op_sc;
	uint32_t n;

	memcpy(&n, op->op_arg, sizeof(n));
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
	{ TESTIOCECHO, RIGHT_LIST, 0, WIRE_MAXPAYLOAD, test_echo, NULL },
	{ TESTIOCLATER, RIGHT_LIST, 0, WIRE_MAXPAYLOAD, NULL, test_echo },
	{ TESTIOCSEND, RIGHT_LIST, 4, 4, test_send, NULL },
	{ TESTIOCADMIN, RIGHT_ADMIN, 0, WIRE_MAXPAYLOAD, test_echo, NULL },
};

const struct cdevsw test_cdevsw = {
	.d_name = "test",
	.d_open = test_open,
	.d_close = test_close,
	.d_ioctls = test_ioctls,
	.d_nioctls = sizeof(test_ioctls) / sizeof(test_ioctls[0]),
	.d_stream = test_stream,
};
