/* Executing call frame information: DWARF expressions (DWARF 5, section 2.5)
 * and the programs that give rules for registers (section 6.4). */
#include <string.h>

#include "x86/linux/state.h"
#include "x86/linux/unwind/cfi.h"

enum {
	EXPRESSION_STACK = 32,
	EXPRESSION_STEPS = 1000,
	STATES = 8,            /* of DW_CFA_remember_state */
};

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

/* The value that an operation pushes. False if the operation does more than
 * push. */
static bool pushes(struct cfi_reader *reader, uint8_t op,
		   const struct cfi_machine *machine, uint64_t *value)
{
	static const uint8_t sizes[] = { 1, 1, 2, 2, 4, 4, 8, 8 };

	if (op >= 0x30 && op <= 0x4f) {           /* lit */
		*value = op - 0x30u;
	} else if (op >= 0x50 && op <= 0x6f) {    /* reg */
		reader->failed = true;
	} else if (op >= 0x70 && op <= 0x8f) {    /* breg */
		*value = (uint64_t)cfi_get_sleb(reader);
		if (op - 0x70u >= CFI_REGISTERS)
			reader->failed = true;
		else
			*value += machine->reg[op - 0x70];
	} else if (op >= 0x08 && op <= 0x0f) {    /* const1u ... const8s */
		unsigned size = sizes[op - 0x08];

		*value = op & 1 ? (uint64_t)cfi_get_signed(reader, size)
				: cfi_get(reader, size);
	} else if (op == 0x03) {                  /* addr */
		*value = cfi_get(reader, machine->word);
	} else if (op == 0x10) {
		*value = cfi_get_uleb(reader);
	} else if (op == 0x11) {
		*value = (uint64_t)cfi_get_sleb(reader);
	} else {
		return false;
	}
	return true;
}

