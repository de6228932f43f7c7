/* A compute unit and its engines; private to src/evergreen/timing. */
#ifndef M2S_EVERGREEN_TIMING_COMPUTE_UNIT_H
#define M2S_EVERGREEN_TIMING_COMPUTE_UNIT_H

#include <stdalign.h>

#include "evergreen/emu/count/banks.h"
#include "evergreen/timing/account.h"
#include "evergreen/timing/code-cache.h"
#include "evergreen/timing/timing.h"
#include "sim/queue.h"
#include "sim/timeline.h"
#include "sim/watchdog.h"

struct compute_unit;
struct mapped_group;
struct resident_group;

/* Least distance in bytes between members that different threads write. */
enum { APART = 128 };

/* A wavefront mapped to a compute unit. */
struct resident {
	struct compute_unit *cu;
	struct resident_group *group;
	struct evg_wavefront *wavefront;
	uint64_t age;              /* order of arrival in the device */
	uint64_t issued;           /* cycle behind its last CF instruction */
	uint32_t slot;             /* of the unit's wavefronts */
	enum account_reason place; /* for the cycle account */
	uint64_t placed;           /* cycle in which it came there; traced */
	uint64_t passed;           /* cycle behind its last instruction;
				      pipeline.c */
	struct resident *next;     /* in the queue that holds it */
	uint32_t unacknowledged;   /* stores with MARK, for WAIT_ACK */
	uint32_t pending_fetches;  /* fetch instructions of the clause */
	bool clause_issued;        /* the whole fetch clause was issued */
	bool waits_acknowledge;    /* at WAIT_ACK */
	uint32_t acknowledge_level;
	/* It waits for so many lines of code and constants, since a cycle;
	 * code-cache.c. */
	uint32_t missing;
	uint64_t asked;
	uint64_t *waits;           /* the count of such cycles */
	event_action *arrived;
	bool reads_local;          /* its output queues hold values */
	/* The barrier was the last group of its clause. */
	bool clause_ended;
	bool ended;
	uint64_t fetch_start;      /* cycle in which it came to the engine */
	uint64_t free;             /* cycle behind its last instruction, for
				      inst_cycles_add() */
};

/* A work-group that is mapped to a compute unit, as the unit sees it. The
 * dispatcher's own record is struct mapped_group. */
struct resident_group {
	/* Reused for the next work-group of the launch. */
	struct evg_work_group *group;
	struct mapped_group *mapped;  /* the dispatcher's name for it */
	uint64_t launch;           /* launch for which `group` was made */
	uint64_t index, first_age;
	struct resident *residents;
	uint16_t *wave_slots;      /* of the residents */
	uint32_t wavefronts;
	uint32_t slot;             /* of the unit's work-groups */
	uint32_t ended;
	uint32_t waiting;
	uint32_t pending_writes;   /* stores with MARK of all its wavefronts */
	bool lent;                 /* the dispatcher holds `group` */
	bool runs;                 /* has begun, and not ended */
	uint64_t begun;            /* cycle */
	struct resident_group *next; /* free list */
	struct resident_group *next_made; /* all that the unit has */
};

/* Work-groups in the order in which they were mapped. */
struct group_order {
	/* Last is valid when first is not NULL. */
	struct mapped_group *first, *last;
};

struct resident_queue {
	struct resident *head, *tail;
};

/* To be called when the data of a fetch have arrived, or when a store with MARK
 * has taken effect. */
typedef void fetch_or_store_done(struct resident *resident);

/* A fetch or store instruction that is in the memory system. */
struct memory_instruction {
	struct compute_unit *cu;
	/* May be freed before a store without MARK ends. */
	struct resident *resident;
	fetch_or_store_done *done;
	uint32_t pending;          /* block accesses not done */
	/* Of these, those not yet in the memory system. */
	uint32_t unsent;
	/* Of the export buffer, held until all are sent. */
	uint32_t entries;
	uint32_t address;          /* bytes from the kernel's start */
	bool is_store, is_marked;
	struct memory_instruction *next; /* free list */
	struct memory_instruction *next_made; /* all that there are */
};

