/* The reader of memory configurations: what its passes share. Private to the
 * files of src/memsys/read and wire.c. */
#ifndef M2S_MEMSYS_READ_READER_H
#define M2S_MEMSYS_READ_READER_H

#include "base/config.h"
#include "base/ini.h"
#include "memsys/module.h"

/* Variables of a [ Module ] that name other sections, and its address range. */
struct module_text {
#define MEMORY_MODULE_TEXT CONFIG_MEMBER
#define MEMORY_CACHE_TEXT CONFIG_MEMBER
#define MEMORY_MAIN_TEXT CONFIG_MEMBER
#include "memsys/config.def"
};

/* Variables of an [ Entry ]. A variable that its architecture or its number of
 * modules does not have is 0 or NULL. */
struct entry_config {
#define MEMORY_ENTRY CONFIG_MEMBER
#define MEMORY_ENTRY_X86 CONFIG_MEMBER
#define MEMORY_ENTRY_EVERGREEN CONFIG_MEMBER
#define MEMORY_ENTRY_ONE CONFIG_MEMBER
#define MEMORY_ENTRY_TWO CONFIG_MEMBER
#include "memsys/config.def"
};

/* What the reader remembers between its passes. */
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

/* -1 and an error if a variable's value is not a power of two. */
int reader_check_power(struct reader *reader, struct ini_section *section,
		       const char *name, uint64_t value);
/* Sets the error "no such <what> (did you mean '<nearest section of that
 * kind>'?)" and returns -1. */
int reader_no_such(struct reader *reader, const struct ini_value *value,
		   const char *kind, const char *name, const char *what);

/* The megahertz of a clock whose cycles begin at exact times; 0: none. */
uint32_t reader_exact(const struct reader *reader, double frequency);

/* The module of that name, or NULL. */
struct module *reader_find_module(const struct memsys *memsys,
				  const char *name);

/* Reads all [ DRAM ] sections, so that mistakes are found even in sections that
 * no module uses. */
int reader_drams(struct reader *reader);
/* Gives a main memory the DRAM devices that its section names, in place of the
 * plain channel. */
int reader_devices(struct reader *reader, struct module *module,
		   struct ini_section *section);
/* Writes the help of [ DRAM ] sections. */
void reader_drams_help(FILE *stream);

/* Reads the internal networks and makes their switches. */
int reader_networks(struct reader *reader);
/* Finds the network and the node that LowNetwork and LowNetworkNode, or
 * HighNetwork and HighNetworkNode, of a module name. `value` and `place` are
 * the two values, NULL where the file does not give them. `side` is the first
 * variable's name. */
int reader_side(struct reader *reader, struct module *module,
		const char *side, const struct ini_value *value,
		const struct ini_value *place, struct network **network,
		struct network_node **node);
/* Adds the links between modules of internal networks without a switch. To be
 * called when it is known which modules are below which. */
void reader_direct_links(struct reader *reader);
/* Writes the help of the variables of [ Network ] that network/config.def
 * lacks. */
void reader_network_help(FILE *stream);
/* Writes the help of [ Entry ] sections. */
void reader_entry_help(FILE *stream);
/* Reads the entries of processors. -1 and an error if a processor of the
 * options has none. */
int reader_entries(struct reader *reader,
		   const struct memsys_options *options);

/* -1 and an error if a module can be reached by no access of a processor or
 * page walk. */
int reader_check_reached(struct reader *reader);

/* Connects all modules, checks the hierarchy and starts the modules. */
int reader_wire(struct reader *reader);

#endif
