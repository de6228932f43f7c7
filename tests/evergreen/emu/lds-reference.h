/* What each LDS operation does, for one lane. */
#ifndef M2S_TESTS_EVERGREEN_EMU_LDS_REFERENCE_H
#define M2S_TESTS_EVERGREEN_EMU_LDS_REFERENCE_H

#include <stdio.h>
#include <string.h>

#include "evergreen/isa/inst.h"
#include "unit/harness.h"

static inline float lds_as_float(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof value);
	return value;
}


/* Executes `op` for one lane on `dwords` of memory; qa and qb are what it
 * returns. */
static inline void lds_define(enum evg_lds_op op, uint32_t *memory,
			      uint32_t dwords, uint32_t offset, uint32_t a,
			      uint32_t s0, uint32_t s1, uint32_t *qa,
			      uint32_t *qb)
{
	uint32_t *d = &memory[a / 4], old = *d;
	uint32_t *far = &memory[(a / 4 + offset) % dwords];
	uint32_t *farther = &memory[(a / 4 + 64 * offset) % dwords];
	uint8_t *bytes = (uint8_t *)memory;

	*qa = old;
	*qb = 0;
	switch (op) {
	case EVG_LDS_ADD:
	case EVG_LDS_ADD_RET:
		*d = old + s0;
		break;
	case EVG_LDS_SUB:
	case EVG_LDS_SUB_RET:
		*d = old - s0;
		break;
	case EVG_LDS_RSUB:
	case EVG_LDS_RSUB_RET:
		*d = s0 - old;
		break;
	case EVG_LDS_INC:
	case EVG_LDS_INC_RET:
		*d = old >= s0 ? 0 : old + 1;
		break;
	case EVG_LDS_DEC:
	case EVG_LDS_DEC_RET:
		*d = old == 0 || old > s0 ? s0 : old - 1;
		break;
	case EVG_LDS_MIN_INT:
	case EVG_LDS_MIN_INT_RET:
		*d = (int32_t)s0 < (int32_t)old ? s0 : old;
		break;
	case EVG_LDS_MAX_INT:
	case EVG_LDS_MAX_INT_RET:
		*d = (int32_t)s0 > (int32_t)old ? s0 : old;
		break;
	case EVG_LDS_MIN_UINT:
	case EVG_LDS_MIN_UINT_RET:
		*d = s0 < old ? s0 : old;
		break;
	case EVG_LDS_MAX_UINT:
	case EVG_LDS_MAX_UINT_RET:
		*d = s0 > old ? s0 : old;
		break;
	case EVG_LDS_AND:
	case EVG_LDS_AND_RET:
		*d = old & s0;
		break;
	case EVG_LDS_OR:
	case EVG_LDS_OR_RET:
		*d = old | s0;
		break;
	case EVG_LDS_XOR:
	case EVG_LDS_XOR_RET:
		*d = old ^ s0;
		break;
	case EVG_LDS_MSKOR:
	case EVG_LDS_MSKOR_RET:
		*d = (old & ~s0) | s1;
		break;
	case EVG_LDS_WRITE:
	case EVG_LDS_XCHG_RET:
		*d = s0;
		break;
	case EVG_LDS_WRITE_REL:
	case EVG_LDS_XCHG_REL_RET:
		*qb = *far;
		*d = s0;
		*far = s1;
		break;
	case EVG_LDS_WRITE2:
	case EVG_LDS_XCHG2_RET:
		*qb = *farther;
		*d = s0;
		*farther = s1;
		break;
	case EVG_LDS_CMP_STORE:
	case EVG_LDS_CMP_XCHG_RET:
		*d = old == s0 ? s1 : old;
		break;
	case EVG_LDS_CMP_STORE_SPF:
	case EVG_LDS_CMP_XCHG_SPF_RET:
		*d = lds_as_float(old) == lds_as_float(s0) ? s1 : old;
		break;
	case EVG_LDS_BYTE_WRITE:
		bytes[a] = (uint8_t)s0;
		break;
	case EVG_LDS_SHORT_WRITE:
		memcpy(bytes + (a & ~1u), &s0, 2);
		break;
	case EVG_LDS_READ_RET:
		break;
	case EVG_LDS_READ_REL_RET:
		*qb = *far;
		break;
	case EVG_LDS_READ2_RET:
		*qb = memory[s0 / 4];
		break;
	case EVG_LDS_READWRITE_RET:
		memory[s0 / 4] = s1;
		break;
	case EVG_LDS_BYTE_READ_RET:
		*qa = (uint32_t)(int8_t)bytes[a];
		break;
	case EVG_LDS_UBYTE_READ_RET:
		*qa = bytes[a];
		break;
	case EVG_LDS_SHORT_READ_RET:
		*qa = (uint32_t)(int16_t)(bytes[a & ~1u] |
					  bytes[a | 1u] << 8);
		break;
	case EVG_LDS_USHORT_READ_RET:
		*qa = bytes[a & ~1u] |
		      (uint32_t)bytes[a | 1u] << 8;
		break;
	default:
		printf("# no definition of %s\n", evg_lds_info[op].name);
		CU_ASSERT(0);
	}
}

#endif
