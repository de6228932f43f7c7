/* A module of the memory hierarchy from inside: the declarations that the files
 * of src/memsys share. Processors see memsys.h only.
 *
 *   processors                    module_access()
 *        |                             ^ done
 *   +----v-----------------------------|----+
 *   | ports -> tags -> MSHRs, write buffer  |  access/, coherence.h,
 *   |          directory of those above     |  passing.c
 *   +----|-----------------------------^----+
 *        | requests, write-backs,      | replies, probes     message.c
 *   =====v======= network =============|=====
 *   +----|-----------------------------|----+
 *   | the next module, in the end a main    |  controller.c
 *   | memory: channel, atomic unit          |
 *   +---------------------------------------+
 *
 * Modules know each other only by messages. A module changes nothing but its
 * own state and handles messages in the order of their arrival. Messages about
 * tracked blocks leave for one side in the order in which the module decided to
 * send them. Messages are always accepted; the MSHRs and write buffers of their
 * senders bound their number. */
#ifndef M2S_MEMSYS_MODULE_H
#define M2S_MEMSYS_MODULE_H

#include <stdalign.h>

#include "base/clock-rate.h"
#include "base/config.h"
#include "memsys/cache/cache.h"
#include "memsys/directory.h"
#include "memsys/dram/dram.h"
#include "memsys/memsys.h"
#include "memsys/pool.h"
#include "memsys/shadow.h"
#include "network/network.h"
#include "sim/watchdog.h"

enum {
	MEMSYS_HEADER = 8, /* bytes of a message's header */
};

enum module_kind { MODULE_CACHE, MODULE_MAIN_MEMORY };

enum write_policy { WRITE_BACK, WRITE_THROUGH };

/* Variables of [ General ], and of a [ Module ] with its [ CacheGeometry ].
 * config.def makes the members. */
struct memsys_config {
#define MEMORY_GENERAL CONFIG_MEMBER
#include "memsys/config.def"
};

struct module_config {
#define MEMORY_MODULE CONFIG_MEMBER
#define MEMORY_MAIN CONFIG_MEMBER
#define MEMORY_MAIN_AGAIN(...)
#define MEMORY_GEOMETRY CONFIG_MEMBER
#include "memsys/config.def"
};

enum range_kind { RANGE_BOUNDS, RANGE_INTERLEAVED };

/* The addresses that a module serves. */
struct address_range {
	enum range_kind kind;
	uint64_t low, high;              /* inclusive */
	uint64_t divide, modulo, equal; /* address / divide % modulo == equal */
};

/* --- Messages and transactions ---------------------------------------- */

enum message_type {
	MESSAGE_REQUEST,     /* down: an access of the module above */
	MESSAGE_REPLY,       /* up: the request's object on its way back */
	MESSAGE_WRITE_BACK,  /* down: a modified block; no reply */
	MESSAGE_PROBE,       /* up: give up (a store) or share (a load) */
	MESSAGE_PROBE_REPLY, /* down: the probe's object on its way back */
	/* Sideways: the owner sends its block to the module that asked. */
	MESSAGE_PEER,
};

/* The sender of a request, which waits for the reply. */
enum request_origin {
	ORIGIN_PROCESSOR,   /* done(owner, tag) */
	ORIGIN_TRANSACTION, /* a miss of the module above */
	ORIGIN_PARENT,      /* an access that the module above passes on */
	ORIGIN_COMBINE,     /* an entry of its write buffer */
};

/* An access of a processor or of the module above, or any other message between
 * modules. The members that every message uses come first and fill one cache
 * line. */
struct access {
	alignas(64) struct access *next; /* in the one list it is in */
	uint64_t address;
	union {
		struct {
			module_done *done;
			void *owner;
			uint64_t tag;
		};
		/* Of `from`, or of a probe's sender. */
		struct transaction *transaction;
		struct access *parent;
		struct combine *combine;
	};
	struct module *from;     /* above; NULL: a processor */
	struct module *to;       /* while travelling */
	uint32_t size;
	union {
		struct {
			enum message_type type : 4;
			enum memsys_access_kind kind : 4;
			enum request_origin origin : 4;
			/* Reply: the state granted to a tracked module. */
			enum cache_state granted : 4;
			/* Of a MEMSYS_ATOMIC: the kind that the processor asked
			 * for (MEMSYS_ATOMIC, _ATOMIC_LOAD or _ATOMIC_STORE).
			 * The three kinds travel alike. */
			enum memsys_access_kind operation : 4;
			/* Has waited for a transaction on its block. */
			bool waited : 1;
			bool dirty : 1;   /* probe reply: has modified data */
			bool through : 1; /* request: a store that takes effect
					     below */
			bool keep : 1;    /* write-back: the sender keeps its
					     clean copy */
			/* Reply: the owner, a peer, sends the data. */
			bool peer : 1;
			bool present : 1; /* probe reply: the block was there */
			/* Write-back, probe reply: brings a clean block to a
			 * victim cache. */
			bool clean : 1;
			/* log2 of the bytes per bit of `written` */
			unsigned grain : 5;
		};
		uint32_t bits; /* the bit-fields together */
	};

