/* A kernel that is ready to run: the product of both binary readers.
 *
 * The code assumes that constant buffer 0 and vertex resource 3 hold the
 * launch's sizes and arguments; that resources 1 and 2 and RAT 0 are global
 * memory from address 0; and that resource 160 + RAT number gives each lane the
 * old value that its last returning (*_RTN) operation on that RAT read. So a
 * launch reserves no memory for atomics. At the start R0.xyz is the work-item's
 * id in its work-group and R1.xyz the work-group's id.
 *
 * Images and samplers are bound by the numbers that the code has for them
 * (evergreen/emu/memory/resource.h). For code that asks, an image argument is
 * EVG_IMAGE_ARGUMENT_SIZE bytes about the image, and a sampler argument is the
 * sampler's bits. (Code of AMD's compiler expects the same dwords in the same
 * order.)
 *
 * A `struct evg_program` is one kernel binary: a clang ELF object with our
 * metadata section, or an AMD CAL ELF. It owns its kernels. */
#ifndef M2S_EVERGREEN_KERNEL_KERNEL_H
#define M2S_EVERGREEN_KERNEL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "evergreen/isa/chip.h"
#include "evergreen/kernel/lines.h"

/* OpenCL address qualifiers, numbered as in !kernel_arg_addr_space. */
enum evg_address_space {
	EVG_PRIVATE,  /* by value */
	EVG_GLOBAL,
	EVG_CONSTANT,
	EVG_LOCAL,
};

enum evg_argument_kind {
	EVG_ARGUMENT_VALUE,
	EVG_ARGUMENT_POINTER, /* see address_space */
	EVG_ARGUMENT_IMAGE,
	EVG_ARGUMENT_SAMPLER,
};

enum evg_access {
	EVG_ACCESS_NONE,
	EVG_ACCESS_READ_ONLY,
	EVG_ACCESS_WRITE_ONLY,
	EVG_ACCESS_READ_WRITE,
};

enum {
	EVG_QUALIFIER_CONST = 1,
	EVG_QUALIFIER_RESTRICT = 2,
	EVG_QUALIFIER_VOLATILE = 4,
};

/* The dwords of an image argument, with the values that clGetImageInfo
 * gives. */
enum evg_image_dword {
	EVG_IMAGE_WIDTH,
	EVG_IMAGE_HEIGHT,    /* 1 for an image without a height */
	/* Of an array, the number of layers; 1 for neither. */
	EVG_IMAGE_DEPTH,
	EVG_IMAGE_DATA_TYPE, /* CL_UNORM_INT8 ... */
	EVG_IMAGE_INVERSE_WIDTH, /* 1 / width and so on, as floats */
	EVG_IMAGE_INVERSE_HEIGHT,
	EVG_IMAGE_INVERSE_DEPTH,
	EVG_IMAGE_ORDER,     /* CL_RGBA ... */
	EVG_IMAGE_DWORDS,
	EVG_IMAGE_ARGUMENT_SIZE = 4 * EVG_IMAGE_DWORDS,
};

/* The bits of a sampler as in clang's literals: CLK_NORMALIZED_...,
 * CLK_ADDRESS_..., CLK_FILTER_... */
enum {
	EVG_SAMPLER_NORMALIZED = 0x1,
	EVG_SAMPLER_ADDRESS = 0xe,
	EVG_SAMPLER_ADDRESS_NONE = 0x0,
	EVG_SAMPLER_CLAMP_TO_EDGE = 0x2,
	EVG_SAMPLER_CLAMP = 0x4,
	EVG_SAMPLER_REPEAT = 0x6,
	EVG_SAMPLER_MIRRORED_REPEAT = 0x8,
	EVG_SAMPLER_FILTER = 0x30,
	EVG_SAMPLER_NEAREST = 0x10,
	EVG_SAMPLER_LINEAR = 0x20,
};

