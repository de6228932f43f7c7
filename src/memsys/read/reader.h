/* Reading a memory configuration, between its passes; private to read*.c and
 * wire.c. */
#ifndef M2S_MEMSYS_READ_READER_H
#define M2S_MEMSYS_READ_READER_H

#include "base/config.h"
#include "base/ini.h"
#include "memsys/module.h"

/* What a [ Module ] says of other sections, and its range. */
struct module_text {
#define MEMORY_MODULE_TEXT CONFIG_MEMBER
#define MEMORY_CACHE_TEXT CONFIG_MEMBER
#define MEMORY_MAIN_TEXT CONFIG_MEMBER
#include "memsys/config.def"
};

/* Variables of an [ Entry ]. What its architecture, or the number of its
 * modules, does not have is 0 or NULL. */
struct entry_config {
#define MEMORY_ENTRY CONFIG_MEMBER
#define MEMORY_ENTRY_X86 CONFIG_MEMBER
#define MEMORY_ENTRY_EVERGREEN CONFIG_MEMBER
#define MEMORY_ENTRY_ONE CONFIG_MEMBER
#define MEMORY_ENTRY_TWO CONFIG_MEMBER
#include "memsys/config.def"
};

/* What the reader has to remember between its passes. */
struct reader {
	struct memsys *memsys;
	struct ini *ini;
	struct error *error;
	struct ini_section **sections; /* of the modules, by index */
	struct module_text *texts;     /* likewise */
	struct ini_section **network_sections; /* of the internal networks */
	struct network_node **switches; /* NULL: links are direct */
};

static inline bool reader_is_power(uint64_t value)
{
	return value && !(value & (value - 1));
}

/* If `name` is "<kind> <rest>", the rest; or NULL. */
const char *reader_after(const char *name, const char *kind);
/* The section "<kind> <name>", or NULL. */
struct ini_section *reader_find_section(struct reader *reader,
					const char *kind, const char *name);
/* A variable's value must be a power of two. */
int reader_check_power(struct reader *reader, struct ini_section *section,
		       const char *name, uint64_t value);
/* "no such <what> (did you mean '<nearest section of that kind>'?)": -1. */
int reader_no_such(struct reader *reader, const struct ini_value *value,
		   const char *kind, const char *name, const char *what);

/* The module of that name, or NULL. */
struct module *reader_find_module(const struct memsys *memsys,
				  const char *name);

/* All sections [ DRAM ], so that mistakes in one that nobody uses are found
 * too. */
int reader_drams(struct reader *reader);
/* The devices of a main memory take the place of its plain channel. */
int reader_devices(struct reader *reader, struct module *module,
		   struct ini_section *section);
/* What a [ DRAM ] may say. */
void reader_drams_help(FILE *stream);

/* The internal networks, each with its switch. */
int reader_networks(struct reader *reader);
/* A module's LowNetwork and LowNetworkNode, or HighNetwork and HighNetworkNode,
 * whose values are `value` and `place`: NULL where they are not given. `side`:
 * the former's name. */
int reader_side(struct reader *reader, struct module *module,
		const char *side, const struct ini_value *value,
		const struct ini_value *place, struct network **network,
		struct network_node **node);
/* Links between modules of internal networks whose links are direct. To be
 * called when it is known which modules are below which. */
void reader_direct_links(struct reader *reader);
/* What the section [ Network ] may say beside network/config.def. */
void reader_network_help(FILE *stream);
/* What an [ Entry ] may say. */
void reader_entry_help(FILE *stream);
/* Where processors enter; those that the options name must. */
int reader_entries(struct reader *reader,
		   const struct memsys_options *options);

/* A module that no access of a processor or page walk can reach is an error. */
int reader_check_reached(struct reader *reader);

/* Connects all modules, checks the hierarchy and starts the modules. */
int reader_wire(struct reader *reader);

#endif
