/* The directives of a kernel: its resources, its constants and its arguments.
 * Before the first kernel `.chip redwood` may say whose code follows, else it is
 * cypress's.
 *
 *	.registers 5               registers per work-item
 *	.stack 1                   control-flow stack entries
 *	.local 256                 __local memory, bytes
 *	.scratch 4096              scratch memory per work-item, bytes
 *	.float_mode SINGLE_ROUND(3) DOUBLE_ROUND(0) SINGLE_DENORM_IN(1)
 *		SINGLE_DENORM_OUT(1) DOUBLE_DENORM_IN(1) DOUBLE_DENORM_OUT(1)
 *		DX10_CLAMP(0)      on one line; without it as in OpenCL
 *	.reqd_work_group_size 64 1 1
 *	.work_group_size_hint 64 1 1
 *	.loop 3 10 0 1             loop constant i3: trips, first aL, step
 *	.bool 2 1                  boolean constant b2
 *	.argument global "float*" a CONST RESTRICT
 *	.argument value "float4" factor
 *	.argument local "int*" scratch ALIGN(4)
 *	.argument image "image2d_t" picture READ_ONLY NUMBER(16)
 *	.argument sampler "sampler_t" how NUMBER(0)
 *	.sampler 1 0x14            a literal sampler: number, bits
 *
 * The kind of an argument is value, global, constant, local, image or sampler.
 * The type and the name follow the kind. Then come SIZE(), ALIGN() and OFFSET()
 * in bytes, where they differ from those of the type, and READ_ONLY,
 * WRITE_ONLY, READ_WRITE, CONST, RESTRICT, VOLATILE. NUMBER() is the number
 * under which the code knows a sampler or an image: for an image that is read
 * its fetch resource, for one that is written its RAT. Without NUMBER() the
 * numbers ascend as those of m2s-clc do: fetch resources from 16, RATs from 1,
 * samplers from 0. */
#ifndef M2S_EVERGREEN_ASM_DIRECTIVE_H
#define M2S_EVERGREEN_ASM_DIRECTIVE_H

#include "evergreen/asm/scan.h"
#include "evergreen/kernel/kernel.h"

/* The directives of a kernel that have been read so far. */
struct asm_kernel {
	bool has_registers, has_stack;
	uint32_t arguments_end; /* in constant buffer 0; 0: no argument yet */
};

/* Reads one directive. */
int asm_directive(struct evg_scan *scan, struct asm_kernel *given,
		  struct evg_kernel *kernel);

/* Fills in what no directive has given: the registers and the stack entries
 * that the code uses. */
void asm_kernel_end(const struct asm_kernel *given, struct evg_kernel *kernel,
		    uint32_t registers, uint32_t pushes);

#endif
