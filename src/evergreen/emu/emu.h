/* The Evergreen functional emulator: what a kernel does, not when.
 *
 * A device has global memory; an ND-range is one kernel launch on it; its
 * work-groups are created when somebody (the functional runner or the timing
 * model's dispatcher) wants to run them, so memory grows with the work-groups
 * in flight. Timing asks for one step of one wavefront at a time and learns
 * from a small record what happened; the emulator never calls timing. */
#ifndef M2S_EVERGREEN_EMU_EMU_H
#define M2S_EVERGREEN_EMU_EMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "evergreen/isa/inst.h"
#include "evergreen/kernel/kernel.h"

enum { EVG_WAVEFRONT_SIZE = 64 };
/* A filter in three dimensions takes 2 x 2 x 2 texels. */
enum { EVG_MORE_CORNERS = 8 - 2 };

/* Limits of the machine. */
enum {
	EVG_MAX_GROUP_ITEMS = 256,
	EVG_MAX_LOCAL_MEMORY = 32768, /* of a work-group, bytes */
	EVG_MAX_REGISTERS = 128 - 4, /* without the clause temporaries */
};

struct evg_bindings; /* resource.h */
struct log;

/* --- Device memory ------------------------------------------------------ */

/* Global memory of the device: 32-bit byte addresses, allocated in blocks.
 * Address 0 up to EVG_MEMORY_FIRST is never allocated, so that a null pointer
 * in a kernel is an error. Kernel accesses outside every block are errors. */
struct evg_memory;
enum { EVG_MEMORY_FIRST = 0x10000, EVG_MEMORY_ALIGNMENT = 256 };

/* `size`: bytes, at most 4 GiB - 64 KiB. The host commits pages on use. */
struct evg_memory *evg_memory_create(uint64_t size, struct error *error);
void evg_memory_free(struct evg_memory *memory);
uint64_t evg_memory_size(const struct evg_memory *memory);
/* Address of a new zero-filled block, aligned to EVG_MEMORY_ALIGNMENT and
 * followed by a gap, or 0 when there is no room. `read_only` blocks (program
 * text) cannot be stored to by kernels. `name` appears in error messages. */
uint32_t evg_memory_allocate(struct evg_memory *memory, uint32_t size,
			     bool read_only, const char *name);
/* The same at a multiple of `alignment`, a power of two. */
uint32_t evg_memory_allocate_aligned(struct evg_memory *memory, uint32_t size,
				     uint32_t alignment, bool read_only,
				     const char *name);
void evg_memory_release(struct evg_memory *memory, uint32_t address);
/* Host address of a range that lies wholly inside one block, else NULL. */
void *evg_memory_host(struct evg_memory *memory, uint32_t address,
		      uint32_t size);

/* --- ND-ranges ---------------------------------------------------------- */

struct evg_ndrange;

/* What a kernel of EVG_CONVENTION_CAL is told when its launch is a part of an
 * ND-range: the whole, and the part's first work-group in it. */
struct evg_part {
	uint32_t global_size[3], global_offset[3];
	uint32_t group[3];
};

struct evg_launch {
	const struct evg_kernel *kernel;
	struct evg_memory *memory;
	uint32_t text_address; /* of the program's text in global memory, where
				  the loader put and relocated it */
	uint32_t work_dim;
	uint32_t global_size[3], local_size[3], global_offset[3];
	/* Argument bytes at their offsets in the constant buffer that holds
	 * them, tail_offset bytes in all; what else is in constant buffers
	 * is filled in by evg_ndrange_create. */
	const uint8_t *arguments;
	/* Images and samplers; NULL: none. */
	const struct evg_bindings *bindings;
	uint32_t local_memory; /* bytes per work-group: static + dynamic */
	/* Of the device; 0: one. Among them work-groups are placed in turn
	 * while nobody else places them. */
	uint32_t compute_units;
	uint32_t printf_buffer; /* its address when kernel->prints, else 0 */
	uint32_t printf_section; /* EVG_CONVENTION_CAL: dwords of the buffer
				    for each work-item of a work-group */
	/* NULL: not a part. Read by evg_ndrange_create only. */
	const struct evg_part *part;
	unsigned id;           /* of this launch, for messages and reports */
	struct log *log;
};

/* Checks the launch (sizes, limits of the machine: 128 - 4 registers, 32 KB
 * local memory, 256 work-items per group) and decodes the kernel on first
 * use. NULL and *error when it cannot run. */
struct evg_ndrange *evg_ndrange_create(const struct evg_launch *launch,
				       struct error *error);
