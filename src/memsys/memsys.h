/* The detailed memory hierarchy, as processors see it. It models when accesses
 * happen, and holds no data.
 *
 * A memory system is built from an INI file or a preset. It has entry points
 * for x86 cores and for Evergreen compute units. A processor sends accesses to
 * its entry module and is told later when they are done. The functional
 * emulators hold the data. */
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
	MEMSYS_ATOMIC,   /* read-modify-write in main memory */
	MEMSYS_ATOMIC_LOAD,   /* an atomic that only reads */
	MEMSYS_ATOMIC_STORE,  /* an atomic that only writes */
	MEMSYS_UNCACHED_LOAD, /* from main memory, past all caches */
	MEMSYS_PAST_STORE, /* to main memory, past all caches */
	MEMSYS_FLUSH,      /* no cache keeps the block; memory gets what is newer */
	MEMSYS_PREFETCH,
};

/* The memory devices of the built-in hierarchy; the GPU decides. */
enum memsys_devices {
	MEMSYS_DEVICES_PLAIN, /* a channel with only a bandwidth */
	MEMSYS_DEVICES_GDDR5,
	MEMSYS_DEVICES_DDR3,
};

struct memsys_gpu {
	/* The hierarchy of Multi2Sim 4.2; the other members are ignored. */
	bool classic;
	double frequency;      /* MHz; caches and networks run at core clock */
	unsigned l1;           /* bytes of a compute unit's L1: 2^n */
	unsigned channels;     /* memory channels */
	unsigned l2_slices;    /* a multiple of channels */
	unsigned l2_slice;     /* bytes: 2^n */
	double bandwidth;      /* GB/s of a channel, 32 bits wide */
	enum memsys_devices devices;
};

/* The device clock of this GPU's memory in MHz; 0 for plain devices, which have
 * none. */
double memsys_devices_clock(const struct memsys_gpu *gpu);
enum { MEMSYS_DEVICES_SLOWEST = 100, MEMSYS_DEVICES_FASTEST = 15000 };


struct memsys_options {
	const char *mem_config; /* path; NULL: the built-in default */
	/* Without mem_config: the text of a configuration in place of the
	 * built-in default, and what messages call it; or NULL. */
	const char *text, *text_name;
	const char *net_config; /* path or NULL */
	struct settings *settings; /* or NULL (base/settings.h) */
	unsigned x86_cores, x86_threads; /* the file must give their entries */
	unsigned compute_units;
	/* Cycle n of a clock of F MHz, F a whole number, begins at
	 * floor(n x 10^6 / F) ps. Else at n periods, rounded to picoseconds. */
	bool exact_clocks;
	double rounded_clock; /* MHz: of this one at n periods all the same */
	const struct memsys_gpu *gpu; /* NULL: Radeon HD 5870 */
	struct log *log;
	/* The caller will run [ Commands ] of mem_config (script.h). */
	bool script;
	/* Islands over which the modules are spread. NULL: all modules live in
	 * `events`. Otherwise `events` is the islands' hub, and the islands'
	 * window becomes the shortest latency of the links between islands, or
	 * `window` picoseconds if that is less. */
	struct islands *islands;
	picoseconds window;
	/* Links with a latency of so many cycles divide them; 0: 8. */
	unsigned least_latency;
	/* Of so many compute units each, the entries are in one island: they
	 * share something beside the hierarchy. 0: none do. */
	unsigned units_together[2];
};

/* Builds every module and network. If the file lacks an entry that a processor
 * needs, the error names the file. */
struct memsys *memsys_create(struct event_queue *events,
			     const struct memsys_options *options,
			     struct error *error);
void memsys_free(struct memsys *memsys);

/* Whether a file of the user's gave the hierarchy. */
bool memsys_is_given(const struct memsys *memsys);

/* Writes the built-in configuration for these processors as an INI file. With
 * 20 compute units and no core the text is samples/memory/evg-hd5870.ini; with
 * the classic GPU it is evg-multi2sim-4.2.ini. */
