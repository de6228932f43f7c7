/* The machine's state. Internal to m2s/cores. */
#ifndef M2S_M2S_CORES_INTERNAL_H
#define M2S_M2S_CORES_INTERNAL_H

#include "m2s/cores/fetch.h"
#include "m2s/cores/machine.h"
#include "m2s/profile/profile.h"
#include "m2s/sampling/estimate.h"
#include "m2s/sampling/plan.h"
#include "x86/linux/cores.h"
#include "x86/timing/memory/frames.h"
#include "x86/timing/memory/memory.h"

enum machine_core_state {
	CORE_IDLE,     /* no thread */
	CORE_RUNS,
	CORE_KERNEL,   /* until `until`; then what `calls` says */
	CORE_DEVICE,   /* waits for the device until `until`; then runs */
};

/* Why a core that is simulated apart from the others has stopped within a window:
 * what comes next needs all others to have stopped (windows.h). */
enum machine_pause {
	PAUSE_NONE,
	PAUSE_FETCH,   /* an instruction that changes what cores share */
	PAUSE_LOCK,    /* a locked operation; `accessed`: its line is here */
	PAUSE_STOP,    /* the thread has stopped */
	PAUSE_PASSED,  /* the time for which the core waits has passed */
	PAUSE_STUCK,   /* nothing can happen any more */
};

struct machine_core_counts {
#define STATS_MEMBERS
#include "m2s/cores/core.stat.def"
};

/* Sums, at the end of a run. */
struct machine_total {
	uint64_t cycles, instructions, branches, wrong;
};

struct machine_core {
	struct x86_machine *machine;
	unsigned id;            /* number of the core * threads of a core + that of
				 * the thread */
	struct x86_core *core;
	struct x86_caches *caches; /* NULL: every access hits */
	struct fetch fetch;
	struct x86_ring *stretches; /* of instructions that warm; NULL: none */
	enum machine_core_state state;
	struct context *thread; /* NULL: none */
	bool calls;             /* a system call takes effect at `until` */
	bool wanted;            /* the thread is to lose the core */
	bool parked;            /* waits for the next phase of the plan */
	enum machine_pause pause;
	bool accessed;
	unsigned group;         /* of windows */
	uint64_t forwarded;     /* instructions executed and not simulated */
	uint64_t counted;       /* machine_core_executed() when the system last
				 * counted what the thread has executed */
	uint64_t forwarded_calls; /* system calls, likewise */
	uint64_t until;         /* cycle */
	uint64_t retired, retired_at; /* instructions when last looked at, and
				       * the cycle in which the last one came */
	uint64_t quantum;       /* machine_core_executed() at its end */
	struct machine_activity {
		const char *name;   /* NULL: none */
		uint64_t since;     /* cycle */
		uint64_t process, thread;
	} activity;             /* for the timeline */
	struct machine_core_counts n;
	struct machine_total total;
	/* For derived figures of the report. */
	struct machine_part {
		const struct machine_core *core;
		unsigned part;
	} parts[X86_CORE_PARTS];
	/* With several threads, in the first one: of all of the core. */
	struct machine_total all;
};

struct x86_machine {
	const struct x86_config *config;
	struct x86_core_figures figures;
	const char *name;
	uint32_t frequency;
	struct x86_machine_device device;
	struct x86_templates *templates;
	/* Of all cores; NULL: every access hits. */
	struct event_queue *events;
	struct memsys *memsys;
	struct x86_frames *frames;
	/* Translations were lost that other cores had: they must hear of it. */
	bool shot;
	/* What the kernel writes while it works. */
	struct machine_written {
		struct machine_range {
			struct x86_page_table *table;
			uint64_t start, end;
			bool buffer;
			bool delivered; /* by a device */
		} *range;
		size_t count, capacity;
		bool follow;
	} written;
	struct linux_system *system;
	struct error *error;
	uint64_t now;           /* cycle, for the guest's clock */
	uint64_t stamp;         /* the time-stamp counter in cycle 0 */
	/* The first cycle: behind a checkpoint not 0, so that the clocks of the
	 * memory are as they would have been. */
	uint64_t origin;
	bool releases;          /* threads, at the end of a run */
	uint64_t left;          /* instructions until a limit or a phase's end */
	struct sampling_plan plan;
	struct machine_phase {
		enum sampling_phase kind;
		uint64_t start;     /* cycle */
		uint64_t length;    /* `left` at its start */
		uint64_t cut;       /* `left` when a marker ended it; or 0 */
		uint64_t done;      /* instructions before it */
		uint64_t limit;     /* until the run's limit, at its start */
		bool inside;        /* between markers */
		uint64_t since;     /* instructions before the marker */
		bool sampled;       /* belongs to what is sampled */
		uint64_t kernel;    /* cycles of the operating system before */
	} phase;
	struct sampling_estimate estimate;
	/* The unit of sampling that is measured: instructions that must have
	 * retired, at its beginning or, when `begun`, at its end; UINT64_MAX:
	 * none. What had retired at its beginning, the cycle, and those of the
	 * operating system. */
	struct machine_unit {
		uint64_t next, retired, cycle, kernel;
		bool begun;
		uint64_t base; /* that had retired at the phase's start */
		size_t phase;  /* the next one of plan.phases */
	} unit;
	uint64_t forwarded;     /* cycles that were not simulated */
	uint64_t look;          /* cycle at which threads are looked for */
	int last_thread;        /* that was given a core */
	bool several;           /* cores have threads, and hold stores */
	struct machine_windows *windows; /* NULL: cores act one at a time */
	bool apart;             /* they act apart, until they pause */
	bool failed;
	struct x86_check **check; /* of the cores; NULL: none */
	struct machine_profile *profile; /* NULL: not counted */
	struct machine_window *window; /* NULL: no trace */
	struct timeline *timeline;       /* NULL: none */
	struct timeline_buffer *trace;
	struct machine_total total;
	/* Each thread of a core is a struct machine_core, those of a core one
	 * behind another. */
	unsigned count, threads;
	struct machine_core core[];
};

