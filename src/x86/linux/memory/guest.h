/* Guest memory that the arguments of a system call name. */
#ifndef M2S_X86_LINUX_MEMORY_GUEST_H
#define M2S_X86_LINUX_MEMORY_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct context;
struct iovec;

/* Guest memory: 0 or -EFAULT. */
/* Extends a stack that grows down (MAP_GROWSDOWN) to cover a range. False when
 * there is none, or when it may not grow so far. */
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
/* Copies a string. Returns its length, -EFAULT or -ENAMETOOLONG. */
int guest_get_string(const struct context *context, uint64_t address,
		     char *buffer, size_t size);
/* The host address of guest bytes that a host system call reads or fills. *size
 * becomes the number of accessible bytes. NULL when the first byte is not
 * accessible. */
void *guest_bytes(const struct context *context, uint64_t address,
		  uint64_t *size, bool write);
/* The most bytes that one call moves, as in Linux (MAX_RW_COUNT). */
enum { TRANSFER_MAX = 0x7ffff000 };
/* Reads an iovec array. Returns the number of entries in `list` (at most
 * IOV_MAX) or a negative errno. */
int guest_vectors(const struct context *context, uint64_t address,
		  uint64_t count, bool write, struct iovec *list);

/* Read and write a timespec in the layout of the ABI, or with 64-bit fields
 * (`wide`). */
int guest_get_time(const struct context *context, uint64_t address, bool wide,
		   int64_t *nanoseconds);
int guest_put_time(const struct context *context, uint64_t address, bool wide,
		   int64_t nanoseconds);

#endif
