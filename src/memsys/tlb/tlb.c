/* A TLB at work: look-ups through its ports, misses that wait for a walk or for
 * the next level, and translated accesses on their way to the module. */
#include "memsys/tlb/tlb.h"

#include <stdlib.h>

#include "base/memory.h"

struct tlb *tlb_create(struct memsys *memsys, const char *name)
{
	struct tlb *tlb = xcalloc(1, sizeof *tlb);

	tlb->memsys = memsys;
	tlb->events = memsys->events;
	tlb->name = xstrdup(name);
	tlb->source = event_source_create(memsys->events);
	tlb->index = memsys->tlb_count;
	tlb->stalled_end = &tlb->stalled;
	tlb->walk_queue_end = &tlb->walk_queue;
	ARRAY_GROW(memsys->tlbs, memsys->tlb_count, memsys->tlb_capacity);
	memsys->tlbs[memsys->tlb_count++] = tlb;
	return tlb;
}

void tlb_free(struct tlb *tlb)
{
	cache_free(tlb->tags);
	free(tlb->table);
	free(tlb->misses);
	free(tlb->requests);
	free(tlb->name);
	free(tlb);
}

void tlb_start(struct tlb *tlb)
{
	const struct tlb_config *config = &tlb->config;
	struct cache_geometry geometry = {
		.sets = config->sets,
		.ways = config->assoc,
		.block_size = config->page_size,
		.policy = (enum cache_policy_id)config->policy,
		.interleave = { 1, 1 },
		.seed = tlb->index + 1,
	};
	uint32_t buckets = 16;
	picoseconds tags = tlb->entry ? module_tags(tlb->entry, 0) : 0;

	tlb->page_shift = (unsigned)__builtin_ctz(config->page_size);
	tlb->page_mask = ~(uint64_t)(config->page_size - 1);
	tlb->hit_delay = config->latency * tlb->period;
	if (config->parallel && tlb->entry)
		tlb->hit_delay -= tlb->hit_delay < tags ? tlb->hit_delay : tags;
	tlb->tags = cache_create(&geometry);
	while (buckets < 2 * config->mshr)
		buckets *= 2;
	tlb->table_mask = buckets - 1;
	tlb->table = xcalloc(buckets, sizeof(struct tlb_miss *));
	tlb->misses = xcalloc(config->mshr, sizeof *tlb->misses);
	for (uint32_t i = config->mshr; i--;) {
		tlb->misses[i].tlb = tlb;
		tlb->misses[i].next = tlb->free_miss;
		tlb->free_miss = &tlb->misses[i];
	}
	tlb->requests = xcalloc(tlb->upper_misses + 1, sizeof *tlb->requests);
	for (uint32_t i = 0; i < tlb->upper_misses; i++) {
		tlb->requests[i].next = tlb->free_request;
		tlb->free_request = &tlb->requests[i];
	}
}

/* --- Islands -------------------------------------------------------------- */

void tlb_divide(const struct memsys *memsys, picoseconds least,
		picoseconds *window,
		void (*join)(void *owner, const struct module *a,
			     const struct module *b),
		void *owner)
{
	for (size_t i = 0; i < memsys->tlb_count; i++) {
		const struct tlb *tlb = memsys->tlbs[i];
		picoseconds latency = tlb->config.low_latency * tlb->period;

		if (tlb->walk_module)
			join(owner, tlb->home, tlb->walk_module);
		if (!tlb->low)
			continue;
		if (latency < least)
			join(owner, tlb->home, tlb->low->home);
		else if (latency < *window)
			*window = latency;
	}
}

void tlb_place(struct memsys *memsys)
{
	for (size_t i = 0; i < memsys->tlb_count; i++)
		memsys->tlbs[i]->events = memsys->tlbs[i]->home->events;
}

/* --- Ports ---------------------------------------------------------------- */

static picoseconds next_edge(const struct tlb *tlb)
{
	picoseconds now = event_queue_now(tlb->events);

	return (now + tlb->period - 1) / tlb->period * tlb->period;
}

static bool port_free(const struct tlb *tlb)
{
	picoseconds edge = next_edge(tlb);

	return tlb->port_time < edge ||
	       (tlb->port_time == edge &&
		tlb->ports_used < tlb->config.ports);
}

