/* The event queue: a wheel of buckets for the near future, a sorted array of
 * the bucket that is being run, and a heap for what lies beyond the wheel.
 *
 *     current bucket          wheel                       later
 *   +----------------+  +---+---+---+-- --+---+   +-------------------+
 *   | sorted array   |  | . | o | o |     | . |   | heap              |
 *   +----------------+  +---+---+---+-- --+---+   +-------------------+
 *   now .. + 1 ns        chunks of events         more than 0.26 us ahead
 *
 * Nearly every event of a simulation is less than two hundred cycles ahead, so
 * it is put behind others of its cycle in constant time and ordered only among
 * these, when its bucket becomes the current one. Events lie in chunks of a
 * few, so that a bucket is read as a whole. What one time and source have in
 * common keeps the order of the chunks, which is that of the calls: only the
 * heap needs sequence numbers. */
#include "base/optimize.h"

#include "sim/event.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/queue.h"

enum {
	WHEEL_SIZE = EVENT_WHEEL_SIZE,
	WHEEL_MASK = EVENT_WHEEL_MASK,
	WORD_COUNT = WHEEL_SIZE / 64,
	BUCKET_BITS = EVENT_BUCKET_BITS,
	BLOCK_CHUNKS = 32,
};

/* --- The current bucket ------------------------------------------------- */

static picoseconds near_time(const struct event_queue *queue, uint32_t key)
{
	return queue->bucket << BUCKET_BITS | key >> (32 - BUCKET_BITS);
}

static void near_grow(struct near_list *list)
{
	list->capacity = list->capacity ? 2 * list->capacity : 64;
	list->entries = xrealloc(list->entries,
				 list->capacity * sizeof *list->entries);
	list->scratch = xrealloc(list->scratch,
				 list->capacity * sizeof *list->scratch);
}

/* An entry gets what is before it. By parts: a load of the whole would wait
 * until the stores of the parts, and all before them, have left the
 * processor's buffer. */
static inline void near_move(struct near_entry *entry)
{
	entry->key = entry[-1].key;
	entry->event = entry[-1].event;
}

/* An event that joins the bucket while it is being run: after those like it
 * that are there. */
static void near_insert(struct near_list *list, struct event *event)
{
	uint32_t key = event->key;
	size_t at = list->count;

	if (list->count == list->capacity)
		near_grow(list);
	list->count++;
	for (; at > 0 && list->entries[at - 1].key <= key; at--)
		near_move(&list->entries[at]);
	list->entries[at] = (struct near_entry){ key, event };
}

/* Merges two sorted runs; the choice is no branch that could be guessed
 * wrong. */
static void merge(struct near_entry *out, const struct near_entry *a,
		  const struct near_entry *a_end, const struct near_entry *b,
		  const struct near_entry *b_end)
{
	while (a < a_end && b < b_end) {
		bool second = b->key > a->key;

		*out++ = *(second ? b : a);
		a += !second;
		b += second;
	}
	while (a < a_end)
		*out++ = *a++;
	while (b < b_end)
		*out++ = *b++;
}

enum { RUN = 8 };

/* Merges sorted runs of RUN entries. */
static void near_merge(struct near_list *list)
{
	size_t count = list->count;

	for (size_t run = RUN; run < count; run *= 2) {
		struct near_entry *from = list->entries;

		for (size_t start = 0; start < count; start += 2 * run) {
			size_t middle = start + run < count ? start + run
							    : count;
			size_t end = start + 2 * run < count ? start + 2 * run
							     : count;

			merge(list->scratch + start, from + start,
			      from + middle, from + middle, from + end);
		}
		list->entries = list->scratch;
		list->scratch = from;
	}
}

/* Fills the empty array from chunks, of which the first is the newest. */
static void near_fill(struct near_list *list, struct event_chunk *chunk)
{
	size_t count = 0, start = 0;

	for (; chunk; chunk = chunk->next) {
		__builtin_prefetch(chunk->next);
		for (uint32_t i = chunk->count; i-- > 0;) {
			struct event *event = &chunk->events[i];
			uint32_t key = event->key;
			size_t at = count;

			/* The called component will look there soon. Prefetched
			 * for reading, because other processors may read the
			 * first members, too. */
			__builtin_prefetch(event->owner);
			if (count == list->capacity)
				near_grow(list);
			if (count - start == RUN)
				start = count;
			count++;
			for (; at > start && list->entries[at - 1].key < key;
			     at--)
				near_move(&list->entries[at]);
			list->entries[at] = (struct near_entry){ key, event };
		}
	}
	list->count = count;
	if (count > RUN)
		near_merge(list);
}

