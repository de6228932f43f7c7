/* The event queue: a wheel of buckets for the near future, a sorted array of
 * the bucket that is being run, and a heap for what lies beyond the wheel.
 *
 *     current bucket          wheel                       later
 *   +----------------+  +---+---+---+-- --+---+   +-------------------+
 *   | sorted array   |  | . | o | o |     | . |   | heap              |
 *   +----------------+  +---+---+---+-- --+---+   +-------------------+
 *   now .. + 1 ns        lists, last in first     more than 0.26 us ahead
 *
 * Nearly every event of a simulation is less than two hundred cycles ahead, so
 * it is put on a list in constant time and ordered only among its few
 * neighbours, when its bucket becomes the current one. What one time and
 * source have in common keeps the order of the lists, which is that of the
 * calls: only the heap needs sequence numbers. */
#include "sim/event.h"

#include <assert.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/post.h"

enum {
	BUCKET_BITS = 10, /* log2 of picoseconds per bucket: about a cycle */
	WHEEL_SIZE = 256,
	WHEEL_MASK = WHEEL_SIZE - 1,
	WORD_COUNT = WHEEL_SIZE / 64,
	CHUNK_EVENTS = 64,
};

struct event {
	alignas(64) struct event *next; /* in a bucket or in the free list */
	picoseconds time;
	event_action *action;
	void *owner;
	uint64_t tag;
	uint32_t source;
	uint32_t sequence; /* in the heap; wraps, compared by its distance */
};

/* The order of an event in the current bucket as one number: time in the
 * bucket, source. */
struct near_entry {
	uint32_t key;
	struct event *event;
};

/* Sorted from the last to be run to the next one. */
struct near_list {
	struct near_entry *entries, *scratch;
	size_t count, capacity;
};

struct later_heap {
	struct event **entries;
	size_t count, capacity;
};

/* An event of another queue, in a post; `size` bytes of contents follow, up to
 * a multiple of 8. */
struct event_message {
	struct event_queue *to;
	picoseconds time;
	event_action *action;
	void *owner;
	event_land *land; /* NULL: no contents */
	uint64_t tag;
	uint32_t source;
	uint16_t size, island; /* whose */
};

/* Who has sent to a queue with each source: island + 1. */
struct event_senders {
	uint32_t *islands;
	size_t count;
	uint64_t wrong; /* messages of other islands with that source */
};

struct event_queue {
	struct event_queue_head head;
	uint64_t bucket;          /* number of the current bucket */
	struct event *free;
	struct near_list current; /* events of the current bucket */
	uint64_t occupied[WORD_COUNT];   /* one bit per list not empty */
	struct event *wheel[WHEEL_SIZE]; /* buckets bucket+1 ... +255 */
	struct later_heap later;
	struct event **chunks;
	size_t chunk_count, chunk_capacity;
	uint32_t sequence;
	uint32_t island;
	uint32_t *sources, own_sources; /* how many there are */
	struct event_outlet *outlet; /* NULL: not an island */
	struct event_senders senders;
	/* Apart from the others: what senders read. */
	alignas(POST_ALIGN) uint32_t lane;
	alignas(POST_ALIGN) picoseconds soonest;
	bool checks; /* of who sends with which source */
};

/* --- The current bucket ------------------------------------------------- */

/* 10 bits of time, 22 of the source. */
static uint32_t near_key(const struct event *event)
{
	return (uint32_t)event->time << (32 - BUCKET_BITS) | event->source;
}

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

/* An event that joins the bucket while it is being run: after those like it
 * that are there. */
