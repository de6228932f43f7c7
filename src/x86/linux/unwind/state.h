/* A cache of ELF files whose symbols have been read. */
#ifndef M2S_X86_LINUX_UNWIND_STATE_H
#define M2S_X86_LINUX_UNWIND_STATE_H

#include <stddef.h>

struct elf_image;

struct image_cache {
	char *path;
	struct elf_image *image;
};

struct image_list {
	struct image_cache *list;
	size_t count, capacity;
};

#endif
