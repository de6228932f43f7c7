/* Lines that the operating system writes to. */
#include "base/memory.h"
#include "x86/timing/memory/internal.h"

/* One line at a time, as a copy by the core would leave most line-fill buffers
 * to others. */
static void go_on(void *owner, uint64_t tag)
{
	struct x86_caches *memory = owner;
	picoseconds cycle = clock_rate_after(&memory->rate, 0, 1);

	(void)tag;
	while (memory->install.first < memory->install.count) {
		uint64_t line = memory->install.line[memory->install.first];

		if (!module_hit(memory->data, MEMSYS_STORE, 0, line, 8)) {
			if (module_access_by(memory->data, MEMSYS_STORE, 0,
					     line, 8, go_on, memory, 0, NULL))
				memory->install.first++;
			else
				event_schedule(memory->events, cycle,
					       memory->source, go_on, memory,
					       0);
			return;
		}
		memory->install.first++;
	}
	memory->install.first = memory->install.count = 0;
	memory->install.busy = false;
}

void x86_caches_install(struct x86_caches *memory, uint64_t physical)
{
	ARRAY_GROW(memory->install.line, memory->install.count,
		   memory->install.capacity);
	memory->install.line[memory->install.count++] =
		physical / memory->line * memory->line;
	memory->counts.installed++;
	if (memory->install.busy)
		return;
	memory->install.busy = true;
	event_schedule(memory->events, 0, memory->source, go_on, memory, 0);
}

unsigned x86_caches_line(const struct x86_caches *memory)
{
	return (unsigned)memory->line;
}
