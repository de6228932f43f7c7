/* Indirect calls: objects with tables of functions, and recursion. */
#include <stdio.h>

struct shape;
struct operations {
	int (*area)(const struct shape *shape);
	int (*grow)(struct shape *shape, int by);
};
struct shape {
	const struct operations *operations;
	int width, height;
};

static int rectangle_area(const struct shape *s)
{
	return s->width * s->height;
}
static int triangle_area(const struct shape *s)
{
	return s->width * s->height / 2;
}
static int grow_width(struct shape *s, int by)
{
	return s->width = (s->width + by) & 1023;
}
static int grow_both(struct shape *s, int by)
{
	s->height = (s->height + by) & 511;
	return grow_width(s, by);
}
static const struct operations kinds[4] = {
	{ rectangle_area, grow_width },
	{ triangle_area, grow_both },
	{ rectangle_area, grow_both },
	{ triangle_area, grow_width },
};

static __attribute__((noinline, noclone)) int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int main(void)
{
	enum { SHAPES = 64, ROUNDS = 100000 };
	struct shape shapes[SHAPES];
	unsigned sum = 0;

	for (int i = 0; i < SHAPES; i++)
		shapes[i] = (struct shape){ &kinds[i * 7 % 4], i, i + 1 };
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < SHAPES; i++) {
			struct shape *s = &shapes[i];

			sum += (unsigned)s->operations->grow(s, round & 7);
			sum += (unsigned)s->operations->area(s);
		}
	printf("%u %d\n", sum, fibonacci(32));
}
