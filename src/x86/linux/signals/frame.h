/* Frames of signal handlers on the program's stack. */
#ifndef M2S_X86_LINUX_SIGNALS_FRAME_H
#define M2S_X86_LINUX_SIGNALS_FRAME_H

#include <stdbool.h>
#include <stdint.h>

struct context;
struct signal_action;
struct signal_information;

/* Pushes the frame of a handler: 0, or -1 when the stack is not writable. */
int frame_push(struct context *context,
	       const struct signal_information *information,
	       const struct signal_action *action, uint64_t mask,
	       uint64_t stack_top);
/* rt_sigreturn and sigreturn: restores the registers; -1: bad frame. */
int frame_pop(struct context *context, bool rt);
/* Whether a stack pointer lies on the stack of sigaltstack(). */
bool signal_on_stack(const struct context *context, uint64_t sp);

#endif
