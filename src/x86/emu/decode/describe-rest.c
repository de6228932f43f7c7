/* The parts of a description that Zydis' operands lack. */
#include <string.h>

#include "x86/emu/decode/describe.h"

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static bool ends(const char *name, const char *with)
{
	size_t length = strlen(name), size = strlen(with);

	return length >= size && !strcmp(name + length - size, with);
}

/* Whether a vector instruction computes with floating-point numbers, under
 * MXCSR's control and with its flags. */
static bool uses_mxcsr(const char *name)
{
	static const char *const not[] = {
		"mov", "and", "or", "xor", "shuf", "unpck", "blend", "insert",
		"extract", "perm", "broadcast", "maskmov", "test", "gather",
		"rcp", "rsqrt", "lddqu",
	};
	static const char *const suffix[] = { "ps", "pd", "ss", "sd" };

	if (*name == 'v')
		name++;
	if (begins(name, "cvt") || begins(name, "comis") ||
	    begins(name, "ucomis"))
		return true;
	for (unsigned i = 0; i < sizeof not / sizeof not[0]; i++)
		if (begins(name, not[i]))
			return false;
	for (unsigned i = 0; i < sizeof suffix / sizeof suffix[0]; i++)
		if (ends(name, suffix[i]) && *name != 'p')
			return true;
	/* FMA: VFMADD132PS is covered; VCVTPH2PS begins with cvt. */
	return false;
}

static int x87_push(const struct x86_decoding *d, const char *name)
{
	switch (d->inst.mnemonic) {
	case ZYDIS_MNEMONIC_FLD:
	case ZYDIS_MNEMONIC_FILD:
	case ZYDIS_MNEMONIC_FBLD:
	case ZYDIS_MNEMONIC_FLD1:
	case ZYDIS_MNEMONIC_FLDZ:
	case ZYDIS_MNEMONIC_FLDPI:
	case ZYDIS_MNEMONIC_FLDL2E:
	case ZYDIS_MNEMONIC_FLDL2T:
	case ZYDIS_MNEMONIC_FLDLG2:
	case ZYDIS_MNEMONIC_FLDLN2:
	case ZYDIS_MNEMONIC_FPTAN:
	case ZYDIS_MNEMONIC_FSINCOS:
	case ZYDIS_MNEMONIC_FXTRACT:
	case ZYDIS_MNEMONIC_FDECSTP:
		return 1;
	case ZYDIS_MNEMONIC_FPATAN:
	case ZYDIS_MNEMONIC_FYL2X:
	case ZYDIS_MNEMONIC_FYL2XP1:
	case ZYDIS_MNEMONIC_FSTPNCE:
		return -1;
	case ZYDIS_MNEMONIC_FNOP:
		return 0;
	default:
		return ends(name, "pp") ? -2 : ends(name, "p") ? -1 : 0;
	}
}

static void mend_x87(struct x86_inst *inst, const struct x86_decoding *d,
		     const char *name)
{
	const uint64_t control = X86_AT(X86_AT_X87_CONTROL) |
				 X86_AT(X86_AT_X87_STATUS) |
				 X86_AT(X86_AT_X87_TOP) |
				 X86_AT(X86_AT_X87_TAGS);

	inst->x87_push = (int8_t)x87_push(d, name);
	/* Masks, pending exceptions, empty registers. */
	inst->read |= control;
	inst->written |= X86_AT(X86_AT_X87_STATUS);
	switch (d->inst.mnemonic) {
	case ZYDIS_MNEMONIC_FNSAVE:
	case ZYDIS_MNEMONIC_FRSTOR:
		inst->read |= X86_ALL_X87;
		inst->written |= X86_ALL_X87;
		return;
	case ZYDIS_MNEMONIC_FNSTENV:
		/* The tags depend on the kinds of the numbers. */
		inst->read |= X86_ALL_X87;
		inst->written |= control;
		return;
	case ZYDIS_MNEMONIC_FLDENV:
	case ZYDIS_MNEMONIC_FNINIT:
		inst->written |= control | X86_AT(X86_AT_X87_POINTERS);
		return;
	case ZYDIS_MNEMONIC_FLDCW:
		inst->written |= X86_AT(X86_AT_X87_CONTROL);
		return;
	case ZYDIS_MNEMONIC_FNSTCW:
	case ZYDIS_MNEMONIC_FNSTSW:
	case ZYDIS_MNEMONIC_FNCLEX:
	case ZYDIS_MNEMONIC_FWAIT:
		return;
	default:
		break;
	}
	inst->written |= X86_AT(X86_AT_X87_POINTERS);
	if (inst->x87_push)
		inst->written |= X86_AT(X86_AT_X87_TOP);
	/* A result also fills an empty register. */
	if (inst->x87_push || inst->written & x86_locations(X86_AT_ST, 8) ||
	    d->inst.mnemonic == ZYDIS_MNEMONIC_FFREE)
		inst->written |= X86_AT(X86_AT_X87_TAGS);
	/* An unmasked exception suppresses the store. */
	if (inst->memory[0].write)
		inst->memory[0].conditional = true;
	/* A comparison that raises an unmasked exception leaves the flags
	 * unchanged. */
	inst->flags_read |= inst->flags_written;
}

