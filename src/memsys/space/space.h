/* Functional address spaces: the bytes of one guest process.
 *
 * A space is one host reservation: guest address a lives at host address
 * space->base + a. Memory that a program wants far above that lies in further
 * reservations, by pieces of 4 GiB (space/far.c). Protections are the host MMU's; regions (what is mapped,
 * with which protection and from which file) are also kept in a tree
 * for the system-call layer, /proc/self/maps and precise faults. */
#ifndef M2S_MEMSYS_SPACE_SPACE_H
#define M2S_MEMSYS_SPACE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "memsys/host-fault.h"

enum {
	SPACE_PAGE = 4096,
	SPACE_READ = 1,
	SPACE_WRITE = 2,
	SPACE_EXECUTE = 4,
};

/* What else a region remembers, for the system-call layer. */
enum {
	SPACE_GROWS_DOWN = 1,
	SPACE_WIPE_ON_FORK = 2,  /* a child gets zeros */
	SPACE_DONT_FORK = 4,     /* a child does not get it */
	SPACE_LOCKED = 8,        /* in memory, by mlock() */
	SPACE_LOCK_ON_FAULT = 16, /* likewise, pages as they are touched */
	SPACE_DONT_DUMP = 32,    /* a core file does not have it */
	SPACE_SEALED = 64,       /* stays as it is, by mseal() */
	/* The policy of mbind(), see numa.c of the system-call layer. */
	SPACE_POLICY_SHIFT = 8,
	SPACE_POLICY = 0x3f << SPACE_POLICY_SHIFT,
	SPACE_LOCKS = SPACE_LOCKED | SPACE_LOCK_ON_FAULT,
};

/* As people write it: "rwx", with '-' for what is not allowed. */
const char *space_protection_text(int protection);

struct space {
	/* space_grow() changes these. */
	uint8_t *base;  /* host address of guest address 0 */
	uint64_t size;  /* what is there */
	uint64_t end;   /* guest addresses are below this */
	/* Host addresses of pieces, by guest address >> SPACE_PIECE_BITS; NULL:
	 * none. Those of addresses below `size` are not used. */
	uint8_t **far;
	uint64_t far_count;
	uint64_t moves; /* changed when host addresses have */
	/* Changed whenever code in this space may have changed (a write to,
	 * an unmap or a protection change of an executable page). */
	uint64_t code_generation;
	struct space_regions *regions;
	struct space_layers *layers; /* shared with other spaces since a fork */
	/* Called (when not NULL) just before the bytes or protections of
	 * [start, end) change in a way that decoded code must not survive.
	 * Whoever decodes code from this space sets it. */
	void (*code_changed)(void *owner, uint64_t start, uint64_t end);
	void *code_owner;
};

/* `size` is a multiple of the page size (4 GiB for i386; 1 << SPACE_X86_64_BITS
 * is what an x86-64 program starts with: enough for nearly all, and the host
 * has room for a thousand of them); `end` likewise, and not less: memory from
 * `size` to there is far. NULL and *error when the host refuses the
 * reservation. */
enum { SPACE_X86_64_BITS = 36, SPACE_PIECE_BITS = 32 };
struct space *space_create(uint64_t size, struct error *error);
struct space *space_create_far(uint64_t size, uint64_t end,
			       struct error *error);
void space_free(struct space *space);
/* The host's address of a byte, or NULL: none yet. */
static inline uint8_t *space_at(const struct space *space, uint64_t address)
{
	const uint64_t piece = address >> SPACE_PIECE_BITS;

	if (address < space->size)
		return space->base + address;
	if (piece >= space->far_count || !space->far[piece])
		return NULL;
	return space->far[piece] +
	       (address & ((UINT64_C(1) << SPACE_PIECE_BITS) - 1));
}
/* The host's address of bytes that lie side by side there, too: for host
 * calls, after a check that they are mapped. NULL when the host has no room.
 * Host addresses that are known change when space->moves does. */
uint8_t *space_host(struct space *space, uint64_t address, uint64_t size);
/* The host memory from `at` on, as far as it is in one piece: *stop is its end
 * or `end`. NULL: there is none up to *stop. */
uint8_t *space_chunk(const struct space *space, uint64_t at, uint64_t end,
		     uint64_t *stop);
/* After an access to a byte without host memory, or one that went beyond a
 * reservation to `host`: true when it may be tried again, host addresses may
 * then have changed. */
bool space_reach(struct space *space, uint64_t address);
bool space_rejoin(struct space *space, const uint8_t *host);
/* The guest's address of a host address; false when it is not the space's. */
bool space_guest(const struct space *space, const uint8_t *host,
		 uint64_t *address);
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
/* Changes the flags of what is mapped in a range up to the first hole. 0, or
 * -ENOMEM when there is one. */
int space_set_flags(struct space *space, uint64_t address, uint64_t size,
		    unsigned set, unsigned clear);
/* Makes a region that grows down begin lower: 0 or a negative errno. */
int space_extend_down(struct space *space, uint64_t start, uint64_t new_start);
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
/* A zero-terminated string of at most size - 1 bytes: its length, -1 when it
 * cannot be read, -2 when it is longer. */
long space_read_string(const struct space *space, uint64_t address,
		       char *buffer, size_t size);

/* Calls `visit` for each region in address order. */
struct space_region {
	uint64_t start, end; /* page multiples, end exclusive */
	int protection;
	bool shared;
	bool anonymous;      /* no file behind it */
	uint16_t flags;      /* SPACE_GROWS_DOWN, ... */
	uint64_t offset;     /* in the file; 0 when anonymous */
	uint64_t device, inode; /* of the file, as fstat() tells them */
	const char *name;    /* file path, "[heap]", "[stack]" or "" */
};
void space_visit(const struct space *space,
		 void (*visit)(void *owner, const struct space_region *region),
		 void *owner);
/* How many regions there are. */
size_t space_region_count(const struct space *space);
/* The region that holds an address, or NULL; valid until the next change. */
const struct space_region *space_region_at(const struct space *space,
					   uint64_t address);
/* Likewise, or the next one above. */
const struct space_region *space_region_above(const struct space *space,
					      uint64_t address);

/* Before space_fork_region(): 0 or a negative errno. */
int space_fork_prepare(struct space *from);
/* Maps a private region of one space in another one, with its content:
 * anonymous memory that was written is shared copy-on-write, written pages of
 * files are copied. 0 or a negative errno. */
int space_fork_region(struct space *from, struct space *to,
		      const struct space_region *region);
/* Whether a page lies in memory that is shared copy-on-write, or was: then the
 * host's page tables do not tell whether it was touched. */
bool space_page_shared(const struct space *space, uint64_t address);

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
 * with a buffer at space_host()): checks that [address, address +
 * size) is mapped writable and ends the watch on its pages. 0, or -1 when it
 * is not writable throughout. */
int space_prepare_write(struct space *space, uint64_t address, uint64_t size);
/* host_fault_enter() for accesses to the memory of a space. */
void space_fault_enter(struct host_fault *fault, const struct space *space);
/* memcpy() of which one side is the host address of bytes in the space that
 * have been checked. Pages may have no bytes all the same: those of a mapped
 * file that has become shorter. 0, or -1 when there is such a one. */
int space_copy(const struct space *space, void *to, const void *from,
	       size_t size);

#endif
