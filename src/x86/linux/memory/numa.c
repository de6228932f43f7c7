/* Memory policies of a machine with one node (Linux's
 * Documentation/admin-guide/mm/numa_memory_policy.rst): they are kept and told,
 * and all memory is of node 0. */
#include <errno.h>
#include <linux/capability.h>
#include <linux/mempolicy.h>
#include <string.h>

#include "x86/linux/calls.h"
#include "x86/linux/identity/capability.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/memory/page.h"
#include "x86/linux/memory/place.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/state.h"

enum {
	MASK_BITS_MAX = SPACE_PAGE * 8, /* the longest that is looked at */
	NODES_MAX = 1024,               /* as kernels of distributions have */
	MODE_WEIGHTED = 6,              /* MPOL_WEIGHTED_INTERLEAVE, Linux 6.9 */
	MODE_FLAGS = MPOL_F_STATIC_NODES | MPOL_F_RELATIVE_NODES |
		     MPOL_F_NUMA_BALANCING,
};

/* A policy in the way regions remember it: the mode, what it is about, and how
 * it was given. Policies other than MPOL_DEFAULT and MPOL_LOCAL are always
 * about node 0. */
enum { KEPT_STATIC = 8, KEPT_RELATIVE = 16, KEPT_BALANCING = 32 };

static unsigned kept_policy(unsigned mode, unsigned flags)
{
	return mode | (flags & MPOL_F_STATIC_NODES ? KEPT_STATIC : 0) |
	       (flags & MPOL_F_RELATIVE_NODES ? KEPT_RELATIVE : 0) |
	       (flags & MPOL_F_NUMA_BALANCING ? KEPT_BALANCING : 0);
}

static int shown_policy(unsigned kept)
{
	return (int)((kept & 7) |
		     (kept & KEPT_STATIC ? MPOL_F_STATIC_NODES : 0) |
		     (kept & KEPT_RELATIVE ? MPOL_F_RELATIVE_NODES : 0) |
		     (kept & KEPT_BALANCING ? MPOL_F_NUMA_BALANCING : 0));
}

static bool has_nodes(unsigned kept)
{
	return (kept & 7) != MPOL_DEFAULT && (kept & 7) != MPOL_LOCAL;
}

/* Nodes that a mask of the guest has: whether there are some, and whether node
 * 0 is one. `bits` is one more than there are. */
struct nodes {
	bool any, first;
};

static int get_nodes(struct context *context, uint64_t address, uint64_t bits,
		     struct nodes *nodes)
{
	const unsigned word = context->abi32 ? 4 : 8;

	*nodes = (struct nodes){ 0 };
	bits--;
	if (!bits || !address)
		return 0;
	if (bits > MASK_BITS_MAX)
		return -EINVAL;
	for (uint64_t at = 0; at < bits; at += 8 * word) {
		uint64_t value;

		if (guest_get_word(context, address + at / 8, &value))
			return -EFAULT;
		if (bits - at < 64)
			value &= (UINT64_C(1) << (bits - at)) - 1;
		if (at >= NODES_MAX && value)
			return -EINVAL;
		nodes->any |= value != 0;
		nodes->first |= !at && (value & 1);
	}
	return 0;
}

/* Only the lowest node is ever in a mask that is told. */
static int put_nodes(struct context *context, uint64_t address, uint64_t bits,
		     bool first)
{
	const unsigned word = context->abi32 ? 4 : 8;

	for (uint64_t at = 0; at + 1 < bits && at < NODES_MAX; at += 8 * word)
		if (guest_put_word(context, address + at / 8, first && !at))
			return -EFAULT;
	return 0;
}

/* Reads a policy of the guest: what is kept of it, or a negative errno. */
static int64_t get_policy(struct context *context, uint64_t mode,
			  uint64_t address, uint64_t bits)
{
	unsigned flags = (unsigned)mode & MODE_FLAGS;
	struct nodes nodes;
	int result;

	mode = (uint32_t)mode & ~(uint32_t)MODE_FLAGS;
	if (mode > MODE_WEIGHTED ||
	    ((flags & MPOL_F_STATIC_NODES) &&
	     (flags & MPOL_F_RELATIVE_NODES)) ||
	    ((flags & MPOL_F_NUMA_BALANCING) && mode != MPOL_BIND))
		return -EINVAL;
	result = get_nodes(context, address, bits, &nodes);
	if (result)
		return result;
	if (mode == MPOL_DEFAULT || mode == MPOL_LOCAL)
		return nodes.any || (mode == MPOL_LOCAL && flags)
			       ? -EINVAL : (int64_t)mode;
	if (!nodes.any)
		return mode == MPOL_PREFERRED && !flags ? MPOL_LOCAL : -EINVAL;
	return nodes.first || (flags & MPOL_F_RELATIVE_NODES)
		       ? (int64_t)kept_policy((unsigned)mode, flags)
		       : -EINVAL;
}

