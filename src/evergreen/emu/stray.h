/* Accesses of a launch to global memory outside of every block, which the card
 * does not refuse: reads give 0, writes and atomics are dropped. They are kept
 * by instruction, to be told when the launch has ended. */
#ifndef M2S_EVERGREEN_EMU_STRAY_H
#define M2S_EVERGREEN_EMU_STRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct evg_wavefront;
struct evg_strays;

struct evg_strays *evg_strays_create(void);
void evg_strays_free(struct evg_strays *strays);

/* One instruction that has strayed. */
struct evg_stray {
	uint32_t line;  /* static instruction */
	uint64_t count; /* accesses of work-items */
	/* Where it is, and the access of the first work-group and wavefront
	 * that strayed, as messages of faults say. */
	const char *place, *text;
};

/* The instructions that have strayed, in the order of the code; freed with
 * `strays`. */
size_t evg_strays_count(const struct evg_strays *strays);
struct evg_stray evg_strays_at(const struct evg_strays *strays, size_t index);

/* The wavefront's fault at the static instruction `line` is one that the launch
 * lets pass. Then the fault is taken back; the instruction must be executed
 * again, and evg_stray_end() be called. */
bool evg_stray_begin(struct evg_wavefront *wavefront, uint32_t line);
void evg_stray_end(struct evg_wavefront *wavefront, uint32_t line);

#endif
