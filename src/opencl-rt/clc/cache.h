/* Compiled kernels on disk, one file each. */
#ifndef M2S_OPENCL_RT_CLC_CACHE_H
#define M2S_OPENCL_RT_CLC_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cache_entry {
	char *log;
	void *binary;
	size_t binary_size;
};

/* Bytes that a folder may hold before the entries longest unused go. */
enum { CACHE_SIZE_MAX = 256 << 20 };

/* Makes the folder and those above it, if they are missing and that is
 * possible. */
void cache_make(const char *folder);

/* Whether there is a whole entry with this key (a file name). Its contents
 * are to be freed. */
bool cache_load(const char *folder, const char *key,
		struct cache_entry *entry);

/* Keeps an entry; silently does not when that is impossible. */
void cache_store(const char *folder, const char *key,
		 const struct cache_entry *entry);

/* Removes the entries longest unused until the rest has at most `size` bytes,
 * and what interrupted processes left. Other files in the folder stay. Other
 * processes may use the folder meanwhile: an entry that one of them reads is
 * whole for it. Returns how many entries went. */
size_t cache_trim(const char *folder, uint64_t size);

#endif
