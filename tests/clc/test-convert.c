/* Conversions with every rounding mode, saturated and not: kernels on the
 * simulated device against the host, bit by bit. */
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "clc/support.h"
#include "evergreen/emu/emu.h"
#include "unit/harness.h"
#include "unit/random.h"

enum { COUNT = 3072, LOCAL_SIZE = 64 };

enum type { INT, UINT, LONG, ULONG, FLOAT, DOUBLE };

static const struct {
	const char *name;
	size_t size;
	double least; /* of integers */
	double beyond;
} types[] = {
	[INT] = { "int", 4, -0x1p31, 0x1p31 },
	[UINT] = { "uint", 4, 0, 0x1p32 },
	[LONG] = { "long", 8, -0x1p63, 0x1p63 },
	[ULONG] = { "ulong", 8, 0, 0x1p64 },
	[FLOAT] = { "float", 4, 0, 0 },
	[DOUBLE] = { "double", 8, 0, 0 },
};

static const struct {
	enum type from, to;
	bool saturated;
} conversions[] = {
	{ INT, FLOAT, false },	  { UINT, FLOAT, false },
	{ LONG, FLOAT, false },	  { ULONG, FLOAT, false },
	{ LONG, DOUBLE, false },  { ULONG, DOUBLE, false },
	{ FLOAT, INT, false },	  { FLOAT, UINT, false },
	{ FLOAT, LONG, false },	  { FLOAT, ULONG, false },
	{ FLOAT, INT, true },	  { FLOAT, UINT, true },
	{ FLOAT, LONG, true },	  { FLOAT, ULONG, true },
	{ DOUBLE, INT, false },	  { DOUBLE, UINT, false },
	{ DOUBLE, LONG, false },  { DOUBLE, ULONG, false },
	{ DOUBLE, INT, true },	  { DOUBLE, UINT, true },
	{ DOUBLE, LONG, true },	  { DOUBLE, ULONG, true },
	{ DOUBLE, FLOAT, false },
};

/* The first is that of a conversion that names none. */
static const struct {
	const char *suffix;
	int to_integer, to_real; /* for fesetround */
} modes[] = {
	{ "", FE_TOWARDZERO, FE_TONEAREST },
	{ "_rte", FE_TONEAREST, FE_TONEAREST },
	{ "_rtz", FE_TOWARDZERO, FE_TOWARDZERO },
	{ "_rtp", FE_UPWARD, FE_UPWARD },
	{ "_rtn", FE_DOWNWARD, FE_DOWNWARD },
};

static uint64_t random_state;
static uint8_t operands[COUNT * 8], results[COUNT * 8];

static uint64_t next_random(void)
{
	return random_draw(&random_state);
}

/* --- Operands ----------------------------------------------------------- */

/* Of any number of bits, and often next to a power of two. */
static uint64_t random_integer(void)
{
	uint64_t value = next_random() >> next_random() % 64;

	if (next_random() % 2)
		value = (UINT64_C(1) << next_random() % 64) +
			next_random() % 7 - 3;
	return next_random() % 2 ? value : -value;
}

/* As an integer, perhaps with a fraction, or anything. */
static double random_real(void)
{
	static const double corners[] = {
		0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -1.5, 0.25, -0.75, -0.999,
		INFINITY, -INFINITY, NAN, 0x1p31, 0x1p32, 0x1p63, 0x1p64,
		-0x1p31, -0x1p63, 0x1.fffffep30, 0x1.fffffep62, 0x1.fffffep63,
		2147483647.5, 4294967295.5, -2147483648.5, 1e30, -1e30, 1e-30,
		0x1.fffffffffffffp62, 0x1.fffffffffffffp63, 16777216.5,
		0x1.fffffcp-127, 0x1p-149, -0x1p-150, 1e-300,
		0x1.fffffdp-127, -0x1.fffffep-127, 0x1.fffffdffp-127,
		0x1.ffffffp-127, -0x1.ffffff8p-127, 0x1p-126, -0x1p-126,
	};
	double value = (double)(int64_t)random_integer();

	switch (next_random() % 4) {
	case 0:
		return corners[next_random() % ARRAY_SIZE(corners)];
	case 1:
		return ldexp(value, (int)(next_random() % 64) - 62);
	case 2:
		return ldexp(value, 1);
	default:
		return value;
	}
}

