/* Connects the modules that were read to a hierarchy, and checks that it can
 * work. */
#include "memsys/read/reader.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"

struct module *reader_find_module(const struct memsys *memsys,
				  const char *name)
{
	for (size_t i = 0; i < memsys->module_count; i++)
		if (!strcasecmp(memsys->modules[i]->name, name))
			return memsys->modules[i];
	return NULL;
}

static int by_address(const void *left, const void *right)
{
	const struct module *a = *(struct module *const *)left;
	const struct module *b = *(struct module *const *)right;

	return a->range.low < b->range.low ? -1 : a->range.low > b->range.low;
}

/* Low modules by address: either one interleaving that is complete, or bounds
 * without gaps. */
static int check_low_ranges(struct reader *reader, struct module *module,
			    const struct ini_value *value)
{
	struct module **low = module->low, **sorted;
	const struct address_range *first = &low[0]->range;
	const struct address_range *own = &module->range;
	uint64_t next = own->kind == RANGE_BOUNDS ? own->low : 0;
	uint64_t last = own->kind == RANGE_BOUNDS ? own->high : UINT64_MAX;

	if (first->kind == RANGE_INTERLEAVED && module->low_count == 1) {
		/* A slice of a slice: the modules above select the same. */
		if (first->modulo == 1 ||
		    (own->kind == RANGE_INTERLEAVED &&
		     own->divide == first->divide &&
		     own->modulo == first->modulo &&
		     own->equal == first->equal))
			return 0;
	}
	for (size_t i = 1; i < module->low_count; i++)
		if (low[i]->range.kind != first->kind)
			return ini_error(value, reader->error,
					 "the AddressRange of '%s' and '%s' "
					 "differ in kind: expected BOUNDS for "
					 "both, or ADDR for both", low[0]->name,
					 low[i]->name);
	if (first->kind == RANGE_BOUNDS) {
		qsort(low, module->low_count, sizeof *low, by_address);
		for (size_t i = 0; i < module->low_count; i++) {
			if (i ? low[i]->range.low != next || !next
			      : low[i]->range.low > next)
				return ini_error(value, reader->error,
						 "the AddressRange of '%s' "
						 "leaves a gap or an overlap "
						 "at 0x%llx", low[i]->name,
						 (unsigned long long)next);
			next = low[i]->range.high + 1;
		}
		if (next && next <= last)
			return ini_error(value, reader->error,
					 "no module serves addresses from "
					 "0x%llx", (unsigned long long)next);
		return 0;
	}
	sorted = xcalloc(module->low_count, sizeof *sorted);
	for (size_t i = 0; i < module->low_count; i++) {
		const struct address_range *range = &low[i]->range;

		if (range->divide != first->divide ||
		    range->modulo != first->modulo ||
		    range->modulo != module->low_count ||
		    sorted[range->equal]) {
			free(sorted);
			return ini_error(value, reader->error,
					 "the AddressRange of '%s' does not "
					 "fit: %zu modules must have one DIV, "
					 "MOD %zu, and EQ 0 to %zu",
					 low[i]->name, module->low_count,
					 module->low_count,
					 module->low_count - 1);
		}
		sorted[range->equal] = low[i];
	}
	free(module->low);
	module->low = sorted;
	module->low_interleaved = true;
	module->low_divide = first->divide;
	module->low_modulo = first->modulo;
	module->low_shifts = reader_is_power(first->divide) &&
			     reader_is_power(first->modulo);
	if (module->low_shifts)
		module->low_divide_shift =
			(unsigned)__builtin_ctzll(first->divide);
	return 0;
}

static int add_low(struct reader *reader, struct module *module,
		   const struct ini_value *value, const char *name)
{
	struct module *low = reader_find_module(reader->memsys, name);

	if (!low)
		return reader_no_such(reader, value, "Module", name, "module");
	for (size_t i = 0; i < module->low_count; i++)
		if (module->low[i] == low)
			return ini_error(value, reader->error,
					 "module '%s' is listed twice",
					 low->name);
	if (!low->high_network || low->high_network != module->low_network)
		return ini_error(value, reader->error,
				 "the HighNetwork of '%s' is not '%s', the "
				 "LowNetwork of this module", low->name,
				 network_name(module->low_network));
	if (low->block_size < module->block_size)
		return ini_error(value, reader->error,
				 "the blocks of '%s' (%u bytes) are smaller "
				 "than those of this module (%u bytes)",
				 low->name, low->block_size,
				 module->block_size);
	module->low = xrealloc(module->low, (module->low_count + 1) *
						    sizeof *module->low);
	module->low[module->low_count++] = low;
	return 0;
}

