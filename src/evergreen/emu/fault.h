/* Why a wavefront stopped. */
#ifndef M2S_EVERGREEN_EMU_FAULT_H
#define M2S_EVERGREEN_EMU_FAULT_H

#include <stdbool.h>
#include <stdint.h>

enum evg_fault_kind {
	EVG_FAULT_NONE,
	EVG_FAULT_READ,      /* global memory outside every block */
	/* Global memory outside every block, or a read-only block. */
	EVG_FAULT_WRITE,
	EVG_FAULT_LOCAL,     /* local memory beyond its size */
	/* Unaligned access to local memory or by an atomic. */
	EVG_FAULT_ALIGNMENT,
	EVG_FAULT_CONSTANT,  /* constant buffer beyond its size */
	EVG_FAULT_REGISTER,  /* relative register index out of range */
	EVG_FAULT_QUEUE,     /* LDS output queue empty */
	EVG_FAULT_STACK,     /* beyond the entries that the kernel declares */
	EVG_FAULT_TARGET,    /* no instruction at the target of a jump table */
	EVG_FAULT_BANK,      /* constant buffer with nothing bound */
	EVG_FAULT_UNBOUND, /* nothing is bound to number `address` of `text` */
	EVG_FAULT_SCRATCH, /* scratch dword `address` of `bytes` / 4 */
	EVG_FAULT_GDS,     /* GDS dword unaligned or beyond the GDS */
	EVG_FAULT_SYNC,    /* no such resource of WAVE_SYNC */
	EVG_FAULT_TRAP,    /* cannot be executed: see text */
};

/* Why a wavefront stopped. Only the first fault of an instruction is kept. */
struct evg_fault {
	enum evg_fault_kind kind;
	uint8_t lane;
	bool control;   /* in the CF instruction, not in its clause */
	bool strays;    /* may pass, if the launch says so (stray.h) */
	uint8_t bank;   /* EVG_FAULT_CONSTANT */
	uint16_t group; /* index in its clause of the VLIW group */
	uint32_t address, bytes;
	const char *text; /* EVG_FAULT_TRAP, EVG_FAULT_UNBOUND */
};

#endif
