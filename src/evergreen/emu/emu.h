/* The Evergreen functional emulator: what a kernel does, not when.
 *
 * A device has global memory. An ND-range is one kernel launch on the device.
 * Its work-groups are created when the functional runner or the timing model's
 * dispatcher wants to run them, so that memory grows with the work-groups in
 * flight. Timing asks for one step of one wavefront at a time and learns from a
 * small record what happened. The emulator never calls timing. */
#ifndef M2S_EVERGREEN_EMU_EMU_H
#define M2S_EVERGREEN_EMU_EMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "evergreen/isa/inst.h"
#include "evergreen/kernel/kernel.h"

enum { EVG_WAVEFRONT_SIZE = 64 };

/* The number of work-items in a mask: nearly always all of them, and not each
 * host has an instruction that counts bits. */
static inline unsigned evg_lane_count(uint64_t lanes)
{
	return ~lanes ? (unsigned)__builtin_popcountll(lanes)
		      : EVG_WAVEFRONT_SIZE;
}
/* A filter in three dimensions takes 2 x 2 x 2 texels. */
enum { EVG_MORE_CORNERS = 8 - 2 };

/* Limits of the machine. */
enum {
	EVG_MAX_GROUP_ITEMS = 256,
	EVG_MAX_REGISTERS = EVG_FIRST_TEMPORARY,
};

struct evg_bindings; /* resource.h */
struct evg_strays;
struct log;

/* --- Device memory ------------------------------------------------------ */

/* Global memory of the device: 32-bit byte addresses, allocated in blocks.
 * Address 0 up to EVG_MEMORY_FIRST is never allocated, so that a null pointer
 * in a kernel is an error. Kernel accesses outside every block are errors. */
struct evg_memory;
enum { EVG_MEMORY_FIRST = 0x10000, EVG_MEMORY_ALIGNMENT = 256 };

/* Creates a device memory of `size` bytes, at most 4 GiB - 64 KiB. The host
 * commits pages on use. NULL and *error. */
struct evg_memory *evg_memory_create(uint64_t size, struct error *error);
void evg_memory_free(struct evg_memory *memory);
uint64_t evg_memory_size(const struct evg_memory *memory);
/* Allocates a zero-filled block, aligned to EVG_MEMORY_ALIGNMENT and followed
 * by a gap. Returns its address, or 0 when there is no room. Kernels cannot
 * store to `read_only` blocks (program text). `name` appears in error
 * messages. */
uint32_t evg_memory_allocate(struct evg_memory *memory, uint32_t size,
			     bool read_only, const char *name);
/* Allocates at a multiple of `alignment`, a power of two. */
uint32_t evg_memory_allocate_aligned(struct evg_memory *memory, uint32_t size,
				     uint32_t alignment, bool read_only,
				     const char *name);
void evg_memory_release(struct evg_memory *memory, uint32_t address);
/* The host address of a range that lies wholly inside one block; else NULL. */
void *evg_memory_host(struct evg_memory *memory, uint32_t address,
		      uint32_t size);
/* Fills a range inside one block with zeros. A large one costs hardly any time:
 * the host gives it fresh pages when they are used. */
void evg_memory_clear(struct evg_memory *memory, uint32_t address,
		      uint32_t size);

/* --- ND-ranges ---------------------------------------------------------- */

struct evg_ndrange;

/* The ND-range that a kernel of EVG_CONVENTION_CAL sees when its launch is a
 * part of a larger one: the whole, and the part's first work-group in it. */
struct evg_part {
	uint32_t global_size[3], global_offset[3];
	uint32_t group[3];
};

