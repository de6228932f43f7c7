/* Messages between islands, on their way. event.c and island.c share this.
 *
 * One thread runs the islands of a lane in a step. It writes their messages
 * into an outlet of the lane, which has two posts for each lane of receivers.
 * The receivers' threads read the posts in a later window. Meanwhile the lane
 * writes into another outlet. So threads need no lock and no common counter. A
 * cache line moves between processors once per message: a post that was not
 * written is not read, and reading a post writes nothing. */
#ifndef M2S_SIM_POST_H
#define M2S_SIM_POST_H

#include <stdalign.h>
#include <stddef.h>

#include "sim/event.h"

/* Two cache lines: processors fetch lines in pairs. */
enum { POST_ALIGN = 128 };

/* The messages of one step. */
struct event_post {
	uint64_t step;
	uint32_t used, capacity;
	uint8_t bytes[];
};

/* Bits for the lanes that were sent a message. Lanes may share a bit, so a lane
 * whose bit is set may find its post empty. */
enum { SENT_TO_HUB = 1, SENT_TO_LANES = 2, SENT_BITS = 16 };
static inline uint16_t event_sent_to_lane(uint32_t lane)
{
	return (uint16_t)(SENT_TO_LANES << lane % (SENT_BITS - 1));
}

struct event_outlet {
	/* Indexed by post number. NULL: the post was never written. */
	alignas(POST_ALIGN) struct event_post **posts;
	uint64_t step;
	uint32_t hub_post; /* the number of the hub's post */
	uint16_t sent;     /* to whom in this step (SENT_TO_*) */
	/* One thread runs all islands, so messages go straight into their
	 * queues. Messages between islands of one lane always do. */
	bool direct;
	picoseconds earliest; /* the time of this step's first message */
	void **raised;
	size_t raised_count, raised_capacity;
};

/* Begins a step. Every message of the outlet's earlier steps has been read. */
void event_outlet_open(struct event_outlet *outlet, uint64_t step);
/* Prefetches what event_post_take() will read. */
void event_post_fetch(const struct event_post *post);
/* Moves the post's messages of `step` into their receivers' queues. `queues`
 * is indexed by island. No receiver may have passed a message's time. */
void event_post_take(const struct event_post *post, uint64_t step,
		     struct event_queue *const *queues);
/* Forgets the post's messages. */
void event_post_clear(struct event_post *post);

/* Gives the queue its number among the islands. From now on it shares its
 * sources with the hub. */
void event_queue_set_island(struct event_queue *queue,
			    struct event_queue *hub, uint32_t island);
uint32_t event_queue_island(const struct event_queue *queue);
/* From now on counts the queue's messages whose source belongs to another
 * island. */
void event_queue_check_senders(struct event_queue *queue);
uint64_t event_queue_wrong_senders(const struct event_queue *queue);

/* An outlet has two posts for each lane: one for islands in front, one for
 * islands at the back. The hub counts as a lane of its own. */
enum { LANE_POSTS = 2 };
static inline uint32_t event_post_lane(uint32_t post)
{
	return post / LANE_POSTS;
}

/* Chooses the post of every outlet that holds messages from other lanes to
 * this queue. */
void event_queue_set_post(struct event_queue *queue, uint32_t post);
/* Chooses the outlet for the messages that this queue's island sends. */
void event_queue_set_outlet(struct event_queue *queue,
			    struct event_outlet *outlet);

/* A lower bound of the next event's time. event_queue_refresh() and messages
 * keep it up to date; event_schedule() does not. */
picoseconds event_queue_soonest(const struct event_queue *queue);
/* The queue has no event before `end`, the end of a window. */
void event_queue_pass(struct event_queue *queue, picoseconds end);
/* The queue has run to `end`, and every later message has a time of `end` or
 * after. Returns the new lower bound. */
picoseconds event_queue_refresh(struct event_queue *queue, picoseconds end);

#endif
