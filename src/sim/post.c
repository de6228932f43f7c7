/* What islands send to each other, and what a queue knows of its island. */
#include "sim/post.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/queue.h"

/* An event of another queue, in a post; `size` bytes of contents follow, up to
 * a multiple of 8. */
struct event_message {
	struct event_queue *to;
	picoseconds time;
	event_action *action; /* NULL: nothing is to be done but to land */
	void *owner;
	union {
		event_land *land; /* of contents */
		uint64_t tag;     /* of a message without */
	};
	uint32_t source;
	uint16_t size, island; /* whose */
};

/* --- Senders ------------------------------------------------------------ */

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
senders_check(struct event_senders *senders, uint32_t source, uint32_t island)
{
	if (source >= senders->count)
		senders_grow(senders, source);
	if (!senders->islands[source])
		senders->islands[source] = island + 1;
	senders->wrong += senders->islands[source] != island + 1;
}

/* --- Messages ----------------------------------------------------------- */

/* What has come to its queue. */
static inline void take(struct event_queue *to, picoseconds time,
			uint32_t source, uint32_t island, event_action *action,
			void *owner, uint64_t tag)
{
	if (time < to->soonest && (action || tag))
		to->soonest = time;
	if (!action)
		return;
	if (to->checks)
		senders_check(&to->senders, source, island);
	event_put(to, time, source, action, owner, tag);
}

/* The same, without a post. */
static void take_directly(struct event_queue *from, struct event_queue *to,
			  picoseconds time, uint32_t source,
			  event_action *action, void *owner, uint64_t tag)
{
	if (time < from->outlet->earliest)
		from->outlet->earliest = time;
	take(to, time, source, from->island, action, owner, tag);
}

/* One thread runs both. */
static inline bool stays_in_lane(const struct event_queue *from,
				 const struct event_queue *to)
{
	return from->outlet->direct ||
	       event_post_lane(from->post) == event_post_lane(to->post);
}

/* Bytes of a post that are fetched ahead: some four messages. */
enum { POST_AHEAD = 512 };

static struct event_message *post_put(struct event_queue *from,
				      const struct event_queue *to,
				      picoseconds time, size_t size)
{
	struct event_outlet *outlet = from->outlet;
	struct event_post *post = &outlet->posts[to->post];
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
	/* The receiver's processor has them: to be here when they are next
	 * written. */
	__builtin_prefetch((char *)message + POST_AHEAD, 1);
	__builtin_prefetch((char *)message + POST_AHEAD + 64, 1);
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
	if (stays_in_lane(from, to)) {
		take_directly(from, to, from->head.now + delay, source, action,
			      owner, tag);
		return;
	}
	message = post_put(from, to, from->head.now + delay, sizeof *message);
	message->to = to;
	message->action = action;
	message->owner = owner;
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
	struct event_message *message;

	if (stays_in_lane(from, to)) {
		take_directly(from, to, from->head.now + delay, source, action,
			      owner, land(owner, data));
		return;
	}
	message = post_put(from, to, from->head.now + delay,
			   sizeof *message + rounded);
	assert(rounded && rounded <= UINT16_MAX);
	message->to = to;
	message->action = action;
	message->owner = owner;
	message->land = land;
	message->source = source;
	message->size = (uint16_t)rounded;
	message->island = (uint16_t)from->island;
	memcpy(message + 1, data, size);
}

void event_tell(struct event_queue *from, struct event_queue *to,
		picoseconds delay, void *owner, event_land *land,
		const void *data, uint32_t size)
{
	event_send_data(from, to, delay, 0, NULL, owner, land, data, size);
}

void event_post_take(const struct event_post *post)
{
	/* Not a pointer: an empty block may have none. */
	for (size_t at = 0; at < post->used;) {
		const struct event_message *message =
			(const void *)(post->bytes + at);
		struct event_queue *to = message->to;
		uint64_t tag;

		__builtin_prefetch((const char *)message + POST_AHEAD);
		__builtin_prefetch((const char *)message + POST_AHEAD + 64);
		tag = message->size
			      ? message->land(message->owner, message + 1)
			      : message->tag;
		take(to, message->time, message->source, message->island,
		     message->action, message->owner, tag);
		at += sizeof *message + message->size;
	}
}

void event_post_free(struct event_post *post)
{
	free(post->bytes);
}

/* --- Islands ------------------------------------------------------------ */

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

uint32_t event_queue_island(const struct event_queue *queue)
{
	return queue->island;
}

void event_queue_check_senders(struct event_queue *queue)
{
	queue->checks = true;
}

uint64_t event_queue_wrong_senders(const struct event_queue *queue)
{
	return queue->senders.wrong;
}

void event_queue_set_post(struct event_queue *queue, uint32_t post)
{
	queue->post = post;
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