struct evg_launch {
	const struct evg_kernel *kernel;
	struct evg_memory *memory;
	/* Of the program's text in global memory, where the loader has put and
	 * relocated it. */
	uint32_t text_address;
	uint32_t work_dim;
	uint32_t global_size[3], local_size[3], global_offset[3];
	/* The bytes of the arguments at their offsets in the constant buffer
	 * that holds them, tail_offset bytes in all. evg_ndrange_create fills
	 * in the rest of the constant buffers. */
	const uint8_t *arguments;
	/* Images and samplers; NULL: none. */
	const struct evg_bindings *bindings;
	uint32_t local_memory; /* bytes per work-group: static + dynamic */
	/* Compute units of the device; 0: one. Work-groups are placed in them
	 * in turn, unless a timing model places them. */
	uint32_t compute_units;
	uint32_t printf_buffer; /* its address when kernel->prints, else 0 */
	uint32_t printf_section; /* EVG_CONVENTION_CAL: dwords of the buffer
				    for each work-item of a work-group */
	/* NULL: not a part. Read by evg_ndrange_create only. */
	const struct evg_part *part;
	unsigned id;           /* of this launch, for messages and reports */
	/* Accesses outside of every block are kept here and dropped (stray.h);
	 * NULL: they are faults. */
	struct evg_strays *strays;
	struct log *log;
};

/* Checks the launch (sizes; limits of the machine: 128 - 4 registers, 32 KB of
 * local memory, 256 work-items per work-group) and decodes the kernel on first
 * use. NULL and *error when the launch cannot run. */
struct evg_ndrange *evg_ndrange_create(const struct evg_launch *launch,
				       struct error *error);
void evg_ndrange_free(struct evg_ndrange *ndrange);

uint64_t evg_ndrange_group_count(const struct evg_ndrange *ndrange);
uint32_t evg_ndrange_wavefronts_per_group(const struct evg_ndrange *ndrange);
const struct evg_launch *evg_ndrange_launch(const struct evg_ndrange *ndrange);

struct evg_pool; /* pool.h */

/* Options of a functional run of a whole ND-range. */
struct evg_run_options {
	unsigned threads;
	/* Helpers to use; NULL: created for the run. */
	struct evg_pool *pool;
	bool interpreted;          /* no native code, see native.h */
	/* Limits on the wavefront instructions of the whole ND-range and of one
	 * work-group; 0: no limit. */
	uint64_t max_instructions, max_group_instructions;
	/* Work-groups of a kernel with WAVE_SYNC that may be in flight at a
	 * time: as many as the device holds. 0: all. */
	uint32_t resident_groups;
	/* Called by the calling thread about every 20 ms, inside kernels too.
	 * True ends the run; there is no further call. `done` of `total`
	 * work-groups have ended. */
	bool (*progress)(void *owner, uint64_t done, uint64_t total);
	void *owner;
};

/* Runs every work-group functionally. Returns -1 on an error in the kernel
 * (wild access, undefined instruction, barrier that not all wavefronts reach,
 * instruction limit). *error then names the kernel, code address, instruction
 * text, work-item and cause. The work-group whose error is reported does not
 * depend on the number of threads. Returns 1 when max_instructions was reached
 * (the run then has one thread) or `progress` returned true: statistics are
 * those of the instructions that were executed. */
int evg_ndrange_run_options(struct evg_ndrange *ndrange,
			    const struct evg_run_options *options,
			    struct error *error);
/* evg_ndrange_run_options with only these options. */
int evg_ndrange_run(struct evg_ndrange *ndrange, unsigned threads,
		    uint64_t max_instructions, struct error *error);

/* --- Work-groups and wavefronts ----------------------------------------- */

struct evg_work_group;
struct evg_wavefront;

/* A work-group that is ready to run; `index` counts linearly, x fastest. Its
 * object is recycled through the ND-range's free list. A work-group belongs to
 * one host thread at a time. */
struct evg_work_group *evg_work_group_create(struct evg_ndrange *ndrange,
					     uint64_t index);
void evg_work_group_free(struct evg_work_group *group);
/* The two halves of evg_work_group_create. The first makes an object whose
 * state is that of no work-group yet. The second writes the state, best on the
 * thread that will run the work-group; it may be called again for another
 * work-group when this one has ended. A new object counts in `tally`, which the
 * objects that one thread runs share; NULL: in a tally of its own. Tallies live
 * as long as the ND-range. */
