/* Bytes that grow. */
#include <string.h>

#include "base/memory.h"
#include "x86/linux/core/notes.h"
#include "x86/linux/state.h"

void core_put(struct core_bytes *bytes, const void *from, size_t size)
{
	if (!size)
		return;
	if (bytes->capacity - bytes->size < size) {
		bytes->capacity = 2 * (bytes->size + size);
		bytes->list = xrealloc(bytes->list, bytes->capacity);
	}
	memcpy(bytes->list + bytes->size, from, size);
	bytes->size += size;
}
