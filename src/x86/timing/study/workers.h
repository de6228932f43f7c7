/* Host threads that do numbered tasks. */
#ifndef M2S_X86_TIMING_STUDY_WORKERS_H
#define M2S_X86_TIMING_STUDY_WORKERS_H

#include <stddef.h>

struct study_workers;

/* Starts threads; with fewer than 2, the caller does all tasks itself. `owner`
 * is handed to the tasks. */
struct study_workers *study_workers_create(unsigned threads, void *owner);
void study_workers_free(struct study_workers *workers);

/* Does the tasks 0 to count - 1, each once, in any order and several at the
 * same time. Returns when all are done. */
void study_workers_do(struct study_workers *workers, size_t count,
		      void (*task)(void *owner, size_t number));

#endif