/* The value of an expression, on a stack that begins with `first`. */
static uint64_t evaluate(struct cfi_reader expression,
			 const struct cfi_machine *machine, uint64_t first,
			 bool *failed)
{
	uint64_t stack[EXPRESSION_STACK] = { first }, value = 0;
	struct cfi_reader *reader = &expression;
	unsigned depth = 1;

	for (int steps = 0; reader->at < reader->end && !*failed; steps++) {
		uint8_t op = (uint8_t)cfi_get(reader, 1);

		if (steps == EXPRESSION_STEPS ||
		    depth >= EXPRESSION_STACK - 1 || depth == 0) {
			*failed = true;
		} else if (pushes(reader, op, machine, &value)) {
			stack[depth++] = value;
		} else if (op == 0x06) { /* deref */
			stack[depth - 1] = cfi_load(machine, stack[depth - 1],
						    machine->word, failed);
		} else if (op == 0x12) { /* dup */
			stack[depth] = stack[depth - 1];
			depth++;
		} else if (op == 0x13) { /* drop */
			depth--;
		} else if (op == 0x23) { /* plus_uconst */
			stack[depth - 1] += cfi_get_uleb(reader);
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

/* Offsets are the guest's: they may overflow. */
static int64_t scale(uint64_t value, int64_t factor)
{
	return (int64_t)(value * (uint64_t)factor);
}

static void set_rule(struct cfi_rules *rules, uint64_t reg,
		     enum cfi_rule_kind kind, int64_t value)
{
	if (reg < CFI_REGISTERS)
		rules->reg[reg] = (struct cfi_rule){ .kind = kind,
						 .value = value };
}

/* The two low bits of a byte choose what the rest is about. */
static void short_instruction(struct cfi_reader *reader,
			      struct cfi_rules *rules,
			      const struct cfi_rules *initial,
			      const struct cfi_entry *entry, uint8_t op,
			      uint64_t *location)
{
	unsigned low = op & 63;

	switch (op >> 6) {
	case 1:
		*location += low * entry->code_align;
		break;
	case 2:
		set_rule(rules, low, CFI_RULE_OFFSET,
			 scale(cfi_get_uleb(reader), entry->data_align));
		break;
	case 3:
		if (low < CFI_REGISTERS)
			rules->reg[low] = initial->reg[low];
		break;
	}
}

struct remembered {
	struct cfi_rules state[STATES];
	unsigned count;
};

/* Executes one instruction. */
static void instruction(struct cfi_reader *reader, struct cfi_rules *rules,
			const struct cfi_rules *initial,
			struct remembered *remembered,
			const struct cfi_entry *entry,
			const struct cfi_machine *machine, uint64_t *location)
{
	uint8_t op = (uint8_t)cfi_get(reader, 1);
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
		*location = cfi_get_pointer(reader, entry->encoding, machine);
		break;
	case 0x02: /* advance_loc1, 2, 4 */
		*location += cfi_get(reader, 1) * entry->code_align;
		break;
	case 0x03:
		*location += cfi_get(reader, 2) * entry->code_align;
		break;
	case 0x04:
		*location += cfi_get(reader, 4) * entry->code_align;
		break;
	case 0x05: /* offset_extended */
		reg = cfi_get_uleb(reader);
		set_rule(rules, reg, CFI_RULE_OFFSET,
			 scale(cfi_get_uleb(reader), factor));
		break;
	case 0x06: /* restore_extended */
		reg = cfi_get_uleb(reader);
		if (reg < CFI_REGISTERS)
			rules->reg[reg] = initial->reg[reg];
		break;
	case 0x07:
		set_rule(rules, cfi_get_uleb(reader), CFI_RULE_UNDEFINED, 0);
		break;
	case 0x08:
		set_rule(rules, cfi_get_uleb(reader), CFI_RULE_SAME, 0);
		break;
	case 0x09: /* register */
		reg = cfi_get_uleb(reader);
		set_rule(rules, reg, CFI_RULE_REGISTER,
			 (int64_t)cfi_get_uleb(reader));
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
		rules->cfa_register = (unsigned)cfi_get_uleb(reader);
		rules->cfa_offset =
			op == 0x0c
				? (int64_t)cfi_get_uleb(reader)
				: scale((uint64_t)cfi_get_sleb(reader), factor);
		break;
	case 0x0d: /* def_cfa_register */
		rules->cfa_is_expression = false;
		rules->cfa_register = (unsigned)cfi_get_uleb(reader);
		break;
	case 0x0e:
		rules->cfa_offset = (int64_t)cfi_get_uleb(reader);
		break;
	case 0x13:
		rules->cfa_offset =
			scale((uint64_t)cfi_get_sleb(reader), factor);
		break;
	case 0x0f: /* def_cfa_expression */
		rules->cfa_is_expression = true;
		rules->cfa_expression = cfi_take_block(reader);
		break;
	case 0x10: /* expression */
	case 0x16: /* val_expression */
		reg = cfi_get_uleb(reader);
		set_rule(rules, reg,
			 op == 0x10 ? CFI_RULE_EXPRESSION : CFI_RULE_VALUE_EXPRESSION,
			 0);
		if (reg < CFI_REGISTERS)
			rules->reg[reg].expression = cfi_take_block(reader);
		else
			cfi_take_block(reader);
		break;
	case 0x11: /* offset_extended_sf */
		reg = cfi_get_uleb(reader);
		set_rule(rules, reg, CFI_RULE_OFFSET,
			 scale((uint64_t)cfi_get_sleb(reader), factor));
		break;
	case 0x14: /* val_offset, val_offset_sf */
		reg = cfi_get_uleb(reader);
		set_rule(rules, reg, CFI_RULE_VALUE_OFFSET,
			 scale(cfi_get_uleb(reader), factor));
		break;
	case 0x15:
		reg = cfi_get_uleb(reader);
		set_rule(rules, reg, CFI_RULE_VALUE_OFFSET,
			 scale((uint64_t)cfi_get_sleb(reader), factor));
		break;
	case 0x2e: /* GNU_args_size */
		cfi_get_uleb(reader);
		break;
	default:
		reader->failed = true;
	}
}

bool cfi_find_rules(const struct cfi_entry *entry,
		    const struct cfi_machine *machine, uint64_t address,
		    struct cfi_rules *rules)
{
	struct remembered remembered = { .count = 0 };
	struct cfi_reader reader = entry->initial;
	struct cfi_rules initial;
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
	/* Rules behind the address do not hold yet. An instruction either moves
	 * the location or changes rules. */
	location = entry->start;
	while (reader.at < reader.end && !reader.failed && location <= address)
		instruction(&reader, rules, &initial, &remembered, entry,
			    machine, &location);
	return !reader.failed;
}

/* ---- Stepping out of a frame ---- */

bool cfi_apply(struct cfi_machine *machine, const struct cfi_rules *rules)
{
	uint64_t old[CFI_REGISTERS], cfa;
	bool failed = false;

	if (rules->cfa_is_expression) {
		cfa = evaluate(rules->cfa_expression, machine, 0, &failed);
	} else {
		if (rules->cfa_register >= CFI_REGISTERS)
			return false;
		cfa = machine->reg[rules->cfa_register] +
		      (uint64_t)rules->cfa_offset;
	}
	if (rules->reg[machine->ra].kind == CFI_RULE_UNDEFINED ||
	    rules->reg[machine->ra].kind == CFI_RULE_SAME)
		return false; /* the outermost frame */
	memcpy(old, machine->reg, sizeof old);
	for (unsigned i = 0; i < CFI_REGISTERS && !failed; i++) {
		const struct cfi_rule *rule = &rules->reg[i];
		struct cfi_machine before = *machine;

		memcpy(before.reg, old, sizeof old);
		switch (rule->kind) {
		case CFI_RULE_SAME:
		case CFI_RULE_UNDEFINED:
			break;
		case CFI_RULE_OFFSET:
			machine->reg[i] =
			    cfi_load(machine, cfa + (uint64_t)rule->value,
				     machine->word, &failed);
			break;
		case CFI_RULE_VALUE_OFFSET:
			machine->reg[i] = cfa + (uint64_t)rule->value;
			break;
		case CFI_RULE_REGISTER:
			if ((uint64_t)rule->value >= CFI_REGISTERS)
				return false;
			machine->reg[i] = old[rule->value];
			break;
		case CFI_RULE_EXPRESSION:
			machine->reg[i] = cfi_load(
			    machine,
			    evaluate(rule->expression, &before, cfa, &failed),
			    machine->word, &failed);
			break;
		case CFI_RULE_VALUE_EXPRESSION:
			machine->reg[i] = evaluate(rule->expression, &before,
						   cfa, &failed);
			break;
		}
	}
	if (rules->reg[machine->sp].kind == CFI_RULE_SAME)
		machine->reg[machine->sp] = cfa;
	return !failed;
}
