/* What goes past the caches: non-temporal stores, which wait in write-combining
 * buffers for the rest of their line, and lines that are flushed. */
#include "base/memory.h"
#include "x86/timing/memory/internal.h"

/* --- Write-combining buffers ----------------------------------------------- */

static void send(struct x86_caches *memory, struct combine *buffer);

static void combine_sent(void *owner, uint64_t tag)
{
	struct x86_caches *memory = owner;

	memory->combine[tag].state = COMBINE_FREE;
	memory->refused = true;
}

static void send_again(void *owner, uint64_t tag)
{
	struct x86_caches *memory = owner;

	send(memory, &memory->combine[tag]);
}

/* A line leaves. Memory takes the bytes that were stored. */
static void send(struct x86_caches *memory, struct combine *buffer)
{
	uint64_t index = (uint64_t)(buffer - memory->combine);
	unsigned chunk = (unsigned)memory->line / 64;
	unsigned bytes = (unsigned)__builtin_popcountll(buffer->bytes) *
			 (chunk ? chunk : 1);

	buffer->state = COMBINE_SENT;
	if (module_access_by(memory->data, MEMSYS_PAST_STORE, 0, buffer->line,
			     bytes < memory->line ? bytes
						  : (unsigned)memory->line,
			     combine_sent, memory, index, NULL)) {
		memory->counts.combined++;
		return;
	}
	event_schedule(memory->events, clock_rate_after(&memory->rate, 0, 1),
		       memory->source, send_again, memory, index);
}

static struct combine *find(struct x86_caches *memory, uint64_t line)
{
	for (unsigned i = 0; i < memory->combines; i++)
		if (memory->combine[i].state == COMBINE_OPEN &&
		    memory->combine[i].line == line)
			return &memory->combine[i];
	return NULL;
}

/* A free buffer; if there is none, the oldest line leaves. NULL: none is free
 * yet. */
static struct combine *take(struct x86_caches *memory)
{
	struct combine *oldest = NULL;

	for (unsigned i = 0; i < memory->combines; i++) {
		struct combine *buffer = &memory->combine[i];

		if (buffer->state == COMBINE_FREE)
			return buffer;
		if (buffer->state == COMBINE_OPEN &&
		    (!oldest || buffer->opened < oldest->opened))
			oldest = buffer;
	}
	if (oldest)
		send(memory, oldest);
	return NULL;
}

/* The chunks of a line that [address, address + size) touches: of a 64th of it, or
 * of a byte. */
static uint64_t chunks(const struct x86_caches *memory, uint64_t address,
		       unsigned size)
{
	uint64_t offset = address % memory->line;
	uint64_t chunk = memory->line > 64 ? memory->line / 64 : 1;
	uint64_t first = offset / chunk, last = (offset + size - 1) / chunk;

	return (~UINT64_C(0) >> (63 - (last - first))) << first;
}

bool x86_caches_combine(struct x86_caches *memory, uint64_t physical,
			unsigned size)
{
	uint64_t line = physical / memory->line * memory->line;
	uint64_t whole = memory->line >= 64 ? ~UINT64_C(0)
					    : (UINT64_C(1) << memory->line) - 1;
	struct combine *buffer = find(memory, line);

	if (!buffer) {
		buffer = take(memory);
		if (!buffer)
			return false;
		*buffer = (struct combine){ .line = line,
					    .opened = ++memory->opened,
					    .state = COMBINE_OPEN };
	}
	buffer->bytes |= chunks(memory, physical, size);
	if (buffer->bytes == whole)
		send(memory, buffer);
	return true;
}

void x86_caches_drain(struct x86_caches *memory)
{
	for (unsigned i = 0; i < memory->combines; i++)
		if (memory->combine[i].state == COMBINE_OPEN)
			send(memory, &memory->combine[i]);
}

/* --- Flushes ---------------------------------------------------------------- */

static void flushed(void *owner, uint64_t tag)
{
	(void)owner;
	(void)tag;
}

/* The tag is the line. */
static void flush_again(void *owner, uint64_t tag)
{
	struct x86_caches *memory = owner;

	if (!module_access_by(memory->data, MEMSYS_FLUSH, 0, tag,
			      (unsigned)memory->line, flushed, memory, 0,
			      NULL))
		event_schedule(memory->events,
			       clock_rate_after(&memory->rate, 0, 1),
			       memory->source, flush_again, memory, tag);
}

void x86_caches_flush(struct x86_caches *memory, uint64_t address)
{
	struct x86_pages_question question = { .address = address,
					       .shift = memory->page_shift };
	uint64_t line;

	/* The instruction has translated it. */
	if (x86_pages_look_up(&memory->pages, &question) == PAGES_WALK)
		return;
	line = question.physical / memory->line * memory->line;
	for (unsigned i = 0; i < memory->combines; i++)
		if (memory->combine[i].state == COMBINE_OPEN &&
		    memory->combine[i].line == line)
			send(memory, &memory->combine[i]);
	memory->counts.flushed++;
	flush_again(memory, line);
}
