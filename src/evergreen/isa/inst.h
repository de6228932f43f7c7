/* Evergreen machine code, decoded: from bytes to structures.
 *
 * Members have the names of the hardware's fields. doc/evergreen-isa.md lists
 * the sources. The instruction tables are the .def files beside this header
 * (cf.def, alu.def, lds.def, rat.def and fetch.def), one row per
 * instruction. */
#ifndef M2S_EVERGREEN_ISA_INST_H
#define M2S_EVERGREEN_ISA_INST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* EVG_CF_TEX, EVG_CF_JUMP, EVG_CF_ALU, EVG_CF_ALU_PUSH_BEFORE, ... */
enum evg_cf_op {
#define CF(id, ...) EVG_CF_##id,
#include "evergreen/isa/cf.def"
	EVG_CF_COUNT
};

/* EVG_ALU_ADD, EVG_ALU_MULADD_IEEE, EVG_ALU_LDS_IDX_OP, ... */
enum evg_alu_op {
#define ALU(id, ...) EVG_ALU_##id,
#include "evergreen/isa/alu.def"
	EVG_ALU_COUNT
};

/* EVG_LDS_ADD, EVG_LDS_READ_RET, ... */
enum evg_lds_op {
#define LDS(id, ...) EVG_LDS_##id,
#include "evergreen/isa/lds.def"
	EVG_LDS_COUNT
};

/* EVG_RAT_STORE_RAW, EVG_RAT_ADD_RTN, ... */
enum evg_rat_op {
#define RAT(id, ...) EVG_RAT_##id,
#include "evergreen/isa/rat.def"
	EVG_RAT_COUNT
};

/* EVG_FETCH_VFETCH, EVG_FETCH_SAMPLE, ... */
enum evg_fetch_op {
#define FETCH(id, ...) EVG_FETCH_##id,
#include "evergreen/isa/fetch.def"
	EVG_FETCH_COUNT
};

/* 64-bit units of an ALU clause: instructions, and literals by twos. */
enum { EVG_CLAUSE_UNITS = 128 };

/* General purpose registers. Every clause has the temporaries R124 to R127
 * (listings: T3 to T0), besides the registers of its kernel. */
enum {
	EVG_REGISTERS = 128,
	EVG_FIRST_TEMPORARY = 124,
};

/* The number of places that a launch can bind. */
enum {
	EVG_FETCH_RESOURCES = 176, /* of the compute shader */
	EVG_SAMPLERS = 18,
	EVG_RATS = 12,
};

/* Local memory that a work-group can have, in bytes. */
enum { EVG_MAX_LOCAL_MEMORY = 32 << 10 };

enum evg_slot { EVG_X, EVG_Y, EVG_Z, EVG_W, EVG_T, EVG_SLOT_COUNT };

/* The layout of a CF word pair. */
enum evg_cf_format {
	EVG_CF_WORD,         /* CF_WORD0/1 */
	EVG_CF_GWS,          /* CF_GWS_WORD0 and CF_WORD1 */
	EVG_CF_ALU_WORD,     /* CF_ALU_WORD0/1 */
	EVG_CF_ALU_EXTENDED_WORD,
	EVG_CF_EXPORT_BUF,   /* CF_ALLOC_EXPORT, BUF second word */
	EVG_CF_EXPORT_SWIZ,  /* ... SWIZ second word */
	EVG_CF_EXPORT_RAT,   /* ... RAT first word, BUF second word */
};

struct evg_kcache {
	uint8_t bank, mode, address; /* mode: 0 none, 1, 2 lines; 3 loop */
	uint8_t bank_index_mode;     /* from ALU_EXTENDED */
};

