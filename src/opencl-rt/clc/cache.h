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

/* Bytes that a folder may hold; beyond them the entries that were unused for
 * longest are removed, at about every 16th store. */
enum { CACHE_SIZE_MAX = 256 << 20 };

/* Makes the folder and those above it if they are missing. A failure is not
 * reported. */
void cache_make(const char *folder);

/* Loads the entry with this key (a file name). False when there is no whole
 * one. The caller frees the contents. */
bool cache_load(const char *folder, const char *key,
		struct cache_entry *entry);

/* Stores an entry. A failure is not reported. */
void cache_store(const char *folder, const char *key,
		 const struct cache_entry *entry);

/* Removes the entries that were unused for longest until the rest has at most
 * `size` bytes, and the remains of interrupted processes. Other files in the
 * folder stay. Other processes may use the folder meanwhile: an entry that one
 * of them reads stays whole for it. Returns the number of removed entries. */
size_t cache_trim(const char *folder, uint64_t size);

#endif
