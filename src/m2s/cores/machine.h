/* A machine of simulated x86 cores that runs guest programs: `--x86-sim
 * detailed`. It joins what x86/linux offers (x86/linux/cores.h) with the timing
 * model of x86/timing, which do not know each other.
 *
 * Time is the number of the cycle, common to all cores. Cores act in the order of
 * cycles and, within a cycle, of their numbers, so that runs repeat exactly. */
#ifndef M2S_M2S_CORES_MACHINE_H
#define M2S_M2S_CORES_MACHINE_H

#include "base/clock.h"
#include "base/error.h"
#include "base/output.h"
#include "m2s/cores/window.h"
#include "m2s/sampling/plan.h"
#include "memsys/memsys.h"
#include "report/summary.h"
#include "sim/timeline.h"
#include "stats/stats.h"
#include "x86/config.h"
#include "x86/linux/linux.h"

struct x86_machine;

/* Devices that work for a program during a system call and have a clock of
 * their own. */
struct x86_machine_device {
	picoseconds (*now)(void *owner);
	/* Lets the device's time pass until `time`, if it is not later. */
	void (*reach)(void *owner, picoseconds time);
	/* Of a device in the cores' memory, which works in their time: when it
	 * is to be called (UINT64_MAX: never), and what is called then, which
	 * returns whether threads go on that wait for it. NULL: the device's
	 * work takes place during the system call. */
	picoseconds (*due)(void *owner);
	bool (*work)(void *owner);
	void *owner;
};

/* What describes the cores' caches in place of the chip's. */
struct x86_machine_files {
	const char *mem_config, *net_config; /* paths, or NULL */
	struct settings *settings;           /* or NULL */
	/* A GPU with this number of compute units is in the same memory: with
	 * mem_config in that of the file, else above the chip's memory. 0: it
	 * is not. */
	unsigned compute_units;
	const struct memsys_gpu *gpu;
};

/* *config must outlive the machine. NULL and *error when a file has a
 * mistake. */
struct x86_machine *x86_machine_create(const struct x86_config *config,
				       const struct x86_machine_device *device,
				       const struct x86_machine_files *files,
				       struct error *error);
/* The cores' memory and its queue, for a GPU in it, which must be freed before;
 * NULL: they have none. */
struct memsys *x86_machine_memory(const struct x86_machine *machine,
				  struct event_queue **events);
/* The address in that memory of a page of the program whose call is served, which
 * gets it at its first touch. `written`: as for a store. False: nothing is mapped
 * there. `owner` is the machine. */
bool x86_machine_place(void *owner, uint64_t page, bool written,
		       uint64_t *place);
/* To be called after linux_free(). */
void x86_machine_free(struct x86_machine *machine);

/* A second emulator executes each instruction as it retires, and the run ends
 * with an error where the two differ (x86/timing/check). To be called before the
 * machine is registered. */
void x86_machine_check(struct x86_machine *machine);

/* Counts where cycles go (m2s/profile), if that is not done yet. To be called
 * before the run. */
void x86_machine_profile(struct x86_machine *machine);
/* --x86-report-branches: machine_profile_report_branches(). */
void x86_machine_report_branches(struct x86_machine *machine,
				 struct stats *stats, uint64_t most);
/* --x86-annotate: machine_profile_write(). */
int x86_machine_write_profile(struct x86_machine *machine,
			      struct output *output, bool csv,
			      const char *partial, struct error *error);

/* --x86-trace: collects the pipeline's way of the instructions in a window. To be
 * called before the run. -1 and *error when there is no such core. */
int x86_machine_watch(struct x86_machine *machine,
		      const struct trace_window *window, struct error *error);
/* Writes them and closes the output. -1 and *error when there are none, or when
 * they cannot be written. */
int x86_machine_write_window(struct x86_machine *machine,
			     struct output *output, struct error *error);
/* Writes what cores do to a timeline, which must outlive the machine. To be called
 * before the run. */
void x86_machine_trace(struct x86_machine *machine, struct timeline *timeline);

/* --x86-mcpat: counts what McPAT's input needs. To be called before the run. -1
 * and *error when the machine has other caches than the chip's. */
int x86_machine_measure_power(struct x86_machine *machine,
			      struct error *error);
/* Writes this input from the machine and its "memory" report, and closes the
 * output. */
int x86_machine_write_power(struct x86_machine *machine,
			    const struct stats *stats, struct output *output,
			    struct error *error);

/* Sets clock, now and time_stamp of the guest's options. */
void x86_machine_clock(struct x86_machine *machine,
		       struct linux_options *options);

/* What of the programs is simulated in detail. Without this call: all. The plan
 * becomes the machine's. -1 and *error when caches of a file cannot be warmed. */
int x86_machine_plan(struct x86_machine *machine,
		     const struct sampling_plan *plan, struct error *error);

/* Sections of the x86 report. */
void x86_machine_register(struct x86_machine *machine, struct stats *stats);

/* How many host threads simulate the cores; one without this call. Nothing that is
 * simulated depends on it. */
void x86_machine_set_threads(struct x86_machine *machine, unsigned threads);
/* --threads-report */
void x86_machine_report_threads(const struct x86_machine *machine,
				FILE *stream);

/* At the end of the run no thread has a core, so that a checkpoint can be saved;
 * system calls that have begun take effect. To be called before the run. */
void x86_machine_release(struct x86_machine *machine);

/* Runs the system to its end, as linux_run() does. After a pause it cannot go
 * on. */
int x86_machine_run(struct x86_machine *machine, struct linux_system *system,
		    struct linux_result *result, struct error *error);

/* The time. */
picoseconds x86_machine_now(const struct x86_machine *machine);
/* What has passed since the run began. */
picoseconds x86_machine_elapsed(const struct x86_machine *machine);

/* Figures of all cores together. The caller frees summary->diagnosis. */
void x86_machine_summarize(const struct x86_machine *machine,
			   struct x86_summary *summary);

#endif
