/* Messages between islands on their way: what event.c and island.c share.
 *
 * The thread that runs a lane's islands in a window writes what they send into
 * an outlet of the lane, two posts per lane of receivers; in a later window the
 * receivers' threads read it, and meanwhile the lane writes to other outlets.
 * So nobody waits for a lock or counts with another, and memory goes from one
 * processor to another once per message. */
#ifndef M2S_SIM_POST_H
#define M2S_SIM_POST_H

#include <stdalign.h>
#include <stddef.h>

#include "sim/event.h"

/* Twice a line: processors fetch lines by pairs. */
enum { POST_ALIGN = 128 };

struct event_post {
	alignas(POST_ALIGN) uint8_t *bytes;
	size_t used, capacity;
};

struct event_outlet {
	alignas(POST_ALIGN) struct event_post *posts; /* post_number() */
	/* There is one thread: messages go straight to their queues, as
	 * elsewhere those between islands of one lane. */
	bool direct;
	picoseconds earliest; /* message of this window */
	void **raised;
	size_t raised_count, raised_capacity;
};

/* Puts the messages of a post into their receivers, which must not have come
 * past the messages' times. */
void event_post_take(const struct event_post *post);
void event_post_free(struct event_post *post);

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
 * event_post_take, not by event_schedule. */
picoseconds event_queue_soonest(const struct event_queue *queue);
picoseconds event_queue_refresh(struct event_queue *queue);

#endif
