/* The kind of instruction that a description is about. */
#include "x86/emu/decode/describe.h"

enum x86_class x86_describe_class(const struct x86_decoding *d)
{
	switch (d->inst.meta.isa_ext) {
	case ZYDIS_ISA_EXT_X87:
		return X86_CLASS_X87;
	case ZYDIS_ISA_EXT_MMX:
		return X86_CLASS_MMX;
	case ZYDIS_ISA_EXT_XSAVE:
	case ZYDIS_ISA_EXT_XSAVEC:
	case ZYDIS_ISA_EXT_XSAVEOPT:
		return X86_CLASS_STATE;
	default:
		break;
	}
	switch (d->inst.mnemonic) {
	case ZYDIS_MNEMONIC_FISTTP: /* of SSE3 */
		return X86_CLASS_X87;
	case ZYDIS_MNEMONIC_FXSAVE:
	case ZYDIS_MNEMONIC_FXSAVE64:
	case ZYDIS_MNEMONIC_FXRSTOR:
	case ZYDIS_MNEMONIC_FXRSTOR64:
		return X86_CLASS_STATE;
	case ZYDIS_MNEMONIC_LFENCE:
	case ZYDIS_MNEMONIC_SFENCE:
	case ZYDIS_MNEMONIC_MFENCE:
		return X86_CLASS_FENCE;
	case ZYDIS_MNEMONIC_PREFETCH:
	case ZYDIS_MNEMONIC_PREFETCHNTA:
	case ZYDIS_MNEMONIC_PREFETCHT0:
	case ZYDIS_MNEMONIC_PREFETCHT1:
	case ZYDIS_MNEMONIC_PREFETCHT2:
	case ZYDIS_MNEMONIC_PREFETCHW:
	case ZYDIS_MNEMONIC_PREFETCHWT1:
		return X86_CLASS_NOTHING;
	case ZYDIS_MNEMONIC_LEA:
		return X86_CLASS_ADDRESS;
	case ZYDIS_MNEMONIC_MUL:
	case ZYDIS_MNEMONIC_IMUL:
	case ZYDIS_MNEMONIC_MULX:
		return X86_CLASS_MULTIPLY;
	case ZYDIS_MNEMONIC_DIV:
	case ZYDIS_MNEMONIC_IDIV:
		return X86_CLASS_DIVIDE;
	case ZYDIS_MNEMONIC_ENTER:
	case ZYDIS_MNEMONIC_LEAVE:
		return X86_CLASS_STACK;
	case ZYDIS_MNEMONIC_XLAT:
	case ZYDIS_MNEMONIC_MOVNTI:
		return X86_CLASS_MOVE;
	case ZYDIS_MNEMONIC_CPUID:
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
		return X86_CLASS_SYSTEM;
	default:
		break;
	}
	for (unsigned i = 0; i < d->inst.operand_count; i++)
		if (d->operand[i].type == ZYDIS_OPERAND_TYPE_REGISTER)
			switch (ZydisRegisterGetClass(
				d->operand[i].reg.value)) {
			case ZYDIS_REGCLASS_XMM:
			case ZYDIS_REGCLASS_YMM:
				return X86_CLASS_VECTOR;
			case ZYDIS_REGCLASS_MMX:
				return X86_CLASS_MMX;
			default:
				break;
			}
	switch (d->inst.meta.isa_ext) {
	case ZYDIS_ISA_EXT_AVX:
	case ZYDIS_ISA_EXT_AVX2:
	case ZYDIS_ISA_EXT_SSE:
	case ZYDIS_ISA_EXT_SSE2:
		if (d->inst.meta.category != ZYDIS_CATEGORY_MISC)
			return X86_CLASS_VECTOR; /* VZEROALL, LDMXCSR */
		break;
	default:
		break;
	}
	switch (d->inst.meta.category) {
	case ZYDIS_CATEGORY_DATAXFER:
	case ZYDIS_CATEGORY_CMOV:
	case ZYDIS_CATEGORY_CONVERT:
		return X86_CLASS_MOVE;
	case ZYDIS_CATEGORY_SHIFT:
	case ZYDIS_CATEGORY_ROTATE:
		return X86_CLASS_SHIFT;
	case ZYDIS_CATEGORY_PUSH:
	case ZYDIS_CATEGORY_POP:
		return X86_CLASS_STACK;
	case ZYDIS_CATEGORY_STRINGOP:
		return X86_CLASS_STRING;
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_RET:
		return X86_CLASS_BRANCH;
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSTEM:
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_SEGOP:
	case ZYDIS_CATEGORY_IO:
	case ZYDIS_CATEGORY_IOSTRINGOP:
	case ZYDIS_CATEGORY_RDWRFSGS:
	case ZYDIS_CATEGORY_RDRAND:
	case ZYDIS_CATEGORY_RDSEED:
	case ZYDIS_CATEGORY_RDPID:
		return X86_CLASS_SYSTEM;
	default:
		return X86_CLASS_ARITHMETIC;
	}
}

