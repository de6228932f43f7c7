/* Which command of a DRAM channel is to go out next.
 *
 * Column commands come before activates, these before precharges, within a
 * kind the oldest request. FR-FCFS lets requests to the open row of a bank
 * pass older ones until one of these has waited `starvation` cycles. Writes
 * are drained together, because turning the data bus costs cycles. FCFS serves
 * strictly in the order of arrival. */
#include "base/optimize.h"

#include "memsys/dram/internal.h"

/* The request that the bank works for: the oldest to its open row, or the
 * oldest of all. */
static struct dram_request *bank_choice(const struct dram_channel *channel,
					struct dram_bank *bank, bool write,
					uint64_t now)
{
	struct dram_request *oldest = bank->queue[write].first, *request;

	if (!bank->open || oldest->row == bank->row ||
	    now - oldest->queued >= channel->dram->config.starvation)
		return oldest;
	if (!bank->hit_known[write]) {
		request = oldest->next;
		while (request && request->row != bank->row)
			request = request->next;
		bank->hit[write] = request;
		bank->hit_known[write] = true;
	}
	return bank->hit[write] ? bank->hit[write] : oldest;
}

static enum dram_command next_command(const struct dram_bank *bank,
				      const struct dram_request *request)
{
	if (bank->open && bank->row == request->row)
		return request->write ? DRAM_WRITE : DRAM_READ;
	return bank->open ? DRAM_PRECHARGE : DRAM_ACTIVATE;
}

/* Of what can go out now, the more urgent one is better, else the one that can
 * go out sooner; then the older one. `cycle` is `now` or later. */
static inline bool better(const struct dram_choice *a,
			  const struct dram_choice *b)
{
	if (!b->request)
		return true;
	if (a->cycle != b->cycle)
		return a->cycle < b->cycle;
	if (dram_kind_of(a->command) != dram_kind_of(b->command))
		return dram_kind_of(a->command) < dram_kind_of(b->command);
	return a->request->sequence < b->request->sequence;
}

/* Whether to serve writes now rather than reads. Requests that wait when the
 * direction changes are served before it changes again, so that neither
 * direction starves. */
static bool choose_direction(struct dram_channel *channel)
{
	const struct dram_config *config = &channel->dram->config;
	bool write = channel->draining, turn;

	if (!channel->queued[!write])
		return write;
	if (!channel->queued[write])
		turn = true;
	else if (channel->batch_left)
		turn = write && channel->queued[1] <= config->write_low;
	else
		turn = write || channel->queued[1] >= config->write_high;
	if (turn) {
		channel->draining = !write;
		channel->batch_left = channel->queued[!write];
	}
	return channel->draining;
}

/* In arrival order: the oldest request, whatever it is. */
static struct dram_choice choose_first(const struct dram_channel *channel,
				       uint64_t banks)
{
	struct dram_choice best = { .request = NULL };
	struct dram_request *oldest = NULL;

	for (int write = 0; write < 2; write++)
		for (uint64_t left = channel->pending[write]; left;
		     left &= left - 1) {
			struct dram_request *first =
				channel->banks[__builtin_ctzll(left)]
					.queue[write].first;

			if (!oldest || first->sequence < oldest->sequence)
				oldest = first;
		}
	if (!oldest || !(banks >> oldest->bank & 1))
		return best;
	best.request = oldest;
	best.command = next_command(&channel->banks[oldest->bank], oldest);
	best.cycle = dram_earliest(channel, best.command, oldest->bank);
	return best;
}

static struct dram_choice choose_ready(struct dram_channel *channel,
				       uint64_t banks, bool write,
				       uint64_t now)
{
	struct dram_choice best = { .request = NULL };
	struct dram_limits limits;
	unsigned rank = UINT32_MAX; /* whose limits these are */

	for (uint64_t left = channel->pending[write] & banks; left;
	     left &= left - 1) {
		struct dram_bank *bank =
			&channel->banks[__builtin_ctzll(left)];
		struct dram_choice choice;

		if (bank->rank != rank) {
			rank = bank->rank;
			limits = dram_limits(channel, rank, write);
		}
		choice.request = bank_choice(channel, bank, write, now);
		choice.command = next_command(bank, choice.request);
		choice.cycle = dram_earliest_within(
			channel, &limits, dram_kind_of(choice.command), bank);
		dram_raise(&choice.cycle, now);
		if (better(&choice, &best))
			best = choice;
	}
	return best;
}

struct dram_choice dram_choose(struct dram_channel *channel, uint64_t banks,
			       uint64_t now)
{
	return channel->dram->config.scheduling == DRAM_FCFS
		       ? choose_first(channel, banks)
		       : choose_ready(channel, banks,
				      choose_direction(channel), now);
}

/* Whether what a bank works for changes with its commands only: its oldest
 * request, which no other one passes. */
