#include "evergreen/emu/combine.h"

#include "base/memory.h"

struct evg_combiner *evg_combiner_create(void)
{
	struct evg_combiner *combiner = xcalloc(1, sizeof *combiner);

	combiner->low = UINT32_MAX;
	return combiner;
}

void evg_combiner_settle(struct evg_combiner *combiner,
			 const struct evg_simd *simd, uint8_t *memory_base)
{
	if (!combiner || combiner->low > combiner->high)
		return;
	for (uint32_t i = 0; i < EVG_COMBINED; i++) {
		uint32_t address = combiner->kept[i].address;

		if (address)
			simd->rat_update(
				combiner->op,
				(uint32_t *)(void *)(memory_base + address),
				combiner->kept[i].value, 0);
		combiner->kept[i].address = 0;
	}
	combiner->low = UINT32_MAX;
	combiner->high = 0;
}