/* The numbers that m2s-clc assigns: fetch resources to images that are read,
 * RATs to images that are written, samplers first to arguments and then to
 * literals. */
enum {
	EVG_READ_IMAGE_FIRST = 16,
	EVG_READ_IMAGE_COUNT = 128,
	EVG_WRITE_IMAGE_FIRST = 1,
	EVG_WRITE_IMAGE_COUNT = 8,
	EVG_SAMPLER_COUNT = 16,
};

/* A sampler that the program itself defines. */
struct evg_literal_sampler {
	uint32_t number, bits;
};

struct evg_argument {
	const char *name;      /* "" when unknown */
	const char *type_name; /* as written: "float4*" */
	enum evg_argument_kind kind;
	enum evg_address_space address_space;
	enum evg_access access;
	unsigned qualifiers;   /* EVG_QUALIFIER_* */
	uint32_t offset;       /* in constant buffer 0, bytes */
	uint32_t size;         /* bytes; 4 for pointers and samplers,
				  EVG_IMAGE_ARGUMENT_SIZE for images */
	uint32_t alignment;    /* of the value, or of what a __local pointer
				  points to, bytes */
	uint32_t number;       /* of a sampler; of an image: its fetch
				  resource, or its RAT if written */
};

/* The constants of control flow, which have registers of their own. */
enum {
	EVG_LOOP_CONSTANTS = 32,
	EVG_LOOP_TRIPS = 4096, /* most trips of a counted loop */
};

struct evg_flow_constants {
	/* By CF_CONST: trip count, first aL, step of aL, and a fourth number
	 * that only a jump table can select. */
	int32_t loops[EVG_LOOP_CONSTANTS][4];
	uint32_t loops_given; /* bit n: loop constant n exists */
	uint32_t bools;       /* bit n: boolean constant n */
	uint32_t bools_given;
};

/* ROUND fields of SQ_PGM_RESOURCES_2. */
enum evg_round {
	EVG_ROUND_NEAREST, /* to even */
	EVG_ROUND_UP,      /* to +infinity */
	EVG_ROUND_DOWN,    /* to -infinity */
	EVG_ROUND_ZERO,
};

/* How a program's arithmetic rounds and treats denormals and NaN. All zeros is
 * the mode of OpenCL kernels: round to nearest, flush single denormals, keep
 * double denormals; CLAMP makes a NaN 0. */
struct evg_float_mode {
	uint8_t single_round, double_round; /* enum evg_round */
	/* Whether denormal operands and results are kept or become zero. */
	bool keep_single_in, keep_single_out;
	bool flush_double_in, flush_double_out;
	bool clamp_keeps_nan; /* DX10_CLAMP of SQ_PGM_RESOURCES is 0 */
};

/* Translate from and to SQ_PGM_RESOURCES_2: SINGLE_ROUND 1:0, DOUBLE_ROUND 3:2,
 * ALLOW_SINGLE_DENORM_IN 4, OUT 5, ALLOW_DOUBLE_DENORM_IN 6, OUT 7.
 * `dx10_clamp` is a bit of another register. */
struct evg_float_mode evg_float_mode_decode(uint32_t resources,
					    bool dx10_clamp);
uint32_t evg_float_mode_encode(const struct evg_float_mode *mode);
enum { EVG_FLOAT_MODE_DEFAULT = 0xc0 };

