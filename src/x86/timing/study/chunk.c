#include "x86/timing/study/chunk.h"

#include <string.h>

void study_chunk_prepare(struct study_chunk *chunk)
{
	size_t n = 0;

	memset(chunk->taken, 0, sizeof chunk->taken);
	memset(chunk->backward, 0, sizeof chunk->backward);
	memset(chunk->taken_count, 0, sizeof chunk->taken_count);
	memset(chunk->kind_count, 0, sizeof chunk->kind_count);
	for (size_t i = 0; i < chunk->count; i++) {
		const struct branch_event *event = &chunk->events[i];
		const struct branch *branch = &event->branch;
		uint64_t bit = UINT64_C(1) << n % 64;

		if (chunk->numbers)
			chunk->numbered[i] =
				number_event(chunk->numbers, event);
		chunk->kind_count[branch->kind]++;
		chunk->taken_count[branch->kind] += event->taken;
		if (branch->kind != BRANCH_CONDITIONAL)
			continue;
		chunk->addresses[n] = branch->address;
		chunk->outcomes[n] = event->taken;
		chunk->pasts[n] = chunk->past;
		chunk->past = chunk->past << 1 | event->taken;
		if (event->taken)
			chunk->taken[n / 64] |= bit;
		if (branch->target <= branch->address)
			chunk->backward[n / 64] |= bit;
		n++;
	}
	chunk->conditional = n;
}
