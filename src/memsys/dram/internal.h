/* A DRAM controller from inside: the declarations that the files of
 * src/memsys/dram share.
 *
 *     dram/access.c   an access becomes requests, one for each row
 *     dram.c          they wait in queues; a channel's work over time
 *     dram/choice.c   which command is to go out next
 *     dram/timing.c   when commands may go out, what they leave behind
 *     dram/config.c   sizes and times; where an address lies */
#ifndef M2S_MEMSYS_DRAM_INTERNAL_H
#define M2S_MEMSYS_DRAM_INTERNAL_H

#include "memsys/dram/dram.h"

enum dram_outcome { DRAM_HIT, DRAM_MISS, DRAM_CONFLICT };

/* The part of an access that lies in one row. The same struct is also the whole
 * access, to which its parts point. */
struct dram_request {
	struct dram_request *next;
	struct dram *dram;
	struct dram_request *whole;
	/* Of the whole access. */
	uint32_t pending; /* parts not ended */
	dram_done *done;
	void *owner;
	uint64_t tag;
	/* Of the part. */
	bool write;
	bool acknowledged; /* a write for whose end its access does not wait */
	/* A write that leaves out bytes between from and to. */
	bool masked;
	enum dram_outcome outcome;
	unsigned bank; /* in the channel: rank * banks of a rank + bank */
	uint64_t row;
	uint32_t column, bursts; /* bursts to come; column in bytes */
	uint32_t from, to;       /* bytes of the row */
	uint64_t sequence, arrival, queued;
};

struct dram_list {
	struct dram_request *first, *last;
};

/* Kinds of commands, the more urgent ones first. */
enum dram_kind { DRAM_COLUMN, DRAM_OPEN, DRAM_CLOSE, DRAM_KIND_COUNT };

/* Cycles are the earliest ones at which a command may go out. */
struct dram_bank {
	bool open;
	unsigned rank, group; /* group: in the channel */
	uint64_t row;
	uint64_t next[DRAM_KIND_COUNT];
	/* Of the oldest read and the oldest write. */
	struct dram_head {
		uint64_t row, sequence;
	} head[2];
	uint64_t used; /* the cycle of the last read or write command */
	struct dram_list queue[2]; /* reads, writes */
	/* The first read and the first write to the open row, or NULL. Valid
	 * where hit_known is set. */
	struct dram_request *hit[2];
	bool hit_known[2];
};

struct dram_rank {
	uint64_t banks; /* one bit for each bank of the channel */
	uint64_t next_activate;
	uint64_t activates[4]; /* cycle + 1 of the last four; a ring */
	unsigned activate_at;
	uint64_t next_read;    /* after a write: tWTR */
	uint64_t refresh_due;
	bool refreshing;
};

/* A command that could go out. */
struct dram_choice {
	struct dram_request *request; /* NULL: there is nothing to send */
	enum dram_command command;
	uint64_t cycle; /* earliest */
};

struct dram_channel {
	struct dram *dram;
	unsigned number;
	struct dram_bank *banks;
	struct dram_rank *ranks;
	uint64_t *next_in_group; /* column commands, by group: tCCD_L */
	uint64_t next_column[2]; /* of a read, of a write */
	unsigned last_rank;      /* of the last column command */
	bool last_write, any_column;
	uint64_t last_column;
	uint64_t next_command; /* one per cycle on the command bus */
	uint64_t open;       /* banks with an open row */
	uint64_t pending[2]; /* banks with reads, writes */
	/* Of these, those whose open row is that of the oldest one. Bits of
	 * other banks mean nothing. */
	uint64_t at_row[2];
	uint32_t queued[2];
	/* Requests that found the queue full: reads, writes. */
	struct dram_list outside[2];
	uint64_t sequence;
	bool draining; /* serving writes */
	uint32_t batch_left;
	bool awake;
	uint64_t wake_cycle, generation;
	/* Of late looks: when the next event is; UINT64_MAX: there is none. */
	uint64_t event_cycle;
	/* The best choice among the reads or the writes of all banks. Requests
	 * that come later are weighed against it. Known until a command goes
	 * out. */
	struct dram_choice best;
	bool best_write, best_known;
};

/* What bits of an address say. */
enum dram_place {
	DRAM_PLACE_CHANNEL,
	DRAM_PLACE_BANK, /* in the channel */
	DRAM_PLACE_ROW,
	DRAM_PLACE_COLUMN,
	DRAM_PLACE_COUNT,
};

struct dram {
	struct event_queue *events;
	uint32_t source;
	struct dram_config config;
	picoseconds period;
	uint32_t megahertz; /* as dram_set_exact() */
	uint32_t burst_bytes, burst_cycles;
	unsigned burst_shift; /* log2 of the bytes */
	/* Cycles by which a channel may look late (dram_look_late), or 0. */
	uint32_t lag;
	/* The address's bits from `from` on, in a mask, are the place's bits
	 * from `to` on. */
	struct dram_piece {
		enum dram_place place;
		unsigned from, to;
		uint64_t mask;
	} pieces[DRAM_PARTS_MAX];
	unsigned piece_count;
	uint64_t run_bytes; /* consecutive bytes that lie in one row */
	unsigned banks;     /* of a channel */
	struct dram_channel *channels;
	struct dram_count count;
	dram_observer *observer;
	void *observer_owner;
	struct dram_request *free;
	void **chunks;
	size_t chunk_count, chunk_capacity;
};

