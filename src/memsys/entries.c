/* Where processors enter. */
#include "memsys/module.h"

static const struct memsys_entry *
find_entry(const struct memsys *memsys, enum memsys_architecture architecture,
	   unsigned core, unsigned thread)
{
	for (size_t i = 0; i < memsys->entry_count; i++) {
		const struct memsys_entry *entry = &memsys->entries[i];

		if (entry->architecture == architecture &&
		    entry->core == core && entry->thread == thread)
			return entry;
	}
	return NULL;
}

struct module *memsys_entry(struct memsys *memsys,
			    enum memsys_architecture architecture,
			    unsigned core, unsigned thread)
{
	const struct memsys_entry *entry =
		find_entry(memsys, architecture, core, thread);

	return entry ? entry->data : NULL;
}

struct module *memsys_coherent_entry(struct memsys *memsys, unsigned unit)
{
	const struct memsys_entry *entry =
		find_entry(memsys, MEMSYS_EVERGREEN, unit, 0);

	return entry ? entry->coherent : NULL;
}

struct module *memsys_instruction_entry(struct memsys *memsys,
					enum memsys_architecture architecture,
					unsigned core, unsigned thread)
{
	const struct memsys_entry *entry =
		find_entry(memsys, architecture, core, thread);

	return entry ? entry->instruction : NULL;
}