/* Takes the next free port slot and returns its time. */
static picoseconds take_port(struct tlb *tlb)
{
	picoseconds edge = next_edge(tlb);

	if (tlb->port_time < edge) {
		tlb->port_time = edge;
		tlb->ports_used = 1;
	} else if (tlb->ports_used < tlb->config.ports) {
		tlb->ports_used++;
	} else {
		tlb->port_time += tlb->period;
		tlb->ports_used = 1;
	}
	return tlb->port_time;
}

/* --- Misses --------------------------------------------------------------- */

static struct tlb_miss **slot(const struct tlb *tlb, uint64_t page)
{
	uint64_t number = page >> tlb->page_shift;

	return &tlb->table[(number ^ number >> 7) & tlb->table_mask];
}

static struct tlb_miss *find_miss(const struct tlb *tlb, uint64_t page)
{
	struct tlb_miss *miss = *slot(tlb, page);

	while (miss && miss->page != page)
		miss = miss->next;
	return miss;
}

/* Whether a port is free. */
static struct tlb_miss *miss_begin(struct tlb *tlb, uint64_t page)
{
	struct tlb_miss *miss = tlb->free_miss, **at = slot(tlb, page);

	tlb->free_miss = miss->next;
	miss->next = *at;
	*at = miss;
	miss->page = page;
	miss->since = event_queue_now(tlb->events);
	miss->level = 0;
	miss->accesses = (struct access_list){ NULL, NULL };
	miss->requests = NULL;
	return miss;
}

static void miss_end(struct tlb_miss *miss)
{
	struct tlb *tlb = miss->tlb;
	struct tlb_miss **at = slot(tlb, miss->page);

	while (*at != miss)
		at = &(*at)->next;
	*at = miss->next;
	miss->next = tlb->free_miss;
	tlb->free_miss = miss;
}

/* --- Between levels ------------------------------------------------------- */

static picoseconds way_down(const struct tlb *upper)
{
	return upper->config.low_latency * upper->period;
}

static void fill_miss(struct tlb_miss *miss);

static void receive_reply(void *owner, uint64_t page)
{
	struct tlb *tlb = owner;

	fill_miss(find_miss(tlb, page));
}

static void reply(struct tlb *tlb, struct tlb_request *request)
{
	struct tlb *upper = request->upper;

	event_send(tlb->events, upper->events, way_down(upper), tlb->source,
		   receive_reply, upper, request->page);
	request->next = tlb->free_request;
	tlb->free_request = request;
}

static void receive_request(void *owner, uint64_t page);

/* Here is nothing; the next one knows. */
static void ask_next_level(struct tlb_miss *miss)
{
	struct tlb *tlb = miss->tlb;

	if (tlb->low)
		event_send(tlb->events, tlb->low->events, way_down(tlb),
			   tlb->source, receive_request, tlb, miss->page);
	else
		tlb_walk(miss, fill_miss);
}

static void looked_up(void *owner, uint64_t tag)
{
	struct tlb_request *request = owner;
	struct tlb *tlb = request->upper->low;
	int32_t line = cache_find(tlb->tags, request->page);
	struct tlb_miss *miss = NULL;
	bool ours = false;

	(void)tag;
	if (line < 0) {
		miss = find_miss(tlb, request->page);
		if (!miss && !tlb->free_miss) {
			tlb->count.retries++;
			request->next = NULL;
			*tlb->stalled_end = request;
			tlb->stalled_end = &request->next;
			return;
		}
	}
	tlb->count.accesses++;
	if (line >= 0) {
		tlb->count.hits++;
		cache_touch(tlb->tags, line);
		reply(tlb, request);
		return;
	}
	tlb->count.misses++;
	tlb->count.merged += miss != NULL;
	if (!miss) {
		miss = miss_begin(tlb, request->page);
		ours = true;
	}
	request->next = miss->requests;
	miss->requests = request;
	if (ours)
		ask_next_level(miss);
}

/* In the island of the lower one; of the upper one only what never changes is
 * looked at. */