struct evg_kernel {
	const char *name;
	const struct evg_program *program;
	uint32_t code_offset; /* in program->text, bytes, multiple of 8 */
	uint32_t code_size;   /* bytes */
	uint32_t registers;   /* GPRs per work-item */
	uint32_t stack_size;  /* CF stack entries */
	uint32_t local_size;  /* static __local memory, bytes */
	struct evg_float_mode float_mode;
	uint32_t reqd_work_group_size[3];  /* 0 0 0: not given */
	uint32_t work_group_size_hint[3];
	const char *attributes; /* as clGetKernelInfo gives them, "" if none */
	uint32_t argument_count;
	const struct evg_argument *arguments;
	uint32_t sampler_count;
	const struct evg_literal_sampler *samplers;
	/* Layout of constant buffer 0: the offset of work_dim and the global
	 * offset, which follow the arguments. With EVG_CONVENTION_CAL: the size
	 * of constant buffer 1. */
	uint32_t tail_offset; /* bytes: work_dim, then offset x, y, z, then
				 the address of the printf buffer, or 0 */
	/* Scratch memory per work-item, bytes (a multiple of 4). It holds
	 * private arrays, and values that have no register. */
	uint32_t scratch_size;
	bool prints; /* needs a printf buffer (see struct evg_launch) */
	struct evg_flow_constants flow;
	/* The decoded code, which the emulator makes once. */
	struct evg_code *code;
};

/* The assumptions of code about constants and resources. */
enum evg_convention {
	/* m2s-clc, LLVM: see the top of this file. */
	EVG_CONVENTION_LLVM,
	/* AMD's compiler. Constant buffer 0 describes the launch. Constant
	 * buffer 1 holds the arguments, 16 bytes each; the arguments' offsets
	 * and tail_offset, its size, refer to that buffer. Fetch resources have
	 * a format and count elements. RAT numbers are UAV numbers. */
	EVG_CONVENTION_CAL,
};

/* A format of printf in an AMD binary, which kernels name by its index. */
struct evg_printf_format {
	char *text; /* NULL: there is no format of this index */
	uint32_t argument_count;
	/* Of the arguments, bytes; a string's size is not used. */
	uint32_t *sizes;
};

/* Constant data of an AMD binary, a part of the program's text. */
struct evg_constant_data {
	uint32_t bank; /* constant buffer; 0: it is read as global memory */
	uint32_t offset, size; /* in text, bytes */
};

struct evg_program {
	enum evg_convention convention;
	enum evg_chip chip; /* that it was made for */
	uint8_t *text;      /* code and constant tables, before relocation */
	uint32_t text_size;
	/* Words of `text` that hold a text-relative address. The loader adds
	 * the address of `text` in global memory (vertex fetch 2 reads there).
	 * Such a word is an ALU literal in a kernel's code. */
	uint32_t *relocations; /* byte offsets in text, ascending */
	uint32_t relocation_count;
	struct evg_kernel *kernels;
	uint32_t kernel_count;
	struct evg_lines *lines;   /* lines.h; NULL: not compiled with -g */
	const char *build_options; /* given to m2s-clc, "" if unknown */
	const char *compiler;      /* who made it; NULL if unknown */
	/* Only with EVG_CONVENTION_CAL. */
	struct evg_printf_format *formats;
	uint32_t format_count;
	struct evg_constant_data *data;
	uint32_t data_count;
};

/* Reads an object of m2s-clc or m2s-evg-as, or a binary of AMD's compiler for
 * the Radeon HD 5870. `name` is for messages. Every offset in the file is
 * checked. NULL and *error for an invalid or incomplete file. */
struct evg_program *evg_program_read(const char *name, const void *image,
				     size_t size, struct error *error);
/* Makes the object for a program; `compiler` names the program's maker. The
 * caller frees the object, *size bytes, with free(). */
void *evg_program_write(const struct evg_program *program,
			const char *compiler, size_t *size);
/* Appends a kernel's code to the program's text, at a multiple of 256 bytes as
 * the hardware demands, and sets the kernel's code_offset and code_size. */
void evg_program_add_code(struct evg_program *program,
			  struct evg_kernel *kernel, const uint8_t *code,
			  uint32_t size);
/* Appends `size` bytes at a multiple of 256 bytes. Returns their offset in the
 * text. */
uint32_t evg_program_append(struct evg_program *program, const uint8_t *bytes,
			    uint32_t size);
void evg_program_free(struct evg_program *program);
const struct evg_kernel *evg_program_find(const struct evg_program *program,
					  const char *name);

#endif
