/* SSE moves. Non-temporal ones are moves like others here. */
#include "x86/emu/vector/sse.h"

X86_OP(movaps_xx)
{
	set_xmm(cpu, op->dst, xmm(cpu, op->src));
	X86_NEXT;
}

X86_OP(movaps_xm)
{
	set_xmm(cpu, op->dst,
		x86_load128_aligned(cpu, op, x86_address(cpu, op)));
	X86_NEXT;
}

X86_OP(movaps_mx)
{
	x86_store128_aligned(cpu, op, x86_address(cpu, op),
			     xmm(cpu, op->src));
	X86_NEXT;
}

X86_OP(movups_xm)
{
	set_xmm(cpu, op->dst, x86_load128(cpu, op, x86_address(cpu, op)));
	X86_NEXT;
}

X86_OP(movups_mx)
{
	x86_store128(cpu, op, x86_address(cpu, op), xmm(cpu, op->src));
	X86_NEXT;
}

X86_OP(movnti_m32)
{
	x86_store32(cpu, op, x86_address(cpu, op), X86_REG32(cpu, op->src));
	X86_NEXT;
}

X86_OP(movnti_m64)
{
	x86_store64(cpu, op, x86_address(cpu, op), X86_REG64(cpu, op->src));
	X86_NEXT;
}

/* ---- 32 bits ---- */

X86_OP(movd_xr)
{
	set_xmm(cpu, op->dst, from_low64(X86_REG32(cpu, op->src)));
	X86_NEXT;
}

X86_OP(movd_rx)
{
	x86_set32(cpu, op->dst, cpu->vector[op->src].u32[0]);
	X86_NEXT;
}

X86_OP(movss_xx)
{
	cpu->vector[op->dst].u32[0] = cpu->vector[op->src].u32[0];
	X86_NEXT;
}

X86_OP(movss_xm)
{
	set_xmm(cpu, op->dst, load_low32(cpu, op, x86_address(cpu, op)));
	X86_NEXT;
}

X86_OP(movss_mx)
{
	x86_store32(cpu, op, x86_address(cpu, op),
		    cpu->vector[op->src].u32[0]);
	X86_NEXT;
}

/* ---- 64 bits ---- */

X86_OP(movq_xr)
{
	set_xmm(cpu, op->dst, from_low64(X86_REG64(cpu, op->src)));
	X86_NEXT;
}

X86_OP(movq_rx)
{
	x86_set64(cpu, op->dst, cpu->vector[op->src].u64[0]);
	X86_NEXT;
}

X86_OP(movq_xx)
{
	set_xmm(cpu, op->dst, from_low64(cpu->vector[op->src].u64[0]));
	X86_NEXT;
}

X86_OP(movsd_xx)
{
	/* Whole registers: a later 128-bit load is then forwarded. */
	sse_u64 d = (sse_u64)xmm(cpu, op->dst);

	d[0] = cpu->vector[op->src].u64[0];
	set_xmm(cpu, op->dst, (x86_v128)d);
	X86_NEXT;
}

X86_OP(movsd_xm)
{
	set_xmm(cpu, op->dst, load_low64(cpu, op, x86_address(cpu, op)));
	X86_NEXT;
}

X86_OP(movsd_mx)
{
	x86_store64(cpu, op, x86_address(cpu, op),
		    cpu->vector[op->src].u64[0]);
	X86_NEXT;
}

X86_OP(movlps_xm)
{
	sse_u64 d = (sse_u64)xmm(cpu, op->dst);

	d[0] = x86_load64(cpu, op, x86_address(cpu, op));
	set_xmm(cpu, op->dst, (x86_v128)d);
	X86_NEXT;
}

X86_OP(movhps_xm)
{
	sse_u64 d = (sse_u64)xmm(cpu, op->dst);

	d[1] = x86_load64(cpu, op, x86_address(cpu, op));
	set_xmm(cpu, op->dst, (x86_v128)d);
	X86_NEXT;
}

X86_OP(movhps_mx)
{
	x86_store64(cpu, op, x86_address(cpu, op),
		    cpu->vector[op->src].u64[1]);
	X86_NEXT;
}

X86_OP(movhlps_xx)
{
	sse_u64 d = (sse_u64)xmm(cpu, op->dst);

	d[0] = cpu->vector[op->src].u64[1];
	set_xmm(cpu, op->dst, (x86_v128)d);
	X86_NEXT;
}

X86_OP(movlhps_xx)
{
	sse_u64 d = (sse_u64)xmm(cpu, op->dst);

	d[1] = cpu->vector[op->src].u64[0];
	set_xmm(cpu, op->dst, (x86_v128)d);
	X86_NEXT;
}

/* ---- Masked stores ---- */

/* A disassembly does not show the memory operand, DS:RDI. */
X86_OP(maskmovdqu)
{
	x86_store_masked(cpu, op, x86_address(cpu, op),
			 cpu->vector[op->dst].u8, cpu->vector[op->src].u8, 16);
	X86_NEXT;
}

/* ---- Hints ---- */

X86_OP(prefetch)
{
	X86_REFER(cpu, x86_address(cpu, op), 1, 1, X86_HINT);
	X86_NEXT;
}

/* Guest threads take turns: every access is ordered as the program has it. */
X86_OP(fence)
{
	X86_NEXT;
}
