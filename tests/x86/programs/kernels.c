/* Loops of many kinds for the compiler to vectorise: each prints a digest of
 * its results. What they compute has to be the same on any processor that
 * executes the same instructions. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1003, SIDE = 61 };

static float fa[N], fb[N], fc[N];
static double da[N], db[N], dc[N];
static int32_t ia[N], ib[N], ic[N];
static uint32_t ua[N], ub[N];
static int64_t la[N], lb[N], lc[N];
static uint64_t wa[N], wb[N];
static int16_t sa[N], sb[N], sc[N];
static uint16_t ha[N], hb[N];
static int8_t ca[N], cb[N], cc[N];
static uint8_t ba[N], bb[N], bc[N];

static uint64_t state = 1;

static uint32_t next(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 32);
}

static void fill(void)
{
	for (int i = 0; i < N; i++) {
		fa[i] = (float)(int32_t)next() / 65536.0f;
		fb[i] = (float)(next() % 1000 + 1) / 7.0f;
		da[i] = (double)(int32_t)next() / 1024.0;
		db[i] = (double)(next() % 100000 + 1) / 9.0;
		ia[i] = (int32_t)next() >> next() % 32;
		ib[i] = (int32_t)next() | 1;
		ua[i] = next() >> next() % 32;
		ub[i] = next();
		la[i] = (int64_t)((uint64_t)next() << 32 | next()) >>
			next() % 64;
		lb[i] = (int64_t)((uint64_t)next() << 32 | next());
		wa[i] = (uint64_t)la[i];
		wb[i] = (uint64_t)lb[i] >> 7;
		sa[i] = (int16_t)next();
		sb[i] = (int16_t)next();
		ha[i] = (uint16_t)next();
		hb[i] = (uint16_t)next();
		ca[i] = (int8_t)next();
		cb[i] = (int8_t)next();
		ba[i] = (uint8_t)next();
		bb[i] = (uint8_t)next();
	}
}

static void show(const char *name, const void *data, size_t size)
{
	const unsigned char *at = data;
	uint64_t digest = 14695981039346656037u;

	for (size_t i = 0; i < size; i++)
		digest = (digest ^ at[i]) * 1099511628211u;
	printf("%-12s %016llx\n", name, (unsigned long long)digest);
}

/* One loop over all elements and its digest. */
#define LOOP(name, result, statement) \
	static __attribute__((noinline)) void name(void) \
	{ \
		for (int i = 0; i < N; i++) { \
			statement; \
		} \
		show(#name, result, sizeof result); \
	}

LOOP(add_float, fc, fc[i] = fa[i] + fb[i])
LOOP(madd_float, fc, fc[i] = fa[i] * fb[i] + fc[i])
LOOP(msub_float, fc, fc[i] = fb[i] * fc[i] - fa[i])
LOOP(nmadd_double, dc, dc[i] = da[i] - db[i] * dc[i])
LOOP(divide, fc, fc[i] = fa[i] / fb[i])
LOOP(divide_double, dc, dc[i] = da[i] / db[i])
LOOP(root, fc, fc[i] = sqrtf(fabsf(fa[i])) + 1 / sqrtf(fb[i]))
LOOP(root_double, dc, dc[i] = sqrt(fabs(da[i])))
LOOP(smaller, fc, fc[i] = fa[i] < fb[i] ? fa[i] : fb[i])
LOOP(larger, dc, dc[i] = fmax(da[i], db[i]))
LOOP(rounded, fc, fc[i] = floorf(fa[i]) + ceilf(fb[i]) + truncf(fa[i]))
LOOP(rounded_near, dc, dc[i] = rint(da[i]) + nearbyint(db[i]))
LOOP(signs, dc, dc[i] = copysign(db[i], da[i]))
LOOP(choose, fc, fc[i] = fa[i] > 0 ? fb[i] * 2 : fa[i] - fb[i])
LOOP(store_some, fc, if (fa[i] > fb[i]) fc[i] = fa[i])
LOOP(store_some_double, dc, if (da[i] < 0) dc[i] += db[i])
LOOP(store_some_int, ic, if (ia[i] & 4) ic[i] = ib[i])
LOOP(store_some_long, lc, if (la[i] > lb[i]) lc[i] = lb[i])
LOOP(look_up, fc, fc[i] = fa[ub[i] % N])
LOOP(look_up_double, dc, dc[i] = da[ha[i] % N] + 1)
LOOP(look_up_int, ic, ic[i] = ia[ba[i]] ^ ib[bb[i]])
LOOP(look_up_long, lc, lc[i] = la[wb[i] % N])
LOOP(to_int, ic, ic[i] = (int32_t)fb[i] + (int32_t)da[i])
LOOP(to_float, fc, fc[i] = (float)ia[i] + (float)db[i])
LOOP(to_double, dc, dc[i] = (double)ia[i] * (double)fb[i])
LOOP(bytes_to_float, fc, fc[i] = (float)ba[i] * 0.5f + (float)ca[i])
LOOP(shorts_to_double, dc, dc[i] = (double)sa[i] - (double)ha[i])
LOOP(float_to_bytes, bc, bc[i] = (uint8_t)(int)fb[i])
LOOP(unsigned_to_float, fc, fc[i] = (float)ua[i])
LOOP(long_to_double, dc, dc[i] = (double)la[i])
LOOP(multiply, ic, ic[i] = ia[i] * ib[i] + i)
LOOP(multiply_long, lc, lc[i] = la[i] * lb[i])
LOOP(multiply_wide, lc, lc[i] = (int64_t)ia[i] * ib[i])
LOOP(multiply_wide_u, wa, wa[i] = (uint64_t)ua[i] * ub[i])
LOOP(multiply_high, sc, sc[i] = (int16_t)((sa[i] * sb[i]) >> 16))
LOOP(multiply_high_u, hb, hb[i] = (uint16_t)((ha[i] * (uint32_t)hb[i]) >> 16))
LOOP(multiply_round, sc,
     sc[i] = (int16_t)(((sa[i] * sb[i] >> 14) + 1) >> 1))
LOOP(multiply_bytes, bc, bc[i] = (uint8_t)(ba[i] * bb[i]))
LOOP(divide_constant, ua, ua[i] = ub[i] / 7 + ub[i] % 10)
LOOP(shift_each, ua, ua[i] = ub[i] << (bb[i] & 31) | ub[i] >> (ba[i] & 31))
LOOP(shift_each_signed, ic, ic[i] = ib[i] >> (ba[i] & 31))
LOOP(shift_each_long, wa, wa[i] = wb[i] << (ba[i] & 63) ^ wb[i] >> (bb[i] & 63))
LOOP(shift_long, lc, lc[i] = lb[i] >> 13)
LOOP(rotate, ua, ua[i] = ub[i] << 7 | ub[i] >> 25)
LOOP(swap, ua, ua[i] = __builtin_bswap32(ub[i]))
LOOP(bits, ua, ua[i] = (uint32_t)__builtin_popcount(ub[i]))
LOOP(absolute, ic, ic[i] = abs(ia[i] >> 1) + abs((int)sa[i]))
LOOP(absolute_bytes, cc, cc[i] = (int8_t)(ca[i] < 0 ? -ca[i] : ca[i]))
LOOP(average, bc, bc[i] = (uint8_t)((ba[i] + bb[i] + 1) >> 1))
LOOP(average_short, hb, hb[i] = (uint16_t)((ha[i] + hb[i] + 1) >> 1))
LOOP(least_bytes, bc, bc[i] = ba[i] < bb[i] ? ba[i] : bb[i])
LOOP(most_shorts, sc, sc[i] = sa[i] > sb[i] ? sa[i] : sb[i])
LOOP(most_ints, ua, ua[i] = ua[i] > ub[i] ? ua[i] : ub[i])
LOOP(least_longs, lc, lc[i] = la[i] < lb[i] ? la[i] : lb[i])
LOOP(saturate, cc, cc[i] = (int8_t)(ca[i] + cb[i] > 127 ? 127 :
	ca[i] + cb[i] < -128 ? -128 : ca[i] + cb[i]))
LOOP(pack, bc, bc[i] = (uint8_t)(sa[i] < 0 ? 0 : sa[i] > 255 ? 255 : sa[i]))
LOOP(equal, ic, ic[i] = ia[i] == ic[i] || la[i] == lc[i])
LOOP(upper, bc, bc[i] = (uint8_t)(ba[i] >= 'a' && ba[i] <= 'z' ?
	ba[i] - 32 : ba[i]))
LOOP(backwards, ic, ic[i] = ia[N - 1 - i])
LOOP(strided, dc, dc[i] = da[(i * 3) % N])
LOOP(exponent, dc, dc[i] = exp(-db[i] / 1000) + sin(da[i]) * log(db[i]))
LOOP(power, fc, fc[i] = powf(fb[i], 1.5f) + atanf(fa[i]))

/* ---- Reductions ---- */

static void sums(void)
{
	float f = 0, dot = 0;
	double d = 0;
	int64_t l = 0;
	uint32_t u = 0, most = 0, differences = 0;
	int32_t least = 0;

	for (int i = 0; i < N; i++) {
		f += fb[i];
		dot += fb[i] * (float)i;
		d += da[i] * db[i];
		l += ia[i];
		u ^= ub[i];
		most = ub[i] > most ? ub[i] : most;
		least = ib[i] < least ? ib[i] : least;
		differences += (uint32_t)abs(ba[i] - bb[i]);
	}
	printf("%-12s %a %a %a %lld %u %u %d %u\n", "sums", (double)f,
	       (double)dot, d, (long long)l, u, most, least, differences);
}

/* ---- Matrices ---- */

static void matrices(void)
{
	static float a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];
	static double x[SIDE][SIDE], y[SIDE];

	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			a[i][j] = (float)(next() % 100) / 3;
			b[i][j] = (float)(next() % 100) - 50;
			x[i][j] = i == j ? SIDE * 100.0 :
					   (double)(next() % 100);
		}
	for (int i = 0; i < SIDE; i++)
		for (int k = 0; k < SIDE; k++)
			for (int j = 0; j < SIDE; j++)
				c[i][j] += a[i][k] * b[k][j];
	show("product", c, sizeof c);
	for (int i = 1; i + 1 < SIDE; i++)
		for (int j = 1; j + 1 < SIDE; j++)
			b[i][j] = (c[i - 1][j] + c[i + 1][j] + c[i][j - 1] +
				   c[i][j + 1]) * 0.25f - c[i][j];
	show("stencil", b, sizeof b);
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			a[j][i] = b[i][j];
	show("transposed", a, sizeof a);
	/* Elimination. */
	for (int i = 0; i < SIDE; i++)
		y[i] = i;
	for (int k = 0; k < SIDE; k++)
		for (int i = k + 1; i < SIDE; i++) {
			double factor = x[i][k] / x[k][k];

			for (int j = k; j < SIDE; j++)
				x[i][j] -= factor * x[k][j];
			y[i] -= factor * y[k];
		}
	show("solved", y, sizeof y);
}

