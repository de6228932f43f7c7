/* Lists of a checkpoint, and texts that outlive its loading. */
#include <stdlib.h>

#include "base/memory.h"
#include "x86/linux/checkpoint/checkpoint.h"
#include "x86/linux/state.h"

void loaded_state_free(struct loaded_state *loaded)
{
	if (!loaded)
		return;
	for (size_t i = 0; i < loaded->text_count; i++)
		free(loaded->texts[i]);
	free(loaded->texts);
	free(loaded);
}

const char *checkpoint_keep_text(struct checkpoint *checkpoint, char *text)
{
	struct loaded_state *loaded = checkpoint->system->loaded;

	if (!text)
		return "";
	ARRAY_GROW(loaded->texts, loaded->text_count, loaded->text_capacity);
	return loaded->texts[loaded->text_count++] = text;
}

int64_t list_index(void *list, size_t count, const void *item)
{
	void **items = list;

	for (size_t i = 0; i < count; i++)
		if (items[i] == item)
			return (int64_t)i;
	return -1;
}
