/* Scripted tests: what script/read.c and script.c share. */
#ifndef M2S_MEMSYS_SCRIPT_INTERNAL_H
#define M2S_MEMSYS_SCRIPT_INTERNAL_H

#include "memsys/module.h"
#include "memsys/script/script.h"
#include "sim/script.h"

enum command_kind {
#define COMMAND(name, arguments, doc) COMMAND_##name,
#include "memsys/script/script.def"
	COMMAND_COUNT
};
extern const struct script_syntax memsys_commands[COMMAND_COUNT];

/* An access of the script, from its command to its end. */
struct script_access {
	struct memsys_script *script;
	const struct script_command *command;
	/* By its module; until then it is tried again every cycle. */
	bool taken;
	bool done;
};

struct memsys_script {
	struct memsys *memsys;
	struct script *script;
	/* Accesses that have begun; the array has room for all. */
	struct script_access *accesses;
	size_t access_count;
	uint64_t done;
	/* A command has set blocks, and their copies have not been checked
	 * since. */
	bool was_set;
	uint32_t source;
	uint64_t *checks;
};

/* Runs one command; a member of struct script_client. */
int memsys_script_command(void *owner, const struct script_command *command,
			  struct error *error);

#endif
