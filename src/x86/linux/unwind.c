/* DWARF call frame information (DWARF 5, section 6.4; for .eh_frame and its
 * header: Linux Standard Base, core, chapter 10.6). */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/linux/process.h"
#include "x86/linux/unwind.h"

enum {
	REGISTERS = 17,        /* in DWARF numbers, with the return address */
	ENTRY_MAX = 65536,     /* bytes of a CIE or FDE */
	EXPRESSION_STACK = 32,
	EXPRESSION_STEPS = 1000,
	STATES = 8,            /* of DW_CFA_remember_state */
};

/* Pointer encodings. */
enum {
	ENCODE_ABSOLUTE = 0x00, ENCODE_ULEB = 0x01, ENCODE_U16 = 0x02,
	ENCODE_U32 = 0x03, ENCODE_U64 = 0x04, ENCODE_SLEB = 0x09,
	ENCODE_S16 = 0x0a, ENCODE_S32 = 0x0b, ENCODE_S64 = 0x0c,
	ENCODE_RELATIVE = 0x10, /* to the pointer's own place */
	ENCODE_INDIRECT = 0x80, ENCODE_OMIT = 0xff,
	ENCODE_TABLE = 0x3b,    /* s32, relative to the header */
};

struct machine {
	const struct space *space;
	bool wide;
	unsigned word;          /* bytes */
	unsigned sp, bp, ra;    /* DWARF numbers */
	uint64_t reg[REGISTERS];
};

/* ---- Bytes of an entry, copied from the guest ---- */

struct reader {
	const uint8_t *at, *end;
	uint64_t address;       /* guest address of `end` */
	bool failed;
};

static uint64_t place(const struct reader *reader)
{
	return reader->address - (uint64_t)(reader->end - reader->at);
}

static uint64_t get(struct reader *reader, unsigned size)
{
	uint64_t value = 0;

	if ((size_t)(reader->end - reader->at) < size) {
		reader->failed = true;
		reader->at = reader->end;
		return 0;
	}
	memcpy(&value, reader->at, size);
	reader->at += size;
	return value;
}

static int64_t get_signed(struct reader *reader, unsigned size)
{
	unsigned shift = 64 - 8 * size;

	return (int64_t)(get(reader, size) << shift) >> shift;
}

static uint64_t get_uleb(struct reader *reader)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;

	do {
		byte = get(reader, 1);
		if (shift < 64)
			value |= (byte & 127) << shift;
		shift += 7;
	} while (byte & 128 && !reader->failed);
	return value;
}

static int64_t get_sleb(struct reader *reader)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;

	do {
		byte = get(reader, 1);
		if (shift < 64)
			value |= (byte & 127) << shift;
		shift += 7;
	} while (byte & 128 && !reader->failed);
	if (byte & 64 && shift < 64)
		value |= UINT64_MAX << shift;
	return (int64_t)value;
}

static uint64_t get_pointer(struct reader *reader, uint8_t encoding,
			    const struct machine *machine)
{
	uint64_t base = encoding & ENCODE_RELATIVE ? place(reader) : 0;
	uint64_t value;

	switch (encoding & 15) {
	case ENCODE_ABSOLUTE:
		value = get(reader, machine->word);
		break;
	case ENCODE_ULEB:
		value = get_uleb(reader);
		break;
	case ENCODE_U16:
		value = get(reader, 2);
		break;
	case ENCODE_U32:
		value = get(reader, 4);
		break;
	case ENCODE_SLEB:
		value = (uint64_t)get_sleb(reader);
		break;
	case ENCODE_S16:
		value = (uint64_t)get_signed(reader, 2);
		break;
	case ENCODE_S32:
		value = (uint64_t)get_signed(reader, 4);
		break;
	case ENCODE_U64:
	case ENCODE_S64:
		value = get(reader, 8);
		break;
	default:
		reader->failed = true;
		return 0;
	}
	/* Nothing that is needed here is relative to something else, or
	 * indirect. */
	if (encoding & 0x60)
		reader->failed = true;
	value += base;
	return machine->wide ? value : (uint32_t)value;
}

