/* Changes of whole records, besides libFuzzer's of bytes. */
#include <string.h>

#include "fuzz/calls/calls.h"
#include "fuzz/fuzz.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned seed);
/* libFuzzer's own; absent (and not called) in a replay. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
	__attribute__((weak));

static void draw_record(uint8_t record[RECORD_SIZE], uint64_t *seed)
{
	for (int i = 0; i < RECORD_SIZE; i++)
		record[i] = (uint8_t)random_draw(seed);
	/* Through the other ABI's gate only now and then. */
	if (random_draw(seed) % 8)
		record[1] &= 0x7f;
	/* Mostly what the call wants: see arguments.c. */
	for (int i = 2; i < RECORD_SIZE; i += 3)
		if (random_draw(seed) % 4)
			record[i] &= 0x7f;
}

/* A new value for one argument. */
static void change_argument(uint8_t record[RECORD_SIZE], uint64_t *seed)
{
	uint8_t other[RECORD_SIZE];
	size_t at = 2 + 3 * (random_draw(seed) % 6);

	draw_record(other, seed);
	memcpy(record + at, other + at, 3);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned number)
{
	uint64_t seed = number;
	size_t count = size < INPUT_HEADER
			       ? 0
			       : (size - INPUT_HEADER) / RECORD_SIZE;
	size_t at = count ? random_draw(&seed) % count : 0;
	uint8_t *record = data + INPUT_HEADER + at * RECORD_SIZE;
	uint8_t copy[RECORD_SIZE];
	size_t rest = size - INPUT_HEADER - at * RECORD_SIZE;

	if (size < INPUT_HEADER)
		return LLVMFuzzerMutate(data, size, max_size);
	switch (random_draw(&seed) % 8) {
	case 0:
	case 1:
		return LLVMFuzzerMutate(data, size, max_size);
	case 2:
		data[0] = (uint8_t)(random_draw(&seed) & 15);
		return size;
	case 3:
		if (!count)
			break;
		memmove(record, record + RECORD_SIZE, rest - RECORD_SIZE);
		return size - RECORD_SIZE;
	case 4:
	case 5:
		if (!count)
			break;
		change_argument(record, &seed);
		return size;
	default:
		break;
	}
	if (count == RECORDS_MAX || size + RECORD_SIZE > max_size)
		return LLVMFuzzerMutate(data, size, max_size);
	/* Another call, or the same once more with another argument. */
	draw_record(copy, &seed);
	if (count && random_draw(&seed) % 3 == 0) {
		memcpy(copy, record, RECORD_SIZE);
		change_argument(copy, &seed);
	}
	memmove(record + RECORD_SIZE, record, rest);
	memcpy(record, copy, RECORD_SIZE);
	return size + RECORD_SIZE;
}
