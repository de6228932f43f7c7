/* An event queue from inside: what event.c and post.c share. */
#ifndef M2S_SIM_QUEUE_H
#define M2S_SIM_QUEUE_H

#include <stdalign.h>
#include <stddef.h>

#include "sim/event.h"
#include "sim/post.h"

enum {
	EVENT_BUCKET_BITS = 10, /* log2 of picoseconds: about a cycle */
	EVENT_WHEEL_SIZE = 256,
	EVENT_WHEEL_MASK = EVENT_WHEEL_SIZE - 1,
	EVENT_CHUNK = 3, /* a chunk is two cache lines */
};

/* An event in a bucket. The key orders the events of the bucket: 10 bits of the
 * time since the bucket's start, then 22 bits of the source. */
struct event {
	uint32_t key;
	event_action *action;
	void *owner;
	uint64_t tag;
};

/* Events of one bucket, adjacent in memory whenever they were scheduled. */
struct event_chunk {
	/* The next older chunk, or the next free one. */
	alignas(128) struct event_chunk *next;
	uint32_t count;
	uint32_t before; /* events of the bucket in older chunks */
	struct event events[EVENT_CHUNK];
};

/* The events of a bucket that is being run. An event's place in `events` is the
 * order of the calls; its rank is the key above, the place below. So ranks
 * differ, and numbers alone have to be sorted. */
struct near_list {
	uint64_t *ranks, *scratch; /* from the last to be run to the next one */
	struct event **events;
	size_t count; /* to be run */
	uint32_t places;
	size_t capacity;
};

struct later_event {
	picoseconds time;
	uint32_t source;
	uint32_t sequence; /* wraps, compared by its distance */
	event_action *action;
	void *owner;
	uint64_t tag;
};

struct later_heap {
	struct later_event *entries;
	size_t count, capacity;
};

/* The sender of a queue's messages with each source: island + 1, or 0. */
struct event_senders {
	uint32_t *islands;
	size_t count;
	uint64_t wrong; /* messages of other islands with that source */
};

struct event_queue {
	struct event_queue_head head;
	uint64_t bucket;          /* number of the current bucket */
	struct event_chunk *free; /* never empty */
	struct event_chunk *run;  /* of the current bucket */
	struct near_list current; /* events of the current bucket */
	uint64_t occupied[EVENT_WHEEL_SIZE / 64]; /* one bit per bucket */
	/* Buckets bucket+1 ... +255: the newest chunk. */
	struct event_chunk *wheel[EVENT_WHEEL_SIZE];
	struct later_heap later;
	void **blocks;
	size_t block_count, block_capacity;
	uint32_t sequence;
	uint32_t *sources, own_sources; /* number of sources */
	struct event_outlet *outlet; /* NULL: not an island */
	struct event_senders senders;
	/* Members that senders read, apart from the others. */
	alignas(POST_ALIGN) uint32_t post;
	uint32_t island;
	alignas(POST_ALIGN) picoseconds soonest;
	picoseconds end; /* of the last window that the queue ran or had no event in */
	bool checks; /* records the senders */
};

/* Allocates more free chunks. */
void event_queue_refill(struct event_queue *queue);
/* Puts an event into the current bucket, or beyond the wheel. */
void event_put_elsewhere(struct event_queue *queue, picoseconds time,
			 uint32_t source, event_action *action, void *owner,
			 uint64_t tag);

/* No event is to come before `time`: if none is left, those that come are put on
 * the wheel from there on. */
void event_queue_skip(struct event_queue *queue, picoseconds time);

static inline uint32_t event_key(picoseconds time, uint32_t source)
{
	return (uint32_t)time << (32 - EVENT_BUCKET_BITS) | source;
}

/* Makes room for one more event of a bucket. */
static inline struct event *event_chunk_add(struct event_queue *queue,
					    struct event_chunk **newest)
{
	struct event_chunk *chunk = *newest;

	if (!chunk || chunk->count == EVENT_CHUNK) {
		struct event_chunk *full = chunk;

		chunk = queue->free;
		queue->free = chunk->next;
		chunk->next = full;
		chunk->before = full ? full->before + EVENT_CHUNK : 0;
		chunk->count = 0;
		*newest = chunk;
		if (!queue->free)
			event_queue_refill(queue);
	}
	return &chunk->events[chunk->count++];
}

/* Puts an event at `time`, which is not past. */
static inline void event_put(struct event_queue *queue, picoseconds time,
			     uint32_t source, event_action *action,
			     void *owner, uint64_t tag)
{
	uint64_t bucket = time >> EVENT_BUCKET_BITS;
	size_t slot = bucket & EVENT_WHEEL_MASK;
	struct event *event;

	if (bucket - queue->bucket - 1 >= EVENT_WHEEL_SIZE - 1) {
		event_put_elsewhere(queue, time, source, action, owner, tag);
		return;
	}
	event = event_chunk_add(queue, &queue->wheel[slot]);
	*event = (struct event){
		.key = event_key(time, source),
		.action = action, .owner = owner, .tag = tag,
	};
	queue->occupied[slot / 64] |= 1ull << (slot % 64);
}

#endif
