#include "memsys/script/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "memsys/coherence.h"

bool memsys_has_script(const struct memsys *memsys)
{
	return memsys->script != NULL;
}

void memsys_script_free(struct memsys_script *script)
{
	if (!script)
		return;
	script_free(script->script);
	free(script->accesses);
	free(script);
}

void memsys_script_describe(const struct memsys_script *script, FILE *stream)
{
	for (size_t i = 0; i < script->access_count; i++) {
		const struct script_access *access = &script->accesses[i];
		const struct module *module =
			access->command->arguments[0].pointer;

		if (access->done)
			continue;
		fprintf(stream, "  %s: ", access->command->where);
		if (access->taken)
			fprintf(stream, "waits for '%s'\n", module->name);
		else
			fprintf(stream, "refused by '%s', which has no port, "
				"MSHR or write-buffer entry free\n",
				module->name);
	}
}

/* --- Setting ------------------------------------------------------------- */

static int find_line(const struct script_command *command, int32_t *line,
		     struct error *error)
{
	const struct module *module = command->arguments[0].pointer;
	uint64_t address = command->arguments[1].number;

	*line = cache_find(module->cache, address & module->block_mask);
	if (*line >= 0)
		return 0;
	return script_fail(command, error, "the block is not in the module");
}

static int set_block(const struct script_command *command, struct error *error)
{
	const struct module *module = command->arguments[0].pointer;
	uint64_t block = command->arguments[1].number & module->block_mask;
	enum cache_state state = (enum cache_state)command->arguments[2].number;
	int32_t line = cache_find(module->cache, block);

	if (state == CACHE_INVALID) {
		if (line >= 0)
			cache_invalidate(module->cache, line);
		return 0;
	}
	if (line < 0)
		line = cache_victim(module->cache, block);
	if (module->cache->states[line] != CACHE_INVALID &&
	    module->cache->blocks[line] != block)
		return script_fail(command, error, "every way of the set holds "
						   "another block");
	cache_fill(module->cache, line, block, state);
	if (module->directory)
		directory_clear(module->directory, line);
	return 0;
}

/* The sub-blocks of the block of `upper`, or (NULL) the one of the address. */
static void sub_blocks(const struct script_command *command,
		       const struct module *upper, uint32_t *first,
		       uint32_t *end)
{
	const struct module *module = command->arguments[0].pointer;
	uint64_t address = command->arguments[1].number;

	if (upper)
		module_sub_blocks(module, address & upper->block_mask,
				  upper->block_size, first, end);
	else
		module_sub_blocks(module, address, 1, first, end);
}

static int set_directory(const struct script_command *command,
			 struct error *error)
{
	const struct module *module = command->arguments[0].pointer;
	struct directory *directory = module->directory;
	uint32_t first, end;
	int32_t line;

	if (find_line(command, &line, error))
		return -1;
	for (uint32_t i = 0; i < module->upper_count; i++) {
		sub_blocks(command, module->upper[i], &first, &end);
		if (command->kind == COMMAND_SetSharers)
			directory_remove(directory, line, first, end, (int)i);
		else if (command->kind == COMMAND_SetOwner)
			directory_disown(directory, line, first, end, (int)i);
	}
	if (command->kind == COMMAND_SetNoncoherent) {
		sub_blocks(command, NULL, &first, &end);
		directory_set_noncoherent(directory, line, first, end,
					  command->arguments[2].number);
		return 0;
	}
	for (size_t i = 2; i < command->argument_count; i++) {
		const struct module *upper = command->arguments[i].pointer;

		if (!upper)
			continue;
		sub_blocks(command, upper, &first, &end);
		directory_add(directory, line, first, end,
			      module->upper_number[upper->index],
			      command->kind == COMMAND_SetOwner);
	}
	return 0;
}

static bool quiet(const struct memsys *memsys)
{
	bool quiet = !memsys_pending(memsys);

	for (size_t i = 0; i < memsys->internal.count; i++)
		quiet &= !network_pending(memsys->internal.networks[i]);
	for (size_t i = 0; i < memsys->external.count; i++)
		quiet &= !network_pending(memsys->external.networks[i]);
	return quiet;
}

