/* The detailed memory hierarchy, as processors see it: when, never what.
 *
 * Built from an INI file (or a preset), a memory system has entry points for
 * x86 cores and Evergreen compute units. A processor sends accesses to its
 * entry module and hears later that they are done. Data does not travel here:
 * the functional emulators hold it. */
#ifndef M2S_MEMSYS_MEMSYS_H
#define M2S_MEMSYS_MEMSYS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/ini.h"
#include "sim/event.h"
#include "sim/island.h"
#include "stats/stats.h"

struct log;
struct memsys;
struct module;   /* a cache or a main-memory controller */
struct network;

enum memsys_architecture { MEMSYS_X86, MEMSYS_EVERGREEN };

enum memsys_access_kind {
	MEMSYS_LOAD,
	MEMSYS_STORE,    /* coherent */
	MEMSYS_NC_STORE, /* non-coherent: GPU global writes */
	MEMSYS_ATOMIC,   /* read-modify-write at the memory side */
	MEMSYS_ATOMIC_LOAD,   /* one that leaves the value as it is */
	MEMSYS_ATOMIC_STORE,  /* one that does not look at the old value */
	MEMSYS_UNCACHED_LOAD, /* from main memory, past all caches */
	MEMSYS_PREFETCH,
};

/* What of the built-in hierarchy depends on the GPU. */
enum memsys_devices {
	MEMSYS_DEVICES_PLAIN, /* a channel with a bandwidth and no more */
	MEMSYS_DEVICES_GDDR5,
	MEMSYS_DEVICES_DDR3,
};

struct memsys_gpu {
	bool classic;          /* that of Multi2Sim 4.2: no more is asked */
	double frequency;      /* MHz; caches and networks run at core clock */
	unsigned channels;     /* memory channels and L2 slices: 2^n */
	unsigned l2_slice;     /* bytes: 2^n */
	double bandwidth;      /* GB/s of a channel, 32 bits wide */
	enum memsys_devices devices;
};

/* The clock of such devices, MHz; 0: plain ones have none. */
double memsys_devices_clock(const struct memsys_gpu *gpu);
enum { MEMSYS_DEVICES_SLOWEST = 100, MEMSYS_DEVICES_FASTEST = 15000 };


struct memsys_options {
	const char *mem_config; /* path or NULL: the built-in default */
	const char *net_config; /* path or NULL */
	unsigned x86_cores, x86_threads; /* entries that must exist */
	unsigned compute_units;
	const struct memsys_gpu *gpu; /* NULL: Radeon HD 5870 */
	struct log *log;
	bool script; /* [ Commands ] of mem_config will be run (script.h) */
	/* Spread the modules over islands (NULL: all in `events`, which is the
	 * islands' hub), whose window becomes that of the links between them,
	 * or `window` picoseconds if that is less. */
	struct islands *islands;
	picoseconds window;
};

/* Builds every module and network. An entry that a processor needs and the
 * file does not give is an error with the file's name. */
struct memsys *memsys_create(struct event_queue *events,
			     const struct memsys_options *options,
			     struct error *error);
void memsys_free(struct memsys *memsys);

/* The built-in configuration for these processors, as an INI file. With 20
 * compute units and no core it is samples/memory/evg-hd5870.ini, or of the
 * classic GPU, evg-multi2sim-4.2.ini. */
void memsys_default(FILE *stream, const struct memsys_options *options);

/* Numbers for the order of events (sim/event.h) of those who use the
 * hierarchy and have events in its modules' queues: the GPU's dispatcher,
 * before everybody; each of the compute units in the options, after all
 * modules and before the links between them. */
uint32_t memsys_dispatcher_source(const struct memsys *memsys);
uint32_t memsys_unit_source(const struct memsys *memsys, unsigned unit);

/* The module that serves a core's data or a compute unit's global memory
 * (`core` is then the compute unit and `thread` 0); NULL when there is none.
 * To be called once per processor, not per access. */