void evg_ndrange_free(struct evg_ndrange *ndrange);

uint64_t evg_ndrange_group_count(const struct evg_ndrange *ndrange);
uint32_t evg_ndrange_wavefronts_per_group(const struct evg_ndrange *ndrange);
const struct evg_launch *evg_ndrange_launch(const struct evg_ndrange *ndrange);

struct evg_pool; /* pool.h */

/* How a whole ND-range is run functionally. */
struct evg_run_options {
	unsigned threads;
	struct evg_pool *pool;     /* helpers to use; NULL: made for the run */
	bool interpreted;          /* no native code, see native.h */
	/* Wavefront instructions of the whole ND-range and of one work-group;
	 * 0: no limit. */
	uint64_t max_instructions, max_group_instructions;
	/* Work-groups of a kernel with WAVE_SYNC that may be under way at a
	 * time: as many as the device holds. 0: all. */
	uint32_t resident_groups;
	/* Asked by the calling thread every 20 ms or so, inside kernels too;
	 * true ends the run, and nothing is asked after that. `done` of `total`
	 * work-groups have ended. */
	bool (*progress)(void *owner, uint64_t done, uint64_t total);
	void *owner;
};

/* Runs every work-group functionally. On an error
 * in the kernel (wild access, undefined instruction, barrier that not all
 * wavefronts reach, instruction limit) returns -1; *error names the kernel,
 * code address, instruction text, work-item and cause; which work-group's
 * error that is does not depend on the number of threads. Returns 1 when
 * max_instructions was reached (one thread is used then) or `progress` said
 * so: statistics are those of what was executed. */
int evg_ndrange_run_options(struct evg_ndrange *ndrange,
			    const struct evg_run_options *options,
			    struct error *error);
/* The same with no more than these options. */
int evg_ndrange_run(struct evg_ndrange *ndrange, unsigned threads,
		    uint64_t max_instructions, struct error *error);

/* --- Work-groups and wavefronts ----------------------------------------- */

struct evg_work_group;
struct evg_wavefront;

/* A work-group ready to run; `index` counts linearly, x fastest. Its objects
 * are recycled by the ND-range's free list. A work-group belongs to one host
 * thread at a time. */
struct evg_work_group *evg_work_group_create(struct evg_ndrange *ndrange,
					     uint64_t index);
void evg_work_group_free(struct evg_work_group *group);
/* The two halves of evg_work_group_create: an object whose state is not that
 * of any work-group yet, and the state, which is best written by the thread
 * that will run it; again for another work-group, when that has ended. A new
 * object counts in `tally`, which those have in common that one thread runs;
 * NULL: in one of its own. Tallies live as long as the ND-range. */
struct evg_tally *evg_tally_create(struct evg_ndrange *ndrange);
struct evg_work_group *evg_work_group_take(struct evg_ndrange *ndrange,
					   struct evg_tally *tally);
void evg_work_group_start(struct evg_work_group *group, uint64_t index);
/* Whether global memory has room for the scratch memory of one more
 * work-group. Without it evg_work_group_create makes one whose first access to
 * scratch memory is an error. */
bool evg_ndrange_has_room(struct evg_ndrange *ndrange);
struct evg_wavefront *evg_work_group_wavefront(struct evg_work_group *group,
					       uint32_t index);

/* Where the work-group runs, for kernels that ask or share registers with
 * others in the same compute unit: unit `unit` of `units`, slot `group_slot` of
 * the unit's work-groups. Without this call it is unit (index mod 20) of 20,
 * where it is alone. */
void evg_work_group_place(struct evg_work_group *group, uint32_t unit,
			  uint32_t units, uint32_t group_slot);
/* The wavefront's slot in its compute unit; its index without this call. */
void evg_wavefront_place(struct evg_wavefront *wavefront, uint32_t slot);
/* What the clock shows in the next steps (without this call, how many
 * instructions the wavefront has executed), and whether they run in the odd
 * place of the ALU engine (that of odd slots). */
void evg_wavefront_set_time(struct evg_wavefront *wavefront, uint64_t cycle);
void evg_wavefront_set_odd(struct evg_wavefront *wavefront, bool odd);

enum evg_step_kind {
	EVG_STEP_CF,       /* a CF instruction without a clause */
	EVG_STEP_CLAUSE,   /* a CF instruction that starts an ALU/TEX clause */
	EVG_STEP_ALU,      /* one VLIW group */
	EVG_STEP_FETCH,    /* one fetch instruction */
	EVG_STEP_STORE,    /* a CF export: RAT store or atomic */
};

