/* The floating-point state in a signal frame, as Linux lays it out
 * (arch/x86/kernel/fpu/signal.c): an FXSAVE image whose last 48 bytes tell,
 * with a magic word, that the rest of an XSAVE area follows (struct
 * _fpx_sw_bytes of asm/sigcontext.h); a second magic word ends it. */
#include <string.h>

#include "x86/emu/vector/xsave.h"
#include "x86/emu/x87/fxsave.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/signals/fp-state.h"
#include "x86/linux/state.h"

#define MAGIC_FIRST UINT32_C(0x46505853)
#define MAGIC_LAST UINT32_C(0x46505845)
enum { SOFTWARE = 464 /* offset of struct software */ };

struct software {
	uint32_t magic;
	uint32_t extended_size; /* with the last magic word */
	uint64_t features;
	uint32_t state_size;
	uint32_t padding[7];
};
_Static_assert(SOFTWARE + sizeof(struct software) == X86_FXSAVE_SIZE,
	       "struct _fpx_sw_bytes");

uint32_t fp_state_size(const struct x86_model *model)
{
	uint64_t components = x86_state_components(model);

	return components ? x86_state_size(components) + 4 : X86_FXSAVE_SIZE;
}

uint64_t frame_size_max(const struct x86_model *model)
{
	/* Linux counts the old i386 frame, an FSAVE area, the padding in
	 * front of either part, and rounds up to a multiple of 16. */
	enum { FRAME_32 = 732, FSAVE = 112, PADDING = 15 + 63 };
	uint64_t size = FRAME_32 + FSAVE + PADDING + fp_state_size(model);

	return (size + 15) & ~UINT64_C(15);
}

void fp_state_save(const struct x86_cpu *cpu, uint32_t before,
		   uint8_t image[FP_STATE_MAX])
{
	const struct x86_model *model = x86_emulator_model(cpu->emulator);
	uint64_t features = x86_state_components(model), holds;
	struct software software = {
		.magic = MAGIC_FIRST,
		.extended_size = before + fp_state_size(model),
		.features = features,
		.state_size = x86_state_size(features),
	};
	const uint32_t last = MAGIC_LAST;

	memset(image, 0, FP_STATE_MAX);
	x86_xsave(cpu, cpu->mode == X86_MODE_64, image);
	if (!features) {
		memset(image + X86_FXSAVE_SIZE, 0,
		       FP_STATE_MAX - X86_FXSAVE_SIZE);
		return;
	}
	/* x87 and SSE always count as being there: user code may look. */
	memcpy(&holds, image + X86_XSAVE_HEADER, sizeof holds);
	holds = (holds & features) | X86_STATE_X87 | X86_STATE_SSE;
	memcpy(image + X86_XSAVE_HEADER, &holds, sizeof holds);
	memcpy(image + SOFTWARE, &software, sizeof software);
	memcpy(image + software.state_size, &last, sizeof last);
}

/* Whether the frame has a whole XSAVE area. If not, only the FXSAVE image
 * counts. */
static bool extended(const struct x86_cpu *cpu, uint64_t address,
		     const struct software *software, uint32_t size)
{
	uint32_t last;

	if (software->magic != MAGIC_FIRST ||
	    software->state_size < X86_XSAVE_UPPER ||
	    software->state_size > size - 4 ||
	    software->state_size > software->extended_size)
		return false;
	return space_read(cpu->space, address + software->state_size, &last,
			  sizeof last) == 0 && last == MAGIC_LAST;
}

void fp_state_reset(struct x86_cpu *cpu)
{
	x86_finit(cpu);
	memset(cpu->x87.reg, 0, sizeof cpu->x87.reg);
	memset(cpu->vector, 0, sizeof cpu->vector);
	cpu->mxcsr = 0x1f80;
}

int fp_state_load(struct x86_cpu *cpu, uint64_t address)
{
	const struct x86_model *model = x86_emulator_model(cpu->emulator);
	uint64_t features = x86_state_components(model);
	bool wide = cpu->mode == X86_MODE_64;
	uint8_t image[X86_XSAVE_SIZE] = { 0 };
	struct software software;
	/* Without more, only x87 and SSE are in the frame. */
	const uint64_t legacy = X86_STATE_X87 | X86_STATE_SSE;

	if (space_read(cpu->space, address, image, X86_FXSAVE_SIZE))
		return -1;
	if (!features)
		return x86_fxrstor(cpu, wide, image) ? 0 : -1;
	memcpy(&software, image + SOFTWARE, sizeof software);
	if (!extended(cpu, address, &software, fp_state_size(model)))
		memcpy(image + X86_XSAVE_HEADER, &legacy, sizeof legacy);
	else if (space_read(cpu->space, address, image, software.state_size))
		return -1;
	else
		features &= software.features;
	/* Components that the frame leaves out are reset. */
	if (!x86_xrstor(cpu, wide, features, image))
		return -1;
	features = x86_state_components(model) & ~features;
	if (!features)
		return 0;
	memset(image, 0, sizeof image);
	memcpy(image + 24, &cpu->mxcsr, sizeof cpu->mxcsr);
	return x86_xrstor(cpu, wide, features, image) ? 0 : -1;
}
