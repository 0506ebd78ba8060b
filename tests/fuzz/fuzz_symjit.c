/* SPDX-License-Identifier: ISC */
/* Fuzzes perf maps. */
#include "tests/fuzz/fuzz_sym.h"

#include "symbolizer/perf_map.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct frame_sink fs = { fuzz_put };
	uint64_t pcs[FUZZ_STEPS];
	struct jit *ji = jit_alloc();
	size_t i;

	if (ji == NULL)
		abort();
	for (i = 0; i < FUZZ_STEPS; i++)
		pcs[i] = i * 0x10;
	/* In two pieces, as a file may arrive. */
	if (jit_text(ji, (const char *)data, n / 2) == 0 &&
	    jit_text(ji, (const char *)data + n / 2, n - n / 2) == 0 &&
	    jit_seal(ji) == 0)
		jit_names(ji, pcs, FUZZ_STEPS, &fs);
	jit_close(ji);
	return 0;
}