/* What one executed instruction did: all that timing ever sees. */
/* What an ALU group does to LDS output queues A and B: values that it takes,
 * whether it looks at the head, and values that it asks for. */
struct evg_queue_use {
	uint8_t takes[2], pushes[2];
	bool looks[2];
};

struct evg_step {
	enum evg_step_kind kind;
	uint32_t address;         /* of the instruction: 64-bit units from the
				     kernel's start */
	uint64_t active;          /* lanes that executed it */
	const struct evg_cf_inst *cf;       /* the CF instruction, always */
	const struct evg_alu_group *group;  /* EVG_STEP_ALU */
	const struct evg_fetch_inst *fetch; /* EVG_STEP_FETCH */
	bool clause_end;          /* last instruction of its clause */
	bool program_end;         /* the wavefront has finished */
	bool barrier;             /* waits for its work-group now; release it
				     with evg_wavefront_release */
	bool global_wait;         /* waits for WAVE_SYNC; see
				     evg_ndrange_next_released */
	bool branch_taken;        /* control went somewhere else than on */
	/* Global (EVG_STEP_FETCH, EVG_STEP_STORE) or local (EVG_STEP_ALU)
	 * memory accesses: byte address per lane of `memory_mask`. */
	uint64_t memory_mask;
	uint8_t memory_bytes;     /* per lane and address */
	bool memory_write, memory_atomic, memory_return;
	bool memory_cacheless;    /* FastPath (MEM_RAT_CACHELESS) */
	bool memory_local;
	const struct evg_queue_use *queues; /* EVG_STEP_ALU; NULL: nothing */
	bool memory_constant;     /* resource 3: kernel parameters */
	bool memory_uncached;     /* by a resource that bypasses L1 and L2 */
	/* Of a filtered fetch: how often the texture units go over its
	 * texels; 0 counts as 1. */
	uint8_t texture_passes;
	uint32_t memory_address[EVG_WAVEFRONT_SIZE];
	/* Second access of two-address LDS instructions, and second corner of
	 * filtered texels. */
	uint64_t memory_mask2;
	uint32_t memory_address2[EVG_WAVEFRONT_SIZE];
	/* The further corners of filtered texels, so many. */
	uint8_t corners;
	uint64_t corner_mask[EVG_MORE_CORNERS];
	uint32_t corner_address[EVG_MORE_CORNERS][EVG_WAVEFRONT_SIZE];
};

/* Most kernels run with denormals flushed, a mode of the host's floating-point
 * unit that is slow to change. evg_wavefront_step sees to it by itself, but a
 * thread that steps many wavefronts does better to set it once around its
 * loop: begin returns what end restores. In between the thread's own
 * floating-point code has denormals flushed, too. */
unsigned evg_float_mode_begin(void);
void evg_float_mode_end(unsigned old);

/* Executes the next instruction: 0, or -1 and *error as evg_ndrange_run.
 * Must not be called on a wavefront that ended or waits at a barrier. */
int evg_wavefront_step(struct evg_wavefront *wavefront, struct evg_step *step,
		       struct error *error);
/* For a timing model that runs wavefronts on several threads and lets their
 * stores take effect in an order of its own: global stores and atomics that
 * were executed, in that order, and have not been done. `used` may be set to 0
 * when they have. */
struct evg_stores {
	uint8_t *bytes;
	size_t used, capacity;
};
void evg_stores_free(struct evg_stores *stores);
/* From now on the wavefront's go there, and steps only check them. They must be
 * done before the wavefront's next step. Scratch memory belongs to the
 * wavefront alone and is stored to at once. */
void evg_wavefront_defer(struct evg_wavefront *wavefront,
			 struct evg_stores *stores);
/* Of the one at `at`, 0 for the first: the cycle (evg_wavefront_set_time),
 * UINT64_MAX behind the last one; and does it, and returns where the next one
 * is. Changes nothing in `stores`. */
uint64_t evg_stores_cycle(const struct evg_stores *stores, size_t at);
size_t evg_stores_commit(const struct evg_stores *stores, size_t at);
/* Whether steps of different work-groups also meet elsewhere than in global
 * memory (GDS, global wave sync, shared registers, logs), and may not be done
 * by several threads; and whether commits would come too late for that. */
bool evg_ndrange_is_serial(const struct evg_ndrange *ndrange);
bool evg_ndrange_may_defer(const struct evg_ndrange *ndrange);
/* Lets a wavefront pass the barrier at which it waits. */
void evg_wavefront_release(struct evg_wavefront *wavefront);
/* Where the next CF instruction of a wavefront that is between clauses lies:
 * 64-bit units from the kernel's start. */
