/* Floating-point and vector registers, and the register sets of
 * PTRACE_GETREGSET, which are named by the notes of core files. */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "x86/emu/x87/fxsave.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/ptrace/tracee.h"
#include "x86/linux/state.h"

enum {
	FEATURES = 464, /* where the image of XSAVE tells XCR0 */
};

/* An image in one of the formats below: its size when there is one. */
typedef uint64_t image_size(const struct context *context);
typedef void image_get(const struct context *context, uint8_t *image);
typedef int64_t image_set(struct context *context, const uint8_t *image);

/* ---- FSAVE, of i386 ---- */

static uint64_t fsave_size(const struct context *context)
{
	(void)context;
	return X86_FSAVE_SIZE;
}

static void fsave_get(const struct context *context, uint8_t *image)
{
	x86_fsave(context->cpu, image);
}

static int64_t fsave_set(struct context *context, const uint8_t *image)
{
	x86_frstor(context->cpu, image);
	return 0;
}

/* ---- FXSAVE ---- */

static bool wide(const struct context *context)
{
	return context->cpu->mode == X86_MODE_64;
}

static uint64_t fxsave_size(const struct context *context)
{
	(void)context;
	return X86_FXSAVE_SIZE;
}

static void fxsave_get(const struct context *context, uint8_t *image)
{
	x86_fxsave(context->cpu, wide(context), image);
}

static int64_t fxsave_set(struct context *context, const uint8_t *image)
{
	return x86_fxrstor(context->cpu, wide(context), image) ? 0 : -EINVAL;
}

/* ---- XSAVE ---- */

static uint64_t components(const struct context *context)
{
	return x86_state_components(x86_emulator_model(context->cpu->emulator));
}

static uint64_t xsave_size(const struct context *context)
{
	uint64_t features = components(context);

	return features ? x86_state_size(features) : 0;
}

static void xsave_get(const struct context *context, uint8_t *image)
{
	uint64_t features = components(context);

	x86_xsave(context->cpu, wide(context), image);
	memcpy(image + FEATURES, &features, sizeof features);
}

static int64_t xsave_set(struct context *context, const uint8_t *image)
{
	uint64_t features = components(context), holds;

	memcpy(&holds, image + X86_XSAVE_HEADER, sizeof holds);
	return (holds & ~features) ||
			       !x86_xrstor(context->cpu, wide(context),
					   features, image)
		       ? -EINVAL
		       : 0;
}

/* ---- Sets ---- */

struct register_set {
	uint64_t note;
	unsigned word; /* sizes are multiples of it */
	image_size *size;
	image_get *get;
	image_set *set;
};
static const struct register_set sets_64[] = {
	{ NT_PRFPREG, 8, fxsave_size, fxsave_get, fxsave_set },
	{ NT_X86_XSTATE, 8, xsave_size, xsave_get, xsave_set },
}, sets_32[] = {
	{ NT_PRFPREG, 4, fsave_size, fsave_get, fsave_set },
	{ NT_PRXFPREG, 4, fxsave_size, fxsave_get, fxsave_set },
	{ NT_X86_XSTATE, 8, xsave_size, xsave_get, xsave_set },
};

static const struct register_set *find_set(uint64_t note, bool abi32)
{
	const struct register_set *list = abi32 ? sets_32 : sets_64;
	size_t count = abi32 ? ARRAY_SIZE(sets_32) : ARRAY_SIZE(sets_64);

	for (size_t i = 0; i < count; i++)
		if (list[i].note == note)
			return list + i;
	return NULL;
}

size_t register_set_image(const struct context *context, uint64_t note,
			  uint8_t *image)
{
	const struct register_set *set =
		find_set(note, context->process->memory->abi32);
	size_t size = set ? (size_t)set->size(context) : 0;

	memset(image, 0, REGISTER_SET_MAX);
	if (size)
		set->get(context, image);
	return size;
}

static int64_t copy_out(struct context *tracer, const struct context *context,
			const struct register_set *set, uint64_t address,
			uint64_t size)
{
	uint8_t image[REGISTER_SET_MAX] = { 0 };

	set->get(context, image);
	return guest_put(tracer, address, image, size);
}

/* A shorter image leaves the other registers unchanged. */
static int64_t copy_in(struct context *tracer, struct context *context,
		       const struct register_set *set, uint64_t address,
		       uint64_t size)
{
	uint8_t image[REGISTER_SET_MAX] = { 0 };

	set->get(context, image);
	if (guest_get(tracer, address, image, size))
		return -EFAULT;
	return set->set(context, image);
}

/* GETREGSET (`write`: SETREGSET) with the sets of the tracee's ABI; `data` is
 * an iovec, of which the size is cut to what there is. */
static int64_t register_set(struct context *tracer, struct context *context,
			    uint64_t note, uint64_t data, bool write)
{
	bool abi32 = context->process->memory->abi32;
	const struct register_set *set = find_set(note, abi32);
	unsigned word = tracer->abi32 ? 4 : 8;
	uint64_t address, size, whole;
	int64_t result;

	if (guest_get_word(tracer, data, &address) ||
	    guest_get_word(tracer, data + word, &size))
		return -EFAULT;
	if (note != NT_PRSTATUS && !set)
		return -EINVAL;
	if (size % (set ? set->word : abi32 ? 4 : 8))
		return -EINVAL;
	whole = set ? set->size(context) : registers_size(abi32);
	if (!whole)
		return -ENODEV;
	if (size > whole)
		size = whole;
	if (set && set->note == NT_X86_XSTATE && write && size < whole)
		return -EFAULT;
	if (!set)
		result = write ? registers_set(tracer, context, abi32, address,
					       size)
			       : registers_get(tracer, context, abi32, address,
					       size);
	else
		result = write ? copy_in(tracer, context, set, address, size)
			       : copy_out(tracer, context, set, address, size);
	return result ? result : guest_put_word(tracer, data + word, size);
}

int64_t ptrace_get_register_set(struct context *tracer,
				struct context *context, uint64_t address,
				uint64_t data)
{
	return register_set(tracer, context, address, data, false);
}

int64_t ptrace_set_register_set(struct context *tracer,
				struct context *context, uint64_t address,
				uint64_t data)
{
	return register_set(tracer, context, address, data, true);
}

/* ---- GETFPREGS and related requests: the layout is that of the tracer's ABI
 * ---- */

int64_t ptrace_get_float(struct context *tracer, struct context *context,
			 uint64_t address, uint64_t data)
{
	const struct register_set *set = find_set(NT_PRFPREG, tracer->abi32);

	(void)address;
	return copy_out(tracer, context, set, data, set->size(context));
}

int64_t ptrace_set_float(struct context *tracer, struct context *context,
			 uint64_t address, uint64_t data)
{
	const struct register_set *set = find_set(NT_PRFPREG, tracer->abi32);

	(void)address;
	return copy_in(tracer, context, set, data, set->size(context));
}

int64_t ptrace_get_float_extended(struct context *tracer,
				  struct context *context, uint64_t address,
				  uint64_t data)
{
	(void)address;
	return !tracer->abi32 ? -EIO
			      : copy_out(tracer, context,
					 find_set(NT_PRXFPREG, true), data,
					 X86_FXSAVE_SIZE);
}

int64_t ptrace_set_float_extended(struct context *tracer,
				  struct context *context, uint64_t address,
				  uint64_t data)
{
	(void)address;
	return !tracer->abi32 ? -EIO
			      : copy_in(tracer, context,
					find_set(NT_PRXFPREG, true), data,
					X86_FXSAVE_SIZE);
}
