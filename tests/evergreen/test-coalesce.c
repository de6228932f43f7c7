/* Blocks of lanes: random instructions, against one byte after the other. */
#include <string.h>

#include "evergreen/timing/coalesce.h"
#include "unit/harness.h"

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Byte by byte: what coalesce_blocks() says, without its ideas. */
static unsigned by_bytes(uint64_t mask, const uint32_t *address, uint32_t bytes,
			 uint32_t size, struct coalesce_block *blocks,
			 unsigned count)
{
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		uint32_t counted = UINT32_MAX;

		if (!(mask >> lane & 1))
			continue;
		for (uint32_t at = address[lane]; at < address[lane] + bytes;
		     at++) {
			unsigned i = 0;

			while (i < count &&
			       blocks[i].address / size != at / size)
				i++;
			if (i == count)
				blocks[count++] = (struct coalesce_block){
					at, at + 1, 0};
			if (at < blocks[i].address)
				blocks[i].address = at;
			if (at + 1 > blocks[i].end)
				blocks[i].end = at + 1;
			blocks[i].elements += i != counted;
			counted = i;
		}
	}
	return count;
}

/* Kinds of addresses: a run, rows, strides, anywhere, unaligned ones. */
static uint32_t make_address(unsigned kind, unsigned lane, uint32_t base,
			     uint32_t bytes, uint32_t *seed)
{
	switch (kind) {
	case 0:
		return base + lane * bytes;
	case 1:
		return base + lane / 16 * 4096 + lane % 16 * bytes;
	case 2:
		return base + lane * 68;
	case 3:
		return base + next_random(seed) % 4096 * bytes;
	case 4:
		return base + next_random(seed) % 600;
	default:
		return base + (63 - lane) / 3 * bytes;
	}
}

static void test_random(void)
{
	static struct coalesce_block found[COALESCE_MAX], expected[COALESCE_MAX];
	uint32_t seed = 1;

	for (unsigned round = 0; round < 6000; round++) {
		uint32_t bytes = 1u << next_random(&seed) % 5;
		uint32_t size = 16u << next_random(&seed) % 5;
		unsigned count = 0, wanted = 0, parts = 1 + round % 3;
		bool whole = next_random(&seed) % 2;

		for (unsigned part = 0; part < parts; part++) {
			uint32_t address[EVG_WAVEFRONT_SIZE];
			uint64_t mask = next_random(&seed) % 2 ? ~0ull
				: (uint64_t)next_random(&seed) << 32 |
				  next_random(&seed);
			unsigned kind = next_random(&seed) % 6;
			uint32_t base = 1 << 20 | next_random(&seed) % 64 * 64;

			for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
				address[lane] = make_address(kind, lane, base,
							     bytes, &seed);
			count = coalesce_blocks(mask, address, bytes, size,
						whole, found, count);
			wanted = by_bytes(mask, address, bytes, size, expected,
					  wanted);
		}
		CU_ASSERT_EQUAL_FATAL(count, wanted);
		for (unsigned i = 0; whole && i < count; i++) {
			found[i].address &= ~(size - 1);
			expected[i].address &= ~(size - 1);
			found[i].end = expected[i].end = 0;
		}
		CU_ASSERT_EQUAL_FATAL(memcmp(found, expected,
					     count * sizeof *found), 0);
	}
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "random lanes", test_random },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "coalesce", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