/* A block access that waits for the entry module. */
struct block_access {
	struct memory_instruction *instruction;
	uint32_t address;
	uint16_t size;
	uint8_t kind;              /* enum memsys_access_kind */
	uint8_t elements;          /* work-items whose elements it has */
};

/* The counts of a compute unit, and of the device. */
struct compute_unit_stats {
#define STATS_MEMBERS
#include "evergreen/timing/compute-unit.stat.def"
};
struct device_stats {
#define STATS_MEMBERS
#include "evergreen/timing/device.stat.def"
};

enum { MAX_ALU_WAVEFRONTS = 16, MAX_LOCAL_INPUT = 64 };
/* Five instructions, and four literals of 32 bits. */
enum { GROUP_UNITS_MAX = EVG_SLOT_COUNT + 2 };

/* The load of a compute unit, as the dispatcher sees it. The dispatcher runs on
 * changing threads, so this is small and apart from what units write. */
struct unit_load {
	uint32_t registers, local;
	uint16_t work_groups, wavefronts;
	uint16_t peak_work_groups, peak_wavefronts;
	struct group_order order;
	uint64_t all_work_groups;  /* mapped since the start */
	/* The numbered places of work-groups, then those of wavefronts from a
	 * new word on. Bit n: place n is taken. */
	uint64_t taken[];
};

/* The engines of a compute unit and their data, all in the island of the unit's
 * entry module. Events reach other units, and the dispatcher in the hub, after
 * a window or longer. */
struct compute_unit {
	/* Constant after creation. */
	struct evg_timing *timing;
	struct event_queue *events;
	struct event_way way;      /* from the dispatcher */
	unsigned id;
	uint32_t source;           /* event order */
	struct module *entry, *coherent; /* or NULL */
	unsigned block_size;

	/* The part that a meeting examines if the unit has asked for it: the
	 * stores of this window, and whether the unit has failed. */
	alignas(APART) struct evg_stores stores;
	bool failed;
	picoseconds failed_at;

	/* The time of the meeting that the unit has asked for. */
	alignas(APART) picoseconds raised_until;
	bool raised;
	/* The unit does nothing more: an error, or the end of everything. */
	bool stopped;
	/* The last result of unit_cycle, and its time. */
	picoseconds cycle_time;
	uint64_t cycle;
	/* The work-groups that have arrived here. */
	uint32_t groups_here;
	uint64_t busy_since;       /* cycle of the first of them */
	/* Work-group objects that ran here: their state is in the cache of this
	 * unit's host processor. */
	struct resident_group *free_groups, *groups;
	/* The tally of its work-groups of this launch. */
	struct evg_tally *tally;
	uint64_t launch;
	struct error error;
	struct memory_instruction *free_instructions, *memory_instructions;

	struct {
		/* An event: the CF instruction of wavefront `owner`, or the
		 * clause that it began, has ended. The step latency follows,
		 * then cf_ready(). */
		event_action *complete;
		struct resident_queue ready;
		uint64_t free;     /* cycle in which fetch is free again */
		bool scheduled;
	} cf;

	struct code_cache *code, *constants; /* shared with neighbours */
	/* Misses and waits for them, free and all. */
	struct code_miss *free_misses, *made_misses;
	struct line_wait *free_waits, *made_waits;

	struct {
		struct resident_queue pending;
		uint64_t scheduled; /* cycle of the next visit; 0: none */
		uint64_t free;     /* cycle in which execute is free again */
		unsigned last;
		unsigned taken;    /* places with a wavefront */
		/* Until a VLIW group is there, by its 64-bit units. */
		uint32_t fetch_cycles[GROUP_UNITS_MAX + 1];
		struct alu_place {
			struct resident *resident;
			/* Cycle of the next issue; UINT64_MAX: no wavefront. */
			uint64_t ready;
			/* The reason why not before. */
			enum account_reason wait;
			uint32_t groups; /* of the clause, issued here */
			uint64_t begun;  /* cycle of the first of these */
		} active[MAX_ALU_WAVEFRONTS];
	} alu;

