/* Functional address spaces: the bytes of one guest process.
 *
 * A space is one host reservation: guest address a lives at host address
 * space->base + a. Protections are the host MMU's; regions (what is mapped,
 * with which protection and from which file) are also kept in a sorted list
 * for the system-call layer, /proc/self/maps and precise faults. */
#ifndef M2S_MEMSYS_SPACE_H
#define M2S_MEMSYS_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

enum {
	SPACE_PAGE = 4096,
	SPACE_READ = 1,
	SPACE_WRITE = 2,
	SPACE_EXECUTE = 4,
};

/* As people write it: "rwx", with '-' for what is not allowed. */
const char *space_protection_text(int protection);

struct space {
	/* space_grow() changes these two. */
	uint8_t *base;  /* host address of guest address 0 */
	uint64_t size;  /* guest addresses are below this */
	/* Changed whenever code in this space may have changed (a write to,
	 * an unmap or a protection change of an executable page). */
	uint64_t code_generation;
	struct space_regions *regions;
	/* Called (when not NULL) just before the bytes or protections of
	 * [start, end) change in a way that decoded code must not survive.
	 * Whoever decodes code from this space sets it. */
	void (*code_changed)(void *owner, uint64_t start, uint64_t end);
	void *code_owner;
};

/* `size` is a multiple of the page size (4 GiB for i386; 1 << SPACE_X86_64_BITS
 * is what an x86-64 program starts with: enough for nearly all, and the host
 * has room for hundreds of them). NULL and *error when the host refuses the
 * reservation. */
enum { SPACE_X86_64_BITS = 38 };
struct space *space_create(uint64_t size, struct error *error);
void space_free(struct space *space);
/* Makes the space larger, at another host address: nobody may hold one, nor be
 * running code of it. 0, or -ENOMEM (and nothing has changed). */
int space_grow(struct space *space, uint64_t size);

/* Maps pages: anonymous when fd < 0. `address` and `size` are page multiples;
 * what was there is replaced. `shared` keeps writes to the file. Returns 0 or
 * a negative errno. */
int space_map(struct space *space, uint64_t address, uint64_t size,
	      int protection, bool shared, int fd, uint64_t offset,
	      const char *name);
int space_unmap(struct space *space, uint64_t address, uint64_t size);
int space_protect(struct space *space, uint64_t address, uint64_t size,
		  int protection);
/* Moves [from, from + old_size), all of one region, to [to, to + new_size),
 * where what was there is replaced; the region's protection and file stay.
 * 0 or a negative errno. */
int space_move(struct space *space, uint64_t from, uint64_t old_size,
	       uint64_t to, uint64_t new_size);
/* madvise() of the host on mapped pages, for advice that changes contents. */
int space_advise(struct space *space, uint64_t address, uint64_t size,
		 int advice);
/* Lowest or highest free gap of `size` bytes in [low, high); 0 if none. */
uint64_t space_find_gap(const struct space *space, uint64_t low,
			uint64_t high, uint64_t size, bool from_top);

/* True when all of [address, address + size) is mapped with at least these
 * protections. */
bool space_check(const struct space *space, uint64_t address, uint64_t size,
		 int protection);

/* Copies for everything that is not an executed instruction: 0, or -1 when
 * some byte is not mapped accordingly (then nothing is promised about what
 * was copied). */
int space_read(const struct space *space, uint64_t address, void *buffer,
	       size_t size);
int space_write(struct space *space, uint64_t address, const void *buffer,
		size_t size);
/* A zero-terminated string of at most size - 1 bytes: its length or -1. */
long space_read_string(const struct space *space, uint64_t address,
		       char *buffer, size_t size);

/* Calls `visit` for each region in address order. */
struct space_region {
	uint64_t start, end; /* page multiples, end exclusive */
	int protection;
	bool shared;
	bool anonymous;      /* no file behind it */
	uint64_t offset;     /* in the file; 0 when anonymous */
	uint64_t device, inode; /* of the file, as fstat() tells them */
	const char *name;    /* file path, "[heap]", "[stack]" or "" */
};
void space_visit(const struct space *space,
		 void (*visit)(void *owner, const struct space_region *region),
		 void *owner);
/* The region that holds an address, or NULL; valid until the next change. */
const struct space_region *space_region_at(const struct space *space,
					   uint64_t address);

/* Watched pages: pages from which code was decoded. The host mapping of a
 * writable one is write-protected, so that a guest's write is noticed; to
 * everybody else (space_check, space_visit) its protection is unchanged.
 * Remapping or changing protections ends the watch. `address` is any in the
 * page. */
void space_watch(struct space *space, uint64_t address);
bool space_watched(const struct space *space, uint64_t address);
/* Ends the watch on a page that is about to be written, and calls
 * code_changed() for it. */
void space_unwatch(struct space *space, uint64_t address);

/* For writes into guest memory that bypass space_write() (a host system call
 * with a buffer at space->base + address): checks that [address, address +
 * size) is mapped writable and ends the watch on its pages. 0, or -1 when it
 * is not writable throughout. */
int space_prepare_write(struct space *space, uint64_t address, uint64_t size);

#endif
