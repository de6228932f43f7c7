/* From guest bytes to blocks of ops: Zydis decodes, the tables choose the
 * handlers. */
#include <string.h>

#include "x86/emu/decode/describe.h"
#include "x86/emu/decode/foreign.h"
#include "x86/emu/flags.h"

X86_OP_OBSERVED(nop);

/* The marker of m2s.h: nopl disp32(%rax) (in 32-bit code %eax), without
 * prefixes, whose displacement is the letters m2s and a code. */
static bool is_marker(const struct x86_decoding *d)
{
	return d->inst.mnemonic == ZYDIS_MNEMONIC_NOP && d->inst.length == 7 &&
	       d->inst.opcode == 0x1f && d->inst.raw.modrm.mod == 2 &&
	       d->inst.raw.modrm.reg == 0 && d->inst.raw.modrm.rm == 0 &&
	       (d->inst.raw.disp.value & 0xffffff) ==
		       ('m' | '2' << 8 | 's' << 16);
}

static void track_flags(struct x86_builder *b, const struct x86_decoding *d,
			const struct x86_row *row)
{
	const ZydisAccessedFlags *flags = d->inst.cpu_flags;
	unsigned known = row->attributes &
			 (X86_ROW_SUB | X86_ROW_LOGIC | X86_ROW_RESULT);

	if (known)
		b->flags = known;
	else if (flags && ((flags->modified | flags->set_0 | flags->set_1 |
			    flags->undefined) & X86_ARITHMETIC))
		b->flags = 0;
}

/* Makes a block that only faults. */
static void refuse(struct x86_inst *inst)
{
	*inst = (struct x86_inst){
		.address = inst->address, .length = inst->length,
		.mnemonic = inst->mnemonic, .row = X86_NO_ROW,
		.class = X86_CLASS_SYSTEM, .traits = X86_UNKNOWN,
	};
}

static void add_instruction(const struct x86_emulator *emulator,
			    struct x86_builder *b, struct x86_decoding *d,
			    uint64_t rip)
{
	uint64_t next = rip + d->inst.length;
	bool mode64 = emulator->mode == X86_MODE_64;
	const struct x86_row *row;
	struct x86_op *op;

	x86_set_shapes(d);
	if (b->inst)
		x86_describe(&b->inst[b->instructions], d, rip, mode64);
	if (x86_refused(emulator->decoder, &d->inst)) {
		if (b->inst)
			refuse(&b->inst[b->instructions]);
		x86_new_op(b, x86_op_undefined, d->inst.length);
		b->bytes += d->inst.length;
		b->instructions++;
		b->ended = true;
		return;
	}
	if (x86_does_nothing(d)) {
		if (b->inst)
			x86_new_op(b, x86_observed_nop, d->inst.length);
		if (d->foreign || is_marker(d)) {
			b->count -= b->inst != NULL;
			op = x86_new_op(b, x86_op_marker, d->inst.length);
			op->imm = d->foreign ? (int32_t)d->foreign
					     : (int32_t)(d->inst.raw.disp.value
							 >> 24 & 0xff);
			b->ended = true;
			if (b->inst)
				b->inst[b->instructions].traits |= X86_MARKED;
		}
		b->bytes += d->inst.length;
		b->instructions++;
		return;
	}
	row = x86_find_row(emulator->decoder, d, b->flags);
	if (!row) {
		x86_new_op(b, x86_op_unsupported, d->inst.length);
		b->ended = true;
		if (b->inst)
			refuse(&b->inst[b->instructions]);
	} else {
		op = x86_new_op(b, b->inst ? row->observed : row->handler,
				d->inst.length);
		if (b->inst) /* without short cuts */
			b->inst[b->instructions].row = x86_row_number(
				x86_find_row(emulator->decoder, d, 0));
		b->count += x86_set_operands(op, d, next, mode64);
		b->ended = row->attributes & X86_ROW_END;
		if (b->ended)
			b->branch = (uint8_t)x86_describe_branch(d);
		track_flags(b, d, row);
	}
	for (unsigned i = 0; i < d->visible; i++)
		if (d->shape[i] == OPERAND_J) {
			b->target = next + d->operand[i].imm.value.u;
			if (!mode64)
				b->target = (uint32_t)b->target;
			/* In 32-bit code, a 16-bit branch drops the upper half
			 * of the target. */
			if (!mode64 && d->inst.operand_width == 16)
				b->target = (uint16_t)b->target;
		}
	b->bytes += d->inst.length;
	b->instructions++;
}

