/* A DRAM controller and its devices: queues, banks with open rows, and the
 * commands (activate, read, write, precharge, refresh) that obey the timing of
 * the data sheet.
 *
 *   dram_submit() -> queue -> scheduler -> command bus -> rank -> bank
 *                      ^                                   data bus -> done
 *
 * Each main memory owns one struct dram; its channels share nothing. A channel
 * without requests schedules no events. When the next request comes, the
 * channel accounts for the refreshes that were due meanwhile. */
#ifndef M2S_MEMSYS_DRAM_DRAM_H
#define M2S_MEMSYS_DRAM_DRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/config.h"
#include "base/error.h"
#include "sim/event.h"

enum dram_row_policy { DRAM_ROW_OPEN, DRAM_ROW_CLOSE, DRAM_ROW_IDLE };
enum dram_scheduling { DRAM_FCFS, DRAM_FR_FCFS };

/* Parts of an address, in the order of AddressMapping's names. */
enum dram_field {
	DRAM_FIELD_MODULE, /* decided by the modules, not by the controller */
	DRAM_FIELD_CHANNEL,
	DRAM_FIELD_RANK,
	DRAM_FIELD_GROUP,
	DRAM_FIELD_BANK, /* within its group */
	DRAM_FIELD_COLUMN, /* in bytes */
	DRAM_FIELD_ROW,
	DRAM_FIELD_COUNT,
};

enum { DRAM_BANKS_MAX = 64, DRAM_PARTS_MAX = 16, DRAM_MAPPING_TEXT = 128 };

/* Variables of a [ DRAM ] section; config.def makes them. Times are cycles of
 * the device clock. */
struct dram_config {
#define MEMORY_DRAM CONFIG_MEMBER
#include "memsys/config.def"
	/* Parts of the address, from the lowest bit upwards. */
	struct dram_part {
		enum dram_field field;
		unsigned bits;
	} parts[DRAM_PARTS_MAX];
	unsigned part_count;
};

enum dram_command {
	DRAM_ACTIVATE,
	DRAM_READ,
	DRAM_WRITE,
	DRAM_PRECHARGE,
	DRAM_REFRESH, /* all banks of a rank */
};

/* One command on a channel's bus, for logs and checks. */
struct dram_record {
	uint64_t cycle; /* of the device clock */
	enum dram_command command;
	unsigned channel, rank, group, bank; /* bank: within the rank */
	uint64_t row;
	uint32_t column;
};
typedef void dram_observer(void *owner, const struct dram_record *record);

struct dram_count {
#define STATS_MEMBERS
#include "memsys/dram/dram.stat.def"
};

struct dram;

/* Checks geometry, mapping and timing for contradictions. The message names the
 * variable. `mapping` NULL means row, bank, group, rank, channel, column. */
int dram_config_check(struct dram_config *config, const char *mapping,
		      struct error *error);

struct dram *dram_create(struct event_queue *events,
			 const struct dram_config *config);
/* Cycle n begins at floor(n x 10^6 / megahertz) ps, not at n rounded periods. To
 * be called before the first request; 0 takes it back. */
void dram_set_exact(struct dram *dram, uint32_t megahertz);
void dram_free(struct dram *dram);
/* Changes the event queue. Nothing may have been submitted yet. */
void dram_set_events(struct dram *dram, struct event_queue *events);
void dram_observe(struct dram *dram, dram_observer *observer, void *owner);
const struct dram_count *dram_count(const struct dram *dram);

/* A device with one channel need not look for its next command in time: it sends
 * the same ones when a request comes, or just before the first data of a read can
 * arrive. Not for a device to which requests come from inside `done`, which may
 * be said before the first of them, nor if requests come outside of events.
 * dram_gather() sends those that are due, as all events before `now` have been run.
 * To be called between windows, before dram_count() or what else looks at the
 * device. */
void dram_look_late(struct dram *dram, bool late);
void dram_gather(struct dram *dram, picoseconds now);

/* Submits a read or a write. Calls done(owner, tag) when a read's last data
 * have arrived or a write has found room in the queue, but never from inside
 * this function. `done` may be NULL. */
typedef void dram_done(void *owner, uint64_t tag);
void dram_submit(struct dram *dram, bool write, uint64_t address,
		 uint32_t size, dram_done *done, void *owner, uint64_t tag);

/* The bytes of a masked write: the parts of 1 << grain bytes in [address,
 * address + extent) whose bit in `mask` is set. At least one bit is set. */
struct dram_written {
	uint64_t address;
	uint32_t extent;
	unsigned grain;
	uint64_t mask;
};

/* Submits a masked write. Bursts without written bytes are left out. */
void dram_write(struct dram *dram, const struct dram_written *written,
		dram_done *done, void *owner, uint64_t tag);
/* The number of bursts that a masked write takes. */
uint32_t dram_write_bursts(const struct dram_written *written,
			   uint32_t burst_bytes);

#endif
