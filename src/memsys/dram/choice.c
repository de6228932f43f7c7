/* Which command of a DRAM channel is to go out next.
 *
 * Column commands come before activates, these before precharges, within a
 * kind the oldest request. FR-FCFS lets requests to the open row of a bank
 * pass older ones until one of these has waited `starvation` cycles. Writes
 * are drained together, because turning the data bus costs cycles. FCFS serves
 * strictly in the order of arrival. */
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

void dram_new_head(struct dram_bank *bank, bool write)
{
	const struct dram_request *first = bank->queue[write].first;

	if (first)
		bank->head[write] = (struct dram_head){
			first->row, first->sequence,
		};
}

/* As choose_ready(), where each bank works for its oldest request. The host
 * could guess neither what a bank needs nor whether that is better. */
static struct dram_choice choose_oldest(struct dram_channel *channel,
					bool write, uint64_t now)
{
	uint64_t best = UINT64_MAX, first = UINT64_MAX, chosen = 0;
	struct dram_choice choice = { .request = NULL };
	const struct dram_bank *bank;
	struct dram_limits limits;
	unsigned rank = UINT32_MAX; /* whose limits these are */

	for (uint64_t left = channel->pending[write]; left;
	     left &= left - 1) {
		uint64_t number = (uint64_t)__builtin_ctzll(left), order;
		const struct dram_head *head;
		unsigned open, kind;
		uint64_t sooner;

		bank = &channel->banks[number];
		head = &bank->head[write];
		open = bank->open;
		kind = (open ^ 1) * DRAM_OPEN |
		       (open & (bank->row != head->row)) * DRAM_CLOSE;
		if (bank->rank != rank) {
			rank = bank->rank;
			limits = dram_limits(channel, rank, write);
		}
		order = dram_earliest_within(channel, &limits, kind, bank);
		dram_raise(&order, now);
		/* As better() has it; all bits are set or none. */
		order = order << 2 | kind;
		sooner = -(uint64_t)(order < best) |
			 (-(uint64_t)(order == best) &
			  -(uint64_t)(head->sequence < first));
		chosen ^= (chosen ^ number) & sooner;
		first ^= (first ^ head->sequence) & sooner;
		best ^= (best ^ order) & sooner;
	}
	if (best == UINT64_MAX)
		return choice;
	bank = &channel->banks[chosen];
	choice.request = bank->queue[write].first;
	choice.command = next_command(bank, choice.request);
	choice.cycle = best >> 2;
	return choice;
}
_Static_assert(DRAM_COLUMN == 0, "choose_oldest() counts on it");

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
