/* modify_ldt(): segments that programs define for themselves. */
#include <errno.h>

#include "x86/linux/calls.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/memory/ldt.h"
#include "x86/linux/state.h"

enum {
	ENTRY = LDT_ENTRY,
	ENTRIES_MAX = 8192,
	DEFAULT_BYTES = 128, /* of the table that read 2 tells of */
	CODE_CONFORMING = 3, /* contents of such a segment */
};

/* struct user_desc. */
struct description {
	uint32_t entry, base, limit, flags;
};

/* The flags of a descriptor. */
enum {
	IS_32 = 1 << 0,
	CONTENTS = 3 << 1,
	READ_ONLY = 1 << 3,
	IN_PAGES = 1 << 4,
	ABSENT_SEGMENT = 1 << 5,
	USABLE = 1 << 6,
	FLAGS = 0x7f,
};

/* Intel SDM volume 3, "Segment Descriptors": accessed, for user code. */
static uint64_t make_descriptor(const struct description *from)
{
	uint32_t flags = from->flags, low, high;

	low = from->base << 16 | (from->limit & 0xffff);
	high = (from->base & 0xff000000) | (from->base >> 16 & 0xff) |
	       (from->limit & 0xf0000) | 0x7100 /* segment, privilege 3 */;
	high |= flags & READ_ONLY ? 0 : 1 << 9;
	high |= (flags & CONTENTS) << 9;
	high |= flags & ABSENT_SEGMENT ? 0 : 1 << 15;
	high |= flags & USABLE ? 1 << 20 : 0;
	high |= flags & IS_32 ? 1 << 22 : 0;
	high |= flags & IN_PAGES ? 1 << 23 : 0;
	return (uint64_t)high << 32 | low;
}

/* The value that a program passes to clear an entry. */
static bool is_empty(const struct description *from, bool old)
{
	if (from->base || from->limit)
		return false;
	return old || (from->flags & FLAGS) == (READ_ONLY | ABSENT_SEGMENT);
}

static int64_t write_entry(struct context *context, uint64_t address,
			   uint64_t size, bool old)
{
	struct guest_memory *memory = context->process->memory;
	struct description new;
	bool conforming;

	if (size != sizeof new)
		return -EINVAL;
	if (guest_get(context, address, &new, sizeof new))
		return -EFAULT;
	conforming = (new.flags & CONTENTS) >> 1 == CODE_CONFORMING;
	if (new.entry >= ENTRIES_MAX ||
	    (conforming && (old || !(new.flags & ABSENT_SEGMENT))))
		return -EINVAL;
	if (old)
		new.flags &= ~(uint32_t)USABLE;
	ldt_set(memory, new.entry,
		      is_empty(&new, old) ? 0 : make_descriptor(&new));
	for (struct context *other = context->process->system->contexts; other;
	     other = other->next)
		if (!other->ended && other->process->memory == memory)
			x86_segments_refresh(other->cpu);
	return 0;
}

/* `size` bytes of a table that has `count`, and zeros behind it. */
static int64_t read_table(struct context *context, uint64_t address,
			  const uint8_t *table, uint64_t count, uint64_t size)
{
	const uint8_t zeros[ENTRY] = { 0 };

	for (uint64_t at = 0; at < size; at += ENTRY)
		if (guest_put(context, address + at,
			      at < count ? table + at : zeros,
			      size - at < ENTRY ? size - at : ENTRY))
			return -EFAULT;
	return (int64_t)size;
}

static int64_t least(uint64_t a, uint64_t b)
{
	return (int64_t)(a < b ? a : b);
}

static int64_t modify(struct context *context, const uint64_t *a)
{
	const struct guest_memory *memory = context->process->memory;

	switch ((int)a[0]) {
	case 0:
		return !memory->ldt_size
			       ? 0
			       : read_table(context, a[1], memory->ldt,
					    memory->ldt_size,
					    (uint64_t)least(a[2], ENTRIES_MAX *
								  ENTRY));
	case 1:
		return write_entry(context, a[1], a[2], true);
	case 2:
		return read_table(context, a[1], NULL, 0,
				  (uint64_t)least(a[2], DEFAULT_BYTES));
	case 0x11:
		return write_entry(context, a[1], a[2], false);
	default:
		return -ENOSYS;
	}
}

/* An int: in 64-bit programs, too, errors are 32 bits wide. */
int64_t call_modify_ldt(struct context *context, const uint64_t *a)
{
	return (uint32_t)modify(context, a);
}