	uint32_t instruction; /* folded address; 0: not known */
	uint32_t extent;         /* bytes from `address` that it may touch */
	uint32_t elements;       /* non-coherent store: of how many work-items */
	/* write-backs, probe replies: the chunks that they carry. */
	uint64_t written;
	struct module *requester; /* probe: the owner sends it the block */
	struct transaction *requester_transaction;
	uint32_t *words;         /* shadow.h; NULL in simulations */
};

struct access_list {
	struct access *first, *last;
};

enum transaction_stage {
	STAGE_FETCH, /* waits for the reply from below */
	/* Has the reply; waits for the data that a peer has sent. */
	STAGE_DATA,
	/* Has reply and data; waits for a line that is not locked. */
	STAGE_PLACE,
	STAGE_EVICT, /* the victim leaves; waits for probe replies */
	STAGE_PROBE, /* waits for probe replies */
};

/* Work on one block that takes simulated time. While the transaction is listed
 * in the module's table, other accesses to the block wait for it. */
struct transaction {
	struct transaction *next; /* in the table, or in the free list */
	struct transaction *next_placing;
	uint64_t block;
	enum transaction_stage stage;
	bool listed, uses_mshr;
	bool used;                /* prefetch: a demand access waits for it */
	/* The owner sent the data straight to the module that asked. */
	bool peer;
	bool arrived;             /* the data of a peer are here */
	/* Copies above are recalled before the block is placed. */
	bool recall;
	/* Chunks of a line that was replaced while its block waited for more
	 * rights. */
	uint64_t written;
	/* Of a line in N: chunks written through since, so newer than the block
	 * that arrives. */
	uint64_t passed;
	uint32_t *words, *kept;   /* shadow.h: words fetched, words kept */
	int32_t line;             /* the locked line, or -1 */
	uint32_t pending;         /* probe replies to come */
	enum cache_state granted;
	struct access *initiator; /* NULL: an eviction or a probe from below */
	struct access *probe;     /* the probe from below that it serves */
	struct access_list waiting;
	struct access_list deferred; /* probes from below for later */
	/* Of an eviction: the transaction that needs the line. */
	struct transaction *then;
};

/* An entry of the write buffer: the stores to one block. */
struct combine {
	struct combine *next; /* in the table, or in the free list */
	struct module *module;
	uint64_t block;
	uint64_t bytes; /* one bit per 1/64 of the block */
	uint32_t generation, elements;
	bool sent;
	uint32_t *words; /* shadow.h */
	struct access_list waiting;
};

/* --- Figures ------------------------------------------------------------ */

enum access_class {
	CLASS_ALL,
	CLASS_READ,
	CLASS_WRITE,
	CLASS_NC_WRITE,
	CLASS_ATOMIC,
	CLASS_COUNT,
};

struct class_count {
#define CLASS_COUNTER(name, field, unit, doc) uint64_t field;
#include "memsys/class.stat.def"
};

struct module_count {
	struct class_count class[CLASS_COUNT];
#define STATS_MEMBERS
#include "memsys/module.stat.def"
#define STATS_MEMBERS
#include "memsys/channel.stat.def"
};

/* --- Modules ------------------------------------------------------------ */

/* Messages that wait for room in a network's output buffer. Other modules read
 * `node` and no other member. */
struct outbox {
	struct network_node *node;
	alignas(64) struct access_list waiting;
	bool flushing;    /* the first message is being sent */
	/* Messages go to the network when they are decided on, unless others
	 * wait, or come here by an event at their time. */
	bool reserves;
	uint32_t departing;
	struct module *module;
	picoseconds last; /* departure of the last ordered message */
};

enum { ATOMIC_UNITS = 64 };

struct module {
	struct memsys *memsys;
	struct memsys_pool *pool;
	struct event_queue *events;
	struct log *log;
	char *name;
	enum module_kind kind;
	unsigned index;      /* in the memory system */
	uint32_t source;     /* for the event queue */
	struct module_config config;
	struct address_range range;

