/* What the files that print the texts of /proc share. */
#ifndef M2S_X86_LINUX_PROC_TEXT_H
#define M2S_X86_LINUX_PROC_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct context;
struct linux_system;
struct process;

/* ns of a tick, the unit of many times in /proc, and of a second. */
enum { TICK = 10000000, SECOND = 1000000000 };

/* ---- map-text.c ---- */
/* The sizes of an address space in pages; 0 when there is none. */
struct memory_sizes {
	uint64_t total, data, code, stack;
};
struct memory_sizes proc_memory_sizes(const struct process *process);
/* Prints maps, or with `details` smaps, of a process that has memory. */
void proc_print_maps(const struct process *process, bool details, FILE *out);

/* ---- process-text.c ---- */
/* Whether a thread does not wait. */
bool proc_task_runs(const struct context *context);

/* ---- descriptor-text.c ---- */
/* Prints fdinfo/NAME. False when there is no such descriptor. */
bool proc_print_descriptor(const struct process *process, const char *name,
			   FILE *out);

/* ---- host-text.c ---- */
/* Prints the host's file of /proc. */
void proc_print_host(const struct linux_system *system, const char *name,
		     FILE *out);

#endif
