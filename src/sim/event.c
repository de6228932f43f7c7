/* The event queue: a wheel of buckets for the near future, a heap for the
 * bucket that is being run, and a heap for what lies beyond the wheel.
 *
 *      current bucket        wheel                           later
 *   +------------------+  +---+---+---+-- --+---+   +-------------------+
 *   | heap, exact order|  | . | o | o |     | . |   | heap, exact order |
 *   +------------------+  +---+---+---+-- --+---+   +-------------------+
 *   time now .. +1 ns     unordered lists, 1 ns      more than 1 us ahead
 *
 * Nearly every event of a simulation is a few hundred cycles ahead, so it is
 * appended to a list in constant time and ordered only among its neighbours
 * when its bucket becomes the current one. */
#include "sim/event.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
	BUCKET_BITS = 10, /* log2 of picoseconds per bucket: about a cycle */
	WHEEL_SIZE = 1024,
	WHEEL_MASK = WHEEL_SIZE - 1,
	WORD_COUNT = WHEEL_SIZE / 64,
	CHUNK_EVENTS = 256,
};

struct event {
	picoseconds time;
	uint32_t source;
	uint32_t sequence; /* wraps; compared by its distance */
	event_action *action;
	void *owner;
	uint64_t tag;
	struct event *next; /* in a bucket or in the free list */
};

/* The key is kept in the heap itself: ordering touches no event. */
struct heap_entry {
	picoseconds time;
	uint32_t source, sequence;
	struct event *event;
};

struct heap {
	struct heap_entry *entries;
	size_t count, capacity;
};

struct event_queue {
	picoseconds now;
	uint64_t bucket;      /* number of the current bucket */
	struct heap current;  /* events of buckets up to `bucket` */
	struct event *wheel[WHEEL_SIZE]; /* buckets bucket+1 ... +1023 */
	uint64_t occupied[WORD_COUNT];   /* one bit per list not empty */
	struct heap later;
	struct event *free;
	struct event **chunks;
	size_t chunk_count, chunk_capacity;
	uint32_t sequence, sources;
};

static bool before(const struct heap_entry *a, const struct heap_entry *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	if (a->source != b->source)
		return a->source < b->source;
	return (int32_t)(a->sequence - b->sequence) < 0;
}

static void heap_push(struct heap *heap, struct event *event)
{
	struct heap_entry entry = { event->time, event->source,
				    event->sequence, event };
	size_t at;

	ARRAY_GROW(heap->entries, heap->count, heap->capacity);
	at = heap->count++;
	while (at) {
		size_t parent = (at - 1) / 4;

		if (!before(&entry, &heap->entries[parent]))
			break;
		heap->entries[at] = heap->entries[parent];
		at = parent;
	}
	heap->entries[at] = entry;
}

static struct event *heap_pop(struct heap *heap)
{
	struct event *first = heap->entries[0].event;
	struct heap_entry *entries = heap->entries, last;
	size_t at = 0, count = --heap->count;

	last = entries[count];
	for (;;) {
		size_t child = 4 * at + 1, best = child;
		size_t end = child + 4 < count ? child + 4 : count;

		if (child >= count)
			break;
		for (size_t i = child + 1; i < end; i++)
			if (before(&entries[i], &entries[best]))
				best = i;
		if (!before(&entries[best], &last))
			break;
		entries[at] = entries[best];
		at = best;
	}
	entries[at] = last;
	return first;
}

struct event_queue *event_queue_create(void)
{
	return xcalloc(1, sizeof(struct event_queue));
}

void event_queue_free(struct event_queue *queue)
{
	if (!queue)
		return;
	for (size_t i = 0; i < queue->chunk_count; i++)
		free(queue->chunks[i]);
	free(queue->chunks);
	free(queue->current.entries);
	free(queue->later.entries);
	free(queue);
}

picoseconds event_queue_now(const struct event_queue *queue)
{
	return queue->now;
}

uint32_t event_source_create(struct event_queue *queue)
{
	return queue->sources++;
}

static struct event *event_take(struct event_queue *queue)
{
	struct event *event = queue->free;

	if (!event) {
		struct event *chunk =
			xmalloc(CHUNK_EVENTS * sizeof *chunk);

		ARRAY_GROW(queue->chunks, queue->chunk_count,
			   queue->chunk_capacity);
		queue->chunks[queue->chunk_count++] = chunk;
		for (int i = 0; i < CHUNK_EVENTS; i++) {
			chunk[i].next = queue->free;
			queue->free = &chunk[i];
		}
		event = queue->free;
	}
	queue->free = event->next;
	return event;
}

/* Files an event by its distance from the current bucket. */
static void event_place(struct event_queue *queue, struct event *event)
{
	uint64_t bucket = event->time >> BUCKET_BITS;

	if (bucket <= queue->bucket) {
		heap_push(&queue->current, event);
	} else if (bucket - queue->bucket < WHEEL_SIZE) {
		size_t slot = bucket & WHEEL_MASK;

		event->next = queue->wheel[slot];
		queue->wheel[slot] = event;
		queue->occupied[slot / 64] |= 1ull << (slot % 64);
	} else {
		heap_push(&queue->later, event);
	}
}

void event_schedule(struct event_queue *queue, picoseconds delay,
		    uint32_t source, event_action *action, void *owner,
		    uint64_t tag)
{
	struct event *event = event_take(queue);

	event->time = queue->now + delay;
	event->source = source;
	event->sequence = queue->sequence++;
	event->action = action;
	event->owner = owner;
	event->tag = tag;
	event_place(queue, event);
}

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

/* Makes the next bucket that has events the current one. */
static bool advance(struct event_queue *queue)
{
	uint64_t distance = wheel_distance(queue), bucket;
	size_t slot;

	bucket = queue->bucket + distance;
	if (queue->later.count) {
		uint64_t later =
			queue->later.entries[0].time >> BUCKET_BITS;

		if (distance == WHEEL_SIZE || later < bucket)
			bucket = later;
	} else if (distance == WHEEL_SIZE) {
		return false;
	}
	queue->bucket = bucket;
	while (queue->later.count &&
	       (queue->later.entries[0].time >> BUCKET_BITS) - bucket <
		       WHEEL_SIZE)
		event_place(queue, heap_pop(&queue->later));
	slot = bucket & WHEEL_MASK;
	for (struct event *event = queue->wheel[slot], *next; event;
	     event = next) {
		next = event->next;
		heap_push(&queue->current, event);
	}
	queue->wheel[slot] = NULL;
	queue->occupied[slot / 64] &= ~(1ull << (slot % 64));
	return true;
}

bool event_queue_step(struct event_queue *queue)
{
	if (!queue->current.count && !advance(queue))
		return false;
	queue->now = queue->current.entries[0].time;
	do {
		struct event *event = heap_pop(&queue->current);
		event_action *action = event->action;
		void *owner = event->owner;
		uint64_t tag = event->tag;

		event->next = queue->free;
		queue->free = event;
		action(owner, tag);
	} while (queue->current.count &&
		 queue->current.entries[0].time == queue->now);
	return true;
}
