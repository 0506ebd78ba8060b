/* SPDX-License-Identifier: ISC */
/* Remembers removed kernel symbols in a ring ordered by time. */
#include <stdlib.h>
#include <string.h>

#include "daemon/kernel/kallsyms_unloaded.h"

struct unloaded_func {
	struct kallsyms_range g_func; /* all strings: a block at kra_name */
	uint64_t g_until;
};

struct kallsyms_unloaded {
	struct unloaded_func *kg_ring; /* KALLSYMS_UNLOADED_MAX */
	size_t kg_n;
	size_t kg_next;	  /* index of the next entry */
	uint64_t kg_last; /* until of the youngest */
};

struct kallsyms_unloaded *
kallsyms_unloaded_alloc(void)
{
	return calloc(1, sizeof(struct kallsyms_unloaded));
}

void
kallsyms_unloaded_free(struct kallsyms_unloaded *kg)
{
	size_t i;

	if (kg == NULL)
		return;
	for (i = 0; i < kg->kg_n; i++)
		free((char *)kg->kg_ring[i].g_func.kra_name);
	free(kg->kg_ring);
	free(kg);
}

/* If memory runs out, the function is not remembered. */
void
kallsyms_unloaded_add(struct kallsyms_unloaded *kg,
    const struct kallsyms_range *kf, uint64_t until)
{
	size_t n = strlen(kf->kra_name) + 1, m = strlen(kf->kra_module) + 1;
	struct unloaded_func *g;
	char *s;

	if (kg->kg_ring == NULL &&
	    (kg->kg_ring = calloc(KALLSYMS_UNLOADED_MAX,
		 sizeof(*kg->kg_ring))) == NULL)
		return;
	if ((s = malloc(n + m)) == NULL)
		return;
	memcpy(s, kf->kra_name, n);
	memcpy(s + n, kf->kra_module, m);
	g = &kg->kg_ring[kg->kg_next];
	if (kg->kg_n == KALLSYMS_UNLOADED_MAX)
		free((char *)g->g_func.kra_name);
	else
		kg->kg_n++;
	kg->kg_next = (kg->kg_next + 1) % KALLSYMS_UNLOADED_MAX;
	g->g_func = *kf;
	g->g_func.kra_name = s;
	g->g_func.kra_module = s + n;
	g->g_until = kg->kg_last = until;
}

int
kallsyms_unloaded_find(const struct kallsyms_unloaded *kg, uint64_t pc,
    uint64_t nsecs, struct kallsyms_range *kf)
{
	const struct unloaded_func *g, *best = NULL;
	size_t i;

	if (nsecs >= kg->kg_last)
		return 0; /* as nearly always */
	for (i = 0; i < kg->kg_n; i++) {
		g = &kg->kg_ring[i];
		if (nsecs < g->g_until && pc >= g->g_func.kra_start &&
		    pc < g->g_func.kra_end &&
		    (best == NULL || g->g_until < best->g_until))
			best = g;
	}
	if (best == NULL)
		return 0;
	*kf = best->g_func;
	return 1;
}

size_t
kallsyms_unloaded_size(const struct kallsyms_unloaded *kg)
{
	return kg->kg_n;
}
