/* Loads, stores and the protocol that keeps tracked copies in order: what its
 * files share.
 *
 * A directory protocol with the states of NMOESI. For the modules above, each
 * block is in one of these ways: nobody has it; one has it in E or M; some
 * share it in S, one of them perhaps in O; or some have it in N, each with what
 * it wrote itself. A non-coherent store asks for N: copies in other states go
 * away, those in N stay. A coherent access takes all copies in N away, and what
 * was written to them comes together in the module below.
 *
 * Each module serves one transaction per block; what arrives for the block
 * meanwhile waits in order. A miss goes
 *
 *	FETCH -> (DATA) -> PLACE -> (EVICT of the victim) -> (PROBE) -> answer
 *
 * FETCH waits for the module below; PLACE, EVICT and PROBE only for modules
 * above, DATA for a message that its sender sent before FETCH ended; and a
 * module always answers a probe from below without waiting for anything below
 * it. So no circle of waits can form. Lines are locked only in EVICT and PROBE:
 * a miss takes its line when its block arrives. Should a line in O or N be
 * replaced while its block waits for more rights, what it has stays in the
 * transaction.
 *
 * Clean blocks are dropped without a word; a module that is asked for a block
 * it no longer has says so. doc/memory-system.md has the protocol as a
 * table. */
#ifndef M2S_MEMSYS_COHERENCE_H
#define M2S_MEMSYS_COHERENCE_H

#include "memsys/module.h"

/* --- transaction.c ------------------------------------------------------ */

/* The one that waits for a block from below, or for its line; or NULL. */
struct transaction *transaction_fetching(const struct module *module,
					 uint64_t block);
/* `listed`: other accesses to the block wait for it. */
struct transaction *transaction_begin(struct module *module, uint64_t block,
				      enum transaction_stage stage,
				      struct access *initiator, bool listed);
/* Until its end, nobody else may replace or change the line. */
void transaction_lock(struct module *module, struct transaction *transaction,
		      int32_t line);
/* Takes the transaction off the table; its line may be used again. */
void transaction_end(struct module *module, struct transaction *transaction);
/* After transaction_end(): who waited for the block, for a line or for an MSHR
 * goes on; the transaction is freed. */
void transaction_resume(struct module *module, struct transaction *transaction);

/* --- tracking.c --------------------------------------------------------- */

/* The number here of the module that sent it, or DIRECTORY_NOBODY. */
int module_tracked(const struct module *module, const struct access *access);
/* The sub-blocks [first, end) of [address, address + size) in its line. */
void module_sub_blocks(const struct module *module, uint64_t address,
		       uint32_t size, uint32_t *first, uint32_t *end);
/* Somebody above other than `except` has sub-blocks in a way that forbids a
 * load, a store or a non-coherent store. */
bool module_forbidden(const struct directory *directory, int32_t line,
		      uint32_t first, uint32_t end,
		      enum memsys_access_kind kind, int except);
/* Others above have what the access asks for in a way that forbids it. */
bool module_conflict(const struct module *module, int32_t line,
		     const struct access *access);
/* Enters the sender in the directory: what it may do with the block now. */
enum cache_state module_grant(struct module *module,
			      const struct access *access, int32_t line);
/* Probes for the blocks above in [first, end) of the transaction's line, to
 * all but `except` whose copies forbid an access of the kind; `access`, if not
 * NULL, is the one that asks. */
void module_send_probes(struct module *module, struct transaction *transaction,
			uint32_t first, uint32_t end,
			enum memsys_access_kind kind, int except,
			const struct access *access);
/* The same for what an access needs. */
void module_send_access_probes(struct module *module,
			       struct transaction *transaction,
			       const struct access *access);

/* --- line.c ------------------------------------------------------------- */

/* The chunks in which an access stores; what a line has that the module below
 * does not; all of a block. One bit per 1/64 of a block, or per byte of a
 * smaller one. */
uint64_t module_mask(const struct module *module, const struct access *access);
uint64_t module_written(const struct module *module, int32_t line);
uint64_t module_whole(const struct module *module);
/* Parts of a line are newer now than below; write-through caches send them. */
void module_dirty(struct module *module, int32_t line, uint64_t written);
/* Frees a line; nobody above has its block any more. */
void module_drop(struct module *module, int32_t line);
/* The block goes into its line, with what this module has itself. */
void module_take_block(struct module *module, struct transaction *transaction,
		       int32_t line);
/* Parts of a block that were written above reach this module. */
void module_merge(struct module *module, int32_t line,
		  const struct access *access, picoseconds start);

/* --- miss.c ------------------------------------------------------------- */

/* Asks the module below; `through`: a store takes effect there. */
void module_fetch(struct module *module, struct access *access, uint64_t block,
		  picoseconds start, bool through);
/* The block has arrived: gives it a line, then to those who want it. */
void module_place(struct module *module, struct transaction *transaction);
/* Nobody above has the victim any more. */
void module_evicted(struct module *module, struct transaction *eviction);

/* --- coherence.c -------------------------------------------------------- */

/* A transaction of an access has all that it waited for. */
void module_finish(struct module *module, struct transaction *transaction,
		   int32_t line);

#endif
