/* Loads, stores and the protocol that keeps tracked copies coherent: the
 * declarations that its files share.
 *
 * A directory protocol with the states of NMOESI. Among the modules above, each
 * block is held in one of four ways: no module holds it; one holds it in E or
 * M; some share it in S, one of them perhaps in O; or some hold it in N, each
 * with its own writes. A non-coherent store asks for N: copies in other states
 * are invalidated, copies in N stay. A coherent access invalidates all copies
 * in N, and their writes are merged in the module below.
 *
 * Each module serves one transaction per block. Accesses that arrive for the
 * block meanwhile wait in order. A miss passes these stages:
 *
 *	FETCH -> (DATA) -> PLACE -> (EVICT of the victim) -> (PROBE) -> answer
 *
 * FETCH waits for the module below. PLACE, EVICT and PROBE wait only for
 * modules above. DATA waits for a message that its sender sent before FETCH
 * ended. A module always answers a probe from below without waiting for
 * anything below it. So no circle of waits can form. Lines are locked only in
 * EVICT and PROBE: a miss takes its line when its block arrives. If a line in O
 * or N is replaced while its block waits for more rights, the transaction keeps
 * the line's data.
 *
 * Clean blocks are dropped silently. A module that is probed for a block it no
 * longer has says so in its reply. doc/memory-system.md has the protocol as a
 * table. */
#ifndef M2S_MEMSYS_COHERENCE_H
#define M2S_MEMSYS_COHERENCE_H

#include "memsys/access/access.h"

/* --- transaction.c ------------------------------------------------------ */

/* The transaction that waits for a block from below or for the block's line, or
 * NULL. */
struct transaction *transaction_fetching(const struct module *module,
					 uint64_t block);
/* `listed`: other accesses to the block wait for the transaction. */
struct transaction *transaction_begin(struct module *module, uint64_t block,
				      enum transaction_stage stage,
				      struct access *initiator, bool listed);
/* Until the transaction's end no other access may replace or change the
 * line. */
void transaction_lock(struct module *module, struct transaction *transaction,
		      int32_t line);
/* Takes the transaction off the table and unlocks its line. */
void transaction_end(struct module *module, struct transaction *transaction);

/* --- tracking.c --------------------------------------------------------- */

/* The number, in this module's directory, of the module that sent the access;
 * or DIRECTORY_NOBODY. */
int module_tracked(const struct module *module, const struct access *access);
/* The sub-blocks [first, end) of [address, address + size) in its line. */
void module_sub_blocks(const struct module *module, uint64_t address,
		       uint32_t size, uint32_t *first, uint32_t *end);
/* Whether a module above other than `except` holds one of the sub-blocks in a
 * way that forbids a load, a store or a non-coherent store. */
bool module_forbidden(const struct directory *directory, int32_t line,
		      uint32_t first, uint32_t end,
		      enum memsys_access_kind kind, int except);
/* Whether modules above other than the sender hold the accessed sub-blocks in a
 * way that forbids the access. */
bool module_conflict(const struct module *module, int32_t line,
		     const struct access *access);
/* Enters the sender in the directory and returns the state that it gets. */
enum cache_state module_grant(struct module *module,
			      const struct access *access, int32_t line);
/* Whether a module above that owns a block may send it to the one whose access
 * asks for it; NULL: none does. */
bool module_peers(const struct module *module, const struct module *owner,
		  const struct access *access);
/* Sends probes to all modules above but `except` whose copies of [first, end)
 * of the transaction's line forbid an access of this kind. `access`, if not
 * NULL, is the access that asks. */
void module_send_probes(struct module *module, struct transaction *transaction,
			uint32_t first, uint32_t end,
			enum memsys_access_kind kind, int except,
			const struct access *access);
/* Sends the probes that an access needs. */
void module_send_access_probes(struct module *module,
			       struct transaction *transaction,
			       const struct access *access);

/* --- victim.c ----------------------------------------------------------- */

/* Whether a module keeps no data of blocks that the tracked module above it has
 * for itself alone (Victim). */
bool module_excludes(const struct module *module, const struct module *upper);
/* Whether the module below wants this module's clean block when it goes. */
bool module_hands_down(const struct module *module, int32_t line);
/* The sender of the access has got the block for itself. Returns the state that
 * it gets; the block's data leave a victim cache. */
enum cache_state module_give_up(struct module *module,
				const struct access *access, int32_t line);
/* Clean data come back to a victim cache. */
void module_take_back(struct module *module, const struct access *access,
		      int32_t line);
/* The oldest block of a set whose data are here, or -1 if no more are here than
 * there is room for. */
int32_t module_surplus(const struct module *module, uint64_t block);

/* --- line.c ------------------------------------------------------------- */

/* Sets of chunks of a block: one bit per 1/64 of a block, or per byte of a
 * smaller one. module_mask(): the chunks that an access stores to.
 * module_written(): the chunks of a line that are newer than in the module
 * below. module_whole(): all chunks. */
uint64_t module_mask(const struct module *module, const struct access *access);
uint64_t module_written(const struct module *module, int32_t line);
uint64_t module_whole(const struct module *module);
/* Marks chunks of a line as newer than below. Write-through caches send them
 * on. */
void module_dirty(struct module *module, int32_t line, uint64_t written);
/* Sends the clean block of a line to the victim cache below. */
void module_send_clean(struct module *module, int32_t line);
/* Frees a line whose block no module above holds any more. */
void module_drop(struct module *module, int32_t line);
/* Puts the fetched block into its line, merged with the chunks that this module
 * has itself. */
void module_take_block(struct module *module, struct transaction *transaction,
		       int32_t line);
/* Merges chunks that were written above into a line of this module. */
void module_merge(struct module *module, int32_t line,
		  const struct access *access, picoseconds start);

/* --- miss.c ------------------------------------------------------------- */

/* Asks the module below for a block. `through`: the store takes effect
 * there. */
void module_fetch(struct module *module, struct access *access, uint64_t block,
		  picoseconds start, bool through);
/* The block has arrived: gives it a line. Returns the line; or -1 when the
 * transaction waits for others first. */
int32_t module_take_line(struct module *module,
			 struct transaction *transaction);
/* Takes the copies above of a line that is to be replaced, if there are any, and
 * returns true: the transaction `then`, if not NULL, goes on afterwards. */
bool module_recall(struct module *module, int32_t line,
		   struct transaction *then);
/* Evicts blocks of a set of a victim cache until no more have
 * data here than the set has room for. */
void module_make_room(struct module *module, uint64_t block);

/* --- probe.c ------------------------------------------------------------ */

/* Does to the line what the probe from below demands, and replies. */
void module_obey(struct module *module, struct access *probe, int32_t line);

/* --- coherence.c -------------------------------------------------------- */

/* Completes the access of a transaction that has all it waited for. */
void module_finish(struct module *module, struct transaction *transaction,
		   int32_t line);
/* The block has arrived: gives it a line, then answers the accesses that wait
 * for it. */
void module_place(struct module *module, struct transaction *transaction);
/* To be called after transaction_end(): accesses that waited for the block, a
 * line or an MSHR go on, and the transaction is freed. */
void transaction_resume(struct module *module, struct transaction *transaction);

#endif