struct evg_cf_inst {
	enum evg_cf_op op;
	enum evg_cf_format format;
	uint32_t address;       /* of the clause or target, 64-bit units */
	bool barrier, end_of_program, valid_pixel_mode, whole_quad_mode;
	bool alt_const, mark;
	/* CF_WORD */
	uint8_t pop_count, cf_const, condition, jumptable_select;
	/* The length of the clause: 64-bit units of an ALU clause, instructions
	 * of a fetch clause. Of an instruction without a clause: the COUNT
	 * field itself. */
	uint16_t count;
	/* CF_ALU. Caches 2 and 3 come from an ALU_EXTENDED word before it. */
	struct evg_kcache kcache[4];
	bool extended_barrier;  /* BARRIER of the ALU_EXTENDED word */
	/* Exports. element_size and burst_count are stored as in the fields:
	 * one less than the number of dwords and of elements. */
	enum evg_rat_op rat_op;
	uint8_t rat_id, rat_index_mode, type;
	uint8_t rw_gpr, index_gpr, element_size, burst_count, component_mask;
	bool rw_relative;
	uint16_t array_base, array_size;
	uint8_t select[4];      /* SWIZ */
	/* GWS */
	uint16_t gws_value;
	uint8_t gws_resource, gws_value_index_mode, gws_resource_index_mode;
	uint8_t gws_opcode;
	bool gws_sign;
	/* As read; of an extended instruction, its ALU word. */
	uint32_t word[2];
	uint32_t extended_word[2];
};

/* The source selectors that name neither a register nor a constant file. */
enum {
	EVG_SELECT_KCACHE0 = 128, EVG_SELECT_KCACHE1 = 160,
	EVG_SELECT_LDS_OQ_A = 219, EVG_SELECT_LDS_OQ_B = 220,
	EVG_SELECT_LDS_OQ_A_POP = 221, EVG_SELECT_LDS_OQ_B_POP = 222,
	EVG_SELECT_LDS_DIRECT_A = 223, EVG_SELECT_LDS_DIRECT_B = 224,
	EVG_SELECT_TIME_HI = 227, EVG_SELECT_TIME_LO = 228,
	EVG_SELECT_MASK_HI = 229, EVG_SELECT_MASK_LO = 230,
	EVG_SELECT_HW_WAVE_ID = 231, EVG_SELECT_SIMD_ID = 232,
	EVG_SELECT_SE_ID = 233, EVG_SELECT_HW_THREADGRP_ID = 234,
	EVG_SELECT_WAVE_ID_IN_GRP = 235,
	EVG_SELECT_NUM_THREADGRP_WAVES = 236, EVG_SELECT_HW_ALU_ODD = 237,
	EVG_SELECT_LOOP_INDEX = 238,
	EVG_SELECT_PARAM_BASE_ADDR = 240, EVG_SELECT_NEW_PRIM_MASK = 241,
	EVG_SELECT_PRIM_MASK_HI = 242, EVG_SELECT_PRIM_MASK_LO = 243,
	EVG_SELECT_1_DOUBLE_LOW = 244, EVG_SELECT_1_DOUBLE_HIGH = 245,
	EVG_SELECT_HALF_DOUBLE_LOW = 246, EVG_SELECT_HALF_DOUBLE_HIGH = 247,
	EVG_SELECT_0 = 248, EVG_SELECT_1 = 249, EVG_SELECT_1_INT = 250,
	EVG_SELECT_M1_INT = 251, EVG_SELECT_HALF = 252,
	EVG_SELECT_LITERAL = 253, EVG_SELECT_PV = 254, EVG_SELECT_PS = 255,
	EVG_SELECT_KCACHE2 = 256, EVG_SELECT_KCACHE3 = 288,
	EVG_SELECT_PARAM = 448,
};

/* INDEX_MODE: the value that is added to a relative operand's register
 * number. */
enum evg_index_mode {
	EVG_INDEX_AR = 0,        /* AR of the lane */
	EVG_INDEX_LOOP = 4,      /* aL */
	EVG_INDEX_GLOBAL = 5,    /* nothing, in the shared registers */
	EVG_INDEX_GLOBAL_AR = 6, /* AR of the lane, in the shared registers */
};

struct evg_source {
	uint16_t select;
	uint8_t channel;
	bool relative, negate, absolute;
};