int64_t call_set_mempolicy(struct context *context, const uint64_t *a)
{
	int64_t policy = get_policy(context, a[0], a[1], a[2]);

	if (policy < 0)
		return policy;
	context->memory_policy = (uint16_t)policy;
	return 0;
}

int64_t call_mbind(struct context *context, const uint64_t *a)
{
	struct space *space = context->cpu->space;
	const uint64_t size = page_up(a[1]);
	const unsigned known = MPOL_MF_STRICT | MPOL_MF_MOVE | MPOL_MF_MOVE_ALL;
	int64_t policy = get_policy(context, a[2], a[3], a[4]);

	if (policy < 0)
		return policy;
	if ((uint32_t)a[5] & ~known)
		return -EINVAL;
	if ((a[5] & MPOL_MF_MOVE_ALL) &&
	    !has_capability(context->process, CAP_SYS_NICE))
		return -EPERM;
	if (a[0] % SPACE_PAGE || a[0] + size < a[0])
		return -EINVAL;
	if (!size)
		return 0;
	if (!memory_range_valid(context, a[0], size) ||
	    !space_check(space, a[0], size, 0))
		return -EFAULT;
	return space_set_flags(space, a[0], size,
			       (unsigned)policy << SPACE_POLICY_SHIFT,
			       SPACE_POLICY);
}

/* The policy that get_mempolicy() asks for, or a negative errno. */
static int64_t find_policy(struct context *context, uint64_t address,
			   uint64_t flags)
{
	const struct space_region *region;
	unsigned policy;

	if (!(flags & MPOL_F_ADDR))
		return address ? -EINVAL : context->memory_policy;
	region = space_region_at(context->cpu->space, address);
	if (!region)
		return -EFAULT;
	policy = (region->flags & SPACE_POLICY) >> SPACE_POLICY_SHIFT;
	return policy;
}

int64_t call_get_mempolicy(struct context *context, const uint64_t *a)
{
	const uint64_t flags = a[4];
	bool first = true;
	int answer = 0;

	if (flags & ~(uint64_t)(MPOL_F_NODE | MPOL_F_ADDR |
				MPOL_F_MEMS_ALLOWED) ||
	    (a[1] && a[2] < 1))
		return -EINVAL;
	if (flags & MPOL_F_MEMS_ALLOWED) {
		if (flags & (MPOL_F_NODE | MPOL_F_ADDR))
			return -EINVAL;
	} else {
		int64_t policy = find_policy(context, a[3], flags);

		if (policy < 0)
			return policy;
		/* The node of a page, or the next one to be used: 0. */
		if ((flags & MPOL_F_NODE) && !(flags & MPOL_F_ADDR) &&
		    (policy & 7) != MPOL_INTERLEAVE &&
		    (policy & 7) != MODE_WEIGHTED)
			return -EINVAL;
		if (!(flags & MPOL_F_NODE))
			answer = shown_policy((unsigned)policy);
		first = has_nodes((unsigned)policy);
	}
	if (a[0] && guest_put(context, a[0], &answer, sizeof answer))
		return -EFAULT;
	return a[1] ? put_nodes(context, a[1], a[2], first) : 0;
}

/* Pages cannot go anywhere, so none stay behind. */
int64_t call_migrate_pages(struct context *context, const uint64_t *a)
{
	struct linux_system *system = context->process->system;
	struct process *process = a[0] ? process_find(system, (int)a[0])
				       : context->process;
	struct nodes from, to;
	int result = get_nodes(context, a[2], a[1], &from);

	if (!result)
		result = get_nodes(context, a[3], a[1], &to);
	if (result)
		return result;
	if (!process || process->ended)
		return -ESRCH;
	if (!ptrace_may_access(context->process, process))
		return -EPERM;
	return to.first ? 0 : -EINVAL;
}
