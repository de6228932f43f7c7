/* One simulation: sets up guest, GPU and reports, runs them, and prints the
 * summary. */
#ifndef M2S_M2S_SIMULATION_H
#define M2S_M2S_SIMULATION_H

#include "base/error.h"
#include "m2s/options.h"

struct simulation;

struct linux_system;

/* Called from time to time. Returns whether the run goes on. With
 * `between_turns` it may send signals to the guest. */
enum simulation_wish {
	SIMULATION_GO_ON,
	SIMULATION_STOP,       /* end the run early */
	SIMULATION_SHOW_STATE, /* show the state on standard error, and go on */
};
typedef enum simulation_wish simulation_stop(void *owner,
					     struct linux_system *guest,
					     bool between_turns);

/* The program and its arguments are argv + options->program_index. `options`
 * and `argv` must outlive the simulation. */
struct simulation *simulation_create(const struct options *options,
				     char **argv, simulation_stop *stop,
				     void *stop_owner, struct error *error);
void simulation_free(struct simulation *simulation);

enum simulation_end {
	/* The programs ended, or the run ended where --x86-checkpoint-stop
	 * says. */
	SIMULATION_COMPLETE,
	SIMULATION_LIMIT,    /* --max-time, --x86-max-inst, ... */
	SIMULATION_SIGNAL,   /* `stop` said so */
};

/* m2s's exit status after SIMULATION_LIMIT. Few programs have it, and it has no
 * meaning in sysexits.h (64 to 78), xargs, env, timeout and shells (123 and
 * up). */
enum { SIMULATION_EXIT_LIMIT = 122 };

struct simulation_result {
	enum simulation_end end;
	int exit_status; /* of the program, if it ended */
	int signal;      /* the signal that ended the program, or 0 */
};

/* Runs the simulation to its end, and writes the reports and the summary, which
 * say how far the run came. 0, or -1 and *error. */
int simulation_run(struct simulation *simulation,
		   struct simulation_result *result, struct error *error);

#endif
