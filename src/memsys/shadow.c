#include "memsys/shadow.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "memsys/module.h"

void shadow_enable(struct memsys *memsys, uint64_t bytes,
		   const struct shadow_observer *observer)
{
	memsys->observer = observer;
	for (size_t i = 0; i < memsys->module_count; i++) {
		struct module *module = memsys->modules[i];
		uint64_t size = bytes;

		if (module->kind == MODULE_CACHE)
			size = (uint64_t)module->config.sets *
			       module->cache->geometry.ways *
			       module->block_size;
		module->shadow = xcalloc(size / 4, sizeof *module->shadow);
	}
}

uint32_t *shadow_words(const struct module *module, int32_t line,
		       uint64_t address)
{
	if (module->kind == MODULE_MAIN_MEMORY)
		return module->shadow + address / 4;
	return module->shadow + (size_t)line * (module->block_size / 4) +
	       (address & ~module->block_mask) / 4;
}

void shadow_load(const struct module *module, int32_t line,
		 struct access *access)
{
	if (!module->shadow)
		return;
	free(access->words);
	access->words = xmalloc(access->size);
	memcpy(access->words, shadow_words(module, line, access->address),
	       access->size);
}

void shadow_store(const struct module *module, int32_t line, uint64_t address,
		  uint32_t size, const uint32_t *words, uint64_t written,
		  unsigned grain)
{
	uint32_t *to;

	if (!module->shadow || !words)
		return;
	to = shadow_words(module, line, address);
	for (uint32_t i = 0; i < size / 4; i++)
		if (written >> (i * 4 >> grain) & 1)
			to[i] = words[i];
}

void shadow_carry(const struct module *module, struct access *access)
{
	if (!module->shadow)
		return;
	access->words = xmalloc(sizeof *access->words);
	access->words[0] = (uint32_t)access->tag;
	access->written = ~0ull;
	access->grain = 0;
}

void shadow_perform(const struct module *module, int32_t line,
		    struct access *access)
{
	const struct shadow_observer *observer = module->memsys->observer;
	uint32_t *word;
	bool own = access->origin == ORIGIN_PROCESSOR;

	if (!module->shadow || access->kind == MEMSYS_PREFETCH)
		return;
	word = shadow_words(module, line, access->address);
	if (access->kind != MEMSYS_LOAD && own)
		*word = (uint32_t)access->tag;
	else if (access->kind != MEMSYS_LOAD)
		shadow_store(module, line, access->address, access->extent,
			     access->words, access->written, access->grain);
	if (own)
		observer->performed(observer->owner, access->to, access->kind,
				    access->address, *word);
	else if (access->kind != MEMSYS_LOAD)
		for (uint32_t i = 0; i < access->extent / 4; i++)
			if (access->written >> (i * 4 >> access->grain) & 1)
				observer->performed(observer->owner, module,
						    access->kind,
						    access->address + i * 4,
						    word[i]);
	free(access->words);
	access->words = NULL;
}
