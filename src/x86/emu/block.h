/* The cache of decoded code. Internal to x86/emu.
 *
 * A block is a run of instructions with one entry and, at its last op, its
 * exits. All of its instructions begin in one page; the last one may extend
 * into the next page. A hash table finds blocks by address. A page's list finds
 * them when code changes. Linked exits lead from block to block. */
#ifndef M2S_X86_EMU_BLOCK_H
#define M2S_X86_EMU_BLOCK_H

#include <Zydis/Zydis.h>

#include "x86/emu/emu.h"
#include "x86/emu/op.h"
#include "x86/emu/vector/fused.h"

enum {
	X86_BLOCK_INSTRUCTIONS = 64,
	/* Every instruction may have an address op in front. A check op and the
	 * last op with its exit come on top. */
	X86_BLOCK_OPS = 2 * X86_BLOCK_INSTRUCTIONS + 4,
	/* When blocks, dropped ones included, take this many bytes, all are
	 * dropped: programs may generate code for ever. */
	X86_BLOCK_MEMORY_MAX = 256 << 20,
	/* A page whose code was overwritten this often is checked instead of
	 * write-protected. */
	X86_PAGE_WRITES = 16,
	X86_ROW_CACHE = 1024,
};

struct x86_block;

/* A linked exit. It is on the list of the block that it leads to. */
struct x86_link {
	const struct x86_op **slot; /* the exit's target; NULL: not linked */
	struct x86_link *next, **previous;
};

/* A page from which code was decoded. */
struct x86_page {
	uint64_t number;
	struct x86_page *hash_next;
	struct x86_block *blocks;  /* the page's blocks, linked by page_next */
	/* Writes to code that were caught, up to X86_PAGE_WRITES. */
	unsigned writes;
};

struct x86_block {
	uint16_t bytes;            /* of code */
	uint16_t op_count;         /* ops, with the exit */
	uint16_t instructions;
	uint8_t pages;             /* 1 or 2 */
	uint8_t branch;            /* of its last instruction: enum x86_branch */
	bool open;                 /* its end depends on the bytes after it */
	bool dropped;              /* of a block to be observed: it is stale */
	/* A copy of the bytes, when the block checks them. */
	uint8_t *code;
	struct x86_block *hash_next;
	struct x86_page *page[2];
	struct x86_block *page_next[2];
	struct x86_link *incoming;
	struct x86_link outgoing[2];
	/* Of a block to be observed (step.c): the descriptions of its
	 * instructions, and the generation in which it lives. */
	struct x86_inst *inst;
	struct x86_outline *outline; /* NULL: not needed yet */
	struct x86_generation *generation;
	uint64_t rip;
	struct x86_op op[]; /* right behind rip: see x86_op_rip() */
};
_Static_assert(offsetof(struct x86_block, op) ==
	       offsetof(struct x86_block, rip) + sizeof(uint64_t),
	       "x86_op_rip() finds the block's address");

/* The state of decoding. Emulators of one mode and model may share a decoder if
 * one host thread decodes at a time. A shared decoder also remembers decoded blocks of
 * files, so that the C library is decoded once instead of once per process. */
struct x86_decoder {
	unsigned users;
	enum x86_mode mode;
	struct x86_model model;
	ZydisDecoder zydis;
	/* Instruction sets whose opcodes the model does not define. */
	bool refused[ZYDIS_ISA_SET_MAX_VALUE + 1];
	/* Table rows by mnemonic: the first row + 1, and for each row the next
	 * row + 1. */
	uint16_t first_row[ZYDIS_MNEMONIC_MAX_VALUE + 1];
	uint16_t *next_row;
	/* Rows found recently. */
	struct x86_row_cache {
		uint64_t key;
		const struct x86_row *row;
	} row_cache[X86_ROW_CACHE];
	struct x86_fusions *fusions;
	/* Copies of decoded blocks; NULL while the decoder is not shared. */
	struct x86_template *templates;
	size_t template_count;
	struct x86_block_memory *memory;
};

/* Blocks by address. */
struct x86_block_table {
	struct x86_block **bucket;
	size_t count, buckets;
};

/* Blocks to be observed are held by timing models for an unknown time. They
 * live together in one generation, until the emulator has dropped all of them
 * and no holder is left. */
