#include "x86/timing/predict/direction.h"

#include <stdlib.h>

#include "base/memory.h"

static const struct direction_kind *const kinds[] = {
#define PREDICTOR(id, ...) &direction_##id,
#include "x86/timing/predict/kinds.def"
};

size_t direction_state_bytes(const struct direction *direction)
{
	const struct direction_kind *kind = direction->kind;

	return kind->state_bytes ? kind->state_bytes(direction->config) : 0;
}

uint64_t direction_storage_bits(const struct direction *direction)
{
	const struct direction_kind *kind = direction->kind;

	return kind->storage_bits ? kind->storage_bits(direction->config) : 0;
}

void direction_choose(struct direction *direction,
		      const struct predict_config *config)
{
	*direction = (struct direction){ kinds[config->kind], config, NULL };
}

void direction_init(struct direction *direction,
		    const struct predict_config *config)
{
	direction_choose(direction, config);
	direction->state =
	    xcalloc_aligned(direction_state_bytes(direction) + 1);
	if (direction->kind->init)
		direction->kind->init(config, direction->state);
}

void direction_free(struct direction *direction)
{
	free(direction->state);
	direction->state = NULL;
}
