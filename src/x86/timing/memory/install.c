/* Lines that the operating system writes to. */
#include "base/memory.h"
#include "x86/timing/memory/internal.h"

/* Beside a line's address: a device has written it. */
enum { DELIVERED = 1 };

static void lost(void *owner, uint64_t tag)
{
	(void)owner;
	(void)tag;
}

static void go_on(void *owner, uint64_t tag);

/* One store at a time, as a copy by the core would leave most line-fill buffers to
 * others. True: the next line may follow now. */
static bool write_line(struct x86_caches *memory, uint64_t entry)
{
	uint64_t line = entry & ~(uint64_t)DELIVERED;
	bool taken, ended = true;

	if (entry & DELIVERED)
		taken = module_access_by(memory->data, MEMSYS_FLUSH, 0, line,
					 (unsigned)memory->line, lost, memory,
					 0, NULL);
	else
		taken = ended = module_hit(memory->data, MEMSYS_STORE, 0, line,
					   8);
	if (!taken && !(entry & DELIVERED))
		taken = module_access_by(memory->data, MEMSYS_STORE, 0, line, 8,
					 go_on, memory, 0, NULL);
	memory->install.first += taken;
	if (!taken)
		event_schedule(memory->events,
			       clock_rate_after(&memory->rate, 0, 1),
			       memory->source, go_on, memory, 0);
	return taken && ended;
}

static void go_on(void *owner, uint64_t tag)
{
	struct x86_caches *memory = owner;

	(void)tag;
	while (memory->install.first < memory->install.count)
		if (!write_line(memory,
				memory->install.line[memory->install.first]))
			return;
	memory->install.first = memory->install.count = 0;
	memory->install.busy = false;
}

void x86_caches_install(struct x86_caches *memory, uint64_t physical,
			bool delivered)
{
	ARRAY_GROW(memory->install.line, memory->install.count,
		   memory->install.capacity);
	memory->install.line[memory->install.count++] =
		physical / memory->line * memory->line +
		(delivered ? DELIVERED : 0);
	if (delivered)
		memory->counts.delivered++;
	else
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