struct module *memsys_entry(struct memsys *memsys,
			    enum memsys_architecture architecture,
			    unsigned core, unsigned thread);
/* The same for the instructions of a core. */
struct module *memsys_instruction_entry(struct memsys *memsys,
					enum memsys_architecture architecture,
					unsigned core, unsigned thread);
/* Bytes per block of a module: accesses are split at its multiples. */
unsigned module_block_size(const struct module *module);

/* Starts one access of `size` bytes inside one block. `done(owner, tag)` is
 * called, at simulated time and never from inside this call, when loads have
 * their data and stores are acknowledged (by main memory, if non-coherent).
 * Returns false when the module's access queue is full (ports
 * or MSHRs): nothing happened, try again next cycle. `coalesced`, if not NULL,
 * says whether the access was merged with one already in flight. */
typedef void module_done(void *owner, uint64_t tag);
bool module_access(struct module *module, enum memsys_access_kind kind,
		   uint64_t address, unsigned size, module_done *done,
		   void *owner, uint64_t tag, bool *coalesced);
/* The same, with the address of the instruction, if it is known (else 0):
 * prefetchers tell streams of accesses apart by it. */
bool module_access_by(struct module *module, enum memsys_access_kind kind,
		      uint64_t instruction, uint64_t address, unsigned size,
		      module_done *done, void *owner, uint64_t tag,
		      bool *coalesced);

/* After an access was refused: changed(owner) is called once, as soon as the
 * module may have come into another state, so that who waits need not try
 * every cycle. False: try again next cycle. The cycles in which it was not
 * tried are counted as retries by module_count_retries(). */
struct module_waiter {
	struct module_waiter *next;
	void (*changed)(void *owner);
	void *owner;
};
bool module_wait(struct module *module, struct module_waiter *waiter);
void module_count_retries(struct module *module, enum memsys_access_kind kind,
			  uint64_t count);

/* Those over which it is spread, or NULL. */
struct islands *memsys_islands(const struct memsys *memsys);
/* The event queue in which the module lives: a processor that enters there
 * lives there, too. */
struct event_queue *module_events(const struct module *module);
/* To be called between windows now and then, and before figures are read. */
void memsys_balance(struct memsys *memsys);

/* Accesses in flight anywhere; 0 when drained. */
uint64_t memsys_pending(const struct memsys *memsys);
/* Looks now and then, between windows, whether what is under way goes on: -1
 * and an error when nothing did for WatchdogCycles of the memory's or a
 * network's clock. */
int memsys_watch(struct memsys *memsys, picoseconds now, struct error *error);
/* The time from which it would look next. */
picoseconds memsys_watch_next(const struct memsys *memsys);
/* That was so, or a script's access never ended. */
bool memsys_hangs(const struct memsys *memsys);
/* What is under way and what it waits for, as text: modules that have work,
 * then networks. */
void memsys_describe(const struct memsys *memsys, FILE *stream);

/* Sections of the "memory" and "network" reports. */
void memsys_register_stats(struct memsys *memsys, struct stats *stats);

/* Reads, and those of them that hit: of the caches that processors enter
 * (level 1), or of all caches below these (level 2), summed. */
void memsys_cache_reads(const struct memsys *memsys, unsigned level,
			uint64_t *hits, uint64_t *accesses);

/* What all main memories and networks have moved; `busy` is the time of the
 * memories' channels, summed. */
struct memsys_traffic {
	unsigned channels;
	/* Asked for so far; what queues of DRAM controllers answer and merge,
	 * and what still waits there, included. */
	uint64_t read_bytes, written_bytes;
	uint64_t moved_bytes; /* on the channels, as `busy` has it */
	picoseconds busy;
	/* Requests to DRAM devices, and those whose row was open. */
	uint64_t row_requests, row_hits;
	uint64_t network_bytes; /* over all links and buses of all networks */
};
void memsys_traffic(const struct memsys *memsys,
		    struct memsys_traffic *traffic);

/* --mem-help, --net-help. */
void memsys_help(FILE *stream);

#endif
