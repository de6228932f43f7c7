/* Address spaces of processes: how they are made, and what mmap() and related
 * calls may do in them. */
#ifndef M2S_X86_LINUX_MEMORY_MEMORY_H
#define M2S_X86_LINUX_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct context;
struct error;
struct guest_memory;
struct linux_options;
struct linux_system;
struct program_file;
struct space;
struct space_region;

struct guest_memory *memory_create(struct linux_system *system, bool abi32,
				   struct error *error);
struct guest_memory *memory_fork(struct linux_system *system,
				 const struct guest_memory *from,
				 struct error *error);
void memory_release(struct guest_memory *memory);
/* Sets the file that the process executes. The memory holds a reference. */
void memory_set_program(struct guest_memory *memory,
			struct program_file *program);
/* memory_set_program() with a host descriptor, which is taken over. */
void memory_open_program(struct guest_memory *memory, int host);
/* Remembers the object behind a shared mapping. Returns the name with which the
 * mapping must be made (valid as long as the memory). `file` is duplicated. */
const char *memory_share(struct guest_memory *memory, const char *name,
			 int file);
/* Decides where the stack and mmap() go, before anything is mapped. Low
 * addresses are quicker to access, so they go higher only for a large program
 * (its end is `image_end`) or a large stack. */
void memory_lay_out(struct guest_memory *memory,
		    const struct linux_options *options, uint64_t image_end);

/* Number of addresses below a region that other mappings must leave free. */
uint64_t memory_guard_below(const struct space_region *region);
/* To be called after an access to an unmapped address. Extends the region above
 * that grows down to reach the address, if its size then is at most `limit`
 * bytes. */
bool memory_grow_down(struct guest_memory *memory, uint64_t address,
		      uint64_t limit);

enum { MEMORY_REGIONS_MAX = 65530 }; /* Linux's default, which can be changed */
/* Whether mseal() forbids changes in a part of a range. */
bool memory_sealed(const struct space *space, uint64_t start, uint64_t size);
/* memory_locked(): the number of locked bytes. memory_may_lock(): whether
 * `size` more bytes may be locked. */
uint64_t memory_locked(const struct guest_memory *memory);
bool memory_may_lock(const struct context *context, uint64_t size);

#endif
