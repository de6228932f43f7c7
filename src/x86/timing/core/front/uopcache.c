/* The uop cache (decoded stream buffer): lines with the uops of one 32-byte
 * window of code. A line is named by the address of its first instruction, so
 * code that is entered at two places is kept twice. */
#include "x86/timing/core/front/front.h"
#include "x86/timing/core/memo/memo.h"

static struct core_line *set_of(struct x86_core *core, uint64_t address)
{
	uint64_t window = address / CACHE_WINDOW;
	unsigned sets = core->figure.cache_sets;

	/* Nearly always a power of two: no division. */
	window = sets & (sets - 1) ? window % sets : window & (sets - 1);
	return &core->line[window * core->figure.cache_ways];
}

static struct core_line *find(struct x86_core *core, uint64_t address)
{
	struct core_line *line;

	if (!core->figure.cache_sets)
		return 0;
	line = set_of(core, address);
	for (unsigned i = 0; i < core->figure.cache_ways; i++, line++)
		if (line->used && line->first == address)
			return line;
	return 0;
}

/* Notes an action with an address. */
static void note(struct x86_core *core, uint64_t word, uint64_t address)
{
	core_memo_note(core, word);
	core_memo_note(core, address);
}

uint64_t core_cache_holds_word(const struct x86_core *core, uint64_t address)
{
	/* Does not change the core. */
	bool holds = find((struct x86_core *)(uintptr_t)core, address);

	return MEMO_HOLDS | (unsigned)holds << 4;
}

bool core_cache_holds(struct x86_core *core, uint64_t address)
{
	uint64_t word;

	if (!core->tapes)
		return find(core, address);
	if (!core_memo_asked(core, MEMO_HOLDS, &word))
		word = core_cache_holds_word(core, address);
	note(core, word, address);
	return word >> 4 & 1;
}

uint64_t core_cache_open_word(struct x86_core *core, uint64_t address)
{
	struct core_line *line = find(core, address);

	if (!line)
		return MEMO_OPEN;
	line->used = ++core->line_clock;
	return MEMO_OPEN | 1 << 4 | line->length << 8;
}

bool core_cache_open(struct x86_core *core, uint64_t address)
{
	uint64_t word;

	if (!core->tapes || !core_memo_asked(core, MEMO_OPEN, &word))
		word = core_cache_open_word(core, address);
	if (core->tapes)
		note(core, word, address);
	if (!(word >> 4 & 1))
		return false;
	core->line_first = address;
	core->line_end = address + (word >> 8 & 0xff);
	return true;
}

void core_cache_clear(struct x86_core *core)
{
	for (unsigned i = 0; i < CACHE_LINES; i++)
		core->line[i].used = 0;
	core->line_clock = 0;
	core->fill_lines = 0;
	core->fills = false;
	core->line_first = core->line_end = 0;
}

/* Enters a line: it replaces the line of the same name, a free one, or the
 * least recently used one. */
static void enter(struct x86_core *core, uint64_t first, uint32_t length)
{
	struct core_line *set = set_of(core, first), *place = set;

	for (unsigned i = 0; i < core->figure.cache_ways; i++) {
		if (set[i].first == first && set[i].used) {
			place = &set[i];
			break;
		}
		if (set[i].used < place->used)
			place = &set[i];
	}
	place->first = first;
	place->length = length;
	place->used = ++core->line_clock;
}

/* Forgets the lines of a window. */
static void drop(struct x86_core *core, uint64_t window)
{
	struct core_line *line = set_of(core, window * CACHE_WINDOW);

	for (unsigned i = 0; i < core->figure.cache_ways; i++, line++)
		if (line->first / CACHE_WINDOW == window)
			line->used = 0;
}

void core_cache_fill_word(struct x86_core *core, uint64_t word,
			  uint64_t address)
{
	uint32_t length = word >> 8 & 0xff;

	if (length)
		enter(core, address, length);
	else
		drop(core, address / CACHE_WINDOW);
}

/* A line enters; with length 0 a window is dropped. */
static void change(struct x86_core *core, uint64_t address, uint32_t length)
{
	uint64_t word = memo_fill_word(length);

	if (!core->tapes || !core_memo_filled(core))
		core_cache_fill_word(core, word, address);
	if (core->tapes)
		note(core, word, address);
}

/* At the end of a window, either all of its lines enter the cache, or none
 * does. */
static void finish(struct x86_core *core)
{
	const struct x86_core_figures *figure = &core->figure;
	unsigned lines = core->fill_lines;

	core->fill_lines = 0;
	if (!lines)
		return;
	if (core->fill_failed || lines > figure->cache_lines) {
		if (figure->cache_pairs)
			change(core, (core->fill_window ^ 1) * CACHE_WINDOW, 0);
		return;
	}
	for (unsigned i = 0; i < lines; i++)
		change(core, core->fill[i].first, core->fill[i].length);
}

/* Whether a jump crosses the end of a window or ends there. Such a jump is not
 * kept because of an erratum. */
static bool erratum(const struct x86_core *core, uint64_t first, uint64_t end,
		    bool branch)
{
	return core->figure.jump_erratum && branch &&
	       first / CACHE_WINDOW != end / CACHE_WINDOW;
}

void core_cache_collect(struct x86_core *core, const struct core_flow *flow,
			bool pair)
{
	const struct x86_core_figures *figure = &core->figure;
	const struct core_flow *branch = pair ?
		core_flow(core, core->flow_decoded + 1) : flow;
	uint64_t end = branch->address + branch->inst->length;
	bool jumps = branch->inst->branch != X86_BRANCH_NONE;
	bool alone = flow->form->microcode_uops;
	unsigned uops = flow->slots_fused + flow->form->wide_immediate;
	struct core_line *line;

	if (core->fill_lines &&
	    (flow->address != core->fill_end ||
	     flow->address / CACHE_WINDOW != core->fill_window))
		finish(core);
	if (!core->fill_lines) {
		core->fill_window = flow->address / CACHE_WINDOW;
		core->fill_failed = core->fill_closed = false;
	}
	core->fill_end = end;
	core->fill_failed |= erratum(core, flow->address, end, jumps);
	if (!core->fill_lines || core->fill_closed || alone ||
	    core->fill_uops + uops > figure->cache_line_uops ||
	    (jumps && core->fill_branches == figure->cache_branches)) {
		if (core->fill_lines == FILL_LINES)
			core->fill_failed = true;
		else
			core->fill_lines++;
		core->fill[core->fill_lines - 1].first = flow->address;
		core->fill_uops = core->fill_branches = 0;
	}
	line = &core->fill[core->fill_lines - 1];
	line->length = (uint8_t)(end - line->first);
	core->fill_uops += uops;
	core->fill_branches += jumps;
	/* An instruction with more uops than a line is not kept, unless it is
	 * microcode. */
	if (uops > figure->cache_line_uops && !alone)
		core->fill_failed = true;
	core->fill_closed = alone ||
			    (jumps && branch->inst->branch !=
					      X86_BRANCH_CONDITIONAL);
	if (core_taken(branch))
		finish(core);
}
