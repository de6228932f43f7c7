/* The events of the bucket that is being run, in their order. Only event.c
 * includes this header: its functions are parts of that file's loop. */
#ifndef M2S_SIM_BUCKET_H
#define M2S_SIM_BUCKET_H

#include "base/memory.h"
#include "sim/queue.h"

/* Of an event in the current bucket. */
static inline picoseconds event_time(const struct event_queue *queue,
				     uint32_t key)
{
	return queue->bucket << EVENT_BUCKET_BITS |
	       key >> (32 - EVENT_BUCKET_BITS);
}

static inline picoseconds near_time(const struct event_queue *queue,
				    uint64_t rank)
{
	return event_time(queue, (uint32_t)(rank >> 32));
}

static inline uint64_t near_rank(const struct event *event, uint32_t place)
{
	return (uint64_t)event->key << 32 | place;
}

static __attribute__((noinline)) void near_grow(struct near_list *list)
{
	list->capacity = list->capacity ? 2 * list->capacity : 64;
	list->ranks = xrealloc(list->ranks,
			       list->capacity * sizeof *list->ranks);
	list->scratch = xrealloc(list->scratch,
				 list->capacity * sizeof *list->scratch);
	list->events = xrealloc(list->events,
				list->capacity * sizeof *list->events);
}

/* An event that joins the bucket while it is being run. */
static void near_insert(struct near_list *list, struct event *event)
{
	uint64_t rank = near_rank(event, list->places);
	size_t at = list->count;

	if (list->places == list->capacity)
		near_grow(list);
	list->events[list->places++] = event;
	list->count++;
	for (; at > 0 && list->ranks[at - 1] < rank; at--)
		list->ranks[at] = list->ranks[at - 1];
	list->ranks[at] = rank;
}

/* Merges two sorted runs; the choice is no branch that could be guessed
 * wrong. */
static void merge(uint64_t *out, const uint64_t *a, const uint64_t *a_end,
		  const uint64_t *b, const uint64_t *b_end)
{
	while (a < a_end && b < b_end) {
		bool second = *b > *a;

		*out++ = second ? *b : *a;
		a += !second;
		b += second;
	}
	while (a < a_end)
		*out++ = *a++;
	while (b < b_end)
		*out++ = *b++;
}

enum { RUN = 12 };

/* Merges sorted runs of RUN events. */
static __attribute__((noinline)) void near_merge(struct near_list *list)
{
	size_t count = list->count;

	for (size_t run = RUN; run < count; run *= 2) {
		uint64_t *from = list->ranks;

		for (size_t start = 0; start < count; start += 2 * run) {
			size_t middle = start + run < count ? start + run
							    : count;
			size_t end = start + 2 * run < count ? start + 2 * run
							     : count;

			merge(list->scratch + start, from + start,
			      from + middle, from + middle, from + end);
		}
		list->ranks = list->scratch;
		list->scratch = from;
	}
}

/* The greater one first, without a branch. */
static inline void exchange(uint64_t *a, uint64_t *b)
{
	uint64_t greater = *a > *b ? *a : *b;

	*b = *a > *b ? *b : *a;
	*a = greater;
}

/* Reads a chunk's events into the list, and sorts them. */
static inline void near_read(struct near_list *list, struct event_chunk *chunk,
			     uint64_t rank[EVENT_CHUNK])
{
	for (uint32_t i = 0; i < EVENT_CHUNK; i++) {
		struct event *event = &chunk->events[i];
		uint32_t place = chunk->before + i;
		uint64_t here = near_rank(event, place);

		/* The called component will look there soon. Prefetched for
		 * reading, because other processors may read the first
		 * members, too. */
		__builtin_prefetch(event->owner);
		list->events[place] = event;
		rank[i] = i < chunk->count ? here : 0;
	}
	exchange(&rank[0], &rank[1]);
	exchange(&rank[1], &rank[2]);
	exchange(&rank[0], &rank[1]);
}
_Static_assert(EVENT_CHUNK == 3, "near_read() sorts three");

/* Fills the empty list from chunks, of which the first is the newest. Most
 * buckets have one. */
static inline void near_fill(struct near_list *list, struct event_chunk *chunk)
{
	size_t count, start = 0;

	list->places = chunk->before + chunk->count;
	while (chunk->before + EVENT_CHUNK > list->capacity)
		near_grow(list);
	list->count = list->places;
	near_read(list, chunk, list->ranks);
	for (count = chunk->count; (chunk = chunk->next);) {
		uint64_t rank[EVENT_CHUNK];

		__builtin_prefetch(chunk->next);
		near_read(list, chunk, rank);
		for (int i = 0; i < EVENT_CHUNK; i++) {
			size_t at = count;

			if (count - start == RUN)
				start = count;
			count++;
			for (; at > start && list->ranks[at - 1] < rank[i];
			     at--)
				list->ranks[at] = list->ranks[at - 1];
			list->ranks[at] = rank[i];
		}
	}
	if (count > RUN)
		near_merge(list);
}

#endif
