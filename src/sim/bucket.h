/* The events of the bucket that is being run, in their order. Only event.c
 * includes this header: its functions are parts of that file's loop.
 *
 * Few buckets have more than eight events. These are sorted by a network of
 * comparisons that are always the same, as the host could not guess a branch
 * that depends on the events' order. */
#ifndef M2S_SIM_BUCKET_H
#define M2S_SIM_BUCKET_H

#include <string.h>

#include "base/memory.h"
#include "sim/queue.h"

enum { NEAR_RUN = 8 };

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

static inline uint64_t near_rank(const struct event *event, uint32_t order)
{
	return (uint64_t)event->key << 32 | order;
}

static inline struct event *near_event(const struct near_list *list,
				       uint64_t rank)
{
	return list->middle[(int32_t)((uint32_t)rank - NEAR_MIDDLE)];
}

/* Makes room for twice as many events. There is always room for the rest of a
 * run. */
static __attribute__((noinline)) void near_grow(struct near_list *list)
{
	size_t old = list->capacity, new = old ? 2 * old : 64;
	struct event **events = xcalloc(2 * new, sizeof(struct event *));

	if (old) {
		memcpy(events + new - old, list->middle - old,
		       2 * old * sizeof(struct event *));
		free(list->middle - old);
	}
	list->middle = events + new;
	list->capacity = new;
	new = 2 * new + NEAR_RUN;
	list->ranks = xrealloc(list->ranks, new * sizeof *list->ranks);
	list->scratch = xrealloc(list->scratch, new * sizeof *list->scratch);
}

static inline void near_free(struct near_list *list)
{
	free(list->middle - list->capacity);
	free(list->ranks);
	free(list->scratch);
}

/* An event that joins the bucket while it is being run. */
static void near_insert(struct near_list *list, struct event *event)
{
	uint64_t rank = near_rank(event, NEAR_MIDDLE + list->inserted);
	size_t at = list->count;

	if (list->inserted == list->capacity)
		near_grow(list);
	list->middle[list->inserted++] = event;
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

/* The greater one first. */
static inline void exchange(uint64_t *a, uint64_t *b)
{
	uint64_t greater = *a > *b ? *a : *b;

	*b = *a > *b ? *b : *a;
	*a = greater;
}

static inline void sort_four(uint64_t *ranks)
{
	uint64_t a = ranks[0], b = ranks[1], c = ranks[2], d = ranks[3];

	exchange(&a, &b);
	exchange(&c, &d);
	exchange(&a, &c);
	exchange(&b, &d);
	exchange(&b, &c);
	ranks[0] = a;
	ranks[1] = b;
	ranks[2] = c;
	ranks[3] = d;
}

static void sort_eight(uint64_t *ranks)
{
	uint64_t a = ranks[0], b = ranks[1], c = ranks[2], d = ranks[3];
	uint64_t e = ranks[4], f = ranks[5], g = ranks[6], h = ranks[7];

	exchange(&a, &c);
	exchange(&b, &d);
	exchange(&e, &g);
	exchange(&f, &h);
	exchange(&a, &e);
	exchange(&b, &f);
	exchange(&c, &g);
	exchange(&d, &h);
	exchange(&a, &b);
	exchange(&c, &d);
	exchange(&e, &f);
	exchange(&g, &h);
	exchange(&c, &e);
	exchange(&d, &f);
	exchange(&b, &e);
	exchange(&d, &g);
	exchange(&b, &c);
	exchange(&d, &e);
	exchange(&f, &g);
	ranks[0] = a;
	ranks[1] = b;
	ranks[2] = c;
	ranks[3] = d;
	ranks[4] = e;
	ranks[5] = f;
	ranks[6] = g;
	ranks[7] = h;
}

/* Sorts more than a run. */
static __attribute__((noinline)) void sort_many(struct near_list *list)
{
	size_t count = list->count;

	for (size_t i = 0; i < count; i += NEAR_RUN)
		sort_eight(list->ranks + i);
	for (size_t run = NEAR_RUN; run < count; run *= 2) {
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

/* Fills the empty list with an event and those before it. */
static inline void near_fill(struct near_list *list, struct event *event)
{
	uint64_t *ranks = list->ranks;
	struct event **middle = list->middle;
	uint32_t count = 0;

	do {
		/* The called component will look there soon. Prefetched for
		 * reading, because other processors may read the first
		 * members, too. */
		__builtin_prefetch(event->owner);
		if (count == list->capacity) {
			near_grow(list);
			ranks = list->ranks;
			middle = list->middle;
		}
		ranks[count] = near_rank(event, NEAR_MIDDLE - 1 - count);
		count++;
		middle[-(ptrdiff_t)count] = event;
	} while ((event = event->next));
	list->count = count;
	list->inserted = 0;
	/* The last ones of a run that is not full. */
	for (int i = 0; i < NEAR_RUN; i++)
		ranks[count + i] = 0;
	if (count <= NEAR_RUN / 2)
		sort_four(list->ranks);
	else if (count <= NEAR_RUN)
		sort_eight(list->ranks);
	else
		sort_many(list);
}

#endif
