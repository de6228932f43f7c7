/* The event queue: a wheel of buckets for the near future, a sorted list of
 * the bucket that is being run, and a heap for what lies beyond the wheel.
 *
 *     current bucket          wheel                       later
 *   +----------------+  +---+---+---+-- --+---+   +-------------------+
 *   | sorted list    |  | . | o | o |     | . |   | heap              |
 *   +----------------+  +---+---+---+-- --+---+   +-------------------+
 *   now .. + 1 ns        unordered lists, 1 ns     more than 1 us ahead
 *
 * Nearly every event of a simulation is a few hundred cycles ahead, so it is
 * put on a list in constant time and ordered only among its neighbours, when
 * its bucket becomes the current one. */
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

/* The order of an event in the current bucket as one number: time in the
 * bucket, source, sequence. */
struct near_entry {
	uint64_t key;
	struct event *event;
};

/* Sorted; those before `next` have been run. */
struct near_list {
	struct near_entry *entries, *scratch;
	size_t next, count, capacity;
};

struct later_heap {
	struct event **entries;
	size_t count, capacity;
};

/* An event of another queue. */
struct event_message {
	struct event_queue *to;
	picoseconds time;
	event_action *action;
	void *owner;
	uint64_t tag;
	uint32_t source;
};

struct event_queue {
	struct event_queue_head head;
	uint64_t bucket;          /* number of the current bucket */
	uint32_t base;            /* sequence numbers count from here in keys */
	struct near_list current; /* events of the current bucket */
	struct event *wheel[WHEEL_SIZE]; /* buckets bucket+1 ... +1023 */
	uint64_t occupied[WORD_COUNT];   /* one bit per list not empty */
	struct later_heap later;
	struct event *free;
	struct event **chunks;
	size_t chunk_count, chunk_capacity;
	uint32_t sequence, sources;
	struct event_message *messages;
	size_t message_count, message_capacity;
};

/* --- The current bucket ------------------------------------------------- */

/* 10 bits of time, 22 of the source (whose top bit marks clock edges), 32 of
 * the sequence: it may wrap, but two events that wait are never 2^31 apart. */
static uint64_t near_key(const struct event_queue *queue,
			 const struct event *event)
{
	uint64_t time = event->time & ((1 << BUCKET_BITS) - 1);
	uint64_t source = (event->source & 0x1fffff) |
			  (event->source >> 31 << 21);

	return time << 54 | source << 32 | (event->sequence - queue->base);
}

static void near_append(struct event_queue *queue, struct event *event)
{
	struct near_list *list = &queue->current;

	if (list->count == list->capacity) {
		list->capacity = list->capacity ? 2 * list->capacity : 64;
		list->entries = xrealloc(list->entries,
					 list->capacity *
						 sizeof *list->entries);
		list->scratch = xrealloc(list->scratch,
					 list->capacity *
						 sizeof *list->scratch);
	}
	list->entries[list->count].key = near_key(queue, event);
	list->entries[list->count].event = event;
	list->count++;
}

/* An event that joins the bucket while it is being run. */
static void near_insert(struct event_queue *queue, struct event *event)
{
	struct near_list *list = &queue->current;
	struct near_entry entry;
	size_t at;

	near_append(queue, event);
	at = list->count - 1;
	entry = list->entries[at];
	while (at > list->next && list->entries[at - 1].key > entry.key) {
		list->entries[at] = list->entries[at - 1];
		at--;
	}
	list->entries[at] = entry;
}

/* Merges two sorted runs; the choice is no branch that could be guessed
 * wrong. */
static void merge(struct near_entry *out, const struct near_entry *a,
		  const struct near_entry *a_end, const struct near_entry *b,
		  const struct near_entry *b_end)
{
	while (a < a_end && b < b_end) {
		bool second = b->key < a->key;

		*out++ = *(second ? b : a);
		a += !second;
		b += second;
	}
	while (a < a_end)
		*out++ = *a++;
	while (b < b_end)
		*out++ = *b++;
}

static void near_sort(struct near_list *list)
{
	enum { RUN = 8 };
	size_t count = list->count;

	for (size_t start = 0; start < count; start += RUN) {
		size_t end = start + RUN < count ? start + RUN : count;

		for (size_t i = start + 1; i < end; i++) {
			struct near_entry entry = list->entries[i];
			size_t at = i;

			for (; at > start &&
			       list->entries[at - 1].key > entry.key;
			     at--)
				list->entries[at] = list->entries[at - 1];
			list->entries[at] = entry;
		}
	}
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

/* --- Beyond the wheel --------------------------------------------------- */

static bool before(const struct event *a, const struct event *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	if (a->source != b->source)
		return a->source < b->source;
	return (int32_t)(a->sequence - b->sequence) < 0;
}

static void later_push(struct later_heap *heap, struct event *event)
{
	size_t at;

	ARRAY_GROW(heap->entries, heap->count, heap->capacity);
	at = heap->count++;
	while (at) {
		size_t parent = (at - 1) / 2;

		if (!before(event, heap->entries[parent]))
			break;
		heap->entries[at] = heap->entries[parent];
		at = parent;
	}
	heap->entries[at] = event;
}

static struct event *later_pop(struct later_heap *heap)
{
	struct event **entries = heap->entries, *first = entries[0], *last;
	size_t at = 0, count = --heap->count;

	last = entries[count];
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= count)
			break;
		if (child + 1 < count &&
		    before(entries[child + 1], entries[child]))
			child++;
		if (!before(entries[child], last))
			break;
		entries[at] = entries[child];
		at = child;
	}
	entries[at] = last;
	return first;
}