/* --- Accesses ------------------------------------------------------------ */

static void done(void *owner, uint64_t tag)
{
	struct script_access *access = owner;

	(void)tag;
	access->done = true;
	access->script->done++;
}

static void try_access(void *owner, uint64_t tag)
{
	struct script_access *access = owner;
	const union script_argument *arguments = access->command->arguments;
	struct module *module = arguments[0].pointer;

	(void)tag;
	access->taken = module_access(
		module, (enum memsys_access_kind)arguments[1].number,
		arguments[2].number, 4, done, access, 0, NULL);
	if (!access->taken)
		event_schedule(module->events, module_period(module),
			       access->script->source, try_access, access, 0);
}

static void start_access(struct memsys_script *script,
			 const struct script_command *command)
{
	struct script_access *access =
		&script->accesses[script->access_count++];

	access->script = script;
	access->command = command;
	try_access(access, 0);
}

/* --- Checking ------------------------------------------------------------ */

static int check_block(const struct script_command *command,
		       struct error *error)
{
	const struct module *module = command->arguments[0].pointer;
	int32_t line = cache_find(module->cache, command->arguments[1].number &
							 module->block_mask);
	uint8_t state = line < 0 ? CACHE_INVALID : module->cache->states[line];

	if (state == command->arguments[2].number)
		return 0;
	return script_fail(command, error, "the block is in state %c",
			   cache_state_letters[state]);
}

static int check_owner(const struct script_command *command, int32_t line,
		       uint32_t first, uint32_t end, struct error *error)
{
	const struct module *module = command->arguments[0].pointer;
	const struct module *owner = NULL;

	for (uint32_t i = 0; i < module->upper_count; i++)
		if (directory_owns(module->directory, line, first, end, (int)i))
			owner = module->upper[i];
	if (owner == command->arguments[2].pointer)
		return 0;
	return script_fail(command, error, "%s%s owns the block",
			   owner ? "" : "nobody", owner ? owner->name : "");
}

static int check_sharers(const struct script_command *command, int32_t line,
			 uint32_t first, uint32_t end, struct error *error)
{
	const struct module *module = command->arguments[0].pointer;
	char text[256] = "";
	size_t length = 0;
	bool same = true;

	for (uint32_t i = 0; i < module->upper_count; i++) {
		const struct module *upper = module->upper[i];
		bool has = directory_has(module->directory, line, first, end,
					 (int)i);
		bool named = false;

		for (size_t j = 2; j < command->argument_count; j++)
			named |= command->arguments[j].pointer == upper;
		same &= has == named;
		if (has && length < sizeof text)
			length += (size_t)snprintf(text + length,
						   sizeof text - length, " %s",
						   upper->name);
	}
	if (same)
		return 0;
	return script_fail(command, error, "the sharers are:%s",
			   *text ? text : " none");
}

static int check_directory(const struct script_command *command,
			   struct error *error)
{
	const struct module *module = command->arguments[0].pointer;
	uint32_t first, end;
	bool noncoherent;
	int32_t line;

	if (find_line(command, &line, error))
		return -1;
	sub_blocks(command, NULL, &first, &end);
	if (command->kind == COMMAND_CheckOwner)
		return check_owner(command, line, first, end, error);
	if (command->kind == COMMAND_CheckSharers)
		return check_sharers(command, line, first, end, error);
	noncoherent = directory_noncoherent(module->directory, line, first, end,
					    DIRECTORY_NOBODY);
	if (noncoherent == command->arguments[2].number)
		return 0;
	return script_fail(command, error, "no module has the block in "
						"state N");
}

static int check_link(const struct script_command *command,
		      struct error *error)
{
	uint64_t messages, bytes;

	network_link_count(command->arguments[0].pointer, &messages, &bytes);
	if (messages == command->arguments[1].number &&
	    bytes == command->arguments[2].number)
		return 0;
	return script_fail(command, error, "the link has carried %" PRIu64
			   " messages with %" PRIu64 " bytes", messages, bytes);
}

