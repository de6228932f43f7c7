/* Guest memory as a system call's arguments lead to it. */
#ifndef M2S_X86_LINUX_MEMORY_GUEST_H
#define M2S_X86_LINUX_MEMORY_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct context;
struct iovec;

/* Guest memory: 0 or -EFAULT. */
/* Makes a stack that grows down (MAP_GROWSDOWN) reach what a range lacks; false
 * when there is none, or it may not. */
bool guest_grow(const struct context *context, uint64_t address, uint64_t size);
int guest_get(const struct context *context, uint64_t address, void *buffer,
	      size_t size);
int guest_put(const struct context *context, uint64_t address,
	      const void *buffer, size_t size);
/* A word of the ABI's pointer size. */
int guest_get_word(const struct context *context, uint64_t address,
		   uint64_t *value);
int guest_put_word(const struct context *context, uint64_t address,
		   uint64_t value);
/* A fresh copy of a string: its length or -EFAULT, -ENAMETOOLONG. */
int guest_get_string(const struct context *context, uint64_t address,
		     char *buffer, size_t size);
/* Host address of guest bytes for a host system call to read or fill, and in
 * *size how many of them are accessible; NULL when the first is not. */
void *guest_bytes(const struct context *context, uint64_t address,
		  uint64_t *size, bool write);
/* What one call moves at most, as in Linux (MAX_RW_COUNT). */
enum { TRANSFER_MAX = 0x7ffff000 };
/* iovec array: number of entries in `list` (at most IOV_MAX) or an errno. */
int guest_vectors(const struct context *context, uint64_t address,
		  uint64_t count, bool write, struct iovec *list);

/* timespec in the layout of the ABI, or with 64-bit fields (`wide`). */
int guest_get_time(const struct context *context, uint64_t address, bool wide,
		   int64_t *nanoseconds);
int guest_put_time(const struct context *context, uint64_t address, bool wide,
		   int64_t nanoseconds);

#endif