/* memory.c: the memory of all cores. -1 and *error when a file has a mistake. */
int machine_memory_create(struct x86_machine *machine,
			  const struct x86_machine_files *files,
			  struct error *error);

/* device.c: the cycle at which the device is to be looked at; UINT64_MAX: it does
 * not work in the cores' time, or has nothing to do. */
uint64_t machine_device_cycle(const struct x86_machine *machine);
/* Looks at it if it is due, all cores having come to `cycle`. Whether it was. */
bool machine_device_look(struct x86_machine *machine, uint64_t cycle);

/* core.c: what a core does for which it has paused. */
void machine_core_serve(struct machine_core *core);
/* At the end of a window: what it does outside itself. */
void machine_core_meet(struct machine_core *core);
/* At the end of its quantum a thread leaves the core to another one. */
void machine_core_look_at_quantum(struct machine_core *core);
/* watchdog.c: the core cannot go on: an error of the model. */
void machine_core_fail(struct machine_core *core);
/* Finds also a core that goes on without an end. */
void machine_core_look_at_progress(struct machine_core *core);
/* turn.c: the busy core of a group, or of all (ALL_GROUPS), that is furthest
 * behind, of several the first; NULL: none. *until: the cycle up to which it may go
 * on alone, so that cores act in the order of cycles and, within a cycle, in their
 * own. */
enum { ALL_GROUPS = -1 };
struct machine_core *machine_core_behind(struct x86_machine *machine, int group,
					 uint64_t *until);
/* core.c: simulates a core until cycle `until`, or until it has no thread. */
void machine_core_run(struct machine_core *core, uint64_t until);
/* From now on the core's cycles are those of a thread; NULL: of none. */
void machine_core_charge(struct machine_core *core, struct context *thread);
/* locked.c: the core's thread has stopped before a locked operation (fetch.locks):
 * whether it is to be executed now; core->accessed: its line is here. The line is
 * asked for. */
bool machine_core_may_lock(struct machine_core *core);
/* core.c: gives an idle core a thread. */
void machine_core_start(struct machine_core *core, struct context *thread);
/* fetch->committed of a core whose caches can lose lines to the others: threads
 * of other cores may have loaded from the line. */
void machine_core_committed(void *owner, uint64_t address, uint64_t size);
/* Finds running threads that must lose their core: the kernel has worked, or
 * has looked at timers. */
void machine_look_at_threads(struct x86_machine *machine);

/* Instructions of the core's threads, simulated or not. */
static inline uint64_t machine_core_executed(const struct machine_core *core)
{
	return core->fetch.counts.instructions + core->forwarded;
}

static inline bool machine_is_detailed(const struct x86_machine *machine)
{
	return machine->phase.kind == SAMPLING_DETAIL;
}

/* phases.c: the plan's first phase. */
void machine_phases_begin(struct x86_machine *machine);
/* No instruction of the phase is left, though the run goes on. */
bool machine_phase_is_over(const struct x86_machine *machine);
/* Goes on with the next phase when all cores that have threads have parked. */
bool machine_phase_next(struct x86_machine *machine);
/* Brings all cores to the same cycle. */
void machine_phase_end(struct x86_machine *machine);
/* Time passes in a core that has nothing in flight. */
void machine_core_pass(struct machine_core *core, uint64_t until,
		       enum x86_core_part part);
/* The core's thread has executed a marker. */
void machine_marker(struct machine_core *core);
/* Executes the core's thread up to cycle `until` and simulates nothing. Returns
 * whether the thread has stopped, and *why. */
bool machine_core_forward(struct machine_core *core, uint64_t until,
			  enum x86_stop *why);

/* unit.c: looks for the units of a phase that begins. */
void machine_units_begin(struct x86_machine *machine);
/* Looks whether a unit of sampling has begun or ended. */
void machine_unit_look(const struct machine_core *core);
/* What page faults and system calls have cost, or would have: cycles. */
uint64_t machine_kernel_cycles(const struct x86_machine *machine);

/* warm.c: executes up to `wanted` instructions of the core's thread; its caches,
 * TLBs and predictors follow. */
enum x86_stop machine_core_warm(struct machine_core *core, uint64_t wanted);

/* diagnose.c: where the time goes, in words; the caller frees the text. NULL: no
 * part is worth a word. */
char *x86_machine_diagnose(const struct x86_machine *machine);

/* written.c: the kernel works, and has worked for the core's thread, which still
 * has its cpu if `alive`. */
void machine_kernel_begins(struct x86_machine *machine);
void machine_kernel_ends(struct machine_core *core, bool alive);
x86_frames_written machine_note_written;

/* window.c */
void machine_window_free(struct machine_window *window); /* may be NULL */
/* trace.c: the core's state, thread or phase may have changed, or (at the end of
 * the run) nothing comes any more. */
void machine_trace(struct machine_core *core);
void machine_trace_end(struct x86_machine *machine);

/* report.c: fills in all `total`. */
void x86_machine_count(struct x86_machine *machine);

#endif