/* The first clock edge at or after a time, and now. */
static inline uint64_t dram_cycle_at(const struct dram *dram, picoseconds time)
{
	return dram->megahertz ? clock_cycle_at(time, dram->megahertz)
			       : (time + dram->period - 1) / dram->period;
}
static inline uint64_t dram_cycle(const struct dram *dram)
{
	return dram_cycle_at(dram, event_queue_now(dram->events));
}

static inline picoseconds dram_cycle_start(const struct dram *dram,
					   uint64_t cycle)
{
	return dram->megahertz ? clock_cycle_start(cycle, dram->megahertz)
			       : cycle * dram->period;
}

/* --- When commands may go out: inline for loops over all banks ----------- */

static inline void dram_raise(uint64_t *cycle, uint64_t least)
{
	*cycle = *cycle < least ? least : *cycle;
}

/* The earliest cycles that the channel and a rank allow, whatever the bank. */
struct dram_limits {
	uint64_t next[DRAM_KIND_COUNT];
};

static inline struct dram_limits
dram_limits(const struct dram_channel *channel, unsigned number, bool write)
{
	const struct dram_config *config = &channel->dram->config;
	const struct dram_rank *rank = &channel->ranks[number];
	uint64_t fourth = rank->activates[rank->activate_at];
	struct dram_limits limits = {{
		[DRAM_OPEN] = channel->next_command,
		[DRAM_COLUMN] = channel->next_command,
		[DRAM_CLOSE] = channel->next_command,
	}};

	dram_raise(&limits.next[DRAM_OPEN], rank->next_activate);
	if (fourth)
		dram_raise(&limits.next[DRAM_OPEN],
			   fourth - 1 + config->faw);
	dram_raise(&limits.next[DRAM_COLUMN], channel->next_column[write]);
	if (!write)
		dram_raise(&limits.next[DRAM_COLUMN], rank->next_read);
	/* Another rank drives the data bus: a gap of tRTRS between the data. */
	if (channel->any_column && number != channel->last_rank) {
		uint64_t end = channel->last_column +
			       channel->dram->burst_cycles + config->rtrs +
			       (channel->last_write ? config->cwl
						    : config->cl);
		uint32_t latency = write ? config->cwl : config->cl;

		if (end > latency)
			dram_raise(&limits.next[DRAM_COLUMN], end - latency);
	}
	return limits;
}

static inline enum dram_kind dram_kind_of(enum dram_command command)
{
	switch (command) {
	case DRAM_READ:
	case DRAM_WRITE:
		return DRAM_COLUMN;
	case DRAM_ACTIVATE:
		return DRAM_OPEN;
	default:
		return DRAM_CLOSE;
	}
}

/* The earliest cycle of a command to a bank. `limits` are those of the bank's
 * rank and of the command's direction. */
static inline uint64_t dram_earliest_within(const struct dram_channel *channel,
					    const struct dram_limits *limits,
					    enum dram_kind kind,
					    const struct dram_bank *bank)
{
	uint64_t cycle = limits->next[kind];
	uint64_t in_group = channel->next_in_group[bank->group];

	dram_raise(&cycle, bank->next[kind]);
	/* Without a branch: 0 for other kinds. */
	dram_raise(&cycle, in_group & -(uint64_t)(kind == DRAM_COLUMN));
	return cycle;
}

static inline uint64_t dram_earliest(const struct dram_channel *channel,
				     enum dram_command command, unsigned number)
{
	const struct dram_bank *bank = &channel->banks[number];
	struct dram_limits limits =
		dram_limits(channel, bank->rank, command == DRAM_WRITE);

	return dram_earliest_within(channel, &limits, dram_kind_of(command),
				    bank);
}

/* --- dram.c ------------------------------------------------------------- */

/* A request arrives in a channel. */
void dram_put(struct dram *dram, unsigned channel,
	      struct dram_request *request);

/* --- dram/choice.c ------------------------------------------------------ */

/* The oldest read or write of a bank is another one. */
void dram_new_head(struct dram_channel *channel, unsigned bank, bool write);
/* A row of the bank was opened or closed. */
void dram_new_row(struct dram_channel *channel, unsigned bank);
/* The command to send next to one of these banks. Its time may be in the
 * future. */
struct dram_choice dram_choose(struct dram_channel *channel, uint64_t banks,
			       uint64_t now);
/* The same for all banks. To be called before the chosen time has passed: a
 * choice is made once for each command. */
struct dram_choice dram_next(struct dram_channel *channel, uint64_t now);
/* A request has come to a queue of its bank that was empty. */
void dram_weigh(struct dram_channel *channel, struct dram_request *request,
		uint64_t now);

/* --- dram/timing.c ------------------------------------------------------ */

void dram_issue(struct dram_channel *channel, enum dram_command command,
		unsigned bank, uint64_t row, uint32_t column, uint64_t cycle);
/* The earliest refresh of a rank whose banks are all closed. */
uint64_t dram_earliest_refresh(const struct dram_channel *channel,
			       unsigned rank);
void dram_issue_refresh(struct dram_channel *channel, unsigned rank,
			uint64_t cycle);
/* Accounts for the refreshes that were due while the channel had no
 * requests. */
void dram_catch_up(struct dram_channel *channel, uint64_t now);

/* --- dram/config.c ------------------------------------------------------ */

/* Fills in rank, bank, row and column of [address, address + size). Returns the
 * channel. */
unsigned dram_locate(const struct dram *dram, uint64_t address, uint64_t size,
		     struct dram_request *request);

#endif