static bool writes_memory(const struct x86_decoding *d)
{
	for (unsigned i = 0; i < d->inst.operand_count; i++)
		if (d->operand[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    d->operand[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			return true;
	return false;
}

static void fetch_fault(const struct x86_emulator *emulator, uint64_t address,
			struct x86_fault *fault)
{
	const struct space_region *mapped =
		space_region_at(emulator->space, address);
	/* Linux reports the kernel's half of the address space as mapped. */
	bool present = (mapped && mapped->protection) || address >> 47;

	*fault = (struct x86_fault){
		.signal = SIGSEGV, .address = address, .vector = 14,
		.code = mapped ? SEGV_ACCERR : SEGV_MAPERR,
		.error_code = (uint16_t)(4 | 16 | (present ? 1 : 0)),
	};
	/* A non-canonical address is a general protection fault. */
	if ((address + (1ull << 47)) >> 48) {
		fault->code = SI_KERNEL;
		fault->address = 0;
		fault->vector = 13;
		fault->error_code = 0;
	}
}

/* Copies executable bytes from rip on, at most `size`. Of the next page, copies
 * at most the rest of one instruction. */
static size_t fetch(const struct x86_emulator *emulator, uint64_t rip,
		    uint8_t *code, size_t size, struct x86_fault *fault)
{
	size_t here = SPACE_PAGE - rip % SPACE_PAGE, length;

	if (!space_check(emulator->space, rip, 1, SPACE_EXECUTE)) {
		fetch_fault(emulator, rip, fault);
		return 0;
	}
	length = here < size ? here : size;
	if (length == here && here + 15 <= size &&
	    space_check(emulator->space, rip + here, 1, SPACE_EXECUTE))
		length += 15;
	if (space_read(emulator->space, rip, code, length) == 0)
		return length;
	/* A file may end before its mapping. */
	if (length > here &&
	    space_read(emulator->space, rip, code, here) == 0)
		return here;
	*fault = (struct x86_fault){
		.signal = SIGBUS, .code = BUS_ADRERR, .address = rip,
		.vector = 14, .error_code = 4 | 16,
	};
	return 0;
}

/* Gives a block its descriptions, and these their ops. */
static void keep_descriptions(struct x86_block *block,
			      struct x86_block_memory *memory,
			      const struct x86_builder *b)
{
	const struct x86_op *op = block->op;
	struct x86_inst *inst = x86_block_allocate(
		memory, b->instructions * sizeof *inst);

	memcpy(inst, b->inst, b->instructions * sizeof *inst);
	for (unsigned i = 0; i < b->instructions; i++) {
		while (op->offset != inst[i].address - block->rip)
			op++;
		inst[i].op = op;
	}
	inst[b->instructions - 1].traits |= X86_LAST;
	block->inst = inst;
}

static struct x86_block *finish(const struct x86_emulator *emulator,
				struct x86_block_memory *memory,
				struct x86_builder *b, uint64_t rip,
				const uint8_t *code, bool checked)
{
	struct x86_block *block;
	struct x86_exit *exit;

	if (!b->ended) {
		struct x86_op *op = x86_new_op(b, x86_op_fallthrough, 0);

		/* The op is no instruction, so it must not count. */
		op->count = (uint8_t)(b->instructions - 1);
	}
	block = x86_block_allocate(memory, sizeof *block +
				   (b->count + 1) * sizeof block->op[0]);
	*block = (struct x86_block){ .rip = rip };
	memcpy(block->op, b->op, b->count * sizeof block->op[0]);
	if (!b->inst)
		x86_fuse(emulator->decoder->fusions, block->op, b->count);
	exit = (void *)(block->op + b->count);
	*exit = (struct x86_exit){
		.address = { b->target, rip + b->bytes },
	};
	block->open = b->open;
	block->branch = b->branch;
	block->bytes = (uint16_t)b->bytes;
	block->op_count = (uint16_t)(b->count + 1);
	block->instructions = (uint16_t)b->instructions;
	block->pages = b->bytes && (rip + b->bytes - 1) / SPACE_PAGE !=
					   rip / SPACE_PAGE ? 2 : 1;
	if (checked) {
		block->code = x86_block_allocate(memory, b->bytes);
		memcpy(block->code, code, b->bytes);
	}
	if (b->inst)
		keep_descriptions(block, memory, b);
	return block;
}

/* A block that only stops the run. */
static void add_stop(struct x86_builder *b, x86_handler *handler)
{
	x86_new_op(b, handler, 0);
	b->bytes = 1;
	b->ended = true;
}

static bool is_last(const struct x86_emulator *emulator, const uint8_t *code,
		    size_t size)
{
	return emulator->last_size == size && size &&
	       !memcmp(emulator->last, code, size);
}

static ZyanStatus decode_one(const struct x86_emulator *emulator,
			     const uint8_t *code, size_t size, bool hidden,
			     struct x86_decoding *d)
{
	const ZydisDecoder *zydis = &emulator->decoder->zydis;
	ZydisDecoderContext context;
	ZyanStatus status;

	d->segmented = emulator->segmented;
	d->foreign = FOREIGN_NONE;
	if (emulator->foreign) {
		unsigned length;

		d->foreign = x86_foreign_marker(
			code, size, emulator->mode == X86_MODE_64, &length);
		if (d->foreign) {
			code = x86_foreign_nop(length);
			size = length;
		}
	}
	status = ZydisDecoderDecodeInstruction(
		zydis, &context, code, size, &d->inst);
	if (!ZYAN_SUCCESS(status))
		return status;
	/* Decoding the hidden operands takes as long as the others, and few
	 * instructions need them. */
	hidden = hidden || d->inst.mnemonic == ZYDIS_MNEMONIC_MASKMOVQ ||
		 d->inst.mnemonic == ZYDIS_MNEMONIC_MASKMOVDQU ||
		 d->inst.mnemonic == ZYDIS_MNEMONIC_VMASKMOVDQU;
	return ZydisDecoderDecodeOperands(
		zydis, &context, &d->inst, d->operand,
		hidden ? d->inst.operand_count :
			 d->inst.operand_count_visible);
}

/* With `inst`, which has room for the descriptions, decodes an observed
 * block. */
static struct x86_block *decode(struct x86_emulator *emulator,
				struct x86_block_memory *memory, uint64_t rip,
				unsigned limit, bool checked,
				struct x86_inst *inst, struct x86_fault *fault)
{
	/* Room for most blocks, and for the longest block. */
	enum { SOME = 96, ALL = X86_BLOCK_INSTRUCTIONS * 15 + 15 };
	uint8_t code[ALL];
	size_t wanted = limit == 1 ? 15 : SOME;
	size_t available = fetch(emulator, rip, code, wanted, fault);
	size_t in_page = SPACE_PAGE - rip % SPACE_PAGE;
	bool watching = limit > 1 && !inst &&
			emulator->watch_start != emulator->watch_end;
	struct x86_builder b;
	struct x86_decoding d;

	/* Blocks of one instruction are not instrumented: their caller checks
	 * the watched addresses. */
	if (watching)
		limit /= 2; /* their ops need room */
	b.count = b.instructions = b.bytes = b.flags = 0;
	b.ended = b.open = false;
	b.target = 0;
	b.branch = X86_BRANCH_NONE;
	b.inst = inst;
	if (!available)
		return NULL;
	if (checked && !inst)
		x86_new_op(&b, x86_op_check, 0);
	while (!b.ended && b.instructions < limit && b.bytes < in_page &&
	       b.bytes < available) {
		ZyanStatus status;

		if (limit > 1 && !inst && emulator->breakpoint_count &&
		    x86_breakpoint_at(emulator, rip + b.bytes)) {
			if (!b.instructions)
				add_stop(&b, x86_op_breakpoint);
			break;
		}
		if (available - b.bytes < 15 && wanted != ALL) {
			wanted = ALL;
			available = fetch(emulator, rip, code, ALL, fault);
			if (available <= b.bytes)
				return NULL;
		}
		status = decode_one(emulator, code + b.bytes,
				    available - b.bytes,
				    checked || watching || inst, &d);
		if (ZYAN_SUCCESS(status)) {
			if (!inst &&
			    is_last(emulator, code + b.bytes, d.inst.length)) {
				if (!b.instructions)
					add_stop(&b, x86_op_last_instruction);
				break;
			}
			if (watching)
				x86_add_watch(emulator, &b, &d, rip + b.bytes);
			add_instruction(emulator, &b, &d, rip + b.bytes);
			if (checked && writes_memory(&d))
				break;
			continue;
		}
		b.open = true;
		if (b.instructions) /* decoded again as a first instruction */
			break;
		if (status == ZYDIS_STATUS_NO_MORE_DATA && available < 15) {
			fetch_fault(emulator, rip + available, fault);
			return NULL;
		}
		x86_new_op(&b,
			   status == ZYDIS_STATUS_INSTRUCTION_TOO_LONG
			       ? x86_op_too_long
			       : x86_op_undefined,
			   1);
		if (inst) {
			*inst = (struct x86_inst){ .address = rip,
						   .length = 1 };
			refuse(inst);
		}
		b.bytes = 1;
		b.instructions = 1;
		b.ended = true;
	}
	return finish(emulator, memory, &b, rip, code, checked);
}

struct x86_block *x86_decode(struct x86_emulator *emulator,
			     struct x86_block_memory *memory, uint64_t rip,
			     unsigned limit, bool checked,
			     struct x86_fault *fault)
{
	return decode(emulator, memory, rip, limit, checked, NULL, fault);
}

struct x86_block *x86_decode_observed(struct x86_emulator *emulator,
				      struct x86_block_memory *memory,
				      uint64_t rip, bool checked,
				      struct x86_fault *fault)
{
	struct x86_inst inst[X86_BLOCK_INSTRUCTIONS];

	return decode(emulator, memory, rip, X86_BLOCK_INSTRUCTIONS, checked,
		      inst, fault);
}
