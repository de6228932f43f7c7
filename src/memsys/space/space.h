/* Functional address spaces: the bytes of one guest process.
 *
 * A space is one host reservation: guest address a lives at host address
 * space->base + a. Memory that a program maps far above that reservation lies
 * in further reservations, by pieces of 4 GiB (space/far.c). The host's MMU
 * enforces protections. A tree also records the regions (what is mapped, with
 * which protection and from which file) for the system-call layer,
 * /proc/self/maps and precise faults. */
#ifndef M2S_MEMSYS_SPACE_SPACE_H
#define M2S_MEMSYS_SPACE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "memsys/space/host-fault.h"

enum {
	SPACE_PAGE = 4096,
	SPACE_READ = 1,
	SPACE_WRITE = 2,
	SPACE_EXECUTE = 4,
};

/* Flags of a region, for the system-call layer. */
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

/* The protection as "rwx", with '-' for each access that is not allowed. */
const char *space_protection_text(int protection);

struct space;

/* Who keeps translations of a space. Calls come before the change. */
enum space_change {
	SPACE_UNMAPPED,  /* or mapped anew, or its contents given up */
	SPACE_PROTECTED, /* rights have changed */
	SPACE_GONE,      /* the last call */
};
struct space_observer {
	void (*changed)(void *owner, enum space_change change, uint64_t start,
			uint64_t end);
	/* Private pages were copied to a new space, if `to` does not store to
	 * them; after the change. */
	void (*forked)(void *owner, struct space *to, uint64_t start,
		       uint64_t end);
	/* space_write(), or with `buffer` space_prepare_write(): of a buffer
	 * not all need be written. NULL: not told. */
	void (*written)(void *owner, uint64_t start, uint64_t end, bool buffer);
	void *owner; /* NULL: nobody */
};

struct space {
	/* space_grow() changes these. */
	uint8_t *base;  /* host address of guest address 0 */
	uint64_t size;  /* bytes of the reservation */
	uint64_t end;   /* guest addresses are below this */
	/* Host addresses of pieces, by guest address >> SPACE_PIECE_BITS; NULL:
	 * the piece has no host memory. Entries of addresses below `size` are
	 * not used. */
	uint8_t **far;
	uint64_t far_count;
	uint64_t moves; /* changes when host addresses have changed */
	/* Changes whenever code in this space may have changed: after a write
	 * to, an unmap or a protection change of an executable page. */
	uint64_t code_generation;
	struct space_regions *regions;
	/* Layers shared with other spaces since a fork. */
	struct space_layers *layers;
	/* Called, when not NULL, just before the bytes or protections of
	 * [start, end) change in a way that decoded code must not survive. The
	 * component that decodes code from this space sets it. */
	void (*code_changed)(void *owner, uint64_t start, uint64_t end);
	void *code_owner;
	struct space_observer observer;
};

/* `size` is the space's reservation, a multiple of the page size: 4 GiB for
 * i386. An x86-64 program starts with 1 << SPACE_X86_64_BITS, which is enough
 * for nearly all programs, and the host has room for a thousand such spaces.
 * `end` is a multiple of the page size and at least `size`; memory between them
 * is far. NULL and *error when the host refuses the reservation. */
enum { SPACE_X86_64_BITS = 36, SPACE_PIECE_BITS = 32 };
struct space *space_create(uint64_t size, struct error *error);
struct space *space_create_far(uint64_t size, uint64_t end,
			       struct error *error);
void space_free(struct space *space);
/* The host address of a byte, or NULL when it has no host memory yet. */
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
/* The host address of bytes, contiguous on the host too: for host calls, after
 * a check that the bytes are mapped. NULL when the host has no room. Host
 * addresses that a caller keeps become invalid when space->moves changes. */
uint8_t *space_host(struct space *space, uint64_t address, uint64_t size);
/* The host memory from `at` on that is contiguous on the host. *stop is its
 * end, or `end`. NULL: there is no host memory up to *stop. */
uint8_t *space_chunk(const struct space *space, uint64_t at, uint64_t end,
		     uint64_t *stop);
/* To be called after an access to a byte without host memory (space_reach()),
 * or after one that ran beyond a reservation at `host` (space_rejoin()). True
 * when the access may be tried again; host addresses may then have changed. */
bool space_reach(struct space *space, uint64_t address);
bool space_rejoin(struct space *space, const uint8_t *host);
/* The guest address of a host address. False when the host address is not the
 * space's. */
bool space_guest(const struct space *space, const uint8_t *host,
		 uint64_t *address);
