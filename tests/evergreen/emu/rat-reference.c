#include "evergreen/emu/rat-reference.h"

#include <stdio.h>
#include <stdlib.h>

uint32_t reference_atomic(enum evg_rat_op op, uint32_t m, uint32_t x,
			  uint32_t w)
{
	switch (op) {
	case EVG_RAT_CMPXCHG_INT:
	case EVG_RAT_CMPXCHG_INT_RTN:
		return m == w ? x : m;
	case EVG_RAT_ADD:
	case EVG_RAT_ADD_RTN:
		return m + x;
	case EVG_RAT_SUB:
	case EVG_RAT_SUB_RTN:
		return m - x;
	case EVG_RAT_RSUB:
	case EVG_RAT_RSUB_RTN:
		return x - m;
	case EVG_RAT_MIN_INT:
	case EVG_RAT_MIN_INT_RTN:
		return (int32_t)x < (int32_t)m ? x : m;
	case EVG_RAT_MIN_UINT:
	case EVG_RAT_MIN_UINT_RTN:
		return x < m ? x : m;
	case EVG_RAT_MAX_INT:
	case EVG_RAT_MAX_INT_RTN:
		return (int32_t)x > (int32_t)m ? x : m;
	case EVG_RAT_MAX_UINT:
	case EVG_RAT_MAX_UINT_RTN:
		return x > m ? x : m;
	case EVG_RAT_AND:
	case EVG_RAT_AND_RTN:
		return m & x;
	case EVG_RAT_OR:
	case EVG_RAT_OR_RTN:
		return m | x;
	case EVG_RAT_XOR:
	case EVG_RAT_XOR_RTN:
		return m ^ x;
	case EVG_RAT_MSKOR:
	case EVG_RAT_MSKOR_RTN:
		return (m & ~w) | x;
	case EVG_RAT_INC_UINT:
	case EVG_RAT_INC_UINT_RTN:
		return m >= x ? 0 : m + 1;
	case EVG_RAT_DEC_UINT:
	case EVG_RAT_DEC_UINT_RTN:
		return m == 0 || m > x ? x : m - 1;
	case EVG_RAT_XCHG_RTN:
		return x;
	case EVG_RAT_NOP_RTN:
		return m;
	default:
		printf("Bail out! no definition of %s\n",
		       evg_rat_info[op].name);
		exit(1);
	}
}
