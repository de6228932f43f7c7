/* The floating-point part of a signal frame. */
#ifndef M2S_X86_LINUX_SIGNALS_FP_STATE_H
#define M2S_X86_LINUX_SIGNALS_FP_STATE_H

#include <stdint.h>

struct x86_cpu;
struct x86_model;

/* The floating-point part of a signal frame: an FXSAVE image, and with XSAVE
 * the rest of its area and a magic word. */
enum { FP_STATE_MAX = 512 + 64 + 256 + 4 };
uint32_t fp_state_size(const struct x86_model *model);
/* Saves the state. `before`: bytes of the frame's floating-point part in front
 * of the image. */
void fp_state_save(const struct x86_cpu *cpu, uint32_t before,
		   uint8_t image[FP_STATE_MAX]);
/* Resets the state as at the start of a program and of a signal handler. */
void fp_state_reset(struct x86_cpu *cpu);
/* Loads the state from the guest's memory. -1 when it cannot be read, or when
 * the processor would refuse it. */
int fp_state_load(struct x86_cpu *cpu, uint64_t address);
/* AT_MINSIGSTKSZ: the size of a frame of the larger ABI. */
uint64_t frame_size_max(const struct x86_model *model);

#endif
