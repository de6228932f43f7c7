/* Lines that system calls and signals write to. */
#include "base/memory.h"
#include "m2s/cores/internal.h"

void machine_note_written(void *owner, struct x86_page_table *table,
			  uint64_t start, uint64_t end, bool buffer)
{
	struct x86_machine *machine = owner;
	struct machine_written *written = &machine->written;

	if (!written->follow)
		return;
	/* What is put into a buffer counts with the buffer. */
	for (size_t i = 0; i < written->count; i++)
		if (written->range[i].table == table &&
		    written->range[i].start <= start &&
		    end <= written->range[i].end)
			return;
	ARRAY_GROW(written->range, written->count, written->capacity);
	written->range[written->count++] = (struct machine_range){
		.table = table, .start = start, .end = end, .buffer = buffer,
		.delivered = linux_guest_delivers(machine->system),
	};
}

/* The core writes to the lines of a range; what a device brings no cache keeps. */
static void write_lines(struct machine_core *core,
			const struct machine_range *range)
{
	unsigned line = x86_caches_line(core->caches);
	uint64_t frame;

	for (uint64_t at = range->start / line * line; at < range->end;
	     at += line)
		if (x86_frames_has(range->table, at >> X86_PAGE_BITS,
				   &frame))
			x86_caches_install(core->caches,
					   frame << X86_PAGE_BITS |
					   (at & ((1 << X86_PAGE_BITS) - 1)),
					   range->delivered);
}

void machine_kernel_begins(struct x86_machine *machine)
{
	machine->written.count = 0;
	machine->written.follow = machine->config->call_lines == 0 &&
				  machine_is_detailed(machine);
}

void machine_kernel_ends(struct machine_core *core, bool alive)
{
	struct machine_written *written = &core->machine->written;
	int64_t filled = 0;

	written->follow = false;
	/* Calls that fill a buffer return the number of bytes. */
	if (alive && written->count)
		filled = (int64_t)linux_cpu(core->thread)->reg[X86_RAX];
	for (size_t i = 0; core->caches && i < written->count; i++) {
		struct machine_range *range = &written->range[i];
		uint64_t size = range->end - range->start;

		if (range->buffer) {
			if (filled <= 0)
				continue;
			if (size > (uint64_t)filled)
				size = (uint64_t)filled;
			filled -= (int64_t)size;
			range->end = range->start + size;
		}
		write_lines(core, range);
	}
	written->count = 0;
}
