/* The uop cache (decoded stream buffer): lines with the uops of one 32-byte
 * window of code. A line is named by the address of its first instruction, so
 * code that is entered at two places is kept twice. */
#include "x86/timing/core/front.h"

static struct core_line *set_of(struct x86_core *core, uint64_t address)
{
	return &core->line[address / CACHE_WINDOW % core->figure.cache_sets *
			   core->figure.cache_ways];
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

bool core_cache_holds(const struct x86_core *core, uint64_t address)
{
	/* Does not change the core. */
	return find((struct x86_core *)(uintptr_t)core, address);
}

bool core_cache_open(struct x86_core *core, uint64_t address)
{
	struct core_line *line = find(core, address);

	if (!line)
		return false;
	line->used = ++core->line_clock;
	core->line_first = line->first;
	core->line_end = line->first + line->length;
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
static void enter(struct x86_core *core, const struct core_line *line)
{
	struct core_line *set = set_of(core, line->first), *place = set;

	for (unsigned i = 0; i < core->figure.cache_ways; i++) {
		if (set[i].first == line->first && set[i].used) {
			place = &set[i];
			break;
		}
		if (set[i].used < place->used)
			place = &set[i];
	}
	place->first = line->first;
	place->length = line->length;
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
			drop(core, core->fill_window ^ 1);
		return;
	}
	for (unsigned i = 0; i < lines; i++)
		enter(core, &core->fill[i]);
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