static uint64_t load(const struct machine *machine, uint64_t address,
		     unsigned size, bool *failed)
{
	uint64_t value = 0;

	if (space_read(machine->space, address, &value, size))
		*failed = true;
	return value;
}

/* ---- Expressions ---- */

static void binary(uint64_t *a, uint64_t b, uint8_t op, bool *failed)
{
	switch (op) {
	case 0x1a: *a &= b; break;                        /* and */
	case 0x1c: *a -= b; break;                        /* minus */
	case 0x1e: *a *= b; break;                        /* mul */
	case 0x21: *a |= b; break;                        /* or */
	case 0x22: *a += b; break;                        /* plus */
	case 0x24: *a = b < 64 ? *a << b : 0; break;      /* shl */
	case 0x25: *a = b < 64 ? *a >> b : 0; break;      /* shr */
	case 0x26:                                        /* shra */
		*a = (uint64_t)((int64_t)*a >> (b < 64 ? b : 63));
		break;
	case 0x27: *a ^= b; break;                        /* xor */
	case 0x29: *a = *a == b; break;
	case 0x2a: *a = (int64_t)*a >= (int64_t)b; break;
	case 0x2b: *a = (int64_t)*a > (int64_t)b; break;
	case 0x2c: *a = (int64_t)*a <= (int64_t)b; break;
	case 0x2d: *a = (int64_t)*a < (int64_t)b; break;
	case 0x2e: *a = *a != b; break;
	default: *failed = true;
	}
}

/* What an operation pushes, if it only pushes: true. */
static bool pushes(struct reader *reader, uint8_t op,
		   const struct machine *machine, uint64_t *value)
{
	static const uint8_t sizes[] = { 1, 1, 2, 2, 4, 4, 8, 8 };

	if (op >= 0x30 && op <= 0x4f) {           /* lit */
		*value = op - 0x30u;
	} else if (op >= 0x50 && op <= 0x6f) {    /* reg */
		reader->failed = true;
	} else if (op >= 0x70 && op <= 0x8f) {    /* breg */
		*value = (uint64_t)get_sleb(reader);
		if (op - 0x70u >= REGISTERS)
			reader->failed = true;
		else
			*value += machine->reg[op - 0x70];
	} else if (op >= 0x08 && op <= 0x0f) {    /* const1u ... const8s */
		unsigned size = sizes[op - 0x08];

		*value = op & 1 ? (uint64_t)get_signed(reader, size)
				: get(reader, size);
	} else if (op == 0x03) {                  /* addr */
		*value = get(reader, machine->word);
	} else if (op == 0x10) {
		*value = get_uleb(reader);
	} else if (op == 0x11) {
		*value = (uint64_t)get_sleb(reader);
	} else {
		return false;
	}
	return true;
}

/* The value of an expression, on a stack that begins with `first`. */
static uint64_t evaluate(struct reader expression,
			 const struct machine *machine, uint64_t first,
			 bool *failed)
{
	uint64_t stack[EXPRESSION_STACK] = { first }, value = 0;
	struct reader *reader = &expression;
	unsigned depth = 1;

	for (int steps = 0; reader->at < reader->end && !*failed; steps++) {
		uint8_t op = (uint8_t)get(reader, 1);

		if (steps == EXPRESSION_STEPS ||
		    depth >= EXPRESSION_STACK - 1 || depth == 0) {
			*failed = true;
		} else if (pushes(reader, op, machine, &value)) {
			stack[depth++] = value;
		} else if (op == 0x06) { /* deref */
			stack[depth - 1] = load(machine, stack[depth - 1],
						machine->word, failed);
		} else if (op == 0x12) { /* dup */
			stack[depth] = stack[depth - 1];
			depth++;
		} else if (op == 0x13) { /* drop */
			depth--;
		} else if (op == 0x23) { /* plus_uconst */
			stack[depth - 1] += get_uleb(reader);
		} else if (op == 0x96) { /* nop */
			continue;
		} else if (depth < 2) {
			*failed = true;
		} else {
			depth--;
			binary(&stack[depth - 1], stack[depth], op, failed);
		}
		*failed |= reader->failed;
	}
	if (!depth)
		*failed = true;
	return *failed ? 0 : stack[depth - 1];
}