	/* Wiring. */
	struct module **low;
	size_t low_count;
	bool low_interleaved; /* low[address / divide % modulo] */
	bool low_shifts;      /* divide and modulo are powers of two */
	unsigned low_divide_shift;
	uint64_t low_divide, low_modulo;
	struct network *low_network, *high_network;
	struct outbox up, down;
	uint32_t upper_count;
	/* By module index: the number of that module here, or -1. */
	int16_t *upper_number;
	struct module **upper; /* by that number */
	bool shared;           /* several modules are above, tracked or not */
	/* The modules above can send blocks to each other. */
	bool peer_transfers;

	/* Derived from the configuration. */
	uint32_t block_size;
	unsigned block_shift;
	uint64_t block_mask;
	picoseconds period;
	/* Cycle n begins at floor(n x 10^6 / megahertz) ps; 0: at n periods. */
	struct clock_rate rate;
	double transfer; /* picoseconds per byte */

	/* State. The members above do not change, and other modules read
	 * them. */
	alignas(128) struct cache *cache;         /* NULL: main memory without directory */
	struct directory *directory; /* NULL: no module above is tracked */
	struct dram *dram;           /* main memory with [ DRAM ], or NULL */
	struct prefetch *prefetch;   /* cache with a prefetcher, or NULL */
	struct tlb *tlb;             /* of processors' accesses, or NULL */
	picoseconds port_time, clock_edge;
	picoseconds edge_asked; /* with a rate: clock_edge is of this time */
	picoseconds stores_end; /* of those that have passed: StoreElements */
	uint64_t held_block; /* until held_until: module_hold() */
	picoseconds held_until;
	uint32_t ports_used;
	struct transaction **table;
	uint32_t table_mask, mshr_used;
	struct module_waiter *waiters; /* processors that were refused */
	struct access_list stalled;
	struct transaction *placing, **placing_end;
	struct combine **combines;
	uint32_t combine_mask, writes_pending;
	/* For a port; they go to the devices afterwards. */
	uint32_t submits_waiting;
	/* Stores written through that are not on the link yet. */
	uint32_t throughs_waiting;
	unsigned combine_shift;
	picoseconds channel_free;
	picoseconds atomic_free[ATOMIC_UNITS];
	struct module_count count;
	uint32_t *shadow; /* shadow.h; NULL in simulations */
};

struct memsys_entry {
	enum memsys_architecture architecture;
	unsigned core, thread; /* or the compute unit, 0 */
	struct module *data, *instruction;
	struct module *coherent; /* or NULL */
	struct ini_section *section;
};

/* What the modules in one event queue share. Objects in flight come from its
 * free lists and return to the free lists of the queue in which they end. */
struct memsys_pool {
	const struct memsys *memsys;
	struct event_queue *events;
	uint64_t pending; /* accesses of processors */
	struct access *free_access;
	size_t access_count; /* free ones */
	bool short_of_accesses; /* since memsys_balance() was last called */
	struct transaction *free_transaction;
	struct combine *free_combine;
	void **chunks;
	size_t chunk_count, chunk_capacity;
};

struct memsys {
	struct event_queue *events;
	uint32_t dispatcher_source, first_unit_source, units;
	struct islands *islands; /* or NULL */
	struct log *log;
	bool exact_clocks, given;
	double rounded_clock; /* see memsys_options */
	struct memsys_config config;
	struct watchdog watchdog;
	bool hangs;
	const struct shadow_observer *observer; /* NULL in simulations */
	struct memsys_script *script; /* NULL: its file has no commands */
	struct tlb **tlbs;
	size_t tlb_count, tlb_capacity;
	struct module **modules;
	size_t module_count, module_capacity;
	struct network_set internal, external;
	struct memsys_entry *entries;
	size_t entry_count, entry_capacity;
	struct memsys_pool **pools;
	size_t pool_count, pool_capacity;
};

/* --- send.c, message.c -------------------------------------------------- */

/* A network_returned, for the outbox's node. */
void outbox_return(void *outbox, void *payload, picoseconds when);
/* Sends the messages of a side that wait for room in its network. */
void outbox_flush(struct outbox *outbox);
/* Sends a message to the module below, or to a module above, at `when` or now
 * if `when` is past. Ordered messages leave in the order of these calls. */
void module_send_down(struct module *module, struct access *access,
		      picoseconds when, bool ordered);
void module_send_up(struct module *module, struct module *to,
		    struct access *access, picoseconds when, bool ordered);
/* Sends a message to another module above the same module. */
void module_send_peer(struct module *module, struct module *to,
		      struct access *access, picoseconds when);
/* The module below that serves an address. */
struct module *module_low(const struct module *module, uint64_t address);
void module_attach_networks(struct module *module);

