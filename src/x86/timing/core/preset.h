/* The figures of the simulated cores by name, from figures.def. */
#ifndef M2S_X86_TIMING_CORE_PRESET_H
#define M2S_X86_TIMING_CORE_PRESET_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/ini.h"
#include "x86/timing/uops/pools.h"

/* Registers of a file that hold the program's state: 16 and two for flags. */
enum {
	X86_PLAIN_GENERAL = 18, X86_PLAIN_X87 = 16, X86_PLAIN_VECTOR = 16,
	X86_PLAIN_SPARE = 4 * 4, /* of the uops of a slot at most */
};

/* Whose turn it is at a stage of a core with several threads. */
enum x86_core_turns {
	X86_CORE_TURNS_SHARED, /* one takes what the others leave */
	X86_CORE_TURNS_TIME,   /* one in a cycle, in turn if it can */
	X86_CORE_TURNS_EVENT,  /* fetch stays until its thread waits long */
};

/* How threads of a core share it: Multi2Sim's ...Kind. */
struct x86_core_sharing {
	int fetch, dispatch, issue, commit; /* enum x86_core_turns */
	int rob, iq, lsq, rf; /* 0: divided, or each has its own; 1: shared */
	/* Of X86_CORE_TURNS_EVENT: cycles after which fetch changes, and cycles
	 * lost by that. */
	uint32_t quantum, penalty;
};

enum { X86_TRACE_UOPS = 64 };

/* Multi2Sim's trace cache. */
struct x86_trace_figures {
	uint32_t sets, ways;
	uint32_t uops, branches; /* most of a trace */
	uint32_t queue;          /* uops between it and the decoders */
	uint32_t present;
};

/* figures.disambiguation: loads behind stores whose addresses are not known. */
enum {
	X86_CORE_ORDER_KNOWN,     /* begin as if they were known */
	X86_CORE_ORDER_WAITING,   /* wait until they are */
	X86_CORE_ORDER_PREDICTED, /* wait unless a counter lets them pass */
	X86_CORE_ORDER_PERFECT,   /* wait if they need one of these stores */
};

struct x86_core_figures {
#define FIGURE(field, unit, least, most, nehalem, sandybridge, ivybridge, \
	       haswell, skylake, meaning, source) uint32_t field;
#include "x86/timing/core/figures.def"
#undef FIGURE
	/* In use, they replace all figures of ports. */
	struct x86_pools pools;
	struct x86_core_sharing sharing;
	struct x86_trace_figures trace;
	uint32_t occupancy; /* how full queues are is counted */
};

/* Fills in the figures of the core with this name. -1 and *error, which lists
 * the names, when there is none. */
int x86_core_figures_find(const char *name, struct x86_core_figures *figures,
			  struct error *error);

/* Replaces the figures that [ Core ] of the file gives, under their own names. -1
 * and *error when one is out of its range. */
int x86_core_figures_read(struct x86_core_figures *figures, struct ini *ini,
			  struct error *error);

/* 0, or -1 and *error when a figure is out of its range. */
int x86_core_figures_check(const struct x86_core_figures *figures,
			   struct error *error);

/* What one of `busy` threads that execute has of a core with `count` threads. With
 * pools, sizes are those of one thread, as in Multi2Sim; else of the core. */
void x86_core_figures_divide(struct x86_core_figures *own,
			     const struct x86_core_figures *whole,
			     unsigned busy, unsigned count);

/* "haswell, skylake, ...": for messages. */
const char *x86_core_names(void);

/* Writes all figures as a table, each with its unit, range and source. */
void x86_core_figures_help(FILE *stream);

#endif
