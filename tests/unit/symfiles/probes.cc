/* SPDX-License-Identifier: ISC */
/*
 * Functions with arguments of each kind, and lines, for the tests of places to
 * probe.  test_symbolizer_entry.c reads the arguments that main() passes.
 */
#ifdef __clang__
#define KEEP __attribute__((noinline, used, optnone))
#else
#define KEEP __attribute__((noipa, used)) /* no clones with other parameters */
#endif

struct pair {
	int x, y;
};
struct two {
	long a, b;
};
struct large {
	long a[3];
};
struct floats {
	float x, y;
};
struct mixed {
	long a;
	double b;
};
struct __attribute__((packed)) packed {
	char c;
	int i;
};
enum colour { RED };

volatile int sink;

struct guard {
	int g;
	~guard() { sink = g; }
};

static inline __attribute__((always_inline)) void
inlined(int x)
{
	sink = x + 1; /* line of inlined */
}

extern "C" {
KEEP long
ints(int a, unsigned b, const char *c, unsigned char d, long e, short f,
    long stack, int last)
{
	inlined(a);
	return a + b + *c + d + e + f + stack + last;
}

KEEP two
structs(pair p, two t, large l, int z)
{
	inlined(z);
	t.a += p.x + l.a[1] + z;
	return t;
}

KEEP large
hidden(double d, int a, floats f, mixed m, int z)
{
	return large{ { (long)d, a + (long)f.x + (long)m.b, z } };
}

KEEP long
full(long a, long b, long c, long d, long e, two t, long g, __int128 i, long k)
{
	return a + b + c + d + e + t.a + g + (long)i + k;
}

KEEP double
others(long double x, bool b, colour c, int **p, void (*f)(int), packed k,
    int z, ...)
{
	f(z);
	return x + b + c + **p + k.i;
}

KEEP void
nothing()
{
	sink = 0;
}
}

struct thing {
	int v;
	KEEP int get(guard g, int x) { return v + g.g + x; }
};

namespace space
{
KEEP int
over(int a)
{
	return a;
}
KEEP int
over(long a)
{
	return a + 1;
}
__attribute__((abi_tag("v1"))) KEEP int
tagged(int a)
{
	return a;
}
}

static void
take(int x)
{
	sink = x;
}

int
main()
{
	int n = 51, *p = &n;

	ints(-1, 2, "three", 4, 5, -6, 7, -8);
	structs(pair{ 11, 12 }, two{ 13, 14 }, large{ { 15, 16, 17 } }, 18);
	hidden(1.5, 21, floats{ 1, 2 }, mixed{ 3, 4 }, -22);
	full(31, 32, 33, 34, 35, two{ 36, 37 }, 38, 39, 40);
	others(1.0L, true, RED, &p, take, packed{ 'k', 52 }, 53);
	thing{ 61 }.get(guard{ 62 }, 63);
	return space::over(1) + space::over(2L) == 0;
}
