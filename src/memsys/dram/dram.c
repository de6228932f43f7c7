/* The queues of a DRAM controller and its work over time.
 *
 * A request waits in the queue of its bank, reads and writes apart; a request
 * that finds its queue full waits outside. A channel looks at its banks
 * whenever a command could go out, sends at most one in a cycle, and finds out
 * when to look again. Rows are closed, and ranks refreshed, when nothing better
 * is to be sent. */
#include "base/optimize.h"

#include "memsys/dram/internal.h"

#include "sim/queue.h"

/* --- Requests ----------------------------------------------------------- */

static void request_free(struct dram *dram, struct dram_request *request)
{
	request->next = dram->free;
	dram->free = request;
}

static void finish_request(void *owner, uint64_t tag)
{
	struct dram_request *request = owner, *whole = request->whole;
	struct dram *dram = request->dram;

	(void)tag;
	if (request != whole)
		request_free(dram, request);
	if (--whole->pending)
		return;
	if (whole->done)
		whole->done(whole->owner, whole->tag);
	request_free(dram, whole);
}

/* At a cycle, ends a read, or the part of a write in its access. */
static void finish_at(struct dram_channel *channel,
		      struct dram_request *request, uint64_t cycle)
{
	struct dram *dram = channel->dram;
	picoseconds now = event_queue_now(dram->events);
	picoseconds when = dram_cycle_start(dram, cycle);

	event_put_after(dram->events, when > now ? when - now : 0, dram->source,
		       finish_request, request, 0);
}

/* --- Queue -------------------------------------------------------------- */

static void list_append(struct dram_list *list, struct dram_request *request)
{
	request->next = NULL;
	if (list->first)
		list->last->next = request;
	else
		list->first = request;
	list->last = request;
}

static void list_remove(struct dram_list *list, struct dram_request *request)
{
	struct dram_request *before = NULL, *at = list->first;

	while (at != request) {
		before = at;
		at = at->next;
	}
	if (before)
		before->next = request->next;
	else
		list->first = request->next;
	if (list->last == request)
		list->last = before;
}

/* A write in the queue that covers the request. */
static struct dram_request *covering(struct dram_bank *bank,
				     const struct dram_request *request)
{
	struct dram_request *write = bank->queue[1].first;

	while (write && !(!write->masked && write->row == request->row &&
			  write->from <= request->from &&
			  write->to >= request->to))
		write = write->next;
	return write;
}

static void enqueue_request(struct dram_channel *channel,
			    struct dram_request *request)
{
	struct dram *dram = channel->dram;
	struct dram_bank *bank = &channel->banks[request->bank];
	uint64_t now = dram_cycle(dram);

	if (covering(bank, request)) {
		if (request->write)
			dram->count.merged++;
		else
			dram->count.forwarded++;
		finish_at(channel, request, now + 1);
		return;
	}
	request->queued = now;
	if (!bank->queue[request->write].first)
		dram_weigh(channel, request, now);
	list_append(&bank->queue[request->write], request);
	dram_new_head(channel, request->bank, request->write);
	if (!bank->hit[request->write])
		bank->hit_known[request->write] = false;
	channel->pending[request->write] |= 1ull << request->bank;
	channel->queued[request->write]++;
	dram->count.queued++;
	dram->count.waiting++;
	if (request->write) {
		dram->count.writes++;
		/* The module that stored need not wait for the devices. */
		finish_at(channel, request->whole, now + 1);
		request->acknowledged = true;
	} else {
		dram->count.reads++;
	}
}

static bool queue_full(const struct dram_channel *channel, bool write)
{
	return channel->queued[write] == channel->dram->config.queue_depth;
}

/* A queue has room again. */
static void take_outside(struct dram_channel *channel, bool write)
{
	struct dram_list *outside = &channel->outside[write];

	while (outside->first && !queue_full(channel, write)) {
		struct dram_request *next = outside->first;

		list_remove(outside, next);
		enqueue_request(channel, next);
	}
}

/* The last burst of the request has its command. */
static void served(struct dram_channel *channel, struct dram_request *request,
		   uint64_t cycle)
{
	struct dram *dram = channel->dram;
	struct dram_bank *bank = &channel->banks[request->bank];
	bool write = request->write;
	uint64_t end = cycle + dram->burst_cycles +
		       (write ? dram->config.cwl : dram->config.cl);

	list_remove(&bank->queue[write], request);
	dram_new_head(channel, request->bank, write);
	bank->hit_known[write] = false;
	if (!bank->queue[write].first)
		channel->pending[write] &= ~(1ull << request->bank);
	channel->queued[write]--;
	if (channel->batch_left)
		channel->batch_left--;
	dram->count.waiting--;
	dram->count.queue_cycles += cycle - request->queued;
	switch (request->outcome) {
	case DRAM_HIT:
		dram->count.row_hits++;
		break;
	case DRAM_MISS:
		dram->count.row_misses++;
		break;
	case DRAM_CONFLICT:
		dram->count.row_conflicts++;
		break;
	}
	if (request->acknowledged) {
		request_free(dram, request);
	} else {
		dram->count.read_cycles += end - request->arrival;
		finish_at(channel, request, end);
	}
	take_outside(channel, write);
}