	struct {
		void *queues;      /* of all wavefronts, local-memory.c */
		uint64_t free;     /* cycle in which the banks are free again */
		/* The cycles in which the last instructions have been served, a
		 * ring. */
		uint64_t served[MAX_LOCAL_INPUT + 1];
		uint32_t last;
	} lds;

	struct {
		struct resident_queue pending;
		struct resident *active;
		uint64_t free;
		uint32_t loads;    /* fetch instructions in flight */
		bool scheduled;
	} tex;

	struct {
		struct block_access *ring;
		size_t head, count, capacity; /* capacity: a power of two */
		bool scheduled;
		/* Waits for the entry module after it has refused an access. */
		struct module_waiter waiter;
		picoseconds refused;
		uint64_t export_free;
		/* Entries of the export buffer that are taken. */
		uint32_t export_entries;
		uint64_t stores;   /* in the memory system */
		picoseconds stored; /* the time at which the last one ended */
		/* Wavefronts that wait for room. */
		struct resident_queue export_full;
	} global;

	struct evg_step step;      /* scratch, too big for the stack frame */
	struct compute_unit_stats n;
	struct account account;
	struct evg_inst_cycles *inst_cycles; /* by address, or NULL */

	/* trace.c */
	struct unit_trace {
		bool on;           /* in this launch */
		struct timeline_buffer *buffer; /* or NULL */
		uint64_t from, to; /* cycles of this launch */
	} trace;
	/* pipeline.c */
	struct unit_pipeline {
		bool on;           /* in this launch */
		struct pipeline_record *list;
		size_t count, capacity, most;
		uint64_t left_out;
	} pipeline;
};

struct evg_timing {
	struct evg_config config;
	struct islands *islands;
	bool owns_islands;
	struct event_queue *events; /* the hub's: the dispatcher's */
	uint32_t source;            /* event order, the dispatcher's */
	picoseconds period;
	struct memsys *memsys;
	const struct evg_shared_memory *shared;
	size_t shared_count;
	struct compute_unit *units;
	struct compute_unit **raised; /* scratch, one per unit */
	size_t *committed;         /* likewise */
	/* Whoever runs the queue does not know of windows: units that are to be
	 * settled when this one ends. */
	bool follows;
	void **noted;
	size_t noted_count;
	struct account account;    /* of all units, up to the last run */
	bool counts_instructions;
	struct evg_inst_cycles *inst_cycles; /* of the last run, by address */
	size_t inst_count;
	uint32_t sub_wavefronts;
	evg_bank_function *bank_cycles;
	struct timeline *timeline; /* or NULL */
	const struct timeline_window *traced; /* or NULL */

	picoseconds window;

	/* The ND-range of the current run. */
	struct evg_ndrange *ndrange;
	uint64_t launch;           /* its number, from 1 */
	uint64_t code_address;     /* of its kernel */
	bool defers;               /* stores are done at the window's end */
	bool serial;               /* units run one after the other */
	uint32_t wavefronts_per_group, group_registers, group_local;
	/* The dispatcher's own data. All members above are constant during a
	 * run. */
	uint8_t *loads;            /* struct unit_load, by unit */
	size_t load_size;
	uint32_t group_words, wave_words; /* of unit_load.taken */
	/* An event: work-group `tag`, a struct mapped_group, has ended. */
	event_action *unmap;
	struct group_start *start; /* scratch: a message */
	alignas(APART) uint64_t next_group;
	uint64_t group_count, groups_done;
	uint32_t wavefronts;       /* in flight in the device */
	struct group_order order;
	unsigned next_unit;
	bool dispatch_scheduled;
	uint64_t ages;
	picoseconds end;           /* the time at which the last group ended */
	/* failed: an error ended a run. stopped: an error or a limit did. Both
	 * are final, because events of that run stay in the event queue. */
	bool failed, stopped;
	bool hangs;                /* the run failed because of a hang */
	struct watchdog watchdog;  /* of the core clock: instructions */
	bool any_failed;           /* any unit has failed */
	bool looks_always;         /* near a limit: looks after every window */