static void put(enum type type, size_t index)
{
	uint8_t *place = operands + index * types[type].size;
	uint64_t integer = random_integer();
	double real = random_real();
	float single = (float)real;

	switch (type) {
	case FLOAT: /* the device has none below the normal ones */
		if (fabsf(single) < 0x1p-126f)
			single = 0;
		memcpy(place, &single, sizeof single);
		break;
	case DOUBLE:
		memcpy(place, &real, sizeof real);
		break;
	default:
		memcpy(place, &integer, types[type].size);
	}
}

/* --- What the host says ------------------------------------------------- */

static double real_at(enum type type, size_t index)
{
	float single;
	double real;

	memcpy(&single, operands + index * sizeof single, sizeof single);
	memcpy(&real, operands + index * sizeof real,
	       sizeof real);
	return type == FLOAT ? (double)single : real;
}

static uint64_t integer_at(enum type type, size_t index)
{
	int32_t word;
	uint64_t quad;

	memcpy(&word, operands + index * sizeof word, sizeof word);
	memcpy(&quad, operands + index * sizeof quad, sizeof quad);
	if (type == UINT)
		return (uint32_t)word;
	return type == INT ? (uint64_t)(int64_t)word : quad;
}

/* Without the compiler's help, which does not know of the mode. */
static void to_real(enum type from, enum type to, size_t index, int mode,
		    uint8_t *right)
{
	volatile int64_t number = (int64_t)integer_at(from, index);
	volatile uint64_t natural = (uint64_t)number;
	volatile double real = from == DOUBLE ? real_at(from, index) : 0;
	volatile double wide;
	volatile float single;
	float narrow;
	double value;

	fesetround(mode);
	if (to == DOUBLE)
		wide = from == ULONG ? (double)natural : (double)number;
	else if (from == DOUBLE)
		single = (float)real;
	else if (from == ULONG)
		single = (float)natural;
	else
		single = (float)number;
	fesetround(FE_TONEAREST);
	if (to == DOUBLE) {
		value = wide;
		memcpy(right, &value, sizeof value);
	} else {
		narrow = single;
		memcpy(right, &narrow, sizeof narrow);
	}
}

/* Whether the language says what the result is. */
static bool to_integer(enum type from, enum type to, size_t index, int mode,
		       bool saturated, uint8_t *right)
{
	volatile double value = real_at(from, index);
	uint64_t result;

	fesetround(mode);
	value = nearbyint(value);
	fesetround(FE_TONEAREST);
	if (value >= types[to].least && value < types[to].beyond)
		result = value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
	else if (!saturated)
		return false;
	else if (isnan(value))
		result = 0;
	else if (value < 0)
		result = to == LONG ? (uint64_t)INT64_MIN
				    : (uint64_t)(int64_t)types[to].least;
	else
		result = to == LONG    ? INT64_MAX
			 : to == ULONG ? UINT64_MAX
				       : (uint64_t)types[to].beyond - 1;
	memcpy(right, &result, types[to].size);
	return true;
}

static bool host(size_t conversion, size_t index, size_t mode, bool saturated,
		 uint8_t *right)
{
	enum type from = conversions[conversion].from;
	enum type to = conversions[conversion].to;

	if (to != FLOAT && to != DOUBLE)
		return to_integer(from, to, index, modes[mode].to_integer,
				  saturated, right);
	to_real(from, to, index, modes[mode].to_real, right);
	return true;
}

/* --- What the device says ----------------------------------------------- */

/* Two NaNs are the same, and zero is right for numbers below the normal ones,
 * which the device has none of. */