/* ---- Rules ---- */

enum rule_kind {
	RULE_SAME, RULE_UNDEFINED, RULE_OFFSET, RULE_VALUE_OFFSET,
	RULE_REGISTER, RULE_EXPRESSION, RULE_VALUE_EXPRESSION,
};

struct rule {
	enum rule_kind kind;
	int64_t value;          /* offset or register */
	struct reader expression;
};

struct rules {
	unsigned cfa_register;
	int64_t cfa_offset;
	bool cfa_is_expression;
	struct reader cfa_expression;
	struct rule reg[REGISTERS];
};

struct entry {
	uint64_t code_align;
	int64_t data_align;
	uint8_t encoding;       /* of addresses */
	bool augmented, signal;
	uint64_t start, size;   /* code that it is about */
	struct reader initial, own; /* instructions */
};

static struct reader take_block(struct reader *reader)
{
	uint64_t size = get_uleb(reader);
	struct reader block = *reader;

	if (size > (uint64_t)(reader->end - reader->at)) {
		reader->failed = true;
		size = 0;
	}
	block.end = block.at + size;
	block.address = place(reader) + size;
	reader->at += size;
	return block;
}

static void set_rule(struct rules *rules, uint64_t reg, enum rule_kind kind,
		     int64_t value)
{
	if (reg < REGISTERS)
		rules->reg[reg] = (struct rule){ .kind = kind,
						 .value = value };
}

/* The two low bits of a byte choose what the rest is about. */
static void short_instruction(struct reader *reader, struct rules *rules,
			      const struct rules *initial,
			      const struct entry *entry, uint8_t op,
			      uint64_t *location)
{
	unsigned low = op & 63;

	switch (op >> 6) {
	case 1:
		*location += low * entry->code_align;
		break;
	case 2:
		set_rule(rules, low, RULE_OFFSET,
			 (int64_t)get_uleb(reader) * entry->data_align);
		break;
	case 3:
		if (low < REGISTERS)
			rules->reg[low] = initial->reg[low];
		break;
	}
}

struct remembered {
	struct rules state[STATES];
	unsigned count;
};