/* --- Beyond the wheel --------------------------------------------------- */

static bool before(const struct later_event *a, const struct later_event *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	if (a->source != b->source)
		return a->source < b->source;
	return (int32_t)(a->sequence - b->sequence) < 0;
}

static void later_push(struct later_heap *heap, const struct later_event *event)
{
	size_t at;

	ARRAY_GROW(heap->entries, heap->count, heap->capacity);
	at = heap->count++;
	while (at) {
		size_t parent = (at - 1) / 2;

		if (!before(event, &heap->entries[parent]))
			break;
		heap->entries[at] = heap->entries[parent];
		at = parent;
	}
	heap->entries[at] = *event;
}

static struct later_event later_pop(struct later_heap *heap)
{
	struct later_event *entries = heap->entries, first = entries[0], last;
	size_t at = 0, count = --heap->count;

	last = entries[count];
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= count)
			break;
		if (child + 1 < count &&
		    before(&entries[child + 1], &entries[child]))
			child++;
		if (!before(&entries[child], &last))
			break;
		entries[at] = entries[child];
		at = child;
	}
	entries[at] = last;
	return first;
}

/* --- The queue ---------------------------------------------------------- */

void event_queue_free(struct event_queue *queue)
{
	if (!queue)
		return;
	for (size_t i = 0; i < queue->block_count; i++)
		free(queue->blocks[i]);
	free(queue->blocks);
	free(queue->current.entries);
	free(queue->current.scratch);
	free(queue->later.entries);
	free(queue->senders.islands);
	free(queue);
}

uint32_t event_source_create(struct event_queue *queue)
{
	assert(*queue->sources < EVENT_EDGE_SOURCE);
	return (*queue->sources)++;
}

__attribute__((noinline)) void event_queue_refill(struct event_queue *queue)
{
	struct event_chunk *block =
		xcalloc_aligned(BLOCK_CHUNKS * sizeof *block);

	ARRAY_GROW(queue->blocks, queue->block_count, queue->block_capacity);
	queue->blocks[queue->block_count++] = block;
	for (int i = 0; i < BLOCK_CHUNKS; i++) {
		block[i].next = queue->free;
		queue->free = &block[i];
	}
}

struct event_queue *event_queue_create(void)
{
	struct event_queue *queue = xcalloc_aligned(sizeof *queue);

	queue->sources = &queue->own_sources;
	near_grow(&queue->current);
	event_queue_refill(queue);
	return queue;
}

__attribute__((noinline)) void
event_put_elsewhere(struct event_queue *queue, picoseconds time,
		    uint32_t source, event_action *action, void *owner,
		    uint64_t tag)
{
	if (time >> BUCKET_BITS == queue->bucket) {
		struct event *event = event_chunk_add(queue, &queue->run);

		*event = (struct event){
			.key = event_key(time, source),
			.action = action, .owner = owner, .tag = tag,
		};
		near_insert(&queue->current, event);
	} else {
		struct later_event event = {
			.time = time, .source = source,
			.sequence = queue->sequence++,
			.action = action, .owner = owner, .tag = tag,
		};

		later_push(&queue->later, &event);
	}
}

void event_schedule(struct event_queue *queue, picoseconds delay,
		    uint32_t source, event_action *action, void *owner,
		    uint64_t tag)
{
	event_put(queue, queue->head.now + delay, source, action, owner, tag);
}

/* --- Running ------------------------------------------------------------ */

/* Distance from the current bucket to the first list that is not empty, or
 * WHEEL_SIZE when all are empty. */
static uint64_t wheel_distance(const struct event_queue *queue)
{
	size_t start = (queue->bucket + 1) & WHEEL_MASK;
	size_t word = start / 64;
	uint64_t bits = queue->occupied[word] & (~0ull << (start % 64));

	for (int i = 0; i <= WORD_COUNT; i++) {
		if (bits) {
			size_t slot = word * 64 +
				      (size_t)__builtin_ctzll(bits);

			return ((slot - start) & WHEEL_MASK) + 1;
		}
		word = (word + 1) % WORD_COUNT;
		bits = queue->occupied[word];
	}
	return WHEEL_SIZE;
}

/* The first bucket behind the current one that has events; UINT64_MAX when
 * there is none. */
static uint64_t next_bucket(const struct event_queue *queue)
{
	uint64_t distance = wheel_distance(queue), bucket = UINT64_MAX;

	if (distance < WHEEL_SIZE)
		bucket = queue->bucket + distance;
	if (queue->later.count) {
		uint64_t later = queue->later.entries[0].time >> BUCKET_BITS;

		if (later < bucket)
			bucket = later;
	}
	return bucket;
}