enum x86_branch x86_describe_branch(const struct x86_decoding *d)
{
	bool direct = d->inst.operand_count_visible &&
		      d->operand[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;

	if (d->inst.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return X86_BRANCH_FAR;
	switch (d->inst.meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return X86_BRANCH_CONDITIONAL;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return direct ? X86_BRANCH_JUMP : X86_BRANCH_INDIRECT_JUMP;
	case ZYDIS_CATEGORY_CALL:
		return direct ? X86_BRANCH_CALL : X86_BRANCH_INDIRECT_CALL;
	case ZYDIS_CATEGORY_RET:
		switch (d->inst.mnemonic) {
		case ZYDIS_MNEMONIC_IRET:
		case ZYDIS_MNEMONIC_IRETD:
		case ZYDIS_MNEMONIC_IRETQ:
			return X86_BRANCH_FAR;
		default:
			return X86_BRANCH_RETURN;
		}
	default:
		return X86_BRANCH_NONE;
	}
}

static bool has_prefix(const struct x86_decoding *d, uint8_t prefix)
{
	for (unsigned i = 0; i < d->inst.raw.prefix_count; i++)
		if (d->inst.raw.prefixes[i].value == prefix)
			return true;
	return false;
}

/* Intel, "64 and IA-32 Architectures Optimization Reference Manual",
 * "Length-Changing Prefixes (LCP)". */
static bool changes_length(const struct x86_decoding *d)
{
	bool mode64 = d->inst.machine_mode == ZYDIS_MACHINE_MODE_LONG_64;
	bool vex = x86_has(d, ZYDIS_ATTRIB_HAS_VEX);
	bool one_byte = d->inst.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && !vex;

	/* The immediates of RET and ENTER always have 16 bits. */
	if (has_prefix(d, 0x66) && d->inst.raw.imm[0].size == 16 &&
	    !(one_byte && (d->inst.opcode == 0xc2 || d->inst.opcode == 0xca ||
			   d->inst.opcode == 0xc8)))
		return true;
	if (!has_prefix(d, 0x67))
		return false;
	if (mode64) /* only an address of MOV gets shorter */
		return one_byte && d->inst.opcode >= 0xa0 &&
		       d->inst.opcode <= 0xa3;
	return x86_has(d, ZYDIS_ATTRIB_HAS_MODRM) ||
	       d->inst.raw.disp.size == 16;
}

unsigned x86_describe_traits(const struct x86_decoding *d)
{
	bool memory = false;
	unsigned traits = 0;

	for (unsigned i = 0; i < d->inst.operand_count; i++)
		if (d->operand[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
			memory = true;
	if (x86_has(d, ZYDIS_ATTRIB_HAS_LOCK) ||
	    (d->inst.mnemonic == ZYDIS_MNEMONIC_XCHG && memory))
		traits |= X86_LOCKED;
	if (x86_repeats(d))
		traits |= X86_REPEATED;
	if (changes_length(d))
		traits |= X86_LENGTH_PREFIX;
	switch (d->inst.mnemonic) {
	case ZYDIS_MNEMONIC_SYSCALL:
	case ZYDIS_MNEMONIC_SYSENTER:
	case ZYDIS_MNEMONIC_INT:
		return traits | X86_SYSTEM_CALL;
	case ZYDIS_MNEMONIC_LFENCE:
	case ZYDIS_MNEMONIC_SFENCE:
	case ZYDIS_MNEMONIC_MFENCE:
		return traits | X86_FENCE;
	case ZYDIS_MNEMONIC_RDTSC:
	case ZYDIS_MNEMONIC_RDTSCP:
		return traits | X86_READS_TIME;
	case ZYDIS_MNEMONIC_CPUID:
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
	case ZYDIS_MNEMONIC_SERIALIZE:
		return traits | X86_SERIALIZING;
	case ZYDIS_MNEMONIC_RDRAND:
	case ZYDIS_MNEMONIC_RDSEED:
		return traits | X86_RANDOM;
	case ZYDIS_MNEMONIC_MOVNTI:
	case ZYDIS_MNEMONIC_MOVNTQ:
	case ZYDIS_MNEMONIC_MOVNTDQ:
	case ZYDIS_MNEMONIC_MOVNTDQA:
	case ZYDIS_MNEMONIC_MOVNTPS:
	case ZYDIS_MNEMONIC_MOVNTPD:
	case ZYDIS_MNEMONIC_MASKMOVQ:
	case ZYDIS_MNEMONIC_MASKMOVDQU:
	case ZYDIS_MNEMONIC_VMOVNTDQ:
	case ZYDIS_MNEMONIC_VMOVNTDQA:
	case ZYDIS_MNEMONIC_VMOVNTPS:
	case ZYDIS_MNEMONIC_VMOVNTPD:
	case ZYDIS_MNEMONIC_VMASKMOVDQU:
		return traits | X86_NON_TEMPORAL;
	default:
		return traits;
	}
}