static void mandelbrot(void)
{
	static int count[64][64];

	for (int py = 0; py < 64; py++)
		for (int px = 0; px < 64; px++) {
			float x0 = (float)px / 24 - 2, y0 = (float)py / 32 - 1;
			float x = 0, y = 0;
			int n = 0;

			for (int k = 0; k < 80; k++) {
				float t = x * x - y * y + x0;

				y = 2 * x * y + y0;
				x = t;
				n += x * x + y * y < 4;
			}
			count[py][px] = n;
		}
	show("mandelbrot", count, sizeof count);
}

/* Struct of complex numbers: interleaved multiplications. */
static void complex_products(void)
{
	static struct { float re, im; } a[256], b[256], c[256];

	for (int i = 0; i < 256; i++) {
		a[i].re = fa[i], a[i].im = fb[i];
		b[i].re = fb[i + 1], b[i].im = fa[i + 1];
	}
	for (int i = 0; i < 256; i++) {
		c[i].re = a[i].re * b[i].re - a[i].im * b[i].im;
		c[i].im = a[i].re * b[i].im + a[i].im * b[i].re;
	}
	show("complex", c, sizeof c);
}

/* ---- Hashes and sorting ---- */

static uint32_t rotate_right(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static void sha256(void)
{
	static uint32_t k[64];
	uint32_t h[8], w[64];

	for (int i = 0; i < 64; i++)
		k[i] = next();
	for (int i = 0; i < 8; i++)
		h[i] = next();
	for (int block = 0; block < 40; block++) {
		uint32_t v[8];

		memcpy(v, h, sizeof v);
		for (int i = 0; i < 16; i++)
			w[i] = __builtin_bswap32(ub[block * 16 + i]);
		for (int i = 16; i < 64; i++) {
			uint32_t p = w[i - 15], q = w[i - 2];

			w[i] = w[i - 16] + w[i - 7] +
			       (rotate_right(p, 7) ^ rotate_right(p, 18) ^
				p >> 3) +
			       (rotate_right(q, 17) ^ rotate_right(q, 19) ^
				q >> 10);
		}
		for (int i = 0; i < 64; i++) {
			uint32_t t = v[7] + k[i] + w[i] +
				(rotate_right(v[4], 6) ^
				 rotate_right(v[4], 11) ^
				 rotate_right(v[4], 25)) +
				((v[4] & v[5]) ^ (~v[4] & v[6]));
			uint32_t u = (rotate_right(v[0], 2) ^
				      rotate_right(v[0], 13) ^
				      rotate_right(v[0], 22)) +
				((v[0] & v[1]) ^ (v[0] & v[2]) ^
				 (v[1] & v[2]));

			memmove(v + 1, v, 7 * sizeof *v);
			v[4] += t;
			v[0] = t + u;
		}
		for (int i = 0; i < 8; i++)
			h[i] += v[i];
	}
	show("sha256", h, sizeof h);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void sort(void)
{
	memcpy(dc, da, sizeof dc);
	qsort(dc, N, sizeof *dc, ascending);
	show("qsort", dc, sizeof dc);
	/* Bitonic, on whole arrays. */
	static uint32_t keys[256];

	memcpy(keys, ub, sizeof keys);
	for (int k = 2; k <= 256; k *= 2)
		for (int j = k / 2; j > 0; j /= 2)
			for (int i = 0; i < 256; i++) {
				uint32_t a = keys[i], b = keys[i ^ j];

				if ((i ^ j) > i && (i & k ? a < b : a > b))
					keys[i] = b, keys[i ^ j] = a;
			}
	show("bitonic", keys, sizeof keys);
}

int main(void)
{
	static void (*const kernels[])(void) = {
		add_float, madd_float, msub_float, nmadd_double, divide,
		divide_double, root, root_double, smaller, larger, rounded,
		rounded_near, signs, choose, store_some, store_some_double,
		store_some_int, store_some_long, look_up, look_up_double,
		look_up_int, look_up_long, to_int, to_float, to_double,
		bytes_to_float, shorts_to_double, float_to_bytes,
		unsigned_to_float, long_to_double, multiply, multiply_long,
		multiply_wide, multiply_wide_u, multiply_high,
		multiply_high_u, multiply_round, multiply_bytes,
		divide_constant, shift_each, shift_each_signed,
		shift_each_long, shift_long, rotate, swap, bits, absolute,
		absolute_bytes, average, average_short, least_bytes,
		most_shorts, most_ints, least_longs, saturate, pack, equal,
		upper, backwards, strided, exponent, power, sums, matrices,
		mandelbrot, complex_products, sha256, sort,
	};

	fill();
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
		kernels[i]();
	return 0;
}