/* Makes the space larger, at another host address. No caller may keep a host
 * address or be running code of the space. 0, or -ENOMEM and nothing has
 * changed. */
int space_grow(struct space *space, uint64_t size);

/* Maps pages, anonymous ones when fd < 0. `address` and `size` are page
 * multiples. An earlier mapping there is replaced. With `shared`, writes go to
 * the file. Returns 0 or a negative errno. */
int space_map(struct space *space, uint64_t address, uint64_t size,
	      int protection, bool shared, int fd, uint64_t offset,
	      const char *name);
int space_unmap(struct space *space, uint64_t address, uint64_t size);
int space_protect(struct space *space, uint64_t address, uint64_t size,
		  int protection);
/* Changes the flags of the regions in a range, up to the first hole. 0, or
 * -ENOMEM when there is a hole. */
int space_set_flags(struct space *space, uint64_t address, uint64_t size,
		    unsigned set, unsigned clear);
/* Makes a region with SPACE_GROWS_DOWN begin lower. 0 or a negative errno. */
int space_extend_down(struct space *space, uint64_t start, uint64_t new_start);
/* Moves [from, from + old_size), all of one region, to [to, to + new_size),
 * where an earlier mapping is replaced. The region keeps its protection and
 * file. 0 or a negative errno. */
int space_move(struct space *space, uint64_t from, uint64_t old_size,
	       uint64_t to, uint64_t new_size);
/* The host's madvise() on mapped pages, for advice that changes their
 * contents. */
int space_advise(struct space *space, uint64_t address, uint64_t size,
		 int advice);
/* The lowest or highest free gap of `size` bytes in [low, high); 0 if there is
 * none. */
uint64_t space_find_gap(const struct space *space, uint64_t low,
			uint64_t high, uint64_t size, bool from_top);

/* True when all of [address, address + size) is mapped with at least these
 * protections. */
bool space_check(const struct space *space, uint64_t address, uint64_t size,
		 int protection);

/* Copies from and to guest memory, for everything but executed instructions. 0,
 * or -1 when some byte is not mapped with the protection needed; some bytes may
 * then have been copied. */
int space_read(const struct space *space, uint64_t address, void *buffer,
	       size_t size);
int space_write(struct space *space, uint64_t address, const void *buffer,
		size_t size);
/* Reads a zero-terminated string of at most size - 1 bytes. Returns its length,
 * -1 when it cannot be read, or -2 when it is longer. */
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
/* The number of regions. */
size_t space_region_count(const struct space *space);
/* The region that holds an address, or NULL. Valid until the space next
 * changes. */
const struct space_region *space_region_at(const struct space *space,
					   uint64_t address);
/* The region that holds an address, or the next one above, or NULL. Valid until
 * the space next changes. */
const struct space_region *space_region_above(const struct space *space,
					      uint64_t address);

/* To be called before space_fork_region(). 0 or a negative errno. */
int space_fork_prepare(struct space *from);
/* Maps a private region of one space in another, with its contents: anonymous
 * memory that was written is shared copy-on-write, and written pages of files
 * are copied. 0 or a negative errno. */
int space_fork_region(struct space *from, struct space *to,
		      const struct space_region *region);
/* Whether a page lies in memory that is or was shared copy-on-write. The host's
 * page tables then do not tell whether it was touched. */
bool space_page_shared(const struct space *space, uint64_t address);

/* Watched pages: pages from which code was decoded. The host mapping of a
 * writable watched page is write-protected, so that a guest's write is noticed;
 * space_check() and space_visit() still report the guest's protection.
 * Remapping a page or changing its protection ends the watch. `address` is any
 * address in the page. */
void space_watch(struct space *space, uint64_t address);
bool space_watched(const struct space *space, uint64_t address);
/* Ends the watch on a page that is about to be written, and calls
 * code_changed() for it. */
void space_unwatch(struct space *space, uint64_t address);

/* For writes into guest memory that bypass space_write(), such as a host system
 * call with a buffer at space_host(): checks that [address, address + size) is
 * mapped writable and ends the watch on its pages. 0, or -1 when a byte is not
 * writable. */
int space_prepare_write(struct space *space, uint64_t address, uint64_t size);
/* host_fault_enter() for accesses to the memory of a space. */
void space_fault_enter(struct host_fault *fault, const struct space *space);
/* memcpy() between a buffer and the host address of bytes in the space whose
 * mapping has been checked. A page may have no bytes all the same, if a mapped
 * file has become shorter. 0, or -1 in that case. */
int space_copy(const struct space *space, void *to, const void *from,
	       size_t size);

#endif
