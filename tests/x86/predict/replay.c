/* Replays what a simulator did with its branch predictor, and compares each
 * prediction:
 *
 *	replay KIND FILE
 *
 * FILE has records of 32 bytes: operation (0 predict, 1 history, 2 update),
 * class of the branch as in CBP2025's InstClass, taken, predicted, 4 bytes of
 * nothing; then little-endian 64-bit identity, address and next address. Prints
 * the predictions, those that differ, and the mispredictions; 1 when any
 * differs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/timing/predict/direction.h"

enum { OPERATION_PREDICT, OPERATION_HISTORY, OPERATION_UPDATE };
enum { IN_FLIGHT = 1 << 13, RECORD_BYTES = 4096 };

struct event {
	uint8_t operation, class, taken, predicted, nothing[4];
	uint64_t identity, address, next;
};

/* By identity; how many are in flight is bounded by the window. */
static struct flying {
	uint64_t identity;
	bool used, predicted;
	_Alignas(8) char record[RECORD_BYTES];
} flying[IN_FLIGHT];

static struct flying *find(uint64_t identity)
{
	for (uint32_t i = 0; i < IN_FLIGHT; i++) {
		struct flying *one =
			&flying[(identity * 31 + i) % IN_FLIGHT];

		if (one->used && one->identity == identity)
			return one;
	}
	return NULL;
}

static struct flying *begin(uint64_t identity)
{
	for (uint32_t i = 0; i < IN_FLIGHT; i++) {
		struct flying *one =
			&flying[(identity * 31 + i) % IN_FLIGHT];

		if (!one->used) {
			one->used = true;
			one->identity = identity;
			return one;
		}
	}
	return NULL;
}

static enum branch_kind kind_of(uint8_t class)
{
	switch (class) {
	case 3:
		return BRANCH_CONDITIONAL;
	case 5:
		return BRANCH_INDIRECT_JUMP;
	case 9:
		return BRANCH_CALL;
	case 10:
		return BRANCH_INDIRECT_CALL;
	case 11:
		return BRANCH_RETURN;
	default:
		return BRANCH_JUMP;
	}
}

static uint64_t predictions, differing, wrong;

static int step(struct direction *direction, const struct event *event)
{
	static _Alignas(8) char other[RECORD_BYTES];
	struct branch branch = {
		.address = event->address,
		.target = event->next,
		.kind = kind_of(event->class),
	};
	struct flying *own;

	if (event->operation == OPERATION_PREDICT) {
		own = begin(event->identity);
		branch.kind = BRANCH_CONDITIONAL;
		if (!own)
			return -1;
		own->predicted = direction_predict(direction, own->record,
						   &branch, event->taken);
		predictions++;
		if (own->predicted != event->predicted && !differing++)
			printf("first difference: prediction %" PRIu64
			       " at 0x%" PRIx64 "\n",
			       predictions, event->address);
		return 0;
	}
	if (event->operation == OPERATION_HISTORY &&
	    branch.kind != BRANCH_CONDITIONAL) {
		direction_history(direction, other, &branch, event->predicted,
				  event->taken);
		return 0;
	}
	own = find(event->identity);
	branch.kind = BRANCH_CONDITIONAL;
	if (!own)
		return -1;
	if (event->operation == OPERATION_HISTORY) {
		wrong += own->predicted != event->taken;
		direction_history(direction, own->record, &branch,
				  event->predicted, event->taken);
	} else {
		direction_update(direction, own->record, &branch,
				 event->taken);
		own->used = false;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const names[] = {
#define PREDICTOR(id, name, ...) name,
#include "x86/timing/predict/kinds.def"
	};
	struct predict_config config;
	struct direction direction;
	struct event event;
	FILE *stream = argc == 3 ? fopen(argv[2], "rb") : NULL;

	predict_config_defaults(&config);
	config.kind = -1;
	for (int i = 0; argc == 3 && i < DIRECTION_COUNT; i++)
		if (!strcmp(names[i], argv[1]))
			config.kind = i;
	if (!stream || config.kind < 0) {
		fputs("usage: replay KIND FILE\n", stderr);
		return 2;
	}
	direction_init(&direction, &config);
	if (direction_record_bytes(&direction) > RECORD_BYTES)
		return 2;
	while (fread(&event, sizeof event, 1, stream) == 1)
		if (step(&direction, &event)) {
			fputs("replay: an event without its prediction, or too "
			      "many branches in flight\n",
			      stderr);
			return 2;
		}
	fclose(stream);
	printf("%s: %" PRIu64 " predictions, %" PRIu64 " differ, %" PRIu64
	       " mispredicted\n",
	       argv[1], predictions, differing, wrong);
	direction_free(&direction);
	return differing != 0;
}