/* --- The queue ---------------------------------------------------------- */

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
	free(queue->current.scratch);
	free(queue->later.entries);
	free(queue->messages);
	free(queue);
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

	if (bucket == queue->bucket) {
		near_insert(queue, event);
	} else if (bucket - queue->bucket < WHEEL_SIZE) {
		size_t slot = bucket & WHEEL_MASK;

		event->next = queue->wheel[slot];
		queue->wheel[slot] = event;
		queue->occupied[slot / 64] |= 1ull << (slot % 64);
	} else {
		later_push(&queue->later, event);
	}
}

static void schedule_at(struct event_queue *queue, picoseconds time,
			uint32_t source, event_action *action, void *owner,
			uint64_t tag)
{
	struct event *event = event_take(queue);

	event->time = time;
	event->source = source;
	event->sequence = queue->sequence++;
	event->action = action;
	event->owner = owner;
	event->tag = tag;
	event_place(queue, event);
}

void event_schedule(struct event_queue *queue, picoseconds delay,
		    uint32_t source, event_action *action, void *owner,
		    uint64_t tag)
{
	schedule_at(queue, queue->head.now + delay, source, action, owner, tag);
}

void event_send(struct event_queue *from, struct event_queue *to,
		picoseconds delay, uint32_t source, event_action *action,
		void *owner, uint64_t tag)
{
	if (from == to) {
		event_schedule(from, delay, source, action, owner, tag);
		return;
	}
	ARRAY_GROW(from->messages, from->message_count,
		   from->message_capacity);
	from->messages[from->message_count++] = (struct event_message){
		.to = to,
		.time = from->head.now + delay,
		.source = source,
		.action = action,
		.owner = owner,
		.tag = tag,
	};
}

void event_queue_deliver(struct event_queue *queue)
{
	for (size_t i = 0; i < queue->message_count; i++) {
		const struct event_message *message = &queue->messages[i];

		schedule_at(message->to, message->time, message->source,
			    message->action, message->owner, message->tag);
	}
	queue->message_count = 0;
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
			queue->later.entries[0]->time >> BUCKET_BITS;

		if (distance == WHEEL_SIZE || later < bucket)
			bucket = later;
	} else if (distance == WHEEL_SIZE) {
		return false;
	}
	queue->bucket = bucket;
	queue->base = queue->sequence - 0x80000000u;
	queue->current.next = queue->current.count = 0;
	while (queue->later.count &&
	       (queue->later.entries[0]->time >> BUCKET_BITS) - bucket <
		       WHEEL_SIZE)
		event_place(queue, later_pop(&queue->later));
	slot = bucket & WHEEL_MASK;
	for (struct event *event = queue->wheel[slot], *next; event;
	     event = next) {
		next = event->next;
		near_append(queue, event);
	}
	near_sort(&queue->current);
	queue->wheel[slot] = NULL;
	queue->occupied[slot / 64] &= ~(1ull << (slot % 64));
	return true;
}

bool event_queue_step(struct event_queue *queue)
{
	struct near_list *list = &queue->current;

	if (list->next == list->count && !advance(queue))
		return false;
	queue->head.now = list->entries[list->next].event->time;
	do {
		struct event *event = list->entries[list->next++].event;
		event_action *action = event->action;
		void *owner = event->owner;
		uint64_t tag = event->tag;

		event->next = queue->free;
		queue->free = event;
		action(owner, tag);
	} while (list->next < list->count &&
		 list->entries[list->next].event->time == queue->head.now);
	return true;
}

picoseconds event_queue_next(const struct event_queue *queue)
{
	const struct near_list *list = &queue->current;
	uint64_t distance, bucket;

	if (list->next < list->count)
		return list->entries[list->next].event->time;
	distance = wheel_distance(queue);
	bucket = queue->bucket + distance;
	if (queue->later.count) {
		uint64_t later = queue->later.entries[0]->time >> BUCKET_BITS;

		if (distance == WHEEL_SIZE || later < bucket)
			bucket = later;
	} else if (distance == WHEEL_SIZE) {
		return UINT64_MAX;
	}
	return bucket << BUCKET_BITS;
}

/* The bucket of `end` may become the current one, but none behind it: events
 * from elsewhere are still to come from `end` on. */
uint64_t event_queue_run(struct event_queue *queue, picoseconds end)
{
	const struct near_list *list = &queue->current;
	uint64_t steps = 0;

	while (event_queue_next(queue) < end) {
		if (list->next == list->count)
			advance(queue);
		if (list->entries[list->next].event->time >= end)
			break;
		event_queue_step(queue);
		steps++;
	}
	return steps;
}

void event_queue_set_now(struct event_queue *queue, picoseconds now)
{
	if (now > queue->head.now)
		queue->head.now = now;
}
