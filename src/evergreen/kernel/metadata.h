/* The argument metadata that m2s-clc adds to an object, as text.
 *
 * clang's object for this target says nothing about kernel arguments, so
 * m2s-clc stores what the LLVM module knew in an ELF section of its own
 * (EVG_METADATA_SECTION, SHT_PROGBITS, no flags). It is line by line text:
 *
 *	m2s-kernels 1
 *	compiler "Debian clang version 16.0.6"
 *	options "-D N=4"
 *	kernel "add"
 *	attributes "reqd_work_group_size(64,1,1)"
 *	reqd_work_group_size 64 1 1
 *	work_group_size_hint 0 0 0
 *	tail 84
 *	scratch 4096
 *	printf
 *	loop 0 16 0 1 0
 *	bool 3 1
 *	argument pointer global none 1 36 4 4 "float*" "a"
 *	argument pointer local none 0 40 4 16 "float4*" "scratch"
 *	argument value private none 0 44 4 4 "int" "n"
 *	argument image global read_only 0 48 32 4 16 "image2d_t" "picture"
 *	argument sampler private none 0 80 4 4 0 "sampler_t" "how"
 *	sampler 1 20
 *	end 1
 *
 * The first line holds the version: a reader refuses any other. Every kernel
 * has the lines shown, in this order. "scratch" (bytes per work-item),
 * "printf", and the constants of control flow, "loop" and "bool" with their
 * numbers in ascending order, are there only when the kernel needs them. The
 * arguments follow: kind, address space, access, qualifiers (EVG_QUALIFIER_*
 * added up), offset in constant buffer 0, size, alignment (bytes; kernel.h),
 * for images and samplers their number in the code, type, name. Then come the
 * samplers that the program defines: number and bits. The last line counts the
 * kernels. Strings are quoted; in them \\, \" and \xHH (two hexadecimal digits,
 * any byte) stand for what cannot be written plainly. Registers, stack and
 * local memory are not here: .AMDGPU.config has them.
 *
 * A kernel whose float mode differs from that of OpenCL kernels has one more
 * line after its tail: `float_mode 195 1`, bits 7:0 of SQ_PGM_RESOURCES_2 and
 * DX10_CLAMP. */
#ifndef M2S_EVERGREEN_KERNEL_METADATA_H
#define M2S_EVERGREEN_KERNEL_METADATA_H

#include "evergreen/kernel/kernel.h"

#define EVG_METADATA_SECTION ".m2s.kernels"

enum {
	EVG_METADATA_VERSION = 1,
	EVG_ARGUMENTS_START = 36,       /* in constant buffer 0 */
	/* work_dim, global offset, printf buffer */
	EVG_ARGUMENTS_TAIL_SIZE = 20,
	EVG_SCRATCH_SIZE_MAX = 65536,   /* bytes per work-item */
	EVG_CONSTANT_BUFFER_SIZE = 65536,
	EVG_ARGUMENT_COUNT_MAX = 1024,
};

/* The text for the kernels of `program`, which the caller frees with free(). */
char *evg_metadata_write(const struct evg_program *program,
			 const char *compiler);

/* Fills in kernels, arguments and build options of an empty program. 0, or -1
 * and *error ("name: .m2s.kernels:line: ..."); The caller frees *program with
 * evg_program_free in both cases. */
int evg_metadata_read(const char *name, const char *text, size_t size,
		      struct evg_program *program, struct error *error);

#endif
