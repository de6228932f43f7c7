/* The clocks that guests see. */
#ifndef M2S_X86_LINUX_TIME_CLOCK_H
#define M2S_X86_LINUX_TIME_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct context;
struct linux_system;
struct process;

/* CLOCK_TAI is ahead of CLOCK_REALTIME since 2017. */
#define TAI_OFFSET (INT64_C(37) * 1000000000)
/* The latest time that guests can give, in ns (after 73 years). Sums of a few
 * such times do not overflow, and no simulated clock gets so far. */
#define TIME_END (INT64_C(1) << 61)
int64_t clock_monotonic(struct linux_system *system);
int64_t clock_realtime(struct linux_system *system);
/* The processor time of a process in ns: its instructions. */
int64_t clock_process(const struct process *process);
/* The time of a guest clock id in ns, or -1. */
int64_t clock_read(struct context *context, int clock);
/* The difference in ns between a thread's clock and the clock of the first
 * namespace. */
int64_t clock_offset(const struct context *context, int clock);
/* Whether the clock wakes the machine from suspend, and the host lacks a device
 * for that. */
bool clock_missing(const struct linux_system *system, int clock);

#endif
