/* The progress of a long run, on standard error. */
#ifndef M2S_REPORT_PROGRESS_H
#define M2S_REPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>


/* The launch that runs, and its kernel. */
struct gpu_progress {
	bool running;
	uint64_t launch;         /* 1, 2, ... */
	const char *kernel;
	uint64_t done, total;    /* work-groups */
	double seconds;          /* since the launch began, of the host */
	uint64_t cycles;         /* of the device; 0 in functional mode */
};

struct progress {
	bool on_terminal;  /* one line, overwritten each time */
	/* On the terminal, also show lines while no kernel runs. */
	bool program_too;
	double every;      /* seconds between two lines; 0: none */
	double due;        /* host time of the next line */
	bool shown;        /* the terminal shows a line */
	/* At the last line, for rates. */
	double time;
	uint64_t instructions, cycles;
};

/* Chooses when lines are printed: every `seconds`. With 0, and unless `quiet`,
 * a terminal as standard error gets one line that is written over while kernels
 * run, and while the program runs if its output does not go to a terminal. */
void progress_init(struct progress *progress, uint64_t seconds, bool quiet);

/* Whether it is time for a line. */
bool progress_is_due(const struct progress *progress, bool kernel_runs);
/* The contents of a line. */
struct progress_facts {
	double seconds;             /* of the host since the start */
	uint64_t instructions;      /* of x86 */
	uint64_t instruction_limit; /* 0: none */
	struct gpu_progress kernel;
};
void progress_print(struct progress *progress,
		    const struct progress_facts *facts);
/* Ends the line on the terminal, or erases it. */
void progress_keep(struct progress *progress);
void progress_erase(struct progress *progress);

#endif
