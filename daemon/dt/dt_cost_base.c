/* SPDX-License-Identifier: ISC */
/*
 * Measures what the kernel counts for an empty program: reading the clock takes
 * 20 to 70 ns, more than most of our programs. Runs an empty socket filter with
 * an empty packet.
 */
#include <string.h>
#include <unistd.h>

#include <linux/bpf.h>

#include <bpf/bpf.h>

#include "daemon/dt/dt_cost.h"

#define EMPTY_TRIES 16 /* the minimum counts: longer runs were interrupted */
#define EMPTY_RUNS  100
#define EMPTY_BYTES 64 /* of the packet; a link header at least */

static int
empty_load(void)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K }, /* r0 = 0 */
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "dt_empty", "GPL",
	    insns, sizeof(insns) / sizeof(insns[0]), NULL);
}

static int
empty_look(int fd, uint64_t *nsecs, uint64_t *runs)
{
	struct bpf_prog_info info;
	uint32_t len = sizeof(info);

	memset(&info, 0, sizeof(info));
	if (bpf_obj_get_info_by_fd(fd, &info, &len) != 0)
		return -1;
	*nsecs = info.run_time_ns;
	*runs = info.run_cnt;
	return 0;
}

static int
empty_run(int fd)
{
	char packet[EMPTY_BYTES] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet,
	    .data_size_in = sizeof(packet), .repeat = EMPTY_RUNS);

	return bpf_prog_test_run_opts(fd, &opts);
}

uint64_t
dt_cost_base_nsecs(void)
{
	uint64_t ns0 = 0, ns1, runs0 = 0, runs1, best = UINT64_MAX;
	int i, fd = empty_load();

	if (fd < 0)
		return 0;
	for (i = 0; i < EMPTY_TRIES; i++) {
		if (empty_run(fd) != 0 || empty_look(fd, &ns1, &runs1) != 0)
			break;
		if (runs1 > runs0 && (ns1 - ns0) / (runs1 - runs0) < best)
			best = (ns1 - ns0) / (runs1 - runs0);
		ns0 = ns1;
		runs0 = runs1;
	}
	close(fd);
	return best != UINT64_MAX ? best : 0;
}