struct x86_generation {
	struct x86_block_memory *memory;
	uint64_t holds; /* holders, the emulator included */
};

struct x86_emulator {
	struct space *space;
	enum x86_mode mode;
	struct x86_model model;
	uint64_t (*random)(void *owner);
	void *random_owner;
	uint64_t random_count;
	uint64_t (*time)(void *owner, const struct x86_cpu *cpu);
	void *time_owner;
	const uint64_t *ldt;
	size_t ldt_count;
	bool segmented; /* blocks are decoded for cpu->segmented */
	struct x86_decoder *decoder;

	struct x86_block_table blocks;
	struct x86_block_memory *block_memory, *step_memory;
	struct x86_page **pages;   /* hash table by number */
	size_t page_count, page_buckets;
	struct x86_jump_entry *jumps; /* 1 << X86_JUMP_BITS, mapped */
	struct x86_emulator_counts counts;
	struct x86_branch_log *log; /* NULL: branches are not told */
	uint64_t *breakpoints; /* sorted addresses */
	size_t breakpoint_count, breakpoint_capacity;
	uint64_t watch_start, watch_end; /* equal: nothing is watched */
	/* The bytes of the instruction to stop at; size 0: none. */
	uint8_t last[15], last_size;
	bool foreign;  /* markers of other simulators are such */

	/* Blocks to be observed. */
	struct x86_block_table observed;
	/* X86_RECENT blocks by address; NULL: not yet used. */
	struct x86_block **recent;
	struct x86_generation *generation;
	uint64_t epoch;            /* number of generations before this one */
	size_t observed_max;       /* most bytes of a generation */
	bool compares;             /* some are compared with memory */
	struct x86_shared_page {   /* of a file, with such code */
		uint64_t device, inode, offset, address;
	} *shared;
	size_t shared_count, shared_capacity;
};
enum { X86_RECENT = 1 << 12 };

static inline struct x86_block *x86_op_block(const struct x86_op *op)
{
	const struct x86_op *first = op - op->position;

	return (struct x86_block *)((uintptr_t)first -
				    offsetof(struct x86_block, op));
}

/* ---- block.c ---- */

void x86_blocks_init(struct x86_emulator *emulator);
void x86_blocks_free(struct x86_emulator *emulator);
/* The decoded block at rip, or NULL when that code is not decoded yet. */
struct x86_block *x86_block_find(struct x86_emulator *emulator, uint64_t rip);
/* x86_block_find() for blocks to be observed. */
struct x86_block *x86_block_find_observed(struct x86_emulator *emulator,
					  uint64_t rip);
/* Enters a freshly decoded block into the tables, which then own it. */
void x86_block_insert(struct x86_emulator *emulator, struct x86_block *block);
/* Links an exit of `from` to `to`. */
void x86_block_link(struct x86_block *from, const struct x86_op **slot,
		    struct x86_block *to);
/* Drop one block, or all blocks that have code in [start, end). */
void x86_block_drop(struct x86_emulator *emulator, struct x86_block *block);
void x86_blocks_drop_range(void *emulator, uint64_t start, uint64_t end);
/* Whether blocks take so much memory that the caller should drop all with
 * x86_blocks_drop_all(). No caller may hold a block at that time. */
bool x86_blocks_full(const struct x86_emulator *emulator);
void x86_blocks_drop_all(struct x86_emulator *emulator);
/* Releases the emulator's hold on the generation in use. All of its blocks must
 * have been dropped. */
void x86_generation_end(struct x86_emulator *emulator);
void x86_generation_release(struct x86_generation *generation);
/* Whether a byte of [address, address + size), at most two pages, has been
 * decoded, at this address or where the same file is mapped, too. */
bool x86_code_in(struct x86_emulator *emulator, uint64_t address, size_t size);
/* The entry of the page that holds an address. The entry is made when there is
 * none. */
struct x86_page *x86_page_get(struct x86_emulator *emulator, uint64_t address);

/* Whether code at an address must be compared each time it executes, because
 * some changes of it are not noticed. */
bool x86_code_unwatched(struct x86_emulator *emulator, uint64_t address);
/* Watches the pages of a block's code from now on, except where the code is
 * compared. */