/* One instruction of a group. */
struct evg_alu_inst {
	enum evg_alu_op op;
	enum evg_lds_op lds_op;  /* when op is LDS_IDX_OP */
	struct evg_source source[3];
	uint8_t source_count;
	uint8_t index_mode, predicate_select, output_modifier, bank_swizzle;
	uint8_t dest_gpr, dest_channel;
	uint8_t lds_offset;      /* IDX_OFFSET, dwords */
	bool dest_relative, write_mask, clamp;
	bool update_execute_mask, update_predicate;
	bool last;
	uint32_t word[2];
};

/* One VLIW group. */
struct evg_alu_group {
	struct evg_alu_inst inst[EVG_SLOT_COUNT];
	uint8_t slot_mask;       /* bit s: inst[s] is issued */
	uint8_t order[EVG_SLOT_COUNT]; /* slots in program order */
	uint8_t inst_count;
	uint8_t literal_count;   /* 0, 2 or 4 dwords */
	uint32_t literal[4];
	uint8_t size;            /* 64-bit units, literals included */
};

/* One instruction of a fetch (TEX or VTX) clause. */
struct evg_fetch_inst {
	enum evg_fetch_op op;
	/* The layout is VTX; else it is TEX, MEM_RD or GDS. */
	bool is_vertex;
	bool whole_quad, source_relative, dest_relative, alt_const;
	uint8_t fetch_type, resource_id, source_gpr, source_select[4];
	uint8_t dest_gpr, dest_select[4];
	/* VTX */
	uint8_t mega_fetch_count, data_format, num_format, endian_swap;
	uint8_t buffer_index_mode;
	bool use_const_fields, format_signed, srf_mode, mega_fetch;
	bool const_buf_no_stride, semantic;
	uint16_t offset;         /* bytes */
	/* TEX */
	uint8_t inst_mod, sampler_id, resource_index_mode, sampler_index_mode;
	int8_t lod_bias, texel_offset[3];
	bool normalized[4];
	/* MEM_RD, GDS; element_size and burst_count as in evg_cf_inst */
	uint8_t mem_op, element_size, burst_count, gds_op;
	uint16_t array_base, array_size;
	bool uncached, indexed;
	uint8_t source_gpr2, uav_id, uav_index_mode;
	bool alloc_consume, broadcast_first;
	uint8_t source_relative_mode, dest_relative_mode;
	uint32_t word[4];
};

/* Decoders. They return the number of 64-bit units that the instruction takes
 * (2 of a fetch), or -1 and *error. *error holds the fault and the words; the
 * caller adds kernel and address. `units` is the number of units left in the
 * clause or program. */
int evg_cf_decode(struct evg_cf_inst *inst, const uint32_t *words,
		  size_t units, struct error *error);
int evg_alu_group_decode(struct evg_alu_group *group, const uint32_t *words,
			 size_t units, struct error *error);
int evg_fetch_decode(struct evg_fetch_inst *inst, const uint32_t words[4],
		     struct error *error);
/* GDS clauses have their own layout. */
int evg_gds_decode(struct evg_fetch_inst *inst, const uint32_t words[4],
		   struct error *error);

/* Encoders, the exact inverses of the decoders: the number of 64-bit units
 * written, or -1 and *error. */
int evg_cf_encode(uint32_t *words, const struct evg_cf_inst *inst,
		  struct error *error);
int evg_alu_group_encode(uint32_t *words, const struct evg_alu_group *group,
			 struct error *error);
int evg_fetch_encode(uint32_t words[4], const struct evg_fetch_inst *inst,
		     struct error *error);

/* Write text in AMD's style, cut to fit. They return the length of the whole
 * text, as snprintf does. The text of a CF or fetch instruction is one line
 * without its end. The text of a group is one line per slot, each with its end.
 * `number` counts the ALU groups and fetch instructions of the program: it
 * stands in front of the group, and PV and PS sources name the group before
 * it. */
size_t evg_cf_format(char *text, size_t size, const struct evg_cf_inst *inst);
size_t evg_alu_group_format(char *text, size_t size,
			    const struct evg_alu_group *group,
			    unsigned number);
size_t evg_fetch_format(char *text, size_t size,
			const struct evg_fetch_inst *inst);

