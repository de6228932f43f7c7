/* Address spaces of processes: how they come to be and what mmap() and its
 * kind may do in them. */
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
/* The file that the process executes; held. */
void memory_set_program(struct guest_memory *memory,
			struct program_file *program);
/* The same by a host descriptor, which is taken over. */
void memory_open_program(struct guest_memory *memory, int host);
/* Remembers the object behind a shared mapping; returns the name by which
 * the mapping must be made (valid with the memory). `file` is duplicated. */
const char *memory_share(struct guest_memory *memory, const char *name,
			 int file);
/* Says where the stack and mmap() go, before anything is mapped: below the
 * program's end when that is large. */
void memory_lay_out(struct guest_memory *memory,
		    const struct linux_options *options, uint64_t image_end);

/* Addresses below a region that others shall not take. */
uint64_t memory_guard_below(const struct space_region *region);
/* After an access to what is not mapped: makes the region above that grows
 * down reach it, if it may be `limit` bytes then. */
bool memory_grow_down(struct guest_memory *memory, uint64_t address,
		      uint64_t limit);

enum { MEMORY_REGIONS_MAX = 65530 }; /* Linux's; it can be set */
/* Whether mseal() has forbidden to change some of a range. */
bool memory_sealed(const struct space *space, uint64_t start, uint64_t size);
/* Bytes that are locked; whether so many more may be. */
uint64_t memory_locked(const struct guest_memory *memory);
bool memory_may_lock(const struct context *context, uint64_t size);

#endif