void x86_watch_code(struct x86_emulator *emulator,
		    const struct x86_block *block);

/* ---- block-memory.c ---- */

/* Memory for blocks, allocated from one piece and freed together. */
struct x86_block_memory *x86_block_memory_create(void);
void x86_block_memory_free(struct x86_block_memory *memory);
void *x86_block_allocate(struct x86_block_memory *memory, size_t size);
/* Bytes allocated since the memory was created or cleared. */
size_t x86_block_memory_used(const struct x86_block_memory *memory);
/* Makes all memory free again. */
void x86_block_memory_clear(struct x86_block_memory *memory);

/* ---- template.c ---- */

/* Makes the decoder remember blocks from now on. */
void x86_templates_init(struct x86_decoder *decoder);
/* Keeps a copy of a newly decoded block if the block depends on nothing but its
 * own bytes and their address. */
void x86_template_keep(struct x86_emulator *emulator,
		       const struct x86_block *block);
/* A block for rip made from a template whose bytes equal those in the space
 * now, or NULL. The block is not in the tables yet. */
struct x86_block *x86_template_find(struct x86_emulator *emulator,
				    uint64_t rip);

/* ---- gate.c ---- */

/* Fills in the table of instruction sets that decoder->model lacks. */
void x86_gates_init(struct x86_decoder *decoder);

/* Whether the model lacks the instruction. */
bool x86_refused(const struct x86_decoder *decoder,
		 const ZydisDecodedInstruction *inst);

/* The feature that a processor needs for one of Zydis' instruction sets. */
enum x86_gate {
	X86_GATE_MISSING, /* no row in isa/gates.def */
	X86_GATE_ALWAYS,
	X86_GATE_NEVER,
	X86_GATE_FEATURE, /* needs *feature */
};
enum x86_gate x86_gate(unsigned set, enum x86_feature *feature);

/* ---- decode.c ---- */

int x86_decoder_init(struct x86_decoder *decoder, struct error *error);

/* Decodes a block of at most `limit` instructions into `memory`. Returns NULL
 * and fills in *fault when not even the first instruction can be fetched. The
 * block is not in the tables yet. With `checked` the block compares its bytes
 * with memory each time it is entered. */
struct x86_block *x86_decode(struct x86_emulator *emulator,
			     struct x86_block_memory *memory, uint64_t rip,
			     unsigned limit, bool checked,
			     struct x86_fault *fault);

/* Decodes a block to be observed, with descriptions and observed handlers. */
struct x86_block *x86_decode_observed(struct x86_emulator *emulator,
				      struct x86_block_memory *memory,
				      uint64_t rip, bool checked,
				      struct x86_fault *fault);

/* The handler of an instruction, without the special ones for conditions. It is
 * x86_op_unsupported when no row fits, and x86_op_undefined when the model
 * lacks the instruction. */
x86_handler *x86_handler_of(const struct x86_decoder *decoder,
			    const ZydisDecodedInstruction *inst,
			    const ZydisDecodedOperand *operand);
/* The number of rows of a mnemonic, without the special ones for conditions. */
unsigned x86_row_count(ZydisMnemonic mnemonic);

/* Handlers that no table names. */
X86_OP(address);
X86_OP(address_in_segment);
X86_OP(check);
X86_OP(fallthrough);
X86_OP(empty_jump);
X86_OP(marker);
X86_OP(unsupported);
X86_OP(undefined);
X86_OP(too_long);

/* ---- breakpoint.c ---- */

X86_OP(breakpoint);
X86_OP(last_instruction);
X86_OP(watch_operand);
X86_OP(watch_instruction);

/* ---- Zydis' names ---- */

/* A segment register's number; that of DS for no segment register. */
static inline uint8_t x86_segment_of(ZydisRegister reg)
{
	switch (reg) {
	case ZYDIS_REGISTER_ES:
		return X86_ES;
	case ZYDIS_REGISTER_CS:
		return X86_CS;
	case ZYDIS_REGISTER_SS:
		return X86_SS;
	case ZYDIS_REGISTER_FS:
		return X86_FS;
	case ZYDIS_REGISTER_GS:
		return X86_GS;
	default:
		return X86_DS;
	}
}

#endif
