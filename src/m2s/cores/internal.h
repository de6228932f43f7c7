/* The machine's state. Internal to m2s/cores. */
#ifndef M2S_M2S_CORES_INTERNAL_H
#define M2S_M2S_CORES_INTERNAL_H

#include "m2s/cores/fetch.h"
#include "m2s/cores/machine.h"
#include "x86/linux/cores.h"
#include "x86/timing/memory/frames.h"
#include "x86/timing/memory/memory.h"

enum machine_core_state {
	CORE_IDLE,     /* no thread */
	CORE_RUNS,
	CORE_KERNEL,   /* until `until`; then what `calls` says */
	CORE_DEVICE,   /* waits for the device until `until`; then runs */
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
	unsigned id;
	struct x86_core *core;
	struct x86_caches *caches; /* NULL: every access hits */
	struct fetch fetch;
	enum machine_core_state state;
	struct context *thread; /* NULL: none */
	bool calls;             /* a system call takes effect at `until` */
	bool wanted;            /* the thread is to lose the core */
	uint64_t until;         /* cycle */
	uint64_t retired, retired_at; /* instructions when last looked at, and
				       * the cycle in which the last one came */
	uint64_t quantum;       /* fetch.counts.instructions at its end */
	struct machine_core_counts n;
	struct machine_total total;
	/* For derived figures of the report. */
	struct machine_part {
		const struct machine_core *core;
		unsigned part;
	} parts[X86_CORE_PARTS];
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
	bool given;             /* memsys, by a file of the user's */
	/* Translations were lost that other cores had: they must hear of it. */
	bool shot;
	struct linux_system *system;
	struct error *error;
	uint64_t now;           /* cycle, for the guest's clock */
	uint64_t left;          /* instructions until a limit */
	uint64_t look;          /* cycle at which threads are looked for */
	int last_thread;        /* that was given a core */
	bool several;           /* cores have threads, and hold stores */
	bool failed;
	struct x86_check **check; /* of the cores; NULL: none */
	struct machine_total total;
	unsigned count;
	struct machine_core core[];
};

/* core.c: simulates a core until cycle `until`, or until it has no thread. */
void machine_core_run(struct machine_core *core, uint64_t until);
/* Gives an idle core a thread. */
void machine_core_start(struct machine_core *core, struct context *thread);
/* fetch->committed of a core whose caches can lose lines to the others: threads
 * of other cores may have loaded from the line. */
void machine_core_committed(void *owner, uint64_t address, uint64_t size);
/* Finds running threads that must lose their core: the kernel has worked, or
 * has looked at timers. */
void machine_look_at_threads(struct x86_machine *machine);

/* report.c: fills in all `total`. */
void x86_machine_count(struct x86_machine *machine);

#endif