	uint64_t next_sample;      /* of all runs together */
	uint64_t start_cycle;
	struct device_stats n;     /* cycles: up to start_cycle */
	uint64_t tail_cycles; /* of runs, after their last work-group */
	struct mapped_group *free_groups, *groups;
};

static inline struct unit_load *timing_load(const struct evg_timing *timing,
					    unsigned unit)
{
	return (void *)(timing->loads + unit * timing->load_size);
}

/* settle.c: a window has ended in which these units have stored or failed. */
islands_settle timing_settle;
/* A unit that has stored or failed, if the run follows another model's
 * time; `delay`: to the window's end. */
void timing_note(struct compute_unit *cu, picoseconds delay);

/* The time that all units have reached, and its cycle. */
picoseconds timing_now(const struct evg_timing *timing);
uint64_t timing_cycle(const struct evg_timing *timing);

/* hang_watch_start begins a run. After a window, -1 and an error when no
 * instruction was executed for [Device] WatchdogCycles, or the memory system
 * hangs. At the end, -1 and an error when no event is left but work-groups
 * are. */
void hang_watch_start(struct evg_timing *timing);
/* The time of its next look, `time` at the latest. */
picoseconds hang_watch_next(const struct evg_timing *timing, picoseconds time);
int hang_watch(struct evg_timing *timing, struct error *error);
int hang_no_event(struct evg_timing *timing, struct error *error);

/* unit_cycle returns the unit's current cycle, unit_after schedules a call in
 * `cycles` cycles. */
static inline uint64_t unit_cycle(struct compute_unit *cu)
{
	picoseconds now = event_queue_now(cu->events);

	/* Asked for many times a cycle: divides once. */
	if (now != cu->cycle_time) {
		cu->cycle_time = now;
		cu->cycle = now / cu->timing->period;
	}
	return cu->cycle;
}

/* For who knows the current cycle without a division. */
static inline void unit_set_cycle(struct compute_unit *cu, uint64_t cycle)
{
	cu->cycle_time = event_queue_now(cu->events);
	cu->cycle = cycle;
}

static inline void unit_after(struct compute_unit *cu, uint64_t cycles,
			      event_action *action, void *owner, uint64_t tag)
{
	event_put_after(cu->events, cycles * cu->timing->period, cu->source,
			action, owner, tag);
}

void resident_push(struct resident_queue *queue, struct resident *resident);
struct resident *resident_pop(struct resident_queue *queue);
/* Moves the wavefront to a place of the cycle account. */
void resident_place(struct resident *resident, enum account_reason place);

/* Executes one step of a wavefront; false on an error, which stops the run,
 * and when the run was stopped. */
bool unit_step(struct compute_unit *cu, struct resident *resident);

/* The stream cores calculate the addresses of a fetch or store. */
void unit_calculate_addresses(struct compute_unit *cu);

/* Ends the unit because of `cu->error`. */
void unit_fail(struct compute_unit *cu);

/* The longest window, in cycles, in which no wavefront can reach another CF
 * instruction after a store: stores of a window take effect at its end. */
uint32_t cf_store_distance(const struct evg_config *config);

/* Cycles of the last stage of a CF instruction. */
enum { CF_EXECUTE_CYCLES = 1 };
/* Sets cu->cf.complete. */
void cf_create(struct compute_unit *cu);
/* CF engine: the wavefront's next CF instruction may be fetched `delay`
 * cycles from now. */
void cf_ready(struct resident *resident, uint64_t delay);
/* Lets the wavefronts go on that another one's WAVE_SYNC has released. */
void cf_pass_released(struct compute_unit *cu);