/* --- coherence.c and its neighbours (coherence.h) ------------------------ */

/* Whether non-coherent stores may stay in this module, in state N or M. */
static inline bool module_keeps_stores(const struct module *module)
{
	return module->kind == MODULE_CACHE && module->config.coherent;
}
/* Whether the access takes effect below its present module. */
static inline bool module_passes(const struct access *access)
{
	return access->kind == MEMSYS_ATOMIC ||
	       (access->kind == MEMSYS_NC_STORE && access->from &&
		access->origin != ORIGIN_TRANSACTION &&
		!module_keeps_stores(access->to)) ||
	       (access->kind == MEMSYS_NC_STORE && !access->from &&
		!module_keeps_stores(access->to));
}
/* Resolves a load, store or prefetch that got its port at `start`. False when
 * the access needs an MSHR, none is free and `may_refuse` is set: then nothing
 * has changed. */
bool module_resolve(struct module *module, struct access *access,
		    picoseconds start, bool may_refuse);
void module_receive_reply(struct module *module, struct access *access);
void module_receive_peer(struct module *module, struct access *access);
void module_receive_write_back(struct module *module, struct access *access);
void module_receive_probe(struct module *module, struct access *access);
void module_receive_probe_reply(struct module *module, struct access *access);
/* Sends the written chunks of a line to the module below. With `keep` the line
 * stays, clean. */
void module_write_back(struct module *module, int32_t line, uint64_t written,
		       bool keep);

/* --- passing.c ---------------------------------------------------------- */

/* Atomics go through to main memory. Non-coherent stores go through to the
 * first cache that is tracked.
 *
 * module_combine() puts a non-coherent store of a processor into the write
 * buffer. False when the write buffer is full. */
bool module_combine(struct module *module, struct access *access,
		    picoseconds start, bool *coalesced);
void module_pass_down(struct module *module, struct access *access,
		      picoseconds start);
void module_receive_passed(struct module *module, struct access *reply);

/* --- prefetch/ ---------------------------------------------------------- */

void prefetch_start(struct module *module);
void prefetch_free(struct module *module);
/* Tells a module's prefetcher of a demand access that missed, or that was the
 * first to use a prefetched block. */
void prefetch_learn(struct module *module, const struct access *access);
/* How many blocks wait to be prefetched. */
uint32_t prefetch_waiting(const struct module *module);

/* --- controller.c ------------------------------------------------------- */

/* The time at which main memory has answered an access. With DRAM devices: of
 * an access that they have served. */
picoseconds controller_access(struct module *module,
			      const struct access *access, picoseconds start);
/* Gives an access to the DRAM devices; `served` is called when they have served
 * it. Then controller_served() writes what a read-modify-write brings. */
void controller_serve(struct module *module, struct access *access,
		      dram_done *served);
void controller_served(struct module *module, const struct access *access);
/* Modified data arrive from above. Nothing waits for the write. */
void controller_write_back(struct module *module, const struct access *access,
			   picoseconds start);

/* submit.c: gives an access to the DRAM devices of a module. When they have
 * served it, the access goes on to module_resolve(). */
void controller_submit(struct module *module, struct access *access,
		       picoseconds start);

/* --- islands.c ---------------------------------------------------------- */

/* The pool of the modules in a queue. */
struct memsys_pool *memsys_pool(struct memsys *memsys,
				struct event_queue *events);
/* Spreads a complete memory system over the islands of the options. */
void memsys_split(struct memsys *memsys, const struct memsys_options *options);

/* --- check.c ------------------------------------------------------------ */

/* Checks, while nothing is under way, that copies and directories agree. -1 and
 * an error that names the contradiction. */
int memsys_check(const struct memsys *memsys, struct error *error);

/* --- watch.c ------------------------------------------------------------ */

void memsys_watchdog_start(struct memsys *memsys);

/* --- script.c ----------------------------------------------------------- */

int memsys_script_read(struct memsys *memsys, struct ini_section *section,
		       struct error *error);
void memsys_script_free(struct memsys_script *script);
/* Writes the script's accesses that have not ended. */
void memsys_script_describe(const struct memsys_script *script, FILE *stream);

/* --- read.c, default.c, stats.c ----------------------------------------- */

int memsys_read(struct memsys *memsys, struct ini *ini,
		const struct memsys_options *options, struct error *error);
struct module *module_create(struct memsys *memsys, const char *name);
void module_free(struct module *module);
/* Allocates the state. Configuration and wiring must be known. */
void module_start(struct module *module);
void module_register_stats(struct module *module, struct stats *stats);

#include "memsys/access-list.h"
#include "memsys/module-clock.h"

#endif
