/* Compiled kernels on disk, one file each. */
#ifndef M2S_OPENCL_RT_CLC_CACHE_H
#define M2S_OPENCL_RT_CLC_CACHE_H

#include <stdbool.h>
#include <stddef.h>

struct cache_entry {
	char *log;
	void *binary;
	size_t binary_size;
};

/* Whether there is a whole entry with this key (a file name). Its contents
 * are to be freed. */
bool cache_load(const char *folder, const char *key,
		struct cache_entry *entry);

/* Keeps an entry; silently does not when that is impossible. */
void cache_store(const char *folder, const char *key,
		 const struct cache_entry *entry);

#endif