struct evg_tally *evg_tally_create(struct evg_ndrange *ndrange);
struct evg_work_group *evg_work_group_take(struct evg_ndrange *ndrange,
					   struct evg_tally *tally);
void evg_work_group_start(struct evg_work_group *group, uint64_t index);
/* Whether global memory has room for the scratch memory of one more work-group.
 * When there is none, evg_work_group_create makes a work-group whose first
 * access to scratch memory is an error. */
bool evg_ndrange_has_room(struct evg_ndrange *ndrange);
struct evg_wavefront *evg_work_group_wavefront(struct evg_work_group *group,
					       uint32_t index);

/* Sets the place of the work-group, for kernels that ask for it or share
 * registers with others in the same compute unit: unit `unit` of `units`, slot
 * `group_slot` of the unit's work-groups. Without this call the place is unit
 * (index mod 20) of 20, with no other work-group. */
void evg_work_group_place(struct evg_work_group *group, uint32_t unit,
			  uint32_t units, uint32_t group_slot);
/* Sets the wavefront's slot in its compute unit; without this call the slot is
 * the wavefront's index. */
void evg_wavefront_place(struct evg_wavefront *wavefront, uint32_t slot);
/* Sets the clock for the next steps (without this call the clock counts the
 * instructions that the wavefront has executed), and whether they run in the
 * odd place of the ALU engine (that of odd slots). */
void evg_wavefront_set_time(struct evg_wavefront *wavefront, uint64_t cycle);
void evg_wavefront_set_odd(struct evg_wavefront *wavefront, bool odd);

enum evg_step_kind {
	EVG_STEP_CF,       /* a CF instruction without a clause */
	EVG_STEP_CLAUSE,   /* a CF instruction that starts an ALU/TEX clause */
	EVG_STEP_ALU,      /* one VLIW group */
	EVG_STEP_FETCH,    /* one fetch instruction */
	EVG_STEP_STORE,    /* a CF export: RAT store or atomic */
};

/* The effects of one executed instruction: all that timing ever sees. */
/* The effect of an ALU group on the LDS output queues A and B: values that it
 * takes, whether it looks at the head, and values that it requests. */
struct evg_queue_use {
	uint8_t takes[2], pushes[2];
	bool looks[2];
};

struct evg_step {
	enum evg_step_kind kind;
	uint32_t address;         /* of the instruction: 64-bit units from the
				     kernel's start */
	uint64_t active;          /* lanes that executed it */
	uint32_t active_count;    /* and how many these are */
	const struct evg_cf_inst *cf;       /* the CF instruction, always */
	const struct evg_alu_group *group;  /* EVG_STEP_ALU */
	const struct evg_fetch_inst *fetch; /* EVG_STEP_FETCH */
	bool clause_end;          /* last instruction of its clause */
	bool program_end;         /* the wavefront has finished */
	/* Now waits for its work-group; release it with
	 * evg_wavefront_release. */
	bool barrier;
	bool global_wait;         /* waits for WAVE_SYNC; see
				     evg_ndrange_next_released */
	/* Control did not go on to the next instruction. */
	bool branch_taken;
	/* Accesses to global (EVG_STEP_FETCH, EVG_STEP_STORE) or local
	 * (EVG_STEP_ALU) memory: a byte address for each lane of
	 * `memory_mask`. */
	uint64_t memory_mask;
	uint8_t memory_bytes;     /* per lane and address */
	bool memory_write, memory_atomic, memory_return;
	bool memory_cacheless;    /* FastPath (MEM_RAT_CACHELESS) */
	bool memory_local;
	const struct evg_queue_use *queues; /* EVG_STEP_ALU; NULL: nothing */
	bool memory_constant;     /* resource 3: kernel parameters */
	bool memory_uncached;     /* by a resource that bypasses L1 and L2 */
	/* Of a filtered fetch: the number of passes of the texture units over
	 * its texels; 0 counts as 1. */
	uint8_t texture_passes;
	uint32_t memory_address[EVG_WAVEFRONT_SIZE];
	/* The second access of two-address LDS instructions, and the second
	 * corner of filtered texels. */
	uint64_t memory_mask2;
	uint32_t memory_address2[EVG_WAVEFRONT_SIZE];
	/* The number of further corners of filtered texels, and their
	 * addresses. */
	uint8_t corners;
	uint64_t corner_mask[EVG_MORE_CORNERS];
	uint32_t corner_address[EVG_MORE_CORNERS][EVG_WAVEFRONT_SIZE];
};

