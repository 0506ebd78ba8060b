/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/dt_task_cast.h"
#include "daemon/kernel/btf.h"
#include "daemon/kernel/btf_cast.h"

static int
is_cast(const struct bpf_insn *in)
{
	return in->code == (BPF_JMP | BPF_CALL) && in->src_reg == 0 &&
	    in->imm == DT_TASK_CAST;
}

/* Sets the call at in; the instruction before it sets the second argument. */
static void
cast_set(struct bpf_insn *in, const struct btf_cast_ids *ids)
{
	if (ids->cast == 0 || ids->task == 0) {
		*in = (struct bpf_insn){
			.code = BPF_ALU64 | BPF_MOV | BPF_X,
			.dst_reg = BPF_REG_0,
			.src_reg = BPF_REG_1,
		};
		return;
	}
	in[-1].imm = (int)ids->task;
	in->src_reg = BPF_PSEUDO_KFUNC_CALL;
	in->imm = (int)ids->cast;
}

static int
cast_program(struct bpf_program *prog, const struct btf_cast_ids *ids)
{
	size_t n = bpf_program__insn_cnt(prog), i;
	struct bpf_insn *copy;
	int error, found = 0;

	if ((copy = malloc(n * sizeof(*copy))) == NULL)
		return ENOMEM;
	memcpy(copy, bpf_program__insns(prog), n * sizeof(*copy));
	for (i = 1; i < n; i++)
		if (is_cast(&copy[i])) {
			cast_set(&copy[i], ids);
			found = 1;
		}
	error = found ? -bpf_program__set_insns(prog, copy, n) : 0;
	free(copy);
	return error;
}

int
btf_cast(struct bpf_object *obj)
{
	struct btf_cast_ids ids;
	struct bpf_program *prog = NULL;
	int error = 0;

	btf_cast_ids(&ids);
	while (
	    error == 0 && (prog = bpf_object__next_program(obj, prog)) != NULL)
		if (bpf_program__autoload(prog))
			error = cast_program(prog, &ids);
	return error;
}