/* One instruction. */
static void instruction(struct reader *reader, struct rules *rules,
			const struct rules *initial,
			struct remembered *remembered,
			const struct entry *entry,
			const struct machine *machine, uint64_t *location)
{
	uint8_t op = (uint8_t)get(reader, 1);
	int64_t factor = entry->data_align;
	uint64_t reg;

	if (op >> 6) {
		short_instruction(reader, rules, initial, entry, op, location);
		return;
	}
	switch (op) {
	case 0x00: /* nop */
		break;
	case 0x01: /* set_loc */
		*location = get_pointer(reader, entry->encoding, machine);
		break;
	case 0x02: /* advance_loc1, 2, 4 */
		*location += get(reader, 1) * entry->code_align;
		break;
	case 0x03:
		*location += get(reader, 2) * entry->code_align;
		break;
	case 0x04:
		*location += get(reader, 4) * entry->code_align;
		break;
	case 0x05: /* offset_extended */
		reg = get_uleb(reader);
		set_rule(rules, reg, RULE_OFFSET,
			 (int64_t)get_uleb(reader) * factor);
		break;
	case 0x06: /* restore_extended */
		reg = get_uleb(reader);
		if (reg < REGISTERS)
			rules->reg[reg] = initial->reg[reg];
		break;
	case 0x07:
		set_rule(rules, get_uleb(reader), RULE_UNDEFINED, 0);
		break;
	case 0x08:
		set_rule(rules, get_uleb(reader), RULE_SAME, 0);
		break;
	case 0x09: /* register */
		reg = get_uleb(reader);
		set_rule(rules, reg, RULE_REGISTER,
			 (int64_t)get_uleb(reader));
		break;
	case 0x0a: /* remember_state */
		if (remembered->count == STATES)
			reader->failed = true;
		else
			remembered->state[remembered->count++] = *rules;
		break;
	case 0x0b:
		if (!remembered->count)
			reader->failed = true;
		else
			*rules = remembered->state[--remembered->count];
		break;
	case 0x0c: /* def_cfa */
	case 0x12: /* def_cfa_sf */
		rules->cfa_is_expression = false;
		rules->cfa_register = (unsigned)get_uleb(reader);
		rules->cfa_offset = op == 0x0c ? (int64_t)get_uleb(reader)
					       : get_sleb(reader) * factor;
		break;
	case 0x0d: /* def_cfa_register */
		rules->cfa_is_expression = false;
		rules->cfa_register = (unsigned)get_uleb(reader);
		break;
	case 0x0e:
		rules->cfa_offset = (int64_t)get_uleb(reader);
		break;
	case 0x13:
		rules->cfa_offset = get_sleb(reader) * factor;
		break;
	case 0x0f: /* def_cfa_expression */
		rules->cfa_is_expression = true;
		rules->cfa_expression = take_block(reader);
		break;
	case 0x10: /* expression */
	case 0x16: /* val_expression */
		reg = get_uleb(reader);
		set_rule(rules, reg,
			 op == 0x10 ? RULE_EXPRESSION : RULE_VALUE_EXPRESSION,
			 0);
		if (reg < REGISTERS)
			rules->reg[reg].expression = take_block(reader);
		else
			take_block(reader);
		break;
	case 0x11: /* offset_extended_sf */
		reg = get_uleb(reader);
		set_rule(rules, reg, RULE_OFFSET, get_sleb(reader) * factor);
		break;
	case 0x14: /* val_offset, val_offset_sf */
		reg = get_uleb(reader);
		set_rule(rules, reg, RULE_VALUE_OFFSET,
			 (int64_t)get_uleb(reader) * factor);
		break;
	case 0x15:
		reg = get_uleb(reader);
		set_rule(rules, reg, RULE_VALUE_OFFSET,
			 get_sleb(reader) * factor);
		break;
	case 0x2e: /* GNU_args_size */
		get_uleb(reader);
		break;
	default:
		reader->failed = true;
	}
}

/* The rules at an address of the entry's code; false: malformed. */
static bool find_rules(const struct entry *entry,
		       const struct machine *machine, uint64_t address,
		       struct rules *rules)
{
	struct remembered remembered = { .count = 0 };
	struct reader reader = entry->initial;
	struct rules initial;
	uint64_t location = entry->start;

	memset(rules, 0, sizeof *rules);
	memset(&initial, 0, sizeof initial);
	while (reader.at < reader.end && !reader.failed)
		instruction(&reader, rules, &initial, &remembered, entry,
			    machine, &location);
	if (reader.failed)
		return false;
	initial = *rules;
	reader = entry->own;
	for (location = entry->start; reader.at < reader.end &&
				      !reader.failed;) {
		/* What comes behind the address does not hold yet. */
		struct rules before = *rules;

		instruction(&reader, rules, &initial, &remembered, entry,
			    machine, &location);
		if (location > address) {
			*rules = before;
			break;
		}
	}
	return !reader.failed;
}

/* ---- Finding the entry ---- */

/* Copies the CIE or FDE at an address into `bytes`; the reader stands behind
 * its length. */
