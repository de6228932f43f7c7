/* Blocks that emulators of one decoder share.
 *
 * A decoded block depends only on the bytes and their address (besides mode and
 * model, which are the decoder's). So a block that another process has decoded
 * serves again where the same bytes are at the same address, which is compared:
 * the C library of forked processes, or programs that a script starts again and
 * again. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/emu/block.h"

/* A hash table that holds addresses, because reading the templates would cost a
 * cache miss each. */
enum { SLOTS = 1 << 17, TEMPLATES_MAX = SLOTS / 2 };
struct x86_template {
	uint64_t rip;
	const struct x86_block *block; /* NULL: empty slot */
};

static size_t first_slot(uint64_t rip)
{
	return (size_t)(rip * 0x9e3779b97f4a7c15u >> 40) % SLOTS;
}

static size_t size_of(const struct x86_block *block)
{
	return sizeof *block + block->op_count * sizeof block->op[0];
}

void x86_templates_init(struct x86_decoder *decoder)
{
	if (decoder->templates)
		return;
	decoder->templates = xcalloc(SLOTS, sizeof *decoder->templates);
	decoder->memory = x86_block_memory_create();
}

static void forget_all(struct x86_decoder *decoder)
{
	memset(decoder->templates, 0, SLOTS * sizeof *decoder->templates);
	decoder->template_count = 0;
	x86_block_memory_clear(decoder->memory);
}

/* A block in two pages also depends on the second page being executable. */
void x86_template_keep(struct x86_emulator *emulator,
		       const struct x86_block *block)
{
	struct x86_decoder *decoder = emulator->decoder;
	struct x86_block *template;
	uint8_t code[SPACE_PAGE];
	size_t slot = first_slot(block->rip);

	if (block->open || block->pages > 1 ||
	    space_read(emulator->space, block->rip, code, block->bytes))
		return;
	if (decoder->template_count++ >= TEMPLATES_MAX)
		forget_all(decoder);
	template = x86_block_allocate(decoder->memory, size_of(block));
	memcpy(template, block, size_of(block));
	template->code = x86_block_allocate(decoder->memory, block->bytes);
	memcpy(template->code, code, block->bytes);
	while (decoder->templates[slot].block)
		slot = (slot + 1) % SLOTS;
	decoder->templates[slot] = (struct x86_template){
		block->rip, template,
	};
}

static struct x86_block *copy_of(struct x86_emulator *emulator,
				 const struct x86_block *template)
{
	struct x86_block *block = x86_block_allocate(emulator->block_memory,
						     size_of(template));

	memcpy(block, template, size_of(template));
	block->code = NULL;
	return block;
}

struct x86_block *x86_template_find(struct x86_emulator *emulator,
				    uint64_t rip)
{
	const struct x86_template *templates = emulator->decoder->templates;
	const struct x86_block *template;
	size_t read = 0, slot = first_slot(rip);
	uint8_t code[SPACE_PAGE];

	for (; templates[slot].block; slot = (slot + 1) % SLOTS) {
		if (templates[slot].rip != rip)
			continue;
		template = templates[slot].block;
		if (!read && !space_check(emulator->space, rip, 1,
					  SPACE_EXECUTE))
			return NULL;
		if (read < template->bytes) {
			read = template->bytes;
			if (space_read(emulator->space, rip, code, read))
				return NULL;
		}
		if (!memcmp(code, template->code, template->bytes))
			return copy_of(emulator, template);
	}
	return NULL;
}