/* Most kernels run with denormals flushed, a mode of the host's floating-point
 * unit that is slow to change. evg_wavefront_step sets the mode by itself. A
 * thread that steps many wavefronts should set it once around its loop:
 * evg_float_mode_begin returns the value that evg_float_mode_end restores. In
 * between the thread's own floating-point code has denormals flushed, too. */
unsigned evg_float_mode_begin(void);
void evg_float_mode_end(unsigned old);
/* Whether all threads that step wavefronts of the work-groups which start from
 * now on do so: then steps do not look. */
void evg_ndrange_set_float_mode(struct evg_ndrange *ndrange, bool is_set);
/* Makes machine code for steps, before any is done. */
void evg_ndrange_compile_steps(struct evg_ndrange *ndrange);

/* Executes the next instruction: 0, or -1 and *error as evg_ndrange_run. Must
 * not be called on a wavefront that has ended or waits at a barrier. */
int evg_wavefront_step(struct evg_wavefront *wavefront, struct evg_step *step,
		       struct error *error);
/* Deferred stores: global stores and atomics that were executed, in that order,
 * and have not taken effect. They serve a timing model that runs wavefronts on
 * several threads and lets their stores take effect in an order of its own.
 * `used` may be set to 0 when all have taken effect. */
struct evg_stores {
	uint8_t *bytes;
	size_t used, capacity;
};
void evg_stores_free(struct evg_stores *stores);
/* From now on the wavefront's stores go to `stores`, and steps only check them.
 * They must take effect before the wavefront's next step. Scratch memory
 * belongs to the wavefront alone and is stored to at once. */
void evg_wavefront_defer(struct evg_wavefront *wavefront,
			 struct evg_stores *stores);
/* evg_stores_cycle returns the cycle of the store at `at`
 * (evg_wavefront_set_time), UINT64_MAX behind the last one; the first is at 0.
 * evg_stores_commit lets that store take effect and returns the place of the
 * next one. Neither changes `stores`. */
uint64_t evg_stores_cycle(const struct evg_stores *stores, size_t at);
size_t evg_stores_commit(const struct evg_stores *stores, size_t at);
/* evg_ndrange_is_serial: whether steps of different work-groups also interact
 * elsewhere than in global memory (GDS, global wave sync, shared registers,
 * logs), so that only one thread may do them. evg_ndrange_may_defer: whether
 * stores may be deferred; for work-groups that share registers they would
 * take effect too late. */
bool evg_ndrange_is_serial(const struct evg_ndrange *ndrange);
bool evg_ndrange_may_defer(const struct evg_ndrange *ndrange);
/* Lets a wavefront pass the barrier at which it waits. */
void evg_wavefront_release(struct evg_wavefront *wavefront);
/* The address of the next CF instruction of a wavefront that is between
 * clauses: 64-bit units from the kernel's start. */
uint32_t evg_wavefront_next(const struct evg_wavefront *wavefront);
bool evg_wavefront_ended(const struct evg_wavefront *wavefront);
bool evg_wavefront_waiting(const struct evg_wavefront *wavefront);
/* The identity of a wavefront: its work-group, its number there, and the
 * address of the CF instruction it is at, in 64-bit units from the kernel's
 * start. */