static bool read_entry(const struct machine *machine, uint64_t address,
		       uint8_t *bytes, struct reader *reader)
{
	uint32_t size;

	if (space_read(machine->space, address, &size, sizeof size) ||
	    size < 4 || size > ENTRY_MAX || /* 64-bit DWARF has 0xffffffff */
	    space_read(machine->space, address + 4, bytes, size))
		return false;
	*reader = (struct reader){ bytes, bytes + size, address + 4 + size,
				   false };
	return true;
}

static bool read_cie(struct reader *reader, const struct machine *machine,
		     struct entry *entry)
{
	const char *augmentation;
	uint8_t version;
	struct reader data;

	if (get(reader, 4) != 0) /* the mark of a CIE */
		return false;
	version = (uint8_t)get(reader, 1);
	augmentation = (const char *)reader->at;
	while (get(reader, 1) && !reader->failed)
		;
	if (reader->failed || (version != 1 && version != 3))
		return false;
	entry->code_align = get_uleb(reader);
	entry->data_align = get_sleb(reader);
	if ((version == 1 ? get(reader, 1) : get_uleb(reader)) != machine->ra)
		return false;
	entry->augmented = *augmentation == 'z';
	if (!entry->augmented && *augmentation)
		return false;
	if (entry->augmented) {
		data = take_block(reader);
		for (augmentation++; *augmentation; augmentation++) {
			uint8_t encoding;

			if (*augmentation == 'R') {
				entry->encoding = (uint8_t)get(&data, 1);
			} else if (*augmentation == 'P') {
				encoding = (uint8_t)get(&data, 1);
				get_pointer(&data, encoding &
					    (uint8_t)~ENCODE_INDIRECT,
					    machine);
			} else if (*augmentation == 'L') {
				get(&data, 1);
			} else if (*augmentation == 'S') {
				entry->signal = true;
			} else {
				break;
			}
		}
		if (data.failed)
			return false;
	}
	entry->initial = *reader;
	return !reader->failed;
}

/* Two buffers, for the CIE and the FDE, of ENTRY_MAX bytes. */
static bool read_fde(const struct machine *machine, uint64_t address,
		     uint8_t *bytes, struct entry *entry)
{
	struct reader fde, cie;
	uint64_t back;

	memset(entry, 0, sizeof *entry);
	if (!read_entry(machine, address, bytes, &fde))
		return false;
	back = get(&fde, 4);
	if (!read_entry(machine, address + 4 - back, bytes + ENTRY_MAX,
			&cie) ||
	    !read_cie(&cie, machine, entry))
		return false;
	entry->start = get_pointer(&fde, entry->encoding, machine);
	entry->size = get_pointer(&fde, entry->encoding & 15, machine);
	if (entry->augmented)
		take_block(&fde);
	entry->own = fde;
	return !fde.failed;
}

/* Address of the FDE for a code address, from the sorted table of an
 * .eh_frame_hdr; 0: none. */
static uint64_t search_table(const struct machine *machine, uint64_t header,
			     uint64_t address)
{
	uint8_t start[4];
	uint8_t pointers[16] = { 0 };
	struct reader reader;
	uint64_t count, table, low = 0, high;
	int32_t pair[2];

	if (space_read(machine->space, header, start, sizeof start) ||
	    space_read(machine->space, header + 4, pointers,
		       sizeof pointers) ||
	    start[0] != 1 || start[3] != ENCODE_TABLE)
		return 0;
	reader = (struct reader){ pointers, pointers + sizeof pointers,
				  header + 4 + sizeof pointers, false };
	get_pointer(&reader, start[1], machine);
	count = get_pointer(&reader, start[2], machine);
	if (reader.failed)
		return 0;
	table = place(&reader);
	/* The last entry that begins at or below the address. */
	high = count;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (space_read(machine->space, table + 8 * middle, pair,
			       sizeof pair))
			return 0;
		if (header + (uint64_t)(int64_t)pair[0] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || space_read(machine->space, table + 8 * (low - 1), pair,
			       sizeof pair))
		return 0;
	return header + (uint64_t)(int64_t)pair[1];
}

