/* The event queue: a wheel of buckets for the near future, a sorted array of
 * the bucket that is being run, and a heap for what lies beyond the wheel.
 *
 *     current bucket          wheel                       later
 *   +----------------+  +---+---+---+-- --+---+   +-------------------+
 *   | sorted array   |  | . | o | o |     | . |   | heap              |
 *   +----------------+  +---+---+---+-- --+---+   +-------------------+
 *   now .. + 1 ns        lists of events          more than 0.26 us ahead
 *
 * Nearly every event of a simulation is less than two hundred cycles ahead, so
 * it is put before others of its cycle in constant time and ordered only among
 * these, when its bucket becomes the current one. What one time and source have
 * in common keeps the order of the list, which is that of the calls: only the
 * heap needs sequence numbers. Whether an event is the first or the last of its
 * bucket makes no difference here, for the host could not guess it. */
#include "base/optimize.h"

#include "sim/event.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/bucket.h"

enum {
	WHEEL_SIZE = EVENT_WHEEL_SIZE,
	WHEEL_MASK = EVENT_WHEEL_MASK,
	WORD_COUNT = WHEEL_SIZE / 64,
	BUCKET_BITS = EVENT_BUCKET_BITS,
	BLOCK_EVENTS = 64,
};

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
	near_free(&queue->current);
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
	struct event *block = xcalloc_aligned(BLOCK_EVENTS * sizeof *block);

	ARRAY_GROW(queue->blocks, queue->block_count, queue->block_capacity);
	queue->blocks[queue->block_count++] = block;
	for (int i = 0; i < BLOCK_EVENTS; i++) {
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
	uint64_t distance = (time >> BUCKET_BITS) - queue->bucket;

	assert(time >> BUCKET_BITS >= queue->bucket);
	event_make_free(queue);
	if (!distance) {
		struct event *event = event_take(queue);

		*event = (struct event){
			.key = event_key(time, source),
			.action = action, .owner = owner, .tag = tag,
		};
		near_insert(&queue->current, event);
	} else if (distance < WHEEL_SIZE) {
		event_put_slot(queue, time >> BUCKET_BITS & WHEEL_MASK,
			       event_key(time, source), action, owner, tag);
	} else {
		struct later_event event = {
			.time = time, .source = source,
			.sequence = queue->sequence++,
			.action = action, .owner = owner, .tag = tag,
		};

		later_push(&queue->later, &event);
	}
}

void event_queue_skip(struct event_queue *queue, picoseconds time)
{
	uint64_t bucket = time >> BUCKET_BITS, occupied = 0;

	for (int i = 0; i < WORD_COUNT; i++)
		occupied |= queue->occupied[i];
	if (!occupied && !queue->current.count && !queue->later.count &&
	    bucket > queue->bucket)
		queue->bucket = bucket;
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

		event_make_free(queue);
		event_put_slot(queue, event.time >> BUCKET_BITS & WHEEL_MASK,
			       event_key(event.time, event.source),
			       event.action, event.owner, event.tag);
	}
}

/* Makes it the current one, whose events have all been run, and returns its
 * newest event. */
static inline struct event *enter_bucket(struct event_queue *queue,
					 uint64_t bucket)
{
	size_t slot = bucket & WHEEL_MASK;
	struct event *event;

	/* The next cycle's events are nearly always in the next bucket. */
	__builtin_prefetch(queue->wheel[(bucket + 1) & WHEEL_MASK]);
	queue->bucket = bucket;
	if (queue->later.count)
		fetch_later(queue, bucket);
	event = queue->wheel[slot];
	queue->wheel[slot] = NULL;
	queue->occupied[slot / 64] &= ~(1ull << (slot % 64));
	return event;
}

/* What the event schedules may take its memory. */
static inline void run_event(struct event_queue *queue, picoseconds time,
			     struct event *event)
{
	event_action *action = event->action;
	void *owner = event->owner;
	uint64_t tag = event->tag;

	queue->head.now = time;
	queue->head.source = event->key & ((1u << (32 - BUCKET_BITS)) - 1);
	event->next = queue->free;
	queue->free = event;
	action(owner, tag);
}

/* Runs the next event of the current bucket, at its time. */
static inline void run_next(struct event_queue *queue, picoseconds time)
{
	struct near_list *list = &queue->current;
	uint64_t rank = list->ranks[--list->count];

	run_event(queue, time, near_event(list, rank));
}

/* Runs the only event of a bucket, which most buckets are. False: there are
 * more of them, or it is not before `end`. */
static inline bool run_only(struct event_queue *queue, struct event *event,
			    picoseconds end)
{
	picoseconds time = event_time(queue, event->key);

	if (event->next || time >= end)
		return false;
	__builtin_prefetch(event->owner);
	/* What joins it comes after it. */
	queue->current.inserted = 0;
	run_event(queue, time, event);
	return true;
}

bool event_queue_step(struct event_queue *queue)
{
	const struct near_list *list = &queue->current;
	picoseconds time;

	if (!list->count) {
		uint64_t bucket = next_bucket(queue);

		if (bucket == UINT64_MAX)
			return false;
		near_fill(&queue->current, enter_bucket(queue, bucket));
	}
	time = near_time(queue, list->ranks[list->count - 1]);
	do {
		run_next(queue, time);
	} while (list->count &&
		 near_time(queue, list->ranks[list->count - 1]) == time);
	queue->done = time + 1;
	return true;
}

/* Of what is behind the current bucket. */
static picoseconds next_time(const struct event_queue *queue, uint64_t bucket)
{
	const struct later_heap *later = &queue->later;
	const struct event *event = bucket - queue->bucket < WHEEL_SIZE
					    ? queue->wheel[bucket & WHEEL_MASK]
					    : NULL;
	uint32_t first = UINT32_MAX;
	picoseconds time = UINT64_MAX;

	for (; event; event = event->next)
		first = event->key < first ? event->key : first;
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
		return near_time(queue, list->ranks[list->count - 1]);
	bucket = next_bucket(queue);
	return bucket == UINT64_MAX ? UINT64_MAX : next_time(queue, bucket);
}

/* The bucket of `end` may become the current one, but none behind it: events
 * from elsewhere are still to come from `end` on. */
void event_queue_run(struct event_queue *queue, picoseconds end)
{
	const struct near_list *list = &queue->current;

	for (;;) {
		struct event *event;
		uint64_t bucket;

		while (list->count) {
			picoseconds time = near_time(
				queue, list->ranks[list->count - 1]);

			if (time >= end) {
				queue->done = end;
				return;
			}
			run_next(queue, time);
		}
		bucket = next_bucket(queue);
		if (bucket > (end - 1) >> BUCKET_BITS) {
			queue->done = end;
			return;
		}
		event = enter_bucket(queue, bucket);
		if (!run_only(queue, event, end))
			near_fill(&queue->current, event);
	}
}

picoseconds event_queue_done(const struct event_queue *queue)
{
	picoseconds done = queue->done > queue->end ? queue->done : queue->end;

	return done > queue->head.now ? done : queue->head.now;
}

void event_queue_set_now(struct event_queue *queue, picoseconds now)
{
	if (now > queue->head.now)
		queue->head.now = now;
}