/* Rows of the tables, for disassembly, statistics and documents. */
enum { /* evg_alu_info.slots */
	EVG_SLOTS_ANY = 0x1f,    /* x y z w t */
	EVG_SLOTS_VECTOR = 0x0f, /* x y z w */
	EVG_SLOTS_T = 0x10,
	EVG_SLOTS_X = 0x01,      /* LDS_IDX_OP */
	EVG_SLOTS_PAIR = 0x2f,   /* occupies x+y or z+w */
	EVG_SLOTS_FOUR = 0x4f,   /* occupies x, y, z and w */
};
struct evg_alu_info {
	const char *name;     /* "MULADD_IEEE" */
	const char *amd_text; /* "MULADD_e" */
	bool op3;
	uint16_t code;
	uint8_t source_count;
	uint8_t slots;
	/* Operations on doubles need double-precision units. */
	bool takes_doubles, gives_double;
	bool has_result;
	bool is_float;        /* float result: output modifier and clamp apply */
	bool is_predicate;    /* PRED_SET* */
	bool selects;         /* CND*: one source chooses between the others */
	bool compute;
};
extern const struct evg_alu_info evg_alu_info[EVG_ALU_COUNT];

/* The operands of a CF_WORD. */
enum evg_cf_operands {
	EVG_OPERANDS_PLAIN,
	EVG_OPERANDS_CLAUSE, /* ADDR and COUNT of a fetch clause */
	/* The same; it waits first until writes are acknowledged. */
	EVG_OPERANDS_ACK_CLAUSE,
	EVG_OPERANDS_POP,    /* POP_COUNT; ADDR is what follows */
	EVG_OPERANDS_ACKS,   /* ADDR is a number of acknowledges */
	/* From here on ADDR is a possible target. */
	EVG_OPERANDS_LOOP,   /* and the constant of a loop */
	EVG_OPERANDS_REPEAT, /* the same */
	EVG_OPERANDS_LEAVE,  /* and POP_COUNT */
	EVG_OPERANDS_BRANCH, /* the same */
	EVG_OPERANDS_CALL,
	EVG_OPERANDS_TABLE,  /* and JUMPTABLE_SEL */
};
struct evg_cf_info {
	const char *name, *amd_text;
	const char *llvm_text; /* in LLVM's listings, or NULL */
	enum evg_cf_format format;
	enum evg_cf_operands operands;
	uint8_t code;
	bool compute;
	bool emitted; /* kernels of m2s-clc have it */
};
extern const struct evg_cf_info evg_cf_info[EVG_CF_COUNT];

enum evg_lds_element {
	EVG_LDS_ELEMENT_B32,
	EVG_LDS_ELEMENT_U8,
	EVG_LDS_ELEMENT_S8,
	EVG_LDS_ELEMENT_U16,
	EVG_LDS_ELEMENT_S16,
};
struct evg_lds_info {
	const char *name;
	uint8_t code, source_count;
	uint8_t returns;      /* queue values pushed: 0, 1 (A), 2 (A and B) */
	bool compute;
	enum evg_lds_element element;
	uint16_t step;        /* bytes; 0: no OFFSET */
};
extern const struct evg_lds_info evg_lds_info[EVG_LDS_COUNT];

struct evg_rat_info {
	const char *name;
	uint8_t code;
	bool returns;         /* *_RTN */
	bool compute;
};
extern const struct evg_rat_info evg_rat_info[EVG_RAT_COUNT];

enum evg_fetch_layout {
	EVG_LAYOUT_VTX,
	EVG_LAYOUT_TEX,
	EVG_LAYOUT_MEM_RD,
	EVG_LAYOUT_GDS,
};
enum { EVG_MOD_ANY = -1 };   /* INST_MOD is an operand, not part of the code */
struct evg_fetch_info {
	const char *name;
	enum evg_fetch_layout layout;
	uint8_t code;
	int8_t mod;          /* INST_MOD or MEM_OP */
	uint8_t gds_op;
	bool compute;
};
extern const struct evg_fetch_info evg_fetch_info[EVG_FETCH_COUNT];

#endif
