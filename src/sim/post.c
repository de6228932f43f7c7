/* What islands send to each other, and what a queue knows of its island. */
#include "sim/post.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/queue.h"

/* An event of another queue, in a post; `words` of eight bytes follow: what
 * lands, or an event's tag. */
struct event_message {
	picoseconds time;
	void *owner;
	union {
		const struct event_kind *kind; /* of what lands */
		event_action *action;
	};
	uint32_t source : 22, words : 9, lands : 1;
	uint16_t from, to; /* islands */
};
enum { EVENT_SOURCE_MASK = (1 << 22) - 1, EVENT_WORDS_MASK = (1 << 9) - 1 };

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
	/* Otherwise it would be lost, or run in another order. */
	assert(time >= to->end);
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
enum { POST_AHEAD = 512, LINE = 64 };

/* The lines of a post from byte `from` to `end`, to be read or written. */
static inline void fetch_lines(const struct event_post *post, size_t from,
			       size_t end, bool write)
{
	for (; from < end; from += LINE)
		if (write)
			__builtin_prefetch((const char *)post + from, 1);
		else
			__builtin_prefetch((const char *)post + from, 0);
}

static struct event_post *post_grow(struct event_outlet *outlet,
				    uint32_t number)
{
	struct event_post *old = outlet->posts[number], *post;
	uint32_t capacity = old ? 2 * old->capacity : 4096;

	post = xcalloc_aligned(sizeof *post + capacity);
	post->step = UINT64_MAX;
	if (old)
		memcpy(post, old, sizeof *old + old->used);
	post->capacity = capacity;
	free(old);
	outlet->posts[number] = post;
	return post;
}

/* A message with room for its contents, of which nothing is said yet. */
static struct event_message *post_put(struct event_queue *from,
				      const struct event_queue *to,
				      picoseconds time, uint32_t source,
				      uint32_t words)
{
	struct event_outlet *outlet = from->outlet;
	struct event_post *post = outlet->posts[to->post];
	struct event_message *message;
	size_t size = sizeof *message + 8 * (size_t)words;

	if (!post)
		post = post_grow(outlet, to->post);
	if (post->step != outlet->step) {
		post->step = outlet->step;
		post->used = 0;
		outlet->sent |= to->post == outlet->hub_post
					? SENT_TO_HUB
					: event_sent_to_lane(event_post_lane(
						  to->post));
	}
	while (post->used + size > post->capacity)
		post = post_grow(outlet, to->post);
	message = (void *)(post->bytes + post->used);
	post->used += (uint32_t)size;
	if (time < outlet->earliest)
		outlet->earliest = time;
	/* The receiver's processor has them: to be here when they are next
	 * written. */
	fetch_lines(post, sizeof *post + post->used + POST_AHEAD - size,
		    sizeof *post + post->used + POST_AHEAD, true);
	message->time = time;
	message->source = source & EVENT_SOURCE_MASK;
	message->words = words & EVENT_WORDS_MASK;
	message->from = (uint16_t)from->island;
	message->to = (uint16_t)to->island;
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
	message = post_put(from, to, from->head.now + delay, source, 1);
	message->lands = false;
	message->action = action;
	message->owner = owner;
	memcpy(message + 1, &tag, sizeof tag);
}

bool event_send_near(struct event_queue *from, struct event_queue *to,
		     picoseconds delay, uint32_t source, event_action *action,
		     void *owner, uint64_t tag)
{
	if (!stays_in_lane(from, to))
		return false;
	take_directly(from, to, from->head.now + delay, source, action, owner,
		      tag);
	return true;
}

void event_send_data(struct event_queue *from, struct event_queue *to,
		     picoseconds delay, uint32_t source,
		     const struct event_kind *kind, void *owner,
		     const void *data, uint32_t size)
{
	uint32_t words = (size + 7) / 8;
	struct event_message *message;

	if (stays_in_lane(from, to)) {
		take_directly(from, to, from->head.now + delay, source,
			      kind->action, owner, kind->land(owner, data));
		return;
	}
	assert(words <= EVENT_WORDS_MASK);
	message = post_put(from, to, from->head.now + delay, source, words);
	message->lands = true;
	message->kind = kind;
	message->owner = owner;
	memcpy(message + 1, data, size);
}

/* --- Posts -------------------------------------------------------------- */

void event_outlet_open(struct event_outlet *outlet, uint64_t step)
{
	uint16_t sent = outlet->sent;

	outlet->sent = 0;
	outlet->step = step;
	outlet->earliest = UINT64_MAX;
	outlet->raised_count = 0;
	/* Who was sent something is likely to be so again. */
	for (uint32_t i = 0; sent && i <= outlet->hub_post; i++) {
		const struct event_post *post = outlet->posts[i];

		if (post && sent & (i == outlet->hub_post
					    ? SENT_TO_HUB
					    : event_sent_to_lane(
						      event_post_lane(i))))
			fetch_lines(post, 0, POST_AHEAD, true);
	}
}

void event_post_fetch(const struct event_post *post)
{
	if (post)
		fetch_lines(post, 0, POST_AHEAD, false);
}

void event_post_take(const struct event_post *post, uint64_t step,
		     struct event_queue *const *queues)
{
	if (!post || post->step != step)
		return;
	for (size_t at = 0; at < post->used;) {
		const struct event_message *message =
			(const void *)(post->bytes + at);
		size_t end = at + sizeof *message + 8 * (size_t)message->words;
		event_action *action = message->action;
		uint64_t tag;

		fetch_lines(post, at + POST_AHEAD, end + POST_AHEAD, false);
		if (message->lands) {
			action = message->kind->action;
			tag = message->kind->land(message->owner, message + 1);
		} else {
			memcpy(&tag, message + 1, sizeof tag);
		}
		take(queues[message->to], message->time, message->source,
		     message->from, action, message->owner, tag);
		at = end;
	}
}

void event_post_clear(struct event_post *post)
{
	if (post)
		post->step = UINT64_MAX;
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

picoseconds event_queue_refresh(struct event_queue *queue, picoseconds end)
{
	queue->end = end;
	queue->soonest = event_queue_next(queue);
	return queue->soonest;
}