void memsys_default(FILE *stream, const struct memsys_options *options);

/* Writes the caches of a GPU above a main memory that another text describes, for
 * one configuration of both. `network`: between the main memory and what is above
 * it; `nanoseconds`: what the memory takes of a load. An atomic takes as long as
 * that memory says. The GPU's clock becomes that of its sections. */
struct memsys_common {
	const char *network, *module;
	double nanoseconds;
};
void memsys_write_gpu_above(FILE *stream, const struct memsys_gpu *gpu,
			    unsigned compute_units,
			    const struct memsys_common *common);

/* Source numbers, which order simultaneous events (sim/event.h), for users of
 * the hierarchy that schedule events in its modules' queues. The GPU's
 * dispatcher comes before all modules. Each compute unit of the options comes
 * after all modules and before the links between them. */
uint32_t memsys_dispatcher_source(const struct memsys *memsys);
uint32_t memsys_unit_source(const struct memsys *memsys, unsigned unit);

/* The module that serves a core's data or a compute unit's global memory; NULL
 * when there is none. For a compute unit, `core` is its number and `thread` is
 * 0. Call this once per processor, not per access. */
struct module *memsys_entry(struct memsys *memsys,
			    enum memsys_architecture architecture,
			    unsigned core, unsigned thread);
/* The module that serves a core's instructions; NULL when there is none. */
struct module *memsys_instruction_entry(struct memsys *memsys,
					enum memsys_architecture architecture,
					unsigned core, unsigned thread);
/* The module that serves a compute unit's accesses to memory of a program, which
 * cores may have in their caches; NULL when there is none. */
struct module *memsys_coherent_entry(struct memsys *memsys, unsigned unit);
/* Bytes per block of a module. Callers split accesses at multiples of it. */
unsigned module_block_size(const struct module *module);

/* Starts one access of `size` bytes inside one block. Calls done(owner, tag)
 * when a load has its data or a store is acknowledged; main memory acknowledges
 * a non-coherent store. The call happens at simulated time and never from
 * inside this function. Returns false when the module's access queue (ports or
 * MSHRs) is full: nothing has happened, and the caller tries again next cycle.
 * `coalesced`, if not NULL, receives whether the access was merged with one
 * already in flight. */
typedef void module_done(void *owner, uint64_t tag);
bool module_access(struct module *module, enum memsys_access_kind kind,
		   uint64_t address, unsigned size, module_done *done,
		   void *owner, uint64_t tag, bool *coalesced);
/* module_access() with the address of the instruction, or 0 if that is not
 * known. Prefetchers tell streams of accesses apart by the instruction. */
bool module_access_by(struct module *module, enum memsys_access_kind kind,
		      uint64_t instruction, uint64_t address, unsigned size,
		      module_done *done, void *owner, uint64_t tag,
		      bool *coalesced);

/* module_access_by() for a non-coherent store of `elements` work-items, of `size`
 * bytes together: StoreElements counts them. */
bool module_store_by(struct module *module, uint64_t instruction,
		     uint64_t address, unsigned size, unsigned elements,
		     module_done *done, void *owner);

/* Starts a load of `size` bytes inside one block that begins below the module,
 * at the next one, and ends like module_access(): what caches of the processor
 * miss that share the module's link, like a compute unit's caches of
 * instructions and constants. The module neither counts it nor looks for the
 * block, unless it is a main memory or tracked (Coherent): then the load is one
 * of its own. Passes no TLB. Never refused: the caller bounds the number. */
void module_load_below(struct module *module, uint64_t address, unsigned size,
		       module_done *done, void *owner);

/* Tries an access that ends at once, without an event: a load or store of a
 * cache that has the block in a state in which nothing has to be asked. Then it
 * counts as a hit and takes effect now; the caller knows how long a hit takes.
 * False: nothing has happened, and module_access_by() has to follow. Takes no
 * port, and the module must not be behind a TLB. */
bool module_hit(struct module *module, enum memsys_access_kind kind,
		uint64_t instruction, uint64_t address, unsigned size);