uint64_t evg_wavefront_group(const struct evg_wavefront *wavefront);
uint32_t evg_wavefront_index(const struct evg_wavefront *wavefront);
uint32_t evg_wavefront_address(const struct evg_wavefront *wavefront);
/* Sets the message for a barrier at which one wavefront waits and that another
 * can no longer reach. */
void evg_fault_barrier(const struct evg_wavefront *waiting,
		       const struct evg_wavefront *ended, struct error *error);

/* For kernels with WAVE_SYNC, in which a wavefront whose step said global_wait
 * waits until another one releases it. Returns one by one, in the order of
 * their release, the wavefronts that steps have released since the last call;
 * NULL: no more. */
struct evg_wavefront *evg_ndrange_next_released(struct evg_ndrange *ndrange);
/* Whether any wavefront waits for WAVE_SYNC. */
bool evg_ndrange_waits_globally(const struct evg_ndrange *ndrange);
/* Sets the message for wavefronts that can no longer be released. `done` and
 * `resident`: the numbers of work-groups that have ended and that are in
 * flight. */
void evg_fault_sync(const struct evg_ndrange *ndrange, uint64_t done,
		    uint64_t resident, struct error *error);
/* Attaches a pointer of the caller that steps the wavefront. */
void evg_wavefront_set_owner(struct evg_wavefront *wavefront, void *owner);
void *evg_wavefront_owner(const struct evg_wavefront *wavefront);

/* --- Statistics --------------------------------------------------------- */

/* One row per static instruction of a kernel, summed over the ND-range and over
 * all host threads: totals do not depend on the schedule. */
struct evg_inst_stats {
	uint32_t address;           /* 64-bit units */
	enum evg_step_kind kind;
	const struct evg_cf_inst *cf;
	const struct evg_alu_group *group;
	const struct evg_fetch_inst *fetch;
	uint64_t executions;        /* by wavefronts */
	uint64_t active_lanes;      /* summed over executions */
	/* With evg_ndrange_count_traffic, else 0: blocks of global memory that
	 * executions touched, and cycles that bank conflicts in local memory
	 * cost. */
	uint64_t transactions, bank_conflicts;
};

/* Counts. A lane operation is an operation of one active work-item in one
 * filled slot. Fetches and stores count one per active work-item. */
struct evg_stats {
#define STATS_MEMBERS
#include "evergreen/emu/emulator.stat.def"
};
void evg_ndrange_stats(const struct evg_ndrange *ndrange,
		       struct evg_stats *stats);
/* Asks, before anything runs, for transactions and bank conflicts. The model
 * has the bytes of a block (a power of two, 4 or more), the banks of local
 * memory, and the work-items that are served together (32 and 32 on the HD
 * 5870). */
struct evg_traffic_model {
	uint32_t block_size, banks, window;
	/* Only one work-group in `every` is examined, the first one included; 0
	 * and 1: all. */
	uint64_t every;
};
void evg_ndrange_count_traffic(struct evg_ndrange *ndrange,
			       const struct evg_traffic_model *model);
/* The rows in address order; valid until the ND-range is freed. */
const struct evg_inst_stats *evg_ndrange_inst_stats(
	const struct evg_ndrange *ndrange, size_t *count);

/* Control-flow divergence (figure 10 of the Multi2Sim paper), by number of
 * active lanes: histogram[n] is the number of wavefront instructions that were
 * executed with n active lanes. */
void evg_ndrange_divergence(const struct evg_ndrange *ndrange,
			    uint64_t histogram[EVG_WAVEFRONT_SIZE + 1]);

/* The paths of work-items through the kernel, per wavefront that has ended: the
 * number of wavefronts that had n different paths, and the number of work-items
 * that took the most frequent path of their wavefront, the second most
 * frequent, and so on. */
struct evg_path_counts {
	uint64_t wavefronts[EVG_WAVEFRONT_SIZE + 1];
	uint64_t work_items[EVG_WAVEFRONT_SIZE];
};
void evg_ndrange_paths(const struct evg_ndrange *ndrange,
		       struct evg_path_counts *counts);

#endif
