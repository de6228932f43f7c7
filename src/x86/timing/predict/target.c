#include "x86/timing/predict/target.h"

#include <stdlib.h>

#include "base/memory.h"

static const struct target_kind *const kinds[] = {
#define TARGET_PREDICTOR(id, ...) &target_##id,
#include "x86/timing/predict/targets.def"
};

const struct target_kind target_none = { .name = "none" };

size_t target_state_bytes(const struct target *target)
{
	const struct target_kind *kind = target->kind;

	return kind->state_bytes ? kind->state_bytes(target->config) : 0;
}

uint64_t target_storage_bits(const struct target *target)
{
	const struct target_kind *kind = target->kind;

	return kind->storage_bits ? kind->storage_bits(target->config) : 0;
}

void target_choose(struct target *target, const struct predict_config *config)
{
	*target = (struct target){ kinds[config->indirect], config, NULL };
}

void target_init(struct target *target, const struct predict_config *config)
{
	target_choose(target, config);
	target->state = xcalloc_aligned(target_state_bytes(target) + 1);
	if (target->kind->init)
		target->kind->init(config, target->state);
}

void target_free(struct target *target)
{
	free(target->state);
	target->state = NULL;
}