static uint64_t length(const struct access_list *list)
{
	uint64_t count = 0;

	for (const struct access *access = list->first; access;
	     access = access->next)
		count++;
	return count;
}

static int check_queue(const struct script_command *command,
		       struct error *error)
{
	const struct module *module = command->arguments[0].pointer;
	uint64_t waiting = length(&module->stalled);

	for (uint32_t i = 0; i <= module->table_mask; i++)
		for (const struct transaction *transaction = module->table[i];
		     transaction; transaction = transaction->next)
			waiting += length(&transaction->waiting);
	if (module->mshr_used == command->arguments[1].number &&
	    waiting == command->arguments[2].number)
		return 0;
	return script_fail(command, error, "%" PRIu32 " misses are under way, "
			   "and %" PRIu64 " accesses wait", module->mshr_used,
			   waiting);
}

static int check_count(const struct script_command *command,
		       struct error *error)
{
	const struct module *module = command->arguments[0].pointer;
	uint64_t value;

	memcpy(&value,
	       (const char *)&module->count + command->arguments[1].number,
	       sizeof value);
	if (value == command->arguments[2].number)
		return 0;
	return script_fail(command, error, "the counter is %" PRIu64, value);
}

static int check_done(const struct memsys_script *script,
		      const struct script_command *command,
		      struct error *error)
{
	if (script->done == command->arguments[0].number)
		return 0;
	return script_fail(command, error, "%" PRIu64 " accesses are done",
			   script->done);
}

/* --- Running ------------------------------------------------------------- */

static int run_set(struct memsys_script *script,
		   const struct script_command *command, struct error *error)
{
	if (!quiet(script->memsys))
		return script_fail(command, error, "blocks can be set only "
				   "while no access is under way");
	script->was_set = true;
	return command->kind == COMMAND_SetBlock
		       ? set_block(command, error)
		       : set_directory(command, error);
}

static int run_check(struct memsys_script *script,
		     const struct script_command *command, struct error *error)
{
	++*script->checks;
	switch (command->kind) {
	case COMMAND_CheckBlock:
		return check_block(command, error);
	case COMMAND_CheckLink:
		return check_link(command, error);
	case COMMAND_CheckQueue:
		return check_queue(command, error);
	case COMMAND_CheckCount:
		return check_count(command, error);
	case COMMAND_CheckDone:
		return check_done(script, command, error);
	default:
		return check_directory(command, error);
	}
}

int memsys_script_command(void *owner, const struct script_command *command,
			  struct error *error)
{
	struct memsys_script *script = owner;
	struct error why = { "" };

	switch (command->kind) {
	case COMMAND_SetBlock:
	case COMMAND_SetSharers:
	case COMMAND_SetOwner:
	case COMMAND_SetNoncoherent:
		return run_set(script, command, error);
	default:
		break;
	}
	if (script->was_set && memsys_check(script->memsys, &why))
		return script_fail(command, error, "the blocks that were set "
				   "contradict each other: %s", why.text);
	script->was_set = false;
	if (command->kind != COMMAND_Access)
		return run_check(script, command, error);
	start_access(script, command);
	return 0;
}

int memsys_script_run(struct memsys *memsys, uint64_t *checks,
		      struct error *error)
{
	struct memsys_script *script = memsys->script;
	picoseconds period = clock_period(memsys->config.frequency);

	script->checks = checks;
	/* After the modules, before the commands. */
	script->source = event_source_create(memsys->events);
	script_start(script->script, memsys->events, period ? period : 1,
		     error);
	while (!script_status(script->script) &&
	       event_queue_step(memsys->events))
		if (memsys_watch(memsys, event_queue_now(memsys->events),
				 error))
			return -1;
	if (script_status(script->script))
		return -1;
	for (size_t i = 0; i < script->access_count; i++)
		if (!script->accesses[i].done) {
			memsys->hangs = true;
			return script_fail(script->accesses[i].command, error,
					   "the access never ends");
		}
	return memsys_check(memsys, error);
}
