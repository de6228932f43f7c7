/* Decoders: creation and end. */
#include <stdlib.h>

#include "base/memory.h"
#include "x86/emu/block.h"

struct x86_decoder *x86_decoder_create(enum x86_mode mode,
				       const struct x86_model *model,
				       struct error *error)
{
	struct x86_decoder *decoder = xcalloc(1, sizeof *decoder);

	decoder->users = 1;
	decoder->mode = mode;
	if (model)
		decoder->model = *model;
	else
		x86_model_init(&decoder->model, X86_LEVEL_V2);
	if (x86_model_check(&decoder->model, error) ||
	    x86_decoder_init(decoder, error)) {
		x86_decoder_free(decoder);
		return NULL;
	}
	return decoder;
}

void x86_decoder_free(struct x86_decoder *decoder)
{
	if (!decoder || --decoder->users)
		return;
	free(decoder->next_row);
	x86_fusions_free(decoder->fusions);
	free(decoder->templates);
	x86_block_memory_free(decoder->memory);
	free(decoder);
}
