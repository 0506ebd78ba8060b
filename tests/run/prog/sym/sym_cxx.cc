/* SPDX-License-Identifier: ISC */
/* An anonymous namespace, templates, an operator, a lambda: all demangled. */
#include <functional>
#include <map>
#include <string>

#include "burn.h"

namespace burn {

template <typename T, int N> struct grow {
	BURN_APART static void
	leaf(const std::map<std::string, T> &)
	{
		burn_spin(N);
		burn_sink++;
	}
};

template <typename F>
BURN_APART void
middle(F fn, const std::map<std::string, int> &m)
{
	burn_spin(20);
	fn(m);
	burn_sink++;
}

struct top {
	BURN_APART void
	operator()(const std::map<std::string, int> &m) const
	{
		burn_spin(10);
		middle(&grow<int, 70>::leaf, m);
		burn_sink++;
	}
};

} // namespace burn

static const std::map<std::string, int> nothing;

static void
work(void)
{
	burn::top()(nothing);
	burn_sink++;
}

int
main(int argc, char **argv)
{
	burn_for(work, burn_arg(argc, argv));
	return 0;
}
