/* SPDX-License-Identifier: ISC */
/*
 * Finds a variable, or a function, by name.  A global symbol has precedence over
 * static ones, of which a file may have several with the same name.
 */
#include <errno.h>
#include <string.h>

#include "symbolizer/demangle.h"
#include "symbolizer/function_walk.h"
#include "symbolizer/variables.h"

struct variable {
	const char *vrb_name;
	uint64_t vrb_addr, vrb_size;
	int vrb_isglobal;
	unsigned int vrb_n; /* addresses of this kind; 0: none was found */
};

static int
has_address(const GElf_Sym *sym)
{
	const int type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_ABS &&
	    (type == STT_OBJECT || type == STT_FUNC || type == STT_NOTYPE);
}

static int
is_name(const char *raw, const char *wanted)
{
	char name[SYMREQ_NAME];

	if (strcmp(raw, wanted) == 0)
		return 1;
	if (strchr(raw, '@') == NULL && strncmp(raw, "_Z", 2) != 0 &&
	    strncmp(raw, "_R", 2) != 0)
		return 0;
	demangle_name(raw, strlen(raw), name);
	return strcmp(name, wanted) == 0;
}

static int
variable_visit(void *arg, const struct elffile *ef, const GElf_Sym *sym,
    const char *name)
{
	const int isglobal = GELF_ST_BIND(sym->st_info) != STB_LOCAL;
	struct variable *vrb = arg;

	(void)ef;
	if (!has_address(sym) || !is_name(name, vrb->vrb_name) ||
	    (vrb->vrb_n > 0 && isglobal < vrb->vrb_isglobal))
		return 0;
	if (isglobal > vrb->vrb_isglobal)
		vrb->vrb_n = 0;
	if (vrb->vrb_n > 0 && vrb->vrb_addr == sym->st_value)
		return 0;
	vrb->vrb_n++;
	vrb->vrb_addr = sym->st_value;
	vrb->vrb_size = sym->st_size;
	vrb->vrb_isglobal = isglobal;
	return 0;
}

static int
variable_isenough(void *arg)
{
	return ((const struct variable *)arg)->vrb_n > 0;
}

int
variables_find(struct object_file *ob, const struct probe_query *pq,
    struct probe_sink *sink)
{
	const struct elfload *el = elffile_at(object_file_main(ob), pq->pq_off);
	struct variable vrb = { .vrb_name = pq->pq_name };
	struct found_site fo = { .fo_name = pq->pq_name };

	if (el == NULL)
		return EINVAL;
	(void)symbol_walk(ob, variable_visit, variable_isenough, &vrb);
	if (vrb.vrb_n == 0)
		return 0;
	fo.fo_site.psi_off = vrb.vrb_addr -
	    (el->el_addr + (pq->pq_off - el->el_off));
	fo.fo_site.psi_size = vrb.vrb_size;
	sink->psk_put(sink, &fo);
	if (vrb.vrb_n > 1)
		sink->psk_more(sink);
	return 0;
}