/* Keeps a block that the module has from modules that ask for it until `until`,
 * as a locked operation does; one block of a module at a time. */
void module_hold(struct module *module, uint64_t address, picoseconds until);
/* Whether a prefetcher of the module waits to ask for blocks, in an event. */
bool module_has_prefetches(const struct module *module);
/* How many modules an access to this address would pass before one that has the
 * block: 0 if this module has it. A main memory has all. Nothing changes. */
unsigned module_distance(const struct module *module, uint64_t address);
/* The cache right below a cache, if it serves all addresses; else NULL. */
struct module *module_only_cache_below(const struct module *module);
/* The distance of the main memory that serves an address. */
unsigned module_memory_distance(const struct module *module, uint64_t address);
/* From an access that hits to its answer: Latency. */
picoseconds module_hit_time(const struct module *module);
/* Whether a TLB of the configuration translates its accesses. */
bool module_is_translated(const struct module *module);
/* The time of a cycle of the module's clock, rounded to whole picoseconds. */
picoseconds module_period(const struct module *module);

/* After an access was refused: calls changed(owner) once, as soon as the
 * module's state may have changed, so that the processor need not try every
 * cycle. Returns false if the processor must try again next cycle.
 * module_count_retries() counts the cycles in which the processor waited as
 * retries. */
struct module_waiter {
	struct module_waiter *next;
	void (*changed)(void *owner);
	void *owner;
};
bool module_wait(struct module *module, struct module_waiter *waiter);
void module_count_retries(struct module *module, enum memsys_access_kind kind,
			  uint64_t count);

/* The islands over which the memory system is spread, or NULL. */
struct islands *memsys_islands(const struct memsys *memsys);
/* The event queue in which the module lives. A processor that enters the
 * hierarchy there lives in the same queue. */
struct event_queue *module_events(const struct module *module);
/* Evens out the free lists of the islands and gathers the networks' figures.
 * Call it between windows now and then, and before statistics are read. */
void memsys_balance(struct memsys *memsys);

/* Accesses in flight in the whole memory system; 0 when it is drained. */
uint64_t memsys_pending(const struct memsys *memsys);
/* The watchdog. Call it between windows now and then. -1 and an error when
 * accesses or messages are under way and none made progress for WatchdogCycles
 * of the memory's or a network's clock. */
int memsys_watch(struct memsys *memsys, picoseconds now, struct error *error);
/* The time of the watchdog's next look. */
picoseconds memsys_watch_next(const struct memsys *memsys);
/* Whether the watchdog found a hang, or a script's access never ended. */
bool memsys_hangs(const struct memsys *memsys);
/* Writes what is under way and what it waits for: modules that have work, then
 * networks. */
void memsys_describe(const struct memsys *memsys, FILE *stream);

/* Registers the sections of the "memory" and "network" reports. */
void memsys_register_stats(struct memsys *memsys, struct stats *stats);

/* Read accesses and read hits, summed over the caches that compute units (if there
 * are none: cores) enter (level 1) or over all caches below these (level 2). */
void memsys_cache_reads(const struct memsys *memsys, unsigned level,
			uint64_t *hits, uint64_t *accesses);

/* What all main memories and networks have moved so far. `busy` is the busy
 * time of the memories' channels, summed. */
struct memsys_traffic {
	unsigned channels;
	/* Bytes asked for so far. Included are accesses that the queues of DRAM
	 * controllers answer or merge, and accesses still waiting there. */
	uint64_t read_bytes, written_bytes;
	uint64_t moved_bytes; /* moved on the channels during `busy` */
	picoseconds busy;
	/* Requests to DRAM devices, and how many found their row open. */
	uint64_t row_requests, row_hits;
	uint64_t network_bytes; /* over all links and buses of all networks */
};
void memsys_traffic(const struct memsys *memsys,
		    struct memsys_traffic *traffic);

/* Writes the text of --mem-help. */
void memsys_help(FILE *stream);

#endif