static int read_low(struct reader *reader, struct module *module)
{
	struct ini_section *section = reader->sections[module->index];
	const struct ini_value *value = reader->texts[module->index].low_modules;
	char *names, *rest, *name;
	int status = 0;

	if (module->kind == MODULE_MAIN_MEMORY)
		return 0;
	if (!value || !*value->text)
		return ini_section_error(section, reader->error,
					 "LowModules is missing: a Cache needs "
					 "a module below it");
	if (!module->low_network)
		return ini_section_error(section, reader->error,
					 "LowNetwork is missing");
	names = rest = xstrdup(value->text);
	while (!status && (name = strsep(&rest, " ,")))
		if (*name)
			status = add_low(reader, module, value, name);
	free(names);
	return status ? -1 : check_low_ranges(reader, module, value);
}

/* Follows the low modules; 1 = on the way, 2 = done. */
static int check_tree(struct reader *reader, struct module *module,
		      uint8_t *mark)
{
	mark[module->index] = 1;
	for (size_t i = 0; i < module->low_count; i++) {
		struct module *low = module->low[i];

		if (mark[low->index] == 1)
			return ini_error(reader->texts[module->index].low_modules,
					 reader->error,
					 "module '%s' is also above this "
					 "module",
					 low->name);
		if (!mark[low->index] && check_tree(reader, low, mark))
			return -1;
	}
	mark[module->index] = 2;
	return 0;
}

/* Every message between two neighbours must fit the buffers on its way. */
static int check_messages(struct reader *reader, struct module *module,
			  struct module *low)
{
	uint32_t need = MEMSYS_HEADER + module->block_size, down, up;
	const struct ini_value *value =
		reader->texts[module->index].low_modules;

	down = network_largest_message(module->low_network, module->down.node,
				       low->up.node);
	up = network_largest_message(module->low_network, low->up.node,
				     module->down.node);
	if (!down || !up)
		return ini_error(value, reader->error,
				 "network '%s' has no route between '%s' and "
				 "'%s' in both directions",
				 network_name(module->low_network),
				 network_node_name(module->down.node),
				 network_node_name(low->up.node));
	if (down < need || up < need)
		return ini_error(value, reader->error,
				 "a block with its header takes %u bytes, but "
				 "a buffer of network '%s' on the way to '%s' "
				 "has only %u", need,
				 network_name(module->low_network),
				 low->name, down < up ? down : up);
	return 0;
}

/* The modules above that this one keeps track of. */
static void number_uppers(struct memsys *memsys, struct module *module)
{
	unsigned users = 0;

	module->upper_number = xcalloc(memsys->module_count,
				       sizeof *module->upper_number);
	module->upper = xcalloc(memsys->module_count, sizeof *module->upper);
	for (size_t i = 0; i < memsys->module_count; i++) {
		struct module *upper = memsys->modules[i];

		module->upper_number[i] = DIRECTORY_NOBODY;
		for (size_t j = 0; j < upper->low_count; j++) {
			if (upper->low[j] != module)
				continue;
			module->shared = users++ > 0;
			if (!upper->config.coherent)
				continue;
			module->upper_number[i] =
				(int16_t)module->upper_count;
			module->upper[module->upper_count++] = upper;
		}
	}
}

/* Whether every tracked module above has a way to every other. */
static bool have_ways(const struct module *module)
{
	for (uint32_t i = 0; i < module->upper_count; i++)
		for (uint32_t j = 0; j < module->upper_count; j++) {
			const struct module *from = module->upper[i];
			const struct module *to = module->upper[j];

			if (i != j &&
			    network_largest_message(module->high_network,
						    from->down.node,
						    to->down.node) <
				    MEMSYS_HEADER + from->block_size)
				return false;
		}
	return true;
}

int reader_wire(struct reader *reader)
{
	struct memsys *memsys = reader->memsys;
	uint8_t *mark = xcalloc(memsys->module_count + 1, 1);
	struct error why = { "" };
	int status = 0;

	for (size_t i = 0; i < memsys->module_count && !status; i++)
		status = read_low(reader, memsys->modules[i]);
	for (size_t i = 0; i < memsys->module_count && !status; i++)
		if (!mark[i])
			status = check_tree(reader, memsys->modules[i], mark);
	free(mark);
	if (!status)
		reader_direct_links(reader);
	for (size_t i = 0; i < memsys->internal.count && !status; i++)
		if (network_finish(memsys->internal.networks[i], &why))
			status = ini_section_error(reader->network_sections[i],
						   reader->error, "%s",
						   why.text);
	for (size_t i = 0; i < memsys->module_count && !status; i++)
		for (size_t j = 0; j < memsys->modules[i]->low_count &&
				   !status; j++)
			status = check_messages(reader, memsys->modules[i],
						memsys->modules[i]->low[j]);
	if (status)
		return -1;
	for (size_t i = 0; i < memsys->module_count; i++)
		number_uppers(memsys, memsys->modules[i]);
	for (size_t i = 0; i < memsys->module_count; i++)
		memsys->modules[i]->peer_transfers =
			memsys->config.peer_transfers &&
			have_ways(memsys->modules[i]);
	for (size_t i = 0; i < memsys->module_count; i++)
		module_start(memsys->modules[i]);
	return 0;
}