/* --- Commands ----------------------------------------------------------- */

static void issue(struct dram_channel *channel,
		  const struct dram_choice *choice, uint64_t now)
{
	struct dram_request *request = choice->request;

	dram_issue(channel, choice->command, request->bank, request->row,
		   request->column, now);
	switch (choice->command) {
	case DRAM_PRECHARGE:
		request->outcome = DRAM_CONFLICT;
		break;
	case DRAM_ACTIVATE:
		if (request->outcome == DRAM_HIT)
			request->outcome = DRAM_MISS;
		break;
	default:
		request->column += channel->dram->burst_bytes;
		request->to = request->from; /* no longer covers anything */
		if (!--request->bursts)
			served(channel, request, now);
		break;
	}
}

static bool row_wanted(const struct dram_bank *bank)
{
	for (int write = 0; write < 2; write++)
		for (const struct dram_request *request =
			     bank->queue[write].first;
		     request; request = request->next)
			if (request->row == bank->row)
				return true;
	return false;
}

/* Precharges for which no request asks: before a refresh, and of unneeded rows
 * under the policies Close and Idle. `usable`: banks of ranks that need no
 * refresh. Lowers *next to the earliest precharge to come. True if a precharge
 * was sent now. */
static bool close_rows(struct dram_channel *channel, uint64_t usable,
		       uint64_t now, uint64_t *next)
{
	const struct dram_config *config = &channel->dram->config;
	bool close = config->row_policy != DRAM_ROW_OPEN;
	uint64_t left = channel->open & (close ? ~0ull : ~usable);

	for (; left; left &= left - 1) {
		unsigned number = (unsigned)__builtin_ctzll(left);
		struct dram_bank *bank = &channel->banks[number];
		uint64_t cycle;

		if (!channel->ranks[bank->rank].refreshing &&
		    (!close || row_wanted(bank)))
			continue;
		cycle = dram_earliest(channel, DRAM_PRECHARGE, number);
		if (config->row_policy == DRAM_ROW_IDLE &&
		    !channel->ranks[bank->rank].refreshing)
			dram_raise(&cycle, bank->used + config->row_idle);
		if (cycle <= now) {
			dram_issue(channel, DRAM_PRECHARGE, number, bank->row,
				   0, now);
			return true;
		}
		if (cycle < *next)
			*next = cycle;
	}
	return false;
}

/* As close_rows(), for refreshes that are due. */
static bool refresh(struct dram_channel *channel, uint64_t now, uint64_t *next)
{
	const struct dram_config *config = &channel->dram->config;

	for (unsigned i = 0; config->refi && i < config->ranks; i++) {
		struct dram_rank *rank = &channel->ranks[i];
		uint64_t cycle;

		rank->refreshing = now >= rank->refresh_due;
		if (!rank->refreshing || rank->banks & channel->open)
			continue;
		cycle = dram_earliest_refresh(channel, i);
		if (cycle <= now) {
			dram_issue_refresh(channel, i, now);
			return true;
		}
		if (cycle < *next)
			*next = cycle;
	}
	return false;
}

/* --- Time --------------------------------------------------------------- */

static void wake(void *owner, uint64_t generation);

static void schedule(struct dram_channel *channel, uint64_t cycle)
{
	struct dram *dram = channel->dram;
	picoseconds now = event_queue_now(dram->events), when;

	when = dram_cycle_start(dram, cycle);
	event_put_after(dram->events, when > now ? when - now : 0, dram->source,
		       wake, channel, ++channel->generation);
}

static void wake_at(struct dram_channel *channel, uint64_t cycle)
{
	if (cycle < channel->next_command)
		cycle = channel->next_command;
	if (channel->awake && channel->wake_cycle <= cycle)
		return;
	channel->awake = true;
	channel->wake_cycle = cycle;
	if (!channel->dram->lag)
		schedule(channel, cycle);
}

static uint64_t first_refresh(const struct dram_channel *channel)
{
	const struct dram_config *config = &channel->dram->config;
	uint64_t first = UINT64_MAX;

	for (unsigned i = 0; config->refi && i < config->ranks; i++)
		if (!channel->ranks[i].refreshing &&
		    channel->ranks[i].refresh_due < first)
			first = channel->ranks[i].refresh_due;
	return first;
}

/* Banks whose rank may take commands: not about to be refreshed. */
static uint64_t usable(const struct dram_channel *channel)
{
	uint64_t mask = ~0ull;

	for (unsigned i = 0; i < channel->dram->config.ranks; i++)
		if (channel->ranks[i].refreshing)
			mask &= ~channel->ranks[i].banks;
	return mask;
}

/* A command has gone out in the cycle before `now`: looks again when the next
 * one can follow, which is seldom now. */