/* Moves events that have come near onto the wheel, and into the bucket that is
 * about to be the current one. */
static __attribute__((noinline)) void fetch_later(struct event_queue *queue,
						  uint64_t bucket)
{
	while (queue->later.count &&
	       (queue->later.entries[0].time >> BUCKET_BITS) - bucket <
		       WHEEL_SIZE) {
		struct later_event event = later_pop(&queue->later);
		size_t slot = event.time >> BUCKET_BITS & WHEEL_MASK;

		*event_chunk_add(queue, &queue->wheel[slot]) = (struct event){
			.key = event_key(event.time, event.source),
			.action = event.action, .owner = event.owner,
			.tag = event.tag,
		};
		queue->occupied[slot / 64] |= 1ull << (slot % 64);
	}
}

/* Makes it the current one, whose events have all been run. */
static void enter_bucket(struct event_queue *queue, uint64_t bucket)
{
	size_t slot = bucket & WHEEL_MASK;
	const struct event_chunk *next =
		queue->wheel[(bucket + 1) & WHEEL_MASK];

	/* The next cycle's events are nearly always in the next bucket. */
	__builtin_prefetch(next);
	__builtin_prefetch((const void *)((uintptr_t)next + 64));
	while (queue->run) {
		struct event_chunk *chunk = queue->run;

		queue->run = chunk->next;
		chunk->next = queue->free;
		queue->free = chunk;
	}
	queue->bucket = bucket;
	if (queue->later.count)
		fetch_later(queue, bucket);
	queue->run = queue->wheel[slot];
	near_fill(&queue->current, queue->run);
	queue->wheel[slot] = NULL;
	queue->occupied[slot / 64] &= ~(1ull << (slot % 64));
}

/* Runs the next event of the current bucket, at its time. */
static inline void run_next(struct event_queue *queue, picoseconds time)
{
	struct near_list *list = &queue->current;
	const struct event *event = list->entries[--list->count].event;

	queue->head.now = time;
	queue->head.source = event->key & ((1u << (32 - BUCKET_BITS)) - 1);
	event->action(event->owner, event->tag);
}

bool event_queue_step(struct event_queue *queue)
{
	const struct near_list *list = &queue->current;
	picoseconds time;

	if (!list->count) {
		uint64_t bucket = next_bucket(queue);

		if (bucket == UINT64_MAX)
			return false;
		enter_bucket(queue, bucket);
	}
	time = near_time(queue, list->entries[list->count - 1].key);
	do {
		run_next(queue, time);
	} while (list->count &&
		 near_time(queue, list->entries[list->count - 1].key) == time);
	return true;
}

/* Of what is behind the current bucket. */
static picoseconds next_time(const struct event_queue *queue, uint64_t bucket)
{
	const struct later_heap *later = &queue->later;
	const struct event_chunk *chunk =
		bucket - queue->bucket < WHEEL_SIZE
			? queue->wheel[bucket & WHEEL_MASK]
			: NULL;
	uint32_t first = UINT32_MAX;
	picoseconds time = UINT64_MAX;

	for (; chunk; chunk = chunk->next)
		for (uint32_t i = 0; i < chunk->count; i++)
			if (chunk->events[i].key < first)
				first = chunk->events[i].key;
	if (first != UINT32_MAX)
		time = bucket << BUCKET_BITS | first >> (32 - BUCKET_BITS);
	if (later->count && later->entries[0].time < time)
		time = later->entries[0].time;
	return time;
}

picoseconds event_queue_next(const struct event_queue *queue)
{
	const struct near_list *list = &queue->current;
	uint64_t bucket;

	if (list->count)
		return near_time(queue, list->entries[list->count - 1].key);
	bucket = next_bucket(queue);
	return bucket == UINT64_MAX ? UINT64_MAX : next_time(queue, bucket);
}

/* The bucket of `end` may become the current one, but none behind it: events
 * from elsewhere are still to come from `end` on. */
void event_queue_run(struct event_queue *queue, picoseconds end)
{
	const struct near_list *list = &queue->current;

	for (;;) {
		uint64_t bucket;

		while (list->count) {
			uint32_t key = list->entries[list->count - 1].key;
			picoseconds time = near_time(queue, key);

			if (time >= end)
				return;
			run_next(queue, time);
		}
		bucket = next_bucket(queue);
		if (bucket > (end - 1) >> BUCKET_BITS)
			return;
		enter_bucket(queue, bucket);
	}
}

void event_queue_set_now(struct event_queue *queue, picoseconds now)
{
	if (now > queue->head.now)
		queue->head.now = now;
}
