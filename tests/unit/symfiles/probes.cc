/* Functions with arguments of each kind, and lines, for test_symbolizer_probes.c */
#define KEEP __attribute__((noinline, used))

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
}

int
main()
{
	return thing{ 1 }.get(guard{ 2 }, 3) + space::over(1) +
	    space::over(2L);
}