static bool banks_keep_order(const struct dram_channel *channel)
{
	const struct dram_config *config = &channel->dram->config;

	return config->scheduling != DRAM_FCFS && !config->starvation;
}

static void set_bit(uint64_t *bits, unsigned number, bool value)
{
	*bits = (*bits & ~(UINT64_C(1) << number)) | (uint64_t)value << number;
}

void dram_new_row(struct dram_channel *channel, unsigned number)
{
	const struct dram_bank *bank = &channel->banks[number];

	for (int write = 0; write < 2; write++)
		set_bit(&channel->at_row[write], number,
			bank->open & (bank->head[write].row == bank->row));
}

void dram_new_head(struct dram_channel *channel, unsigned number, bool write)
{
	struct dram_bank *bank = &channel->banks[number];
	const struct dram_request *first = bank->queue[write].first;

	if (!first)
		return;
	bank->head[write] = (struct dram_head){ first->row, first->sequence };
	set_bit(&channel->at_row[write], number,
		bank->open & (bank->row == first->row));
}

/* The best of several banks, as better() has it, in one number: cycles from now
 * on, which timing parameters bound, the kind, and the order of arrival. */
struct best_bank {
	uint64_t order, number;
};
enum { ORDER_KIND = 32, ORDER_CYCLE = 34 };

/* Weighs banks that need a command of this kind, for which the earliest cycle is
 * `limit`. The host could not guess whether a bank is better. */
static inline void weigh_banks(const struct dram_channel *channel, bool write,
			       uint64_t banks, enum dram_kind kind,
			       uint64_t limit, uint64_t now,
			       struct best_bank *best)
{
	for (; banks; banks &= banks - 1) {
		uint64_t number = (uint64_t)__builtin_ctzll(banks), order;
		const struct dram_bank *bank = &channel->banks[number];
		uint64_t cycle = limit;

		dram_raise(&cycle, bank->next[kind]);
		if (kind == DRAM_COLUMN)
			dram_raise(&cycle, channel->next_in_group[bank->group]);
		order = (cycle - now) << ORDER_CYCLE |
			(uint64_t)kind << ORDER_KIND |
			(uint32_t)(bank->head[write].sequence -
				   channel->sequence + INT32_MAX);
		best->number = order < best->order ? number : best->number;
		best->order = order < best->order ? order : best->order;
	}
}

/* As choose_ready(), where each bank works for its oldest request. */
static struct dram_choice choose_oldest(struct dram_channel *channel,
					bool write, uint64_t now)
{
	struct best_bank best = { UINT64_MAX, 0 };
	struct dram_choice choice = { .request = NULL };
	const struct dram_bank *bank;

	for (unsigned i = 0; i < channel->dram->config.ranks; i++) {
		uint64_t banks = channel->pending[write] &
				 channel->ranks[i].banks;
		uint64_t open = banks & channel->open;
		uint64_t at_row = open & channel->at_row[write];
		struct dram_limits limits;

		if (!banks)
			continue;
		limits = dram_limits(channel, i, write);
		for (int kind = 0; kind < DRAM_KIND_COUNT; kind++)
			dram_raise(&limits.next[kind], now);
		weigh_banks(channel, write, at_row, DRAM_COLUMN,
			    limits.next[DRAM_COLUMN], now, &best);
		weigh_banks(channel, write, banks & ~open, DRAM_OPEN,
			    limits.next[DRAM_OPEN], now, &best);
		weigh_banks(channel, write, open & ~at_row, DRAM_CLOSE,
			    limits.next[DRAM_CLOSE], now, &best);
	}
	if (best.order == UINT64_MAX)
		return choice;
	bank = &channel->banks[best.number];
	choice.request = bank->queue[write].first;
	choice.command = next_command(bank, choice.request);
	choice.cycle = now + (best.order >> ORDER_CYCLE);
	return choice;
}

struct dram_choice dram_next(struct dram_channel *channel, uint64_t now)
{
	bool write;

	if (!banks_keep_order(channel))
		return dram_choose(channel, ~0ull, now);
	write = choose_direction(channel);
	if (!channel->best_known || channel->best_write != write) {
		channel->best = choose_oldest(channel, write, now);
		channel->best_write = write;
		channel->best_known = true;
	}
	return channel->best;
}

void dram_weigh(struct dram_channel *channel, struct dram_request *request,
		uint64_t now)
{
	const struct dram_bank *bank = &channel->banks[request->bank];
	struct dram_choice choice = { .request = request };

	if (!channel->best_known || channel->best_write != request->write)
		return;
	choice.command = next_command(bank, request);
	choice.cycle = dram_earliest(channel, choice.command, request->bank);
	dram_raise(&choice.cycle, now);
	if (better(&choice, &channel->best))
		channel->best = choice;
}