static bool same(enum type type, const uint8_t *ours, const uint8_t *right)
{
	float here, there;

	memcpy(&here, ours, sizeof here);
	memcpy(&there, right, sizeof there);
	if (type == FLOAT && fabsf(there) < 0x1p-126f)
		return here == 0;
	return !memcmp(ours, right, types[type].size) ||
	       (type == FLOAT && isnan(here) && isnan(there));
}

static unsigned compare(size_t conversion, size_t mode, bool saturated,
			const char *kernel)
{
	enum type to = conversions[conversion].to;
	size_t size = types[to].size;
	unsigned wrong = 0;

	for (size_t i = 0; i < COUNT; i++) {
		const uint8_t *ours = results + i * size;
		uint64_t here = 0, there = 0;
		uint8_t right[8];

		if (!host(conversion, i, mode, saturated, right) ||
		    same(to, ours, right))
			continue;
		memcpy(&here, ours, size);
		memcpy(&there, right, size);
		if (wrong++ < 3)
			printf("# %s of %a, 0x%llx: 0x%llx here, 0x%llx "
			       "there\n", kernel,
			       real_at(conversions[conversion].from, i),
			       (unsigned long long)integer_at(
				       conversions[conversion].from, i),
			       (unsigned long long)here,
			       (unsigned long long)there);
	}
	return wrong;
}

static unsigned run(const struct evg_program *program, const char *name,
		    unsigned elements)
{
	const struct evg_kernel *kernel = evg_program_find(program, name);
	const struct elementwise buffers = {
		.count = COUNT / elements,
		.local_size = LOCAL_SIZE,
		.operands = operands,
		.operand_count = 1,
		.operand_size = sizeof operands,
		.results = results,
		.result_size = sizeof results,
	};
	struct error error;

	memset(results, 0x55, sizeof results);
	if (kernel && !run_elementwise(kernel, &buffers, &error))
		return 0;
	printf("# %s: %s\n", name, kernel ? error.text : "not there");
	return 1;
}

static unsigned check_kernels(const struct evg_program *program,
			      size_t conversion)
{
	static const unsigned elements[] = { 1, 3, 16 };
	const char *sat = conversions[conversion].saturated ? "_sat" : "";
	unsigned wrong = 0;
	char name[64];

	for (size_t m = 0; m < ARRAY_SIZE(modes); m++)
		for (size_t e = 0; e < ARRAY_SIZE(elements); e++) {
			int length = snprintf(
				name, sizeof name, "%s_%s%s%s",
				types[conversions[conversion].to].name,
				types[conversions[conversion].from].name, sat,
				modes[m].suffix);

			if (elements[e] > 1)
				snprintf(name + length,
					 sizeof name - (size_t)length, "_%u",
					 elements[e]);
			wrong += run(program, name, elements[e]);
			wrong += compare(conversion, m, *sat, name);
		}
	wrong += run(program, "cast", 1);
	return wrong + compare(conversion, 0, false, "cast");
}

static bool check(size_t conversion)
{
	char *options = xasprintf(
		"-D TO=%s -D FROM=%s -D SUFFIX=%s",
		types[conversions[conversion].to].name,
		types[conversions[conversion].from].name,
		conversions[conversion].saturated ? "_sat" : "");
	struct evg_program *program = compile_program("convert.cl", options);
	unsigned wrong = 1;

	random_state = 0x9e3779b97f4a7c15u;
	for (size_t i = 0; i < COUNT; i++)
		put(conversions[conversion].from, i);
	if (program)
		wrong = check_kernels(program, conversion);
	evg_program_free(program);
	free(options);
	return !wrong;
}

int main(void)
{
	int failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < ARRAY_SIZE(conversions); i++) {
		bool right = check(i);

		printf("%sok - conversions: %s to %s%s\n", right ? "" : "not ",
		       types[conversions[i].from].name,
		       types[conversions[i].to].name,
		       conversions[i].saturated ? ", saturated" : "");
		failed += !right;
	}
	return failed ? 1 : 0;
}