/* The unit's instruction and constant caches. */
/* In the order of the units, which share caches. -1 and an error when those of a
 * cache are not in one island. */
int code_caches_create(struct compute_unit *cu, struct error *error);
void code_caches_free(struct compute_unit *cu);
/* Asks for the CF instruction at an address, in 64-bit units. False when it is
 * there. Else the wavefront waits, and arrived(resident) follows. */
bool cf_fetch_waits(struct resident *resident, uint32_t address,
		    event_action *arrived);
/* The same for the code of a clause of `units` 64-bit units, and for the
 * constants that the clause locks. */
bool clause_waits(struct resident *resident, const struct evg_cf_inst *cf,
		  uint32_t units, event_action *arrived);

void alu_create(struct compute_unit *cu);
/* ALU and TEX engines: begin a clause. */
void alu_start(struct resident *resident);
void tex_start(struct resident *resident);

/* A wavefront has reached the barrier. */
void barrier_arrive(struct resident *resident);
/* ---- group.c ---- */
/* Stops the run when the barrier at which one wavefront of the group waits
 * can no longer be reached by all. */
void barrier_check(struct resident_group *group);
/* A wavefront has ended; or no store with MARK is under way any more. The
 * dispatcher hears of the end of the whole work-group a cycle later. */
void group_wavefront_ended(struct resident *resident);
void group_writes_drained(struct compute_unit *cu,
			  struct resident_group *group);

/* Local memory. The functions act on the unit's step, which is an ALU group. */
void local_memory_create(struct compute_unit *cu);
void local_memory_free(struct compute_unit *cu);
/* Takes the values that the group reads from the output queues. Returns the
 * cycle in which the last of them is available. */
uint64_t local_memory_take(struct compute_unit *cu,
			   const struct resident *resident);
/* Serves the accesses of the group, which issues in cycle `start`. Returns the
 * cycle in which the stream cores are free again; *served is the cycle in which
 * the banks have served the accesses. */
uint64_t local_memory_serve(struct compute_unit *cu, uint64_t start,
			    uint64_t *served);
/* Puts the values that the group loads into the output queues; false and
 * cu->error when there is no room. */
bool local_memory_ask(struct compute_unit *cu, struct resident *resident,
		      uint64_t served);

void global_create(struct compute_unit *cu);
/* Sends the global accesses of the unit's step; false when there are none, and
 * `done` is not called. */
bool global_send(struct compute_unit *cu, struct resident *resident,
		 const struct evg_step *step, fetch_or_store_done *done);
/* To be called when a store's addresses and data have crossed the export bus.
 * Its CF instruction ends, at once or when the export buffer has room. */
void global_export(struct resident *resident);
/* Cycles of the export for the addresses of a store. */
uint32_t global_export_cycles(const struct compute_unit *cu,
			      const struct evg_step *step);

/* Prepares the dispatcher for an ND-range. */
void dispatcher_prepare(struct evg_timing *timing, struct evg_ndrange *ndrange);
/* -1 and *error for a work-group that can never be mapped. */
int dispatcher_check_fit(const struct evg_timing *timing, struct error *error);
/* Starts dispatching; the first work-group goes a cycle after start_cycle. */
void dispatcher_start(struct evg_timing *timing);
/* ---- unit-load.c ---- */
/* Takes the lowest free place of a set, which must have one. */
uint32_t load_slot_take(uint64_t *taken);
void load_slot_give(uint64_t *taken, uint32_t slot);
/* Counts a work-group of the current launch in a unit's load. */
void load_add(struct evg_timing *timing, struct unit_load *load);

/* Create the records of the units' loads; add their sums to the counters. */
void dispatcher_create(struct evg_timing *timing);
/* Connects a unit, which has its event queue, to the dispatcher. */
void dispatcher_connect(struct compute_unit *cu);
void dispatcher_free(struct evg_timing *timing);
void dispatcher_count(struct evg_timing *timing);
#endif