static void look_ahead(struct dram_channel *channel, uint64_t now)
{
	bool busy = channel->pending[0] | channel->pending[1];
	uint64_t refresh = first_refresh(channel);
	struct dram_choice best;

	if (channel->dram->config.row_policy != DRAM_ROW_OPEN ||
	    usable(channel) != ~0ull || refresh <= now) {
		wake_at(channel, now);
		return;
	}
	if (!busy)
		return;
	best = dram_next(channel, now);
	if (best.cycle > refresh)
		best.cycle = refresh;
	wake_at(channel, best.cycle > now ? best.cycle : now);
}

/* Sends at most one command and finds out when to look again. */
static void work(struct dram_channel *channel, uint64_t now)
{
	bool busy = channel->pending[0] | channel->pending[1];
	struct dram_choice best;
	uint64_t next = UINT64_MAX, mask;

	if (refresh(channel, now, &next)) {
		wake_at(channel, now + 1);
		return;
	}
	mask = usable(channel);
	best = mask == ~0ull ? dram_next(channel, now)
			     : dram_choose(channel, mask, now);
	if (best.request && best.cycle <= now) {
		issue(channel, &best, now);
		look_ahead(channel, now + 1);
		return;
	}
	if (close_rows(channel, mask, now, &next)) {
		wake_at(channel, now + 1);
		return;
	}
	if (best.request && best.cycle < next)
		next = best.cycle;
	if (busy && first_refresh(channel) < next)
		next = first_refresh(channel);
	if (next != UINT64_MAX)
		wake_at(channel, next > now ? next : now + 1);
}

/* --- Late looks ----------------------------------------------------------- */

/* Looks as the channel would have done in each cycle before `end`. */
static void look_until(struct dram_channel *channel, uint64_t end)
{
	while (channel->awake && channel->wake_cycle < end) {
		channel->awake = false;
		work(channel, channel->wake_cycle);
	}
}

/* Schedules an event for what the channel's next commands do: not before the
 * first data can be there. Requests outside come in when a command makes room. */
static void look_late(struct dram_channel *channel)
{
	const struct dram *dram = channel->dram;
	bool outside = channel->outside[0].first || channel->outside[1].first;
	uint64_t lag = outside ? 0 : dram->lag, cycle = dram_cycle(dram);

	if (!channel->awake)
		return;
	if (cycle + lag < channel->wake_cycle)
		cycle = channel->wake_cycle;
	cycle += lag;
	if (channel->event_cycle <= cycle)
		return;
	channel->event_cycle = cycle;
	schedule(channel, cycle);
}

/* Before a request comes. A look of this very time comes with the source of the
 * devices. */
static void look_before(struct dram_channel *channel, uint64_t cycle)
{
	const struct dram *dram = channel->dram;
	bool after = dram_cycle_start(dram, cycle) ==
			     event_queue_now(dram->events) &&
		     event_queue_source(dram->events) > dram->source;

	look_until(channel, cycle + after);
}

void dram_gather(struct dram *dram, picoseconds now)
{
	picoseconds done = event_queue_done(dram->events);
	uint64_t end = dram_cycle_at(dram, done < now ? now : done);

	for (unsigned i = 0; dram->lag && i < dram->config.channels; i++)
		look_until(&dram->channels[i], end);
}

void dram_look_late(struct dram *dram, bool late)
{
	struct dram_channel *channel = dram->channels;

	if (late == (dram->lag > 0) || (late && dram->config.channels > 1))
		return;
	if (late) {
		/* A cycle before the data of a read command. */
		dram->lag = dram->config.cl + dram->burst_cycles - 1;
		return;
	}
	look_before(channel, dram_cycle(dram));
	dram->lag = 0;
	if (channel->awake)
		schedule(channel, channel->wake_cycle);
}

static void wake(void *owner, uint64_t generation)
{
	struct dram_channel *channel = owner;
	uint64_t now = dram_cycle(channel->dram);

	if (generation != channel->generation)
		return;
	if (channel->dram->lag) {
		channel->event_cycle = UINT64_MAX;
		look_until(channel, now + 1);
		look_late(channel);
	} else {
		channel->awake = false;
		work(channel, now);
	}
}

void dram_put(struct dram *dram, unsigned channel_number,
	      struct dram_request *request)
{
	struct dram_channel *channel = &dram->channels[channel_number];
	uint64_t now = dram_cycle(dram);

	if (dram->lag)
		look_before(channel, now);
	request->arrival = now;
	request->sequence = channel->sequence++;
	if (!channel->awake)
		dram_catch_up(channel, now);
	if (channel->outside[request->write].first ||
	    queue_full(channel, request->write)) {
		dram->count.queue_full++;
		list_append(&channel->outside[request->write], request);
	} else {
		enqueue_request(channel, request);
	}
	/* Commands go out at clock edges. */
	wake_at(channel, now);
	if (dram->lag)
		look_late(channel);
}