static void mend_state(struct x86_inst *inst, const char *name)
{
	const uint64_t all = X86_ALL_X87 | X86_ALL_VECTOR | X86_ALL_MXCSR;

	if (begins(name, "xgetbv")) {
		inst->read |= X86_ALL_X87 | X86_ALL_VECTOR;
		return;
	}
	inst->read |= all;
	if (begins(name, "fxrstor") || begins(name, "xrstor"))
		inst->written |= all;
}

void x86_describe_rest(struct x86_inst *inst, const struct x86_decoding *d,
		       bool mode64)
{
	const char *name = ZydisMnemonicGetString(d->inst.mnemonic);
	const uint64_t rsi = X86_AT(X86_RSI), rdi = X86_AT(X86_RDI);

	if (inst->class == X86_CLASS_X87)
		mend_x87(inst, d, name);
	if (inst->class == X86_CLASS_STATE)
		mend_state(inst, name);
	/* MMX: TOP becomes 0 and all registers full. A register's sign and
	 * exponent become ones. */
	if (inst->class == X86_CLASS_MMX ||
	    (inst->class == X86_CLASS_VECTOR &&
	     (inst->read | inst->written) & x86_locations(X86_AT_MM, 8))) {
		inst->read |= X86_AT(X86_AT_X87_STATUS);
		inst->written |= X86_AT(X86_AT_X87_TOP) |
				 X86_AT(X86_AT_X87_TAGS) |
				 X86_AT(X86_AT_X87_POINTERS);
	}
	if (uses_mxcsr(name) && inst->class != X86_CLASS_STATE &&
	    inst->class != X86_CLASS_STRING && inst->class != X86_CLASS_X87) {
		inst->read |= X86_ALL_MXCSR;
		inst->written |= X86_AT(X86_AT_MXCSR_STATUS);
	}
	if (strstr(name, "maskmov"))
		inst->memory[0].conditional = true;
	/* Nothing happens when the count is 0. */
	if (inst->class == X86_CLASS_SHIFT)
		for (unsigned i = 0; i < inst->operand_count; i++)
			if (inst->operand[i].kind == X86_OPERAND_REGISTER &&
			    inst->operand[i].location == X86_RCX &&
			    inst->operand[i].size == 1 && i)
				inst->flags_read |= inst->flags_written;
	if (inst->class == X86_CLASS_STRING) {
		for (unsigned i = 0; i < inst->memory_count; i++) {
			uint64_t at = X86_AT(inst->memory[i].base);

			inst->read |= at;
			inst->written |= at & (rsi | rdi);
			inst->memory[i].conditional =
				inst->traits & X86_REPEATED;
		}
		if (inst->traits & X86_REPEATED) {
			inst->read |= X86_AT(X86_RCX) |
				      (inst->written & X86_AT(X86_RAX));
			inst->written |= X86_AT(X86_RCX);
			inst->flags_read |= inst->flags_written;
		}
	}
	switch (d->inst.mnemonic) {
	case ZYDIS_MNEMONIC_BT:
	case ZYDIS_MNEMONIC_BTS:
	case ZYDIS_MNEMONIC_BTR:
	case ZYDIS_MNEMONIC_BTC:
		inst->memory[0].bits =
			inst->operand[1].kind == X86_OPERAND_REGISTER;
		break;
	case ZYDIS_MNEMONIC_VPTEST:
	case ZYDIS_MNEMONIC_VTESTPS:
	case ZYDIS_MNEMONIC_VTESTPD:
		/* ZF and CF; the others become 0. */
		inst->flags_written = X86_ARITHMETIC;
		break;
	case ZYDIS_MNEMONIC_XLAT: /* Zydis does not give the index */
		inst->read |= X86_AT(X86_RAX);
		inst->memory[0].index = X86_AT_GENERAL + X86_RAX;
		inst->memory[0].scale = 1;
		break;
	case ZYDIS_MNEMONIC_CLFLUSH:
	case ZYDIS_MNEMONIC_CLFLUSHOPT:
	case ZYDIS_MNEMONIC_CLWB:
		inst->memory[0].conditional = true;
		break;
	case ZYDIS_MNEMONIC_PUSH:
		/* Only 16 bits of a segment register's place are written. */
		if (inst->operand[0].location >= X86_AT_SEGMENT &&
		    inst->operand[0].location < X86_AT_SEGMENT + 6)
			inst->memory[0].conditional = true;
		break;
	case ZYDIS_MNEMONIC_LDMXCSR:
		inst->written |= X86_ALL_MXCSR;
		break;
	case ZYDIS_MNEMONIC_STMXCSR:
	case ZYDIS_MNEMONIC_VSTMXCSR:
		inst->read |= X86_ALL_MXCSR;
		break;
	case ZYDIS_MNEMONIC_VLDMXCSR:
		inst->written |= X86_ALL_MXCSR;
		break;
	case ZYDIS_MNEMONIC_VZEROALL:
	case ZYDIS_MNEMONIC_VZEROUPPER:
		inst->written |= mode64 ? X86_ALL_VECTOR : x86_locations(X86_AT_VECTOR, 8);
		break;
	case ZYDIS_MNEMONIC_RDTSC:
	case ZYDIS_MNEMONIC_RDTSCP:
		inst->read |= X86_AT(X86_AT_TIME);
		break;
	case ZYDIS_MNEMONIC_RDRAND:
	case ZYDIS_MNEMONIC_RDSEED:
		inst->read |= X86_AT(X86_AT_RANDOM);
		inst->written |= X86_AT(X86_AT_RANDOM);
		break;
	case ZYDIS_MNEMONIC_SYSCALL:
		inst->flags_read = UINT32_MAX;
		inst->flags_written = 0; /* the kernel writes them later */
		inst->flags_undefined = 0;
		inst->written &= ~(X86_AT(X86_AT_SEGMENT + X86_CS) |
				   X86_AT(X86_AT_SEGMENT + X86_SS));
		break;
	case ZYDIS_MNEMONIC_PUSHA:
	case ZYDIS_MNEMONIC_PUSHAD:
		inst->read |= X86_ALL_GENERAL;
		break;
	case ZYDIS_MNEMONIC_POPA:
	case ZYDIS_MNEMONIC_POPAD:
		inst->written |= X86_ALL_GENERAL;
		break;
	case ZYDIS_MNEMONIC_PUSHF:
	case ZYDIS_MNEMONIC_PUSHFD:
	case ZYDIS_MNEMONIC_PUSHFQ:
		inst->flags_read = UINT32_MAX;
		break;
	case ZYDIS_MNEMONIC_POPF:
	case ZYDIS_MNEMONIC_POPFD:
	case ZYDIS_MNEMONIC_POPFQ:
		inst->flags_read = UINT32_MAX;
		inst->flags_written = UINT32_MAX;
		break;
	case ZYDIS_MNEMONIC_RDFSBASE:
	case ZYDIS_MNEMONIC_RDGSBASE:
		inst->read |= X86_AT(X86_AT_SEGMENT +
				     (begins(name, "rdfs") ? X86_FS : X86_GS));
		break;
	case ZYDIS_MNEMONIC_WRFSBASE:
	case ZYDIS_MNEMONIC_WRGSBASE:
		inst->written |= X86_AT(X86_AT_SEGMENT +
					(begins(name, "wrfs") ? X86_FS
							      : X86_GS));
		break;
	default:
		break;
	}
}
