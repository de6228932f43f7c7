/* An event queue from inside: what event.c and post.c share, and what files
 * call inline whose functions schedule an event for each step of a simulation. */
#ifndef M2S_SIM_QUEUE_H
#define M2S_SIM_QUEUE_H

#include <assert.h>
#include <stdalign.h>
#include <stddef.h>

#include "sim/event.h"
#include "sim/post.h"

enum {
	EVENT_BUCKET_BITS = 10, /* log2 of picoseconds: about a cycle */
	EVENT_WHEEL_SIZE = 256,
	EVENT_WHEEL_MASK = EVENT_WHEEL_SIZE - 1,
};

/* An event in a bucket. The key orders the events of the bucket: 10 bits of the
 * time since the bucket's start, then 22 bits of the source. */
struct event {
	/* The one that was scheduled before it, or the next free one. */
	alignas(64) struct event *next;
	event_action *action;
	void *owner;
	uint64_t tag;
	uint32_t key;
};

/* The events of a bucket that is being run. An event's rank is its key above
 * and the order of the calls below: of events that were there before the bucket
 * was run up to NEAR_MIDDLE, of others from there on. So ranks differ, and
 * numbers alone have to be sorted. The order is also the event's place before or
 * behind `middle`. */
#define NEAR_MIDDLE (UINT32_C(1) << 31)
struct near_list {
	uint64_t *ranks, *scratch; /* from the last to be run to the next one */
	size_t count;
	struct event **middle;
	uint32_t inserted;
	size_t capacity; /* on either side of the middle */
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
	struct event *free;       /* never empty */
	struct near_list current; /* events of the current bucket */
	uint64_t occupied[EVENT_WHEEL_SIZE / 64]; /* one bit per bucket */
	/* Buckets bucket+1 ... +255: the newest event. */
	struct event *wheel[EVENT_WHEEL_SIZE];
	struct later_heap later;
	void **blocks;
	size_t block_count, block_capacity;
	picoseconds done; /* all events before it have been run */
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

/* Allocates more free events. */
void event_queue_refill(struct event_queue *queue);
/* As event_put(), also into the current bucket and beyond the wheel. */
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

/* To be called before event_take() and event_put_slot(). */
static inline void event_make_free(struct event_queue *queue)
{
	if (!queue->free->next)
		event_queue_refill(queue);
}

static inline struct event *event_take(struct event_queue *queue)
{
	struct event *event = queue->free;

	queue->free = event->next;
	return event;
}

/* Puts an event behind the others of a bucket on the wheel. */
static inline void event_put_slot(struct event_queue *queue, size_t slot,
				  uint32_t key, event_action *action,
				  void *owner, uint64_t tag)
{
	struct event *event = event_take(queue);

	*event = (struct event){
		.next = queue->wheel[slot], .action = action, .owner = owner,
		.tag = tag, .key = key,
	};
	queue->wheel[slot] = event;
	queue->occupied[slot / 64] |= 1ull << (slot % 64);
}

/* Puts an event at `time`, which is not past. There is no call but the last one,
 * so that no register has to be saved. */
static inline void event_put(struct event_queue *queue, picoseconds time,
			     uint32_t source, event_action *action,
			     void *owner, uint64_t tag)
{
	uint64_t bucket = time >> EVENT_BUCKET_BITS;

	if (bucket - queue->bucket - 1 >= EVENT_WHEEL_SIZE - 1 ||
	    !queue->free->next)
		event_put_elsewhere(queue, time, source, action, owner, tag);
	else
		event_put_slot(queue, bucket & EVENT_WHEEL_MASK,
			       event_key(time, source), action, owner, tag);
}

/* As event_schedule(). */
static inline void event_put_after(struct event_queue *queue, picoseconds delay,
				   uint32_t source, event_action *action,
				   void *owner, uint64_t tag)
{
	event_put(queue, queue->head.now + delay, source, action, owner, tag);
}

/* --- Between queues ------------------------------------------------------ */

/* Counts a message with the wrong sender. */
void event_senders_check(struct event_senders *senders, uint32_t source,
			 uint32_t island);

/* Whether one thread runs both queues, which are two, in this window. The sender may
 * then touch the receiver's memory, and hand its own over. */
static inline bool event_stays_in_lane(const struct event_queue *from,
				       const struct event_queue *to)
{
	return from->outlet->direct ||
	       event_post_lane(from->post) == event_post_lane(to->post);
}

/* A message with a time comes to a queue. */
static inline void event_queue_awaits(struct event_queue *to, picoseconds time)
{
	/* Otherwise it would be lost, or run in another order. */
	assert(time >= to->end);
	if (to->soonest == UINT64_MAX)
		event_queue_skip(to, to->end);
	if (time < to->soonest)
		to->soonest = time;
}

/* The event of a message, which comes to its queue. */
static inline void event_take_message(struct event_queue *to, picoseconds time,
				      uint32_t source, uint32_t island,
				      event_action *action, void *owner,
				      uint64_t tag)
{
	event_queue_awaits(to, time);
	if (to->checks)
		event_senders_check(&to->senders, source, island);
	event_put(to, time, source, action, owner, tag);
}

/* As event_send(), of two queues that one thread runs. */
static inline void event_put_near(struct event_queue *from,
				  struct event_queue *to, picoseconds delay,
				  uint32_t source, event_action *action,
				  void *owner, uint64_t tag)
{
	picoseconds time = from->head.now + delay;

	if (time < from->outlet->earliest)
		from->outlet->earliest = time;
	event_take_message(to, time, source, from->island, action, owner, tag);
}

#endif