uint32_t evg_wavefront_next(const struct evg_wavefront *wavefront);
bool evg_wavefront_ended(const struct evg_wavefront *wavefront);
bool evg_wavefront_waiting(const struct evg_wavefront *wavefront);
/* Which one it is: its work-group, its number there, and the address of the CF
 * instruction it is at, in 64-bit units from the kernel's start. */
uint64_t evg_wavefront_group(const struct evg_wavefront *wavefront);
uint32_t evg_wavefront_index(const struct evg_wavefront *wavefront);
uint32_t evg_wavefront_address(const struct evg_wavefront *wavefront);
/* The message for a barrier at which one wavefront waits and that another
 * can no longer reach. */
void evg_fault_barrier(const struct evg_wavefront *waiting,
		       const struct evg_wavefront *ended, struct error *error);

/* Kernels with WAVE_SYNC: a wavefront whose step said global_wait waits until
 * another one releases it. The wavefronts that steps have released since, one
 * after the other in the order of their release; NULL: no more. */
struct evg_wavefront *evg_ndrange_next_released(struct evg_ndrange *ndrange);
/* Whether any wavefront waits so. */
bool evg_ndrange_waits_globally(const struct evg_ndrange *ndrange);
/* The message for when none of them can be released any more. `done`,
 * `resident`: work-groups that have ended, and that are under way. */
void evg_fault_sync(const struct evg_ndrange *ndrange, uint64_t done,
		    uint64_t resident, struct error *error);
/* Something that whoever steps wavefronts wants to find again. */
void evg_wavefront_set_owner(struct evg_wavefront *wavefront, void *owner);
void *evg_wavefront_owner(const struct evg_wavefront *wavefront);

/* --- Statistics --------------------------------------------------------- */

/* One row per static instruction of a kernel, summed over the ND-range (all
 * host threads merged: totals do not depend on the schedule). */
struct evg_inst_stats {
	uint32_t address;           /* 64-bit units */
	enum evg_step_kind kind;
	const struct evg_cf_inst *cf;
	const struct evg_alu_group *group;
	const struct evg_fetch_inst *fetch;
	uint64_t executions;        /* by wavefronts */
	uint64_t active_lanes;      /* summed over executions */
	/* With evg_ndrange_count_traffic, else 0: blocks of global memory that
	 * executions touched, and cycles lost to bank conflicts in local
	 * memory. */
	uint64_t transactions, bank_conflicts;
};

/* Counts; a lane operation is one of an active work-item in one filled slot,
 * and fetches and stores count one per active work-item. */
struct evg_stats {
#define STATS_MEMBERS
#include "evergreen/emu/emulator.stat.def"
};
void evg_ndrange_stats(const struct evg_ndrange *ndrange,
		       struct evg_stats *stats);
/* Asks, before anything runs, for transactions and bank conflicts: bytes of a
 * block, banks of local memory and work-items served together (32 and 32 on
 * the HD 5870); block_size is a power of two, 4 or more. */
struct evg_traffic_model {
	uint32_t block_size, banks, window;
	/* Only every so-manieth work-group is looked at, the first among them;
	 * 0 and 1: all. */
	uint64_t every;
};
void evg_ndrange_count_traffic(struct evg_ndrange *ndrange,
			       const struct evg_traffic_model *model);
/* The rows in address order; valid until the ND-range is freed. */
const struct evg_inst_stats *evg_ndrange_inst_stats(
	const struct evg_ndrange *ndrange, size_t *count);

/* Control-flow divergence (figure 10 of the Multi2Sim paper): wavefronts are
 * grouped by how many lanes were active, per executed instruction:
 * histogram[n] = wavefront instructions executed with n active lanes. */
void evg_ndrange_divergence(const struct evg_ndrange *ndrange,
			    uint64_t histogram[EVG_WAVEFRONT_SIZE + 1]);

/* The paths of work-items through the kernel, per wavefront that ended: how
 * many wavefronts had n different ones, and how many work-items went the
 * most frequent path of their wavefront, the second, and so on. */
struct evg_path_counts {
	uint64_t wavefronts[EVG_WAVEFRONT_SIZE + 1];
	uint64_t work_items[EVG_WAVEFRONT_SIZE];
};
void evg_ndrange_paths(const struct evg_ndrange *ndrange,
		       struct evg_path_counts *counts);

#endif
