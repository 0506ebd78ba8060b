/* SPDX-License-Identifier: ISC */
/*
 * sym_throw [MSECS]
 *
 * C++ exceptions: scenes as in sym_frames.c.  The code that handles them is in
 * another section than its function (-O2).
 */
#include <unwind.h>

#include "tests/run/prog/sym/spin.h"

static long scene_end;

static bool
is_over()
{
	return msecs_now() >= scene_end;
}

SPIN(handler)
SPIN(cleanup)
SPIN(nested)
SPIN(trace)

struct fault {
	unsigned int f_n;
};

static APART void
thrower(unsigned int n)
{
	volatile char p[200];

	p[n % 200] = 1;
	sink += p[n % 200];
	throw fault{ n };
}

static APART void
between(unsigned int n)
{
	thrower(n + 1);
	sink++;
}

/* In the handler. */
static APART void
handler_scene()
{
	while (!is_over())
		try {
			between(sink);
		} catch (const fault &) {
			handler_spin();
			sink++;
		}
}

/* In a destructor, while the stack is unwound. */
struct cleaner {
	APART ~cleaner()
	{
		cleanup_spin();
		sink++;
	}
};

static APART void
cleanup_frame()
{
	cleaner c;

	between(sink);
}

static APART void
cleanup_scene()
{
	while (!is_over())
		try {
			cleanup_frame();
		} catch (const fault &) {
			sink++;
		}
}

/* In a handler of another exception, from a handler. */
static APART void
nested_inner()
{
	try {
		between(sink);
	} catch (const fault &f) {
		try {
			thrower(f.f_n);
		} catch (...) {
			nested_spin();
			sink++;
		}
		throw;
	}
}

static APART void
nested_scene()
{
	while (!is_over())
		try {
			nested_inner();
		} catch (const fault &) {
			sink++;
		}
}

/* In a function that the unwinder calls. */
extern "C" APART _Unwind_Reason_Code
trace_frame(struct _Unwind_Context *, void *arg)
{
	trace_spin();
	return ++*static_cast<int *>(arg) == 3 ? _URC_END_OF_STACK
					       : _URC_NO_REASON;
}

static APART void
trace_scene()
{
	while (!is_over()) {
		int n = 0;

		_Unwind_Backtrace(trace_frame, &n);
	}
}

static const struct scene {
	void (*sc_fn)();
	const char *sc_stack;
} scenes[] = {
	{ handler_scene, "stack handler_spin .*;main;handler_scene[^;]*" },
	{ cleanup_scene,
	    "stack cleanup_spin "
	    ".*;main;cleanup_scene[^;]*;cleanup_frame[^;]*;cleaner::[^;]*" },
	{ nested_scene,
	    "stack nested_spin "
	    ".*;main;nested_scene[^;]*;nested_inner[^;]*" },
	{ trace_scene,
	    "stack trace_spin "
	    ".*;main;trace_scene[^;]*;_Unwind_Backtrace;trace_frame" },
};

int
main(int argc, char **argv)
{
	long msecs = argc > 1 ? atoi(argv[1]) : 100;

	for (const scene &sc : scenes)
		fprintf(stderr, "%s\n", sc.sc_stack);
	for (const scene &sc : scenes) {
		scene_end = msecs_now() + msecs;
		sc.sc_fn();
		sink++;
	}
	return 0;
}