/* ---- Stepping out of a frame ---- */

static bool apply(struct machine *machine, const struct rules *rules)
{
	uint64_t old[REGISTERS], cfa;
	bool failed = false;

	if (rules->cfa_is_expression) {
		cfa = evaluate(rules->cfa_expression, machine, 0, &failed);
	} else {
		if (rules->cfa_register >= REGISTERS)
			return false;
		cfa = machine->reg[rules->cfa_register] +
		      (uint64_t)rules->cfa_offset;
	}
	if (rules->reg[machine->ra].kind == RULE_UNDEFINED ||
	    rules->reg[machine->ra].kind == RULE_SAME)
		return false; /* the outermost frame */
	memcpy(old, machine->reg, sizeof old);
	for (unsigned i = 0; i < REGISTERS && !failed; i++) {
		const struct rule *rule = &rules->reg[i];
		struct machine before = *machine;

		memcpy(before.reg, old, sizeof old);
		switch (rule->kind) {
		case RULE_SAME:
		case RULE_UNDEFINED:
			break;
		case RULE_OFFSET:
			machine->reg[i] = load(machine,
					       cfa + (uint64_t)rule->value,
					       machine->word, &failed);
			break;
		case RULE_VALUE_OFFSET:
			machine->reg[i] = cfa + (uint64_t)rule->value;
			break;
		case RULE_REGISTER:
			if ((uint64_t)rule->value >= REGISTERS)
				return false;
			machine->reg[i] = old[rule->value];
			break;
		case RULE_EXPRESSION:
			machine->reg[i] = load(
				machine,
				evaluate(rule->expression, &before, cfa,
					 &failed),
				machine->word, &failed);
			break;
		case RULE_VALUE_EXPRESSION:
			machine->reg[i] = evaluate(rule->expression, &before,
						   cfa, &failed);
			break;
		}
	}
	if (rules->reg[machine->sp].kind == RULE_SAME)
		machine->reg[machine->sp] = cfa;
	return !failed;
}

static bool step_by_pointer(struct machine *machine)
{
	uint64_t frame = machine->reg[machine->bp], next, from;
	bool failed = false;

	if (frame % machine->word || frame < machine->reg[machine->sp])
		return false;
	next = load(machine, frame, machine->word, &failed);
	from = load(machine, frame + machine->word, machine->word, &failed);
	if (failed || next <= frame)
		return false;
	machine->reg[machine->sp] = frame + 2 * machine->word;
	machine->reg[machine->bp] = next;
	machine->reg[machine->ra] = from;
	return true;
}

/* The code that a handler returns to, which makes the system call that takes
 * the frame away; i386 libraries have no information about it. On the stack
 * is what frame.c put there. */
static bool step_by_signal(struct machine *machine)
{
	static const uint8_t code64[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f,
					  0x05 };
	static const uint8_t code32[] = { 0x58, 0xb8, 119, 0, 0, 0, 0xcd,
					  0x80 };
	static const uint8_t code32_rt[] = { 0xb8, 173, 0, 0, 0, 0xcd, 0x80 };
	/* Words of struct sigcontext by DWARF number. */
	static const uint8_t order64[REGISTERS] = {
		13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7, 16
	};
	static const uint8_t order32[REGISTERS] = {
		11, 10, 9, 8, 7, 6, 5, 4, 14
	};
	uint64_t rip = machine->reg[machine->ra];
	uint64_t at = machine->reg[machine->sp];
	uint8_t code[9] = { 0 };
	bool failed = false;

	if (space_read(machine->space, rip, code, sizeof code))
		return false;
	if (machine->wide && !memcmp(code, code64, sizeof code64))
		at += 40; /* of struct ucontext */
	else if (!machine->wide && !memcmp(code, code32, sizeof code32))
		at += 4; /* behind the signal's number */
	else if (!machine->wide && !memcmp(code, code32_rt, sizeof code32_rt))
		at = load(machine, at + 8, 4, &failed) + 20;
	else
		return false;
	for (unsigned i = 0; i <= machine->ra; i++)
		machine->reg[i] = load(
			machine,
			at + (machine->wide ? order64 : order32)[i] *
				     machine->word,
			machine->word, &failed);
	return !failed;
}

