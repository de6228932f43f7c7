/* Numbers and floating-point states. */
#include <string.h>

#include "vector-case.h"

/* ---- Numbers ---- */

uint64_t corner_double(uint64_t *seed)
{
	static const uint64_t corners[] = {
		0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
		0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
		0xfff8000000000001, 0x7ff0000000000001, 0xfff4000000000000,
		1, 0x800fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff,
		0x3fe0000000000000, 0x4004000000000000, 0xc00c000000000000,
		0x41e0000000000000, 0xc1e0000000000000, 0x43e0000000000000,
		0x41dfffffffe00000, 0xc3e0000000000000, 0x3fefffffffffffff,
		0x47efffffe0000000, 0x3690000000000000, 0x3810000000000000,
	};
	uint64_t r = random_draw(seed);

	if (r & 1)
		return corners[(r >> 1) % (sizeof corners / sizeof *corners)];
	if (r & 2) /* near 1, so that operations do not only overflow */
		return (random_draw(seed) & 0x803fffffffffffff) |
		       (0x3fc0000000000000 + ((r >> 8 & 127) << 52));
	return random_draw(seed);
}

uint32_t corner_float(uint64_t *seed)
{
	static const uint32_t corners[] = {
		0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
		0x7fc00000, 0xffc00001, 0x7f800001, 0xffa00000, 1, 0x807fffff,
		0x00800000, 0x7f7fffff, 0x3f000000, 0x40200000, 0xc0600000,
		0x4f000000, 0xcf000000, 0x4effffff, 0x5f000000, 0xdf000000,
	};
	uint64_t r = random_draw(seed);

	if (r & 1)
		return corners[(r >> 1) % (sizeof corners / sizeof *corners)];
	if (r & 2)
		return (uint32_t)((random_draw(seed) & 0x807fffff) |
				  (0x3d800000 + (r >> 8 & 15) * 0x800000));
	return (uint32_t)random_draw(seed);
}

void corner_extended(uint64_t *seed, uint8_t to[10])
{
	static const struct {
		uint16_t sign_exponent;
		uint64_t mantissa;
	} corners[] = {
		{ 0, 0 }, { 0x8000, 0 }, { 0x3fff, 1ull << 63 },
		{ 0xbfff, 1ull << 63 }, { 0x7fff, 1ull << 63 },
		{ 0xffff, 1ull << 63 }, { 0x7fff, 3ull << 62 },
		{ 0xffff, 3ull << 62 | 1 }, { 0x7fff, 1ull << 63 | 1 },
		{ 0, 1 }, { 0x8000, 1ull << 62 }, { 0, 1ull << 63 }, /* pseudo- */
		{ 1, 1ull << 63 }, { 0x7ffe, UINT64_MAX }, /* denormal above */
		{ 0x7fff, 0 }, { 0x4000, 1 }, /* pseudo-infinity, unnormal */
		{ 0x4000, 0xc90fdaa22168c235 }, { 0x403e, UINT64_MAX },
		{ 0x3ffe, 1ull << 63 }, { 0xc01e, 1ull << 63 },
		{ 0x4001, 5ull << 61 }, { 0x403e, 1ull << 63 },
	};
	uint64_t r = random_draw(seed);
	uint16_t sign_exponent = (uint16_t)(r >> 16);
	uint64_t mantissa = random_draw(seed);

	if ((r & 7) < 3) {
		r = (r >> 8) % (sizeof corners / sizeof *corners);
		sign_exponent = corners[r].sign_exponent;
		mantissa = corners[r].mantissa;
	} else if (r & 1) {
		sign_exponent = (uint16_t)((sign_exponent & 0x8000) |
					   (0x3ff0 + (r >> 8 & 127) % 80));
		mantissa |= 1ull << 63;
		if (r & 2) /* few bits: exact results */
			mantissa &= 0xfff8000000000000;
	} else if (r & 2) {
		mantissa |= 1ull << 63;
	}
	memcpy(to, &mantissa, 8);
	memcpy(to + 8, &sign_exponent, 2);
}

/* ---- States ---- */

static void put16(uint8_t *at, unsigned value)
{
	at[0] = (uint8_t)value;
	at[1] = (uint8_t)(value >> 8);
}

void corner_vector(uint64_t *seed, uint8_t to[16])
{
	uint64_t kind = random_draw(seed) % 3;

	for (int i = 0; i < 2; i++) {
		uint64_t value = kind == 0 ? corner_double(seed) :
				 kind == 1 ? corner_float(seed) |
					(uint64_t)corner_float(seed) << 32 :
					random_corner(seed);

		memcpy(to + 8 * i, &value, 8);
	}
}

void make_fp_state(uint64_t *seed, uint8_t state[512])
{
	uint64_t r = random_draw(seed);
	uint32_t mxcsr = (uint32_t)random_draw(seed) & 0xffff;
	unsigned control = (r & 0xf00) | 0x40 | CONTROL_MASKS;

	memset(state, 0, 512);
	if ((r >> 16 & 7) == 0)
		control &= (unsigned)(r >> 24) | ~(unsigned)CONTROL_MASKS;
	/* Precision control 01 is reserved. */
	if ((control & 0x300) == 0x100)
		control |= 0x200;
	put16(state + STATE_CONTROL, control);
	put16(state + STATE_STATUS, (unsigned)(r >> 32) & 0x7f7f);
	/* A pending exception must not be in every test with unmasked ones. */
	if (r >> 48 & 3)
		put16(state + STATE_STATUS, (unsigned)(r >> 32) & 0x7f40);
	state[STATE_FULL] = (r >> 51 & 3) ? 0xff : (uint8_t)(r >> 56);
	if ((r >> 51 & 3) == 1) /* room for one more */
		state[STATE_FULL] &= (uint8_t)~(1u << (((r >> 43) - 1) & 7));
	if ((r >> 51 & 3) == 2)
		state[STATE_FULL] = (uint8_t)(0x0f0fu >> (8 - (r >> 43 & 7)));
	for (int i = 0; i < 8; i++)
		corner_extended(seed, state + STATE_ST + 16 * i);
	for (int i = 0; i < 16; i++)
		corner_vector(seed, state + STATE_XMM + 16 * i);
	if (r >> 53 & 7)
		mxcsr |= MXCSR_MASKS;
	memcpy(state + STATE_MXCSR, &mxcsr, 4);
}
