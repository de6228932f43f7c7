/* Reading [ Commands ]: what its words mean in this memory system. */
#include "memsys/script/internal.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"

const struct script_syntax memsys_commands[COMMAND_COUNT] = {
#define COMMAND(name, arguments, doc) { #name, arguments, doc },
#include "memsys/script/script.def"
};

/* The counters of the memory report. */
static const struct counter {
	const char *name;
	size_t offset;
} counters[] = {
#define COUNTER(name, field, unit, doc)                                        \
	{ name, offsetof(struct module_count, field) },
#define ALIAS COUNTER
#include "memsys/module.stat.def"
};

void memsys_script_help(FILE *stream)
{
	script_help(memsys_commands, COMMAND_COUNT, stream);
}

/* The index of a word in "a|b|c", or -1. */
static int choice(const char *word, const char *choices)
{
	size_t length = strlen(word);

	for (int i = 0; *choices; i++) {
		size_t end = strcspn(choices, "|");

		if (end == length && !strncasecmp(word, choices, length))
			return i;
		choices += end;
		choices += *choices == '|';
	}
	return -1;
}

static int read_choice(const struct ini_value *value, const char *word,
		       const char *choices, uint64_t *number,
		       struct error *error)
{
	int found = choice(word, choices);

	if (found < 0)
		return ini_error(value, error, "'%s': expected one of %s", word,
				 choices);
	*number = (uint64_t)found;
	return 0;
}

static int read_module(const struct memsys *memsys,
		       const struct ini_value *value, const char *word,
		       void **pointer, struct error *error)
{
	for (size_t i = 0; i < memsys->module_count; i++)
		if (!strcasecmp(memsys->modules[i]->name, word)) {
			*pointer = memsys->modules[i];
			return 0;
		}
	return ini_error(value, error, "no module '%s'", word);
}

static int read_counter(const struct ini_value *value, const char *word,
			uint64_t *offset, struct error *error)
{
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		if (!strcasecmp(counters[i].name, word)) {
			*offset = counters[i].offset;
			return 0;
		}
	return ini_error(value, error, "the memory report has no counter '%s'",
				       word);
}

/* <network>:<from>:<to> */
static int read_link(const struct memsys *memsys,
		     const struct ini_value *value, const char *word,
		     void **pointer, struct error *error)
{
	char *text = xstrdup(word), *rest = text;
	const char *name = strsep(&rest, ":");
	const char *from = strsep(&rest, ":"), *to = rest;
	const struct network *network;

	*pointer = NULL;
	network = networks_find(&memsys->internal, name);
	if (!network)
		network = networks_find(&memsys->external, name);
	if (network && from && to)
		*pointer = network_find_link(network, from, to);
	free(text);
	if (*pointer)
		return 0;
	return ini_error(value, error, "'%s': no such link; expected "
			 "<network>:<from>:<to>, with the names of two nodes; "
			 "a [ Network ] of this file has a node 'Switch' and "
			 "one of each module's name", word);
}

static int read_argument(void *owner, char letter, const char *word,
			 const struct ini_value *value,
			 union script_argument *argument, struct error *error)
{
	const struct memsys_script *script = owner;
	char *end;

	switch (letter) {
	case 'a':
		argument->number = strtoull(word, &end, 0);
		if (*word < '0' || *word > '9' || *end)
			return ini_error(value, error, "'%s': expected an "
					 "address", word);
		return 0;
	case 'b':
		return read_choice(value, word, "no|yes", &argument->number,
				   error);
	case 's':
		return read_choice(value, word, "I|S|O|N|E|M",
				   &argument->number, error);
	case 'k': /* in the order of enum memsys_access_kind */
		return read_choice(value, word,
				   "Load|Store|NCStore|Atomic|AtomicLoad|"
				   "AtomicStore|UncachedLoad|PastStore|"
				   "Flush|Prefetch",
				   &argument->number, error);
	case 'c':
		return read_counter(value, word, &argument->number, error);
	case 'l':
		return read_link(script->memsys, value, word,
				 &argument->pointer, error);
	case 'o':
		argument->pointer = NULL;
		if (!strcasecmp(word, "none"))
			return 0;
		/* fall through */
	default:
		return read_module(script->memsys, value, word,
				   &argument->pointer, error);
	}
}

static bool serves(const struct module *module, uint64_t address)
{
	const struct address_range *range = &module->range;

	if (range->kind == RANGE_INTERLEAVED)
		return address / range->divide % range->modulo == range->equal;
	return address >= range->low && address <= range->high;
}

/* Modules after the address are tracked by the one before it; `none` is
 * alone. */
static int check_uppers(const struct script_command *command,
			const struct ini_value *value, struct error *error)
{
	const struct module *module = command->arguments[0].pointer;

	if (!module->directory)
		return ini_error(value, error, "'%s' keeps no directory: %s",
				 module->name,
				 module->upper_count
					 ? "only one module is above it"
					 : "no tracked module is above it");
	if (command->kind == COMMAND_SetNoncoherent ||
	    command->kind == COMMAND_CheckNoncoherent)
		return 0;
	for (size_t i = 2; i < command->argument_count; i++) {
		const struct module *upper = command->arguments[i].pointer;

		if (!upper && command->argument_count > 3)
			return ini_error(value, error, "expected 'none' alone, "
						       "or modules without "
						       "'none'");
		if (upper && module->upper_number[upper->index] < 0)
			return ini_error(value, error, "'%s' does not track "
					 "'%s'", module->name, upper->name);
	}
	return 0;
}

static int check_command(void *owner, const struct script_command *command,
			 const struct ini_value *value, struct error *error)
{
	const struct module *module = command->arguments[0].pointer;
	size_t address = command->kind == COMMAND_Access ? 2 : 1;

	(void)owner;
	if (!strchr(memsys_commands[command->kind].arguments, 'a'))
		return 0;
	if (!serves(module, command->arguments[address].number))
		return ini_error(value, error, "0x%" PRIx64 " is not in the "
				 "AddressRange of '%s'",
				 command->arguments[address].number,
				 module->name);
	if (command->kind == COMMAND_Access)
		return command->arguments[2].number % 4
			       ? ini_error(value, error, "the address must be "
					   "a multiple of 4")
			       : 0;
	if (!module->cache)
		return ini_error(value, error, "'%s' keeps no state of blocks: "
				 "it is a main memory without a directory",
				 module->name);
	if (command->kind == COMMAND_SetBlock &&
	    module->kind == MODULE_MAIN_MEMORY &&
	    command->arguments[2].number != CACHE_INVALID &&
	    command->arguments[2].number != CACHE_EXCLUSIVE)
		return ini_error(value, error, "a main memory has blocks in "
				 "state E or I only");
	if (command->kind == COMMAND_SetBlock ||
	    command->kind == COMMAND_CheckBlock)
		return 0;
	return check_uppers(command, value, error);
}

int memsys_script_read(struct memsys *memsys, struct ini_section *section,
		       struct error *error)
{
	struct memsys_script *script = xcalloc(1, sizeof *script);
	struct script_client client = {
		.owner = script,
		.syntax = memsys_commands,
		.syntax_count = COMMAND_COUNT,
		.read = read_argument,
		.check = check_command,
		.run = memsys_script_command,
	};

	script->memsys = memsys;
	memsys->script = script;
	script->script = script_read(&client, section, error);
	script->accesses = xcalloc(ini_value_count(section) + 1,
				   sizeof *script->accesses);
	return script->script ? 0 : -1;
}
