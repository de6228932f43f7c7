/* Masks of signals for the duration of a call. */
#include <errno.h>
#include <signal.h>

#include "x86/linux/calls.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/signals/kind.h"
#include "x86/linux/signals/mask.h"
#include "x86/linux/state.h"

int64_t mask_enter(struct context *context, uint64_t address, uint64_t size)
{
	uint64_t set;

	if (!address || context->call.resumed)
		return 0;
	if (size != sizeof set)
		return -EINVAL;
	if (guest_get(context, address, &set, sizeof set))
		return -EFAULT;
	context->signals.saved_mask = context->signals.mask;
	context->signals.restore_mask = true;
	context->signals.mask = set & ~NEVER_BLOCKED;
	return 0;
}

int64_t mask_leave(struct context *context, int64_t result)
{
	/* When a signal ends the call, its frame restores the mask. */
	if (result != CALL_BLOCKS && result != -EINTR &&
	    context->signals.restore_mask) {
		context->signals.mask = context->signals.saved_mask;
		context->signals.restore_mask = false;
	}
	return result;
}