static void receive_request(void *owner, uint64_t page)
{
	struct tlb *upper = owner, *tlb = upper->low;
	struct tlb_request *request = tlb->free_request;
	picoseconds when = take_port(tlb) + tlb->config.latency * tlb->period;

	tlb->free_request = request->next;
	request->upper = upper;
	request->page = page;
	event_schedule(tlb->events, when - event_queue_now(tlb->events),
		       tlb->source, looked_up, request, 0);
}

/* --- Accesses ------------------------------------------------------------- */

static void enter_translated(struct tlb *tlb);

static void enter_again(void *owner, uint64_t tag)
{
	struct tlb *tlb = owner;

	(void)tag;
	tlb->pumping = false;
	enter_translated(tlb);
}

/* Translated accesses go to the module, in order, a try each cycle. */
static void enter_translated(struct tlb *tlb)
{
	struct access *access;

	if (tlb->pumping)
		return;
	while ((access = tlb->translated.first)) {
		struct access *next = access->next;

		access->next = NULL;
		if (!module_enter(tlb->entry, access, NULL)) {
			access->next = next;
			break;
		}
		tlb->translated.first = next;
		tlb->waiting--;
	}
	if (!tlb->translated.first)
		return;
	tlb->pumping = true;
	event_schedule(tlb->events, tlb->entry->period, tlb->source,
		       enter_again, tlb, 0);
}

static void translated(void *owner, uint64_t tag)
{
	struct access *access = owner;
	struct tlb *tlb = access->to->tlb;

	(void)tag;
	access_append(&tlb->translated, access);
	enter_translated(tlb);
}

static void missed(void *owner, uint64_t tag)
{
	(void)tag;
	ask_next_level(owner);
}

static bool refuse_access(struct tlb *tlb)
{
	tlb->count.retries++;
	return false;
}

bool tlb_access(struct tlb *tlb, struct access *access, bool *coalesced)
{
	uint64_t page = access->address & tlb->page_mask;
	int32_t line = cache_find(tlb->tags, page);
	struct tlb_miss *miss = line < 0 ? find_miss(tlb, page) : NULL;

	if (!port_free(tlb))
		return refuse_access(tlb);
	if (line >= 0 && !tlb->hit_delay && !tlb->translated.first) {
		/* The module counts what it refuses. */
		if (!module_enter(tlb->entry, access, coalesced))
			return false;
	} else if (tlb->waiting == tlb->config.queue ||
		   (line < 0 && !miss && !tlb->free_miss)) {
		return refuse_access(tlb);
	} else {
		tlb->waiting++;
		if (line >= 0 && tlb->hit_delay)
			event_schedule(tlb->events, tlb->hit_delay,
				       tlb->source, translated, access, 0);
		else if (line >= 0)
			access_append(&tlb->translated, access);
	}
	take_port(tlb);
	tlb->count.accesses++;
	if (line >= 0) {
		tlb->count.hits++;
		cache_touch(tlb->tags, line);
		return true;
	}
	tlb->count.misses++;
	tlb->count.merged += miss != NULL;
	if (!miss) {
		miss = miss_begin(tlb, page);
		event_schedule(tlb->events, tlb->config.latency * tlb->period,
			       tlb->source, missed, miss, 0);
	}
	access_append(&miss->accesses, access);
	return true;
}

/* --- Filling -------------------------------------------------------------- */

static void fill_miss(struct tlb_miss *miss)
{
	struct tlb *tlb = miss->tlb;
	int32_t line = cache_victim(tlb->tags, miss->page);
	struct tlb_request *request = miss->requests;
	struct access *access;

	tlb->count.evictions += tlb->tags->states[line] != CACHE_INVALID;
	tlb->count.miss_cycles += (event_queue_now(tlb->events) -
				   miss->since) / tlb->period;
	cache_fill(tlb->tags, line, miss->page, CACHE_SHARED);
	while ((access = access_pop(&miss->accesses)))
		access_append(&tlb->translated, access);
	while (request) {
		struct tlb_request *next = request->next;

		reply(tlb, request);
		request = next;
	}
	miss_end(miss);
	request = tlb->stalled;
	tlb->stalled = NULL;
	tlb->stalled_end = &tlb->stalled;
	while (request) {
		struct tlb_request *next = request->next;

		looked_up(request, 0);
		request = next;
	}
	if (tlb->entry)
		enter_translated(tlb);
}
