/* What the texts of /proc share. */
#ifndef M2S_X86_LINUX_PROC_TEXT_H
#define M2S_X86_LINUX_PROC_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct context;
struct linux_system;
struct process;

/* ns of a tick, which many times of /proc are in, and of a second. */
enum { TICK = 10000000, SECOND = 1000000000 };

/* ---- map-text.c ---- */
/* Pages of an address space; zeros when there is none. */
struct memory_sizes {
	uint64_t total, data, code, stack;
};
struct memory_sizes proc_memory_sizes(const struct process *process);
/* maps, or with details smaps, of a process that has memory. */
void proc_print_maps(const struct process *process, bool details, FILE *out);

/* ---- process-text.c ---- */
/* Not waiting. */
bool proc_task_runs(const struct context *context);

/* ---- descriptor-text.c ---- */
/* fdinfo/NAME: false when there is no such descriptor. */
bool proc_print_descriptor(const struct process *process, const char *name,
			   FILE *out);

/* ---- host-text.c ---- */
/* What the host's file of /proc says. */
void proc_print_host(const struct linux_system *system, const char *name,
		     FILE *out);

#endif
