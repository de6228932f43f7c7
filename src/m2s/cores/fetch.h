/* What a simulated core fetches: executes a guest thread ahead of the core,
 * predicts its branches, follows wrong paths and goes back.
 *
 * Values bind here: an instruction is executed when the core's front end is
 * about to fetch it, a locked operation of a thread that is not alone when its
 * line has come (locked.c). The stores of such a thread wait until the core has
 * committed them: total store order. */
#ifndef M2S_M2S_CORES_FETCH_H
#define M2S_M2S_CORES_FETCH_H

#include <pthread.h>

#include "x86/emu/step.h"
#include "x86/timing/check/check.h"
#include "x86/timing/core/core.h"
#include "x86/timing/predict/unit.h"
#include "x86/timing/profile/profile.h"

/* What follows a mispredicted branch until it has been executed. */
enum fetch_wrong_path {
	FETCH_EXECUTES,    /* its instructions, executed and rolled back */
	FETCH_WAITS,       /* nothing */
	/* Its instructions where the predictor goes, for the front end alone:
	 * they are not executed. */
	FETCH_DECODES,
};

enum { FETCH_FLOWS = 1024, FETCH_RECORDS = 8192, FETCH_STORES = 2048 };

struct fetch_counts {
#define STATS_MEMBERS
#include "m2s/cores/fetch.stat.def"
};

struct fetch {
	struct x86_core *core;
	struct x86_templates *templates;
	struct x86_ring *ring;
	struct predict_unit unit;
	enum fetch_wrong_path wrong_path;
	unsigned ahead;        /* instructions that the core wants */

	struct x86_cpu *cpu;   /* of the thread */
	/* Instructions of the right path that may yet be executed; shared by
	 * all cores. */
	uint64_t *left;
	uint64_t next_record;  /* of the ring: to be pushed */
	uint64_t retired;      /* instructions of the core that were seen */
	uint64_t executed;     /* of the right path; those that have retired are
				* counts.instructions */
	struct x86_profile *profile; /* counts branches; NULL: none */
	bool stopped;          /* on the right path, because of ... */
	enum x86_stop stop;
	bool ended;            /* the wrong path cannot be followed further */
	/* Stopped before a locked operation, whose line has been asked for so
	 * often. */
	bool locks;
	unsigned lock_asks;
	/* Other cores go on beside this one (windows.c), on other threads of the
	 * host if there is a `turn`, which the emulators are used in. Then what
	 * they share stays as it is: fetch is `alone` in front of an instruction
	 * that would change it. */
	bool beside, alone;
	pthread_mutex_t *turn;
	uint64_t accessed;     /* record that had its line, + 1 */
	uint64_t locked;       /* youngest locked operation in the core, + 1 */

	/* Mispredicted branches in flight, in order of age. */
	unsigned wrong_count;
	struct fetch_wrong {
		uint64_t flow, checkpoint;
		unsigned level;
		struct predict_outcome outcome;
	} wrong[X86_CORE_DIVERTING];

	/* With FETCH_DECODES: where the wrong path goes on, its last instruction,
	 * and descriptions that are held for it, one of each block. */
	uint64_t decode_at;
	const struct x86_inst *decoded;
	unsigned held_count;
	const struct x86_inst *held[FETCH_FLOWS];

	struct fetch_counts counts;

	struct x86_check *check; /* NULL: none */
	bool differs;          /* what the check has found */

	bool holds;            /* the thread's stores */
	uint64_t executed_at;  /* cycle: of the youngest records */
	/* Serial numbers among the stores that were held: of the youngest one
	 * of the records pushed, and of the oldest one not seen in memory. */
	uint64_t pushed_stores, seen_stores;
	/* Instructions of the right path that store, from their execution until
	 * their stores are in memory. */
	struct fetch_store {
		uint64_t number;       /* in the core */
		uint64_t last;         /* serial number of its last store, + 1 */
		uint64_t executed_at;
		uint64_t address, size; /* of its first store */
	} store[FETCH_STORES];
	uint64_t store_head, store_tail;
	/* Told of each when the core has committed it; NULL: nobody. */
	void (*committed)(void *owner, uint64_t address, uint64_t size);
	void *owner;

	/* Of the instructions in flight, by their number in the core. */
	struct fetch_flow {
		uint64_t record;
		union {
			struct {
				bool branch, wrong, resolved, unfinished, loads;
			};
			uint64_t flags; /* all of them */
		};
		/* Of a branch; of an instruction that `loads`. */
		uint64_t checkpoint;
		struct predict_outcome outcome;
		uint64_t executed_at;
	} flow[FETCH_FLOWS];
};

/* `config` and *left must outlive it. */
void fetch_init(struct fetch *fetch, struct x86_core *core,
		struct x86_templates *templates,
		const struct predict_config *config,
		enum fetch_wrong_path wrong_path, uint64_t *left);
void fetch_free(struct fetch *fetch);

/* A thread goes on in the core, which has drained. May set `differs`. */
void fetch_enter(struct fetch *fetch, struct x86_cpu *cpu);
/* What predictors are told of a branch. */
struct branch fetch_describe(const struct x86_inst *inst);
/* Pushes what the core needs, as far as can be known now. Without `more` nothing
 * is executed for that. */
void fetch_supply(struct fetch *fetch, bool more);
/* Executes as far as the next branch. False: it does not go on. How many
 * instructions ahead of the core. For fetch.c. */
bool fetch_execute(struct fetch *fetch);
unsigned fetch_wanted_ahead(const struct fetch *fetch);
/* Whether the core wants an instruction that changes what cores share. */
bool fetch_is_alone(const struct fetch *fetch);
/* Executes it: no other core goes on now. */
void fetch_alone(struct fetch *fetch);
/* Whether nothing more can be pushed until a branch has been executed, or the
 * core has drained and the stop has been handled. */
bool fetch_is_blocked(const struct fetch *fetch);
/* To be called when the core has gone on: commits the branches that have
 * retired, and checks what has retired; may set `differs`. */
void fetch_retire(struct fetch *fetch);
/* The core's answer was X86_CORE_RESOLVED. */
void fetch_resolved(struct fetch *fetch);
/* Whether the thread's stores wait until the core has committed them. Takes
 * effect now or, on a wrong path, with a later call. */
void fetch_hold(struct fetch *fetch, bool hold);
/* To be called when the core has gone on: writes the stores to memory that it
 * has committed. */
void fetch_publish(struct fetch *fetch);
/* An instruction of the right path has been pushed, under this number: notes what
 * it has loaded and stored. While stores are held. */
void fetch_note_memory(struct fetch *fetch, const struct x86_record *record,
		       uint64_t number, struct fetch_flow *flow);
/* Executes the instruction before which the right path has stopped
 * (X86_STOP_ASKED); the core has drained. */
void fetch_step(struct fetch *fetch);
/* Executes the locked operation before which the right path has stopped; no record
 * is still to be pushed. `accessed`: its line was the core's alone. */
void fetch_lock(struct fetch *fetch, bool accessed);
/* Drops all that is in flight. `alive`: the thread's cpu still exists, and
 * leaves its wrong path. Returns how many instructions of the right path had been
 * executed and will not retire. */
uint64_t fetch_clear(struct fetch *fetch, bool alive);

#endif
