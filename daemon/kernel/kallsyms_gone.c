/* SPDX-License-Identifier: ISC */
/* What the kernel had, see kallsyms_gone.h: a ring by time. */
#include <stdlib.h>
#include <string.h>

#include "daemon/kernel/kallsyms_gone.h"

struct kallsyms_gone {
	struct ksymfunc g_func; /* its strings are one block, at kf_name */
	uint64_t g_until;
};

struct kgone {
	struct kallsyms_gone *kg_ring; /* KGONE_MAX */
	size_t kg_n;
	size_t kg_next;	  /* where the next one goes */
	uint64_t kg_last; /* until of the youngest */
};

struct kgone *
kgone_alloc(void)
{
	return calloc(1, sizeof(struct kgone));
}

void
kgone_free(struct kgone *kg)
{
	size_t i;

	if (kg == NULL)
		return;
	for (i = 0; i < kg->kg_n; i++)
		free((char *)kg->kg_ring[i].g_func.kf_name);
	free(kg->kg_ring);
	free(kg);
}

/* Without memory the function is forgotten at once. */
void
kgone_add(struct kgone *kg, const struct ksymfunc *kf, uint64_t until)
{
	size_t n = strlen(kf->kf_name) + 1, m = strlen(kf->kf_module) + 1;
	struct kallsyms_gone *g;
	char *s;

	if (kg->kg_ring == NULL &&
	    (kg->kg_ring = calloc(KGONE_MAX, sizeof(*kg->kg_ring))) == NULL)
		return;
	if ((s = malloc(n + m)) == NULL)
		return;
	memcpy(s, kf->kf_name, n);
	memcpy(s + n, kf->kf_module, m);
	g = &kg->kg_ring[kg->kg_next];
	if (kg->kg_n == KGONE_MAX)
		free((char *)g->g_func.kf_name);
	else
		kg->kg_n++;
	kg->kg_next = (kg->kg_next + 1) % KGONE_MAX;
	g->g_func = *kf;
	g->g_func.kf_name = s;
	g->g_func.kf_module = s + n;
	g->g_until = kg->kg_last = until;
}

int
kgone_find(const struct kgone *kg, uint64_t pc, uint64_t nsecs,
    struct ksymfunc *kf)
{
	const struct kallsyms_gone *g, *best = NULL;
	size_t i;

	if (nsecs >= kg->kg_last)
		return 0; /* as nearly always */
	for (i = 0; i < kg->kg_n; i++) {
		g = &kg->kg_ring[i];
		if (nsecs < g->g_until && pc >= g->g_func.kf_start &&
		    pc < g->g_func.kf_end &&
		    (best == NULL || g->g_until < best->g_until))
			best = g;
	}
	if (best == NULL)
		return 0;
	*kf = best->g_func;
	return 1;
}

size_t
kgone_size(const struct kgone *kg)
{
	return kg->kg_n;
}
