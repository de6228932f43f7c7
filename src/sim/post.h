/* Messages between islands on their way: what event.c and island.c share.
 *
 * The thread that runs a lane's islands in a step writes what they send into an
 * outlet of the lane, two posts per lane of receivers; in a later window the
 * receivers' threads read it, and meanwhile the lane writes to other outlets.
 * So nobody waits for a lock or counts with another, and memory goes from one
 * processor to another once per message: nothing is read of a post that was not
 * written, and nothing is written when it has been read. */
#ifndef M2S_SIM_POST_H
#define M2S_SIM_POST_H

#include <stdalign.h>
#include <stddef.h>

#include "sim/event.h"

/* Twice a line: processors fetch lines by pairs. */
enum { POST_ALIGN = 128 };

/* What was sent in a step; of that step only. */
struct event_post {
	uint64_t step;
	uint32_t used, capacity;
	uint8_t bytes[];
};

/* Who was sent something, one bit each; lanes that share one look in vain. */
enum { SENT_TO_HUB = 1, SENT_TO_LANES = 2, SENT_BITS = 16 };
static inline uint16_t event_sent_to_lane(uint32_t lane)
{
	return (uint16_t)(SENT_TO_LANES << lane % (SENT_BITS - 1));
}

struct event_outlet {
	/* post_number(); NULL: was never written. */
	alignas(POST_ALIGN) struct event_post **posts;
	uint64_t step;
	uint32_t hub_post; /* the number of the hub's */
	uint16_t sent; /* in the step */
	/* There is one thread: messages go straight to their queues, as
	 * elsewhere those between islands of one lane. */
	bool direct;
	picoseconds earliest; /* message of this step */
	void **raised;
	size_t raised_count, raised_capacity;
};

/* For what is sent in a step; nobody has still to read what is in the posts. */
void event_outlet_open(struct event_outlet *outlet, uint64_t step);
/* The processor fetches what event_post_take() will read. */
void event_post_fetch(const struct event_post *post);
/* Puts the messages of a step, if there are, into their receivers, which are
 * `queues` by their islands, and which must not have come past the messages'
 * times. */
void event_post_take(const struct event_post *post, uint64_t step,
		     struct event_queue *const *queues);
/* Nothing of any step is in it any more. */
void event_post_clear(struct event_post *post);

/* Its number among the islands; from now on it has its sources in common with
 * the hub. */
void event_queue_set_island(struct event_queue *queue,
			    struct event_queue *hub, uint32_t island);
uint32_t event_queue_island(const struct event_queue *queue);
/* From now on its messages are counted whose source has been another
 * island's. */
void event_queue_check_senders(struct event_queue *queue);
uint64_t event_queue_wrong_senders(const struct event_queue *queue);

/* An outlet has two posts for each lane: for islands in front and at the back.
 * The hub's post is that of a lane of its own. */
enum { LANE_POSTS = 2 };
static inline uint32_t event_post_lane(uint32_t post)
{
	return post / LANE_POSTS;
}

/* The post, of those of an outlet, into which goes what is sent to the queue from
 * other lanes. */
void event_queue_set_post(struct event_queue *queue, uint32_t post);
/* Where the queue's own messages go. */
void event_queue_set_outlet(struct event_queue *queue,
			    struct event_outlet *outlet);

/* A time not after the next event: kept up to date by event_queue_refresh and
 * by messages, not by event_schedule. */
picoseconds event_queue_soonest(const struct event_queue *queue);
/* It has run to `end`: no message comes any more that is before. */
picoseconds event_queue_refresh(struct event_queue *queue, picoseconds end);

#endif