/* A jump to where no code is: what called has pushed where to return. */
static bool step_by_return(struct machine *machine)
{
	bool failed = false;
	uint64_t sp = machine->reg[machine->sp];
	uint64_t from = load(machine, sp, machine->word, &failed);

	if (failed || !space_check(machine->space, from, 1, SPACE_EXECUTE))
		return false;
	machine->reg[machine->ra] = from;
	machine->reg[machine->sp] = sp + machine->word;
	return true;
}

/* 1: stepped; 0: the outermost frame; -1: no information. */
static int step_by_table(struct linux_system *system, struct machine *machine,
			 uint64_t address, uint8_t *bytes, bool *signal)
{
	uint64_t header = symbol_unwind_table(system, machine->space, address);
	struct rules rules;
	struct entry entry;
	uint64_t fde;

	if (!header)
		return -1;
	fde = search_table(machine, header, address);
	if (!fde || !read_fde(machine, fde, bytes, &entry) ||
	    address - entry.start >= entry.size ||
	    !find_rules(&entry, machine, address, &rules))
		return -1;
	*signal = entry.signal;
	return apply(machine, &rules);
}

static void start(struct machine *machine, const struct context *context)
{
	static const uint8_t order64[] = {
		X86_RAX, X86_RDX, X86_RCX, X86_RBX, X86_RSI, X86_RDI, X86_RBP,
		X86_RSP, X86_R8, X86_R9, X86_R10, X86_R11, X86_R12, X86_R13,
		X86_R14, X86_R15
	};
	const struct x86_cpu *cpu = context->cpu;

	*machine = (struct machine){
		.space = cpu->space, .wide = cpu->mode == X86_MODE_64,
	};
	machine->word = machine->wide ? 8 : 4;
	machine->sp = machine->wide ? 7 : 4;
	machine->bp = machine->wide ? 6 : 5;
	machine->ra = machine->wide ? 16 : 8;
	for (unsigned i = 0; i < machine->ra; i++)
		machine->reg[i] = cpu->reg[machine->wide ? order64[i] : i];
	machine->reg[machine->ra] = cpu->rip;
}

size_t unwind(const struct context *context, struct unwind_frame *list,
	      size_t max)
{
	uint8_t *bytes = xmalloc(2 * ENTRY_MAX);
	struct machine machine;
	bool called = false;
	size_t count = 0;

	start(&machine, context);
	while (count < max) {
		uint64_t rip = machine.reg[machine.ra];
		uint64_t sp = machine.reg[machine.sp];
		bool signal = false, code;
		int result;

		code = space_check(machine.space, rip, 1, SPACE_EXECUTE);
		if (!code && count)
			break;
		list[count++] = (struct unwind_frame){ rip, called };
		result = code ? step_by_table(context->process->system,
					      &machine, rip - called, bytes,
					      &signal)
			      : -1;
		if (result < 0 && code && step_by_signal(&machine))
			result = signal = true;
		else if (result < 0)
			result = code ? step_by_pointer(&machine)
				      : step_by_return(&machine);
		if (!result)
			break;
		/* Stacks shrink towards the outermost frame; only a signal
		 * may lead to another stack. */
		if (machine.reg[machine.sp] <= sp && !signal)
			break;
		called = !signal;
	}
	free(bytes);
	return count;
}
