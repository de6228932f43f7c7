/* What instructions do to caches besides loading and storing. */
#include <Zydis/Zydis.h>

#include "x86/emu/step.h"
#include "x86/timing/uops/build.h"

uint8_t x86_hint_of(const struct x86_inst *inst)
{
	switch (inst->mnemonic) {
	case ZYDIS_MNEMONIC_PREFETCH:
	case ZYDIS_MNEMONIC_PREFETCHNTA:
	case ZYDIS_MNEMONIC_PREFETCHT0:
		return X86_HINT_NEAR;
	case ZYDIS_MNEMONIC_PREFETCHT1:
	case ZYDIS_MNEMONIC_PREFETCHT2:
		return X86_HINT_FAR;
	case ZYDIS_MNEMONIC_PREFETCHW:
	case ZYDIS_MNEMONIC_PREFETCHWT1:
		return X86_HINT_STORE;
	default:
		return X86_HINT_NONE;
	}
}

void x86_build_caching(struct x86_template *t, const struct x86_inst *inst)
{
	t->drains = t->serializing || t->locked || inst->traits & X86_FENCE;
	switch (inst->mnemonic) {
	case ZYDIS_MNEMONIC_MOVNTI:
	case ZYDIS_MNEMONIC_MOVNTQ:
	case ZYDIS_MNEMONIC_MOVNTDQ:
	case ZYDIS_MNEMONIC_MOVNTPS:
	case ZYDIS_MNEMONIC_MOVNTPD:
	case ZYDIS_MNEMONIC_VMOVNTDQ:
	case ZYDIS_MNEMONIC_VMOVNTPS:
	case ZYDIS_MNEMONIC_VMOVNTPD:
	case ZYDIS_MNEMONIC_MASKMOVQ:
	case ZYDIS_MNEMONIC_MASKMOVDQU:
	case ZYDIS_MNEMONIC_VMASKMOVDQU:
		t->past = true;
		break;
	case ZYDIS_MNEMONIC_CLFLUSH:
	case ZYDIS_MNEMONIC_CLFLUSHOPT:
		t->flushes = true;
		break;
	default:
		break;
	}
}
