/* Messages between islands, and a queue's knowledge of its island. */
#include "sim/post.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/queue.h"

/* Mail with contents is followed by these, up to a multiple of 8. Of a message
 * without, `size` is its source and PLAIN, `word` the islands that it comes from
 * (above) and goes to, the contents are the action's owner and tag. */
enum {
	WORD = sizeof(uint64_t),
	PLAIN_WORDS = 2,
	ISLAND_BITS = 16,
	ISLAND_MASK = (1 << ISLAND_BITS) - 1,
};
static const uint32_t PLAIN = UINT32_C(1) << 31;

static size_t mail_bytes(const struct event_mail *mail)
{
	if (mail->size & PLAIN)
		return sizeof *mail + PLAIN_WORDS * WORD;
	return sizeof *mail + (mail->size + WORD - 1) / WORD * WORD;
}

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

void event_senders_check(struct event_senders *senders, uint32_t source,
			 uint32_t island)
{
	if (source >= senders->count)
		senders_grow(senders, source);
	if (!senders->islands[source])
		senders->islands[source] = island + 1;
	senders->wrong += senders->islands[source] != island + 1;
}

/* --- Messages ----------------------------------------------------------- */

/* What has come to its queue. Contents may have no event. */
static inline void take_message(struct event_queue *to, picoseconds time,
				uint32_t source, uint32_t island,
				event_action *action, void *owner, uint64_t tag)
{
	if (action) {
		event_take_message(to, time, source, island, action, owner,
				   tag);
		return;
	}
	assert(time >= to->end);
	if (to->soonest == UINT64_MAX)
		event_queue_skip(to, to->end);
	if (time < to->soonest && tag)
		to->soonest = time;
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

static struct event_mail *post_put(struct event_queue *from,
				   const struct event_queue *to,
				   picoseconds time, size_t size)
{
	struct event_outlet *outlet = from->outlet;
	struct event_post *post = outlet->posts[to->post];
	struct event_mail *mail;

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
	mail = (void *)(post->bytes + post->used);
	post->used += (uint32_t)size;
	if (time < outlet->earliest)
		outlet->earliest = time;
	/* The receiver's processor has them: to be here when they are next
	 * written. */
	fetch_lines(post, sizeof *post + post->used + POST_AHEAD - size,
		    sizeof *post + post->used + POST_AHEAD, true);
	mail->time = time;
	return mail;
}

void event_send(struct event_queue *from, struct event_queue *to,
		picoseconds delay, uint32_t source, event_action *action,
		void *owner, uint64_t tag)
{
	struct event_mail *mail;

	if (from == to) {
		event_schedule(from, delay, source, action, owner, tag);
		return;
	}
	if (event_stays_in_lane(from, to)) {
		event_put_near(from, to, delay, source, action, owner, tag);
		return;
	}
	mail = post_put(from, to, from->head.now + delay,
			sizeof *mail + PLAIN_WORDS * WORD);
	mail->size = source | PLAIN;
	mail->word = from->island << ISLAND_BITS | to->island;
	mail->action = action;
	mail->contents[0] = (uintptr_t)owner;
	mail->contents[1] = tag;
}

void event_queue_expect(struct event_queue *queue, picoseconds time)
{
	if (time < queue->soonest)
		queue->soonest = time;
}

void event_way_set(struct event_way *way, const struct event_queue *from,
		   struct event_queue *to, uint32_t source,
		   event_action *action, void *owner, event_land *land)
{
	*way = (struct event_way){
		.to = to, .action = action, .owner = owner, .land = land,
		.source = source, .island = from->island,
	};
}

static void send_directly(struct event_queue *from, const struct event_way *way,
			  const struct event_mail *mail)
{
	if (mail->time < from->outlet->earliest)
		from->outlet->earliest = mail->time;
	take_message(way->to, mail->time, way->source, way->island, way->action,
		     way->owner, way->land(mail));
}

static __attribute__((noinline)) void
send_copy(struct event_queue *from, const struct event_mail *head,
	  const void *data)
{
	uint64_t copy[(sizeof *head + EVENT_CONTENTS) / WORD];
	struct event_mail *mail = (void *)copy;

	*mail = *head;
	memcpy(mail->contents, data, mail->size);
	send_directly(from, mail->way, mail);
}

void event_send_data(struct event_queue *from, const struct event_way *way,
		     picoseconds delay, uint32_t word, const void *data,
		     uint32_t size)
{
	const struct event_mail head = {
		.time = from->head.now + delay, .size = size, .word = word,
		.way = way,
	};
	struct event_mail *mail;

	assert(size <= EVENT_CONTENTS);
	if (event_stays_in_lane(from, way->to)) {
		if (size)
			send_copy(from, &head, data);
		else
			send_directly(from, way, &head);
		return;
	}
	mail = post_put(from, way->to, head.time, mail_bytes(&head));
	*mail = head;
	if (size)
		memcpy(mail->contents, data, size);
}

/* --- Posts -------------------------------------------------------------- */

void event_outlet_open(struct event_outlet *outlet, uint64_t step)
{
	uint16_t sent = outlet->sent;

	outlet->sent = 0;
	outlet->step = step;
	outlet->earliest = UINT64_MAX;
	outlet->raised_count = 0;
	/* A lane that was sent a message is likely to be sent another. */
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
		const struct event_mail *mail =
			(const void *)(post->bytes + at);
		size_t end = at + mail_bytes(mail);

		fetch_lines(post, at + POST_AHEAD, end + POST_AHEAD, false);
		if (mail->size & PLAIN) {
			take_message(queues[mail->word & ISLAND_MASK],
				     mail->time, mail->size & ~PLAIN,
				     mail->word >> ISLAND_BITS, mail->action,
				     (void *)(uintptr_t)mail->contents[0],
				     mail->contents[1]);
		} else {
			const struct event_way *way = mail->way;

			take_message(way->to, mail->time, way->source,
				     way->island, way->action, way->owner,
				     way->land(mail));
		}
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

void event_queue_pass(struct event_queue *queue, picoseconds end)
{
	queue->end = end;
}

picoseconds event_queue_refresh(struct event_queue *queue, picoseconds end)
{
	queue->end = end;
	queue->soonest = event_queue_next(queue);
	return queue->soonest;
}
