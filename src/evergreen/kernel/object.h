/* Numbers in the ELF objects that hold kernels; reader.c reads them. Sources:
 * LLVM, User Guide for AMDGPU Backend (machine, flags, relocations); the
 * Evergreen 3D register reference (registers). */
#ifndef M2S_EVERGREEN_KERNEL_OBJECT_H
#define M2S_EVERGREEN_KERNEL_OBJECT_H

enum {
	EVG_MACHINE_AMDGPU = 0xe0,     /* EM_AMDGPU */
	EVG_FLAGS_MACH = 0xff,         /* EF_AMDGPU_MACH: see chip.def */
	EVG_RELOCATION_ABS32 = 6,      /* R_AMDGPU_ABS32 */

	/* (register, value) pairs in .AMDGPU.config. */
	EVG_SQ_PGM_RESOURCES_LS = 0x288d4, /* registers, stack << 8 */
	EVG_DB_SHADER_CONTROL = 0x2880c,
	EVG_SQ_LDS_ALLOC = 0x288e8,        /* dwords */
	EVG_CONFIG_BLOCK_SIZE = 24,
};

#endif
