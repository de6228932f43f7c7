/* Between script/read.c and script.c. */
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
	bool taken; /* by its module: else it is tried again every cycle */
	bool done;
};

struct memsys_script {
	struct memsys *memsys;
	struct script *script;
	struct script_access *accesses; /* begun; room for all */
	size_t access_count;
	uint64_t done;
	bool was_set; /* blocks, and their copies not checked since */
	uint32_t source;
	uint64_t *checks;
};

/* Of struct script_client. */
int memsys_script_command(void *owner, const struct script_command *command,
			  struct error *error);

#endif