static void near_insert(struct event_queue *queue, struct event *event)
{
	struct near_list *list = &queue->current;
	uint32_t key = near_key(event);
	size_t at = list->count;

	if (list->count == list->capacity)
		near_grow(list);
	list->count++;
	for (; at > 0 && list->entries[at - 1].key <= key; at--)
		list->entries[at] = list->entries[at - 1];
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

/* Fills the empty array from a list, whose first event is the newest. */
static void near_fill(struct near_list *list, struct event *event)
{
	size_t count = 0, start = 0;

	/* Half of all buckets have one event. */
	if (!event->next && list->capacity) {
		list->entries[0] =
			(struct near_entry){ near_key(event), event };
		list->count = 1;
		return;
	}
	for (; event; event = event->next) {
		uint32_t key = near_key(event);
		size_t at = count;

		/* Whoever is called will look there soon. */
		__builtin_prefetch(event->owner, 1);
		if (count == list->capacity)
			near_grow(list);
		if (count - start == RUN)
			start = count;
		count++;
		for (; at > start && list->entries[at - 1].key < key; at--)
			list->entries[at] = list->entries[at - 1];
		list->entries[at] = (struct near_entry){ key, event };
	}
	list->count = count;
	if (count > RUN)
		near_merge(list);
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

static void later_push(struct event_queue *queue, struct event *event)
{
	struct later_heap *heap = &queue->later;
	size_t at;

	event->sequence = queue->sequence++;
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
	free(queue->senders.islands);
	free(queue);
}

uint32_t event_source_create(struct event_queue *queue)
{
	assert(*queue->sources < EVENT_EDGE_SOURCE);
	return (*queue->sources)++;
}

static __attribute__((noinline)) void event_make(struct event_queue *queue)
{
	struct event *chunk = xcalloc_aligned(CHUNK_EVENTS * sizeof *chunk);

	ARRAY_GROW(queue->chunks, queue->chunk_count, queue->chunk_capacity);
	queue->chunks[queue->chunk_count++] = chunk;
	for (int i = 0; i < CHUNK_EVENTS; i++) {
		chunk[i].next = queue->free;
		queue->free = &chunk[i];
	}
}

struct event_queue *event_queue_create(void)
{
	struct event_queue *queue = xcalloc_aligned(sizeof *queue);

	queue->sources = &queue->own_sources;
	event_make(queue);
	return queue;
}

/* To a list of the wheel, that of the current bucket included. */
static inline void wheel_push(struct event_queue *queue, struct event *event)
{
	size_t slot = event->time >> BUCKET_BITS & WHEEL_MASK;

	event->next = queue->wheel[slot];
	queue->wheel[slot] = event;
	queue->occupied[slot / 64] |= 1ull << (slot % 64);
}

/* Into the current bucket, or beyond the wheel. */
static __attribute__((noinline)) void
place_elsewhere(struct event_queue *queue, struct event *event)
{
	if (event->time >> BUCKET_BITS == queue->bucket)
		near_insert(queue, event);
	else
		later_push(queue, event);
	if (!queue->free)
		event_make(queue);
}

static inline void schedule_at(struct event_queue *queue, picoseconds time,
			       uint32_t source, event_action *action,
			       void *owner, uint64_t tag)
{
	uint64_t distance = (time >> BUCKET_BITS) - queue->bucket;
	/* There is always a free one: calls come last. */
	struct event *event = queue->free;

	queue->free = event->next;
	event->time = time;
	event->source = source;
	event->action = action;
	event->owner = owner;
	event->tag = tag;
	if (distance - 1 >= WHEEL_SIZE - 1) {
		place_elsewhere(queue, event);
		return;
	}
	wheel_push(queue, event);
	if (!queue->free)
		event_make(queue);
}

void event_schedule(struct event_queue *queue, picoseconds delay,
		    uint32_t source, event_action *action, void *owner,
		    uint64_t tag)
{
	schedule_at(queue, queue->head.now + delay, source, action, owner, tag);
}

/* --- Messages ----------------------------------------------------------- */

static struct event_message *post_put(struct event_queue *from,
				      const struct event_queue *to,
				      picoseconds time, size_t size)
{
	struct event_outlet *outlet = from->outlet;
	struct event_post *post = &outlet->posts[to->lane];
	struct event_message *message;
	size_t used = post->used;

	while (used + size > post->capacity) {
		post->capacity = post->capacity ? 2 * post->capacity : 4096;
		post->bytes = xrealloc(post->bytes, post->capacity);
	}
	post->used = used + size;
	if (time < outlet->earliest)
		outlet->earliest = time;
	message = (void *)(post->bytes + used);
	message->time = time;
	return message;
}

void event_send(struct event_queue *from, struct event_queue *to,
		picoseconds delay, uint32_t source, event_action *action,
		void *owner, uint64_t tag)
{
	struct event_message *message;

	if (from == to) {
		event_schedule(from, delay, source, action, owner, tag);
		return;
	}
	message = post_put(from, to, from->head.now + delay, sizeof *message);
	message->to = to;
	message->action = action;
	message->owner = owner;
	message->land = NULL;
	message->tag = tag;
	message->source = source;
	message->size = 0;
	message->island = (uint16_t)from->island;
}

void event_send_data(struct event_queue *from, struct event_queue *to,
		     picoseconds delay, uint32_t source, event_action *action,
		     void *owner, event_land *land, const void *data,
		     uint32_t size)
{
	uint32_t rounded = (size + 7) & ~UINT32_C(7);
	struct event_message *message =
		post_put(from, to, from->head.now + delay,
			 sizeof *message + rounded);

	assert(rounded <= UINT16_MAX);
	message->to = to;
	message->action = action;
	message->owner = owner;
	message->land = land;
	message->tag = 0;
	message->source = source;
	message->size = (uint16_t)rounded;
	message->island = (uint16_t)from->island;
	memcpy(message + 1, data, size);
}

static void senders_grow(struct event_senders *senders, uint32_t source)
{
	size_t count = 2 * (size_t)source + 64;

	senders->islands = xrealloc(senders->islands,
				    count * sizeof *senders->islands);
	memset(senders->islands + senders->count, 0,
	       (count - senders->count) * sizeof *senders->islands);
	senders->count = count;
}

static __attribute__((noinline)) void
senders_check(struct event_senders *senders,
	      const struct event_message *message)
{
	uint32_t source = message->source, island = message->island + 1u;

	if (source >= senders->count)
		senders_grow(senders, source);
	if (!senders->islands[source])
		senders->islands[source] = island;
	senders->wrong += senders->islands[source] != island;
}

void event_post_take(const struct event_post *post)
{
	/* Not a pointer: an empty block may have none. */
	for (size_t at = 0; at < post->used;) {
		const struct event_message *message =
			(const void *)(post->bytes + at);
		struct event_queue *to = message->to;
		uint64_t tag = message->tag;

		if (to->checks)
			senders_check(&to->senders, message);
		if (message->land)
			tag = message->land(message->owner, message + 1);
		schedule_at(to, message->time, message->source,
			    message->action, message->owner, tag);
		if (message->time < to->soonest)
			to->soonest = message->time;
		at += sizeof *message + message->size;
	}
}

void event_post_free(struct event_post *post)
{
	free(post->bytes);
}

void event_queue_raise(struct event_queue *queue, void *who)
{
	struct event_outlet *outlet = queue->outlet;

	ARRAY_GROW(outlet->raised, outlet->raised_count,
		   outlet->raised_capacity);
	outlet->raised[outlet->raised_count++] = who;
}

void event_queue_set_island(struct event_queue *queue,
			    struct event_queue *hub, uint32_t island)
{
	queue->island = island;
	queue->sources = hub->sources;
}

void event_queue_check_senders(struct event_queue *queue)
{
	queue->checks = true;
}

uint64_t event_queue_wrong_senders(const struct event_queue *queue)
{
	return queue->senders.wrong;
}

void event_queue_set_lane(struct event_queue *queue, uint32_t lane)
{
	queue->lane = lane;
}

void event_queue_set_outlet(struct event_queue *queue,
			    struct event_outlet *outlet)
{
	if (queue->outlet != outlet)
		queue->outlet = outlet;
}

picoseconds event_queue_soonest(const struct event_queue *queue)
{
	return queue->soonest;
}

picoseconds event_queue_refresh(struct event_queue *queue)
{
	queue->soonest = event_queue_next(queue);
	return queue->soonest;
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
		uint64_t later = queue->later.entries[0]->time >> BUCKET_BITS;

		if (later < bucket)
			bucket = later;
	}
	return bucket;
}

/* Makes it the current one, whose events have all been run. */
static void enter_bucket(struct event_queue *queue, uint64_t bucket)
{
	size_t slot = bucket & WHEEL_MASK;

	/* The next cycle's events are nearly always in the next bucket. */
	__builtin_prefetch(queue->wheel[(bucket + 1) & WHEEL_MASK]);
	queue->bucket = bucket;
	while (queue->later.count &&
	       (queue->later.entries[0]->time >> BUCKET_BITS) - bucket <
		       WHEEL_SIZE)
		wheel_push(queue, later_pop(&queue->later));
	near_fill(&queue->current, queue->wheel[slot]);
	queue->wheel[slot] = NULL;
	queue->occupied[slot / 64] &= ~(1ull << (slot % 64));
}

/* Runs the next event of the current bucket, at its time. */
static inline void run_next(struct event_queue *queue, picoseconds time)
{
	struct near_list *list = &queue->current;
	struct event *event = list->entries[--list->count].event;
	event_action *action = event->action;
	void *owner = event->owner;
	uint64_t tag = event->tag;

	queue->head.now = time;
	queue->head.source = event->source;
	event->next = queue->free;
	queue->free = event;
	action(owner, tag);
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

picoseconds event_queue_next(const struct event_queue *queue)
{
	const struct near_list *list = &queue->current;
	uint64_t bucket;

	if (list->count)
		return near_time(queue, list->entries[list->count - 1].key);
	bucket = next_bucket(queue);
	return bucket == UINT64_MAX ? UINT64_MAX : bucket << BUCKET_BITS;
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
