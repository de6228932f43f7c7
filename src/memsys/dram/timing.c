/* When DRAM commands may go out: the timing parameters of JEDEC standards and
 * data sheets (JESD79-3 for DDR3, JESD212 for GDDR5), kept as the earliest
 * cycle per bank, bank group, rank and channel. */
#include "base/optimize.h"

#include "memsys/dram/internal.h"

static void record(const struct dram_channel *channel,
		   enum dram_command command, unsigned bank, uint64_t row,
		   uint32_t column, uint64_t cycle)
{
	const struct dram *dram = channel->dram;
	unsigned per_rank = dram->config.groups * dram->config.banks;
	struct dram_record record;

	if (!dram->observer)
		return;
	record = (struct dram_record){
		.cycle = cycle, .command = command,
		.channel = channel->number, .rank = bank / per_rank,
		.group = bank % per_rank / dram->config.banks,
		.bank = bank % per_rank, .row = row, .column = column,
	};
	dram->observer(dram->observer_owner, &record);
}

/* --- Issue -------------------------------------------------------------- */

static void activate(struct dram_channel *channel, struct dram_bank *bank,
		     uint64_t cycle)
{
	const struct dram_config *config = &channel->dram->config;
	struct dram_rank *rank = &channel->ranks[bank->rank];

	bank->open = true;
	bank->hit_known[0] = bank->hit_known[1] = false;
	bank->next[DRAM_OPEN] = cycle + config->rc;
	bank->next[DRAM_COLUMN] = cycle + config->rcd;
	bank->next[DRAM_CLOSE] = cycle + config->ras;
	rank->next_activate = cycle + config->rrd;
	rank->activates[rank->activate_at] = cycle + 1;
	rank->activate_at = (rank->activate_at + 1) % 4;
	channel->dram->count.activates++;
}

static void precharge(struct dram_channel *channel, struct dram_bank *bank,
		      uint64_t cycle)
{
	bank->open = false;
	dram_raise(&bank->next[DRAM_OPEN], cycle + channel->dram->config.rp);
	channel->dram->count.precharges++;
}

static void column(struct dram_channel *channel, struct dram_bank *bank,
		   bool write, uint64_t cycle)
{
	struct dram *dram = channel->dram;
	const struct dram_config *config = &dram->config;
	uint64_t write_end = cycle + config->cwl + dram->burst_cycles;

	channel->next_in_group[bank->group] = cycle + config->ccd_l;
	dram_raise(&channel->next_column[write], cycle + config->ccd_s);
	if (write) {
		dram_raise(&bank->next[DRAM_CLOSE], write_end + config->wr);
		dram_raise(&channel->ranks[bank->rank].next_read,
		      write_end + config->wtr);
		/* Data of a read of any rank come after those of the write. */
		if (write_end > config->cl)
			dram_raise(&channel->next_column[0],
			      write_end - config->cl);
	} else {
		dram_raise(&bank->next[DRAM_CLOSE], cycle + config->rtp);
		dram_raise(&channel->next_column[1], cycle + config->rtw);
	}
	dram->count.turnarounds += channel->any_column &&
				   channel->last_write != write;
	bank->used = cycle;
	dram->count.bursts++;
	dram->count.busy += dram->burst_cycles;
	channel->last_rank = bank->rank;
	channel->last_write = write;
	channel->last_column = cycle;
	channel->any_column = true;
}

void dram_issue(struct dram_channel *channel, enum dram_command command,
		unsigned number, uint64_t row, uint32_t column_bytes,
		uint64_t cycle)
{
	struct dram_bank *bank = &channel->banks[number];

	switch (command) {
	case DRAM_ACTIVATE:
		bank->row = row;
		channel->open |= 1ull << number;
		activate(channel, bank, cycle);
		dram_new_row(channel, number);
		break;
	case DRAM_PRECHARGE:
		row = bank->row;
		channel->open &= ~(1ull << number);
		precharge(channel, bank, cycle);
		dram_new_row(channel, number);
		break;
	default:
		column(channel, bank, command == DRAM_WRITE, cycle);
		break;
	}
	channel->next_command = cycle + 1;
	channel->best_known = false;
	record(channel, command, number, row, column_bytes, cycle);
}

/* --- Refresh ------------------------------------------------------------ */

uint64_t dram_earliest_refresh(const struct dram_channel *channel,
			       unsigned number)
{
	uint64_t cycle = channel->next_command;

	for (uint64_t left = channel->ranks[number].banks; left;
	     left &= left - 1)
		dram_raise(&cycle,
		      channel->banks[__builtin_ctzll(left)].next[DRAM_OPEN]);
	return cycle;
}

void dram_issue_refresh(struct dram_channel *channel, unsigned number,
			uint64_t cycle)
{
	const struct dram_config *config = &channel->dram->config;
	struct dram_rank *rank = &channel->ranks[number];

	for (uint64_t left = rank->banks; left; left &= left - 1)
		dram_raise(&channel->banks[__builtin_ctzll(left)].next[DRAM_OPEN],
		      cycle + config->rfc);
	dram_raise(&channel->next_command, cycle + 1);
	rank->refresh_due += config->refi;
	rank->refreshing = false;
	channel->best_known = false;
	channel->dram->count.refreshes++;
	record(channel, DRAM_REFRESH,
	       number * config->groups * config->banks, 0, 0, cycle);
}

/* Performs a refresh that was due while the channel had no requests: closes the
 * open rows, then refreshes. Refreshes that no observer sees are only counted.
 * False when the refresh is not over yet: the scheduler then continues it. */
static bool catch_up_rank(struct dram_channel *channel, unsigned number,
			  uint64_t now)
{
	struct dram_rank *rank = &channel->ranks[number];
	struct dram *dram = channel->dram;
	uint64_t cycle, interval = dram->config.refi;

	for (uint64_t left = rank->banks & channel->open; left;
	     left &= left - 1) {
		unsigned bank = (unsigned)__builtin_ctzll(left);

		cycle = dram_earliest(channel, DRAM_PRECHARGE, bank);
		dram_raise(&cycle, rank->refresh_due);
		if (cycle >= now)
			return false;
		dram_issue(channel, DRAM_PRECHARGE, bank, 0, 0, cycle);
	}
	cycle = dram_earliest_refresh(channel, number);
	dram_raise(&cycle, rank->refresh_due);
	if (cycle >= now)
		return false;
	if (!dram->observer && now - rank->refresh_due > 2 * interval) {
		uint64_t skip = (now - rank->refresh_due) / interval - 1;

		dram->count.refreshes += skip;
		rank->refresh_due += skip * interval;
	} else {
		dram_issue_refresh(channel, number, cycle);
	}
	return true;
}

void dram_catch_up(struct dram_channel *channel, uint64_t now)
{
	const struct dram_config *config = &channel->dram->config;
	unsigned first;

	if (!config->refi)
		return;
	/* In the order of time, as commands share a bus. */
	do {
		first = 0;
		for (unsigned i = 1; i < config->ranks; i++)
			if (channel->ranks[i].refresh_due <
			    channel->ranks[first].refresh_due)
				first = i;
	} while (channel->ranks[first].refresh_due <= now &&
		 catch_up_rank(channel, first, now));
}
