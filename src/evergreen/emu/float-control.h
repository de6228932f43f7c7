/* Settings of the host's floating-point unit for a program's float mode. */
#ifndef M2S_EVERGREEN_EMU_FLOAT_CONTROL_H
#define M2S_EVERGREEN_EMU_FLOAT_CONTROL_H

#include <stdint.h>

struct evg_float_mode;

/* Control words (MXCSR). The low six bits, which are flags, are clear. */
struct evg_float_control {
	uint32_t singles, doubles;
};

/* MXCSR: exceptions masked. The default rounds to nearest with FTZ and DAZ. The
 * six low bits are flags that arithmetic raises. */
enum {
	FLOAT_MASKED = 0x1f80,
	FLOAT_FLUSH_OUT = 0x8000,
	FLOAT_FLUSH_IN = 0x40,
	FLOAT_MODE = FLOAT_MASKED | FLOAT_FLUSH_OUT | FLOAT_FLUSH_IN,
	FLOAT_FLAGS = 0x3f,
};

/* The control words for a float mode. */
struct evg_float_control
evg_float_control_of(const struct evg_float_mode *mode);

#endif
