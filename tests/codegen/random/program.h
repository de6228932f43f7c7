/* Random OpenCL C kernels as trees, which are printed as source and evaluated
 * here. No program depends on the order of work-items, and none does what the
 * standard leaves undefined. */
#ifndef M2S_TESTS_CODEGEN_RANDOM_PROGRAM_H
#define M2S_TESTS_CODEGEN_RANDOM_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum element {
	CHAR,
	UCHAR,
	SHORT,
	USHORT,
	INT,
	UINT,
	LONG,
	ULONG,
	FLOAT,
	DOUBLE,
	ELEMENTS,
};

struct type {
	enum element element;
	uint8_t width; /* 1, 2, 3, 4, 8 or 16 */
};

enum {
	WIDEST = 16,
	GROUP = 64,      /* work-items */
	GROUPS = 2,
	ITEMS = GROUP * GROUPS,
	SIZES = 6,       /* buffers: of 1, 2, 4, 8 bytes, floats, doubles */
	INPUTS = 256,    /* elements of each input */
	/* Elements of each output of a work-item: one half for what variables
	 * have at the end, one for stores on the way. */
	ZONE = 32,
	COUNTERS = 32,   /* of each atomic operation */
	ENTRIES = 32,    /* of each table of constants */
	PLACES = 8,      /* in a table of constants */
	ARRAY = 8,       /* elements of a private array */
	VARIABLES_MAX = 40,
	SHARED_MAX = 8,
	SHARED_COUNTERS = 16,
};

/* An integer has all bits above its own as its sign says. */
struct value {
	union {
		uint64_t bits[WIDEST];
		double real[WIDEST];
	};
};

enum operation {
#define OPERATION(name, ...) name,
#include "codegen/random/operation.def"
	OPERATIONS,
};

enum style { INFIX, PREFIX, CALL, OWN };
enum domain { INTEGERS, REALS, BOTH, INTS, LONGS };

struct operation_info {
	const char *text;
	enum style style;
	unsigned operands;
	enum domain domain;
};

extern const struct operation_info operation_info[OPERATIONS];

enum comparison { LESS, LESS_EQUAL, EQUAL, NOT_EQUAL };

enum node_kind {
	NODE_CONSTANT,
	NODE_VARIABLE,
	NODE_ARRAY,      /* element kid 0 of a private array */
	NODE_INPUT,      /* element kid 0 of an input buffer */
	NODE_TABLE,      /* element kid 0 of a table of constants */
	NODE_PLACES,     /* what place kid 0 of a table of places names */
	NODE_OWN,        /* element kid 0 of the item's part of an output */
	NODE_SHARED,     /* element kid 0 of local memory */
	NODE_LOCAL_ID,
	NODE_GLOBAL_ID,
	NODE_ARGUMENT,
	NODE_OPERATION,
	NODE_COMPARE,    /* 0 or 1; of vectors 0 or -1 */
	NODE_CHOOSE,     /* kid 0 ? kid 1 : kid 2 */
	NODE_CONVERT,
	NODE_SATURATE,
	NODE_BITS_OF,    /* of a real number from an integer */
	NODE_PICK,       /* elements of a vector */
	NODE_BUILD,      /* a vector from its elements */
};

/* An expression. */
struct node {
	enum node_kind kind;
	struct type type;
	bool zero;               /* the reducer has replaced it */
	enum operation operation;
	enum comparison comparison;
	unsigned number;         /* of a variable, or of local memory */
	uint8_t lanes[WIDEST];   /* PICK */
	struct value constant;
	struct node *kids[WIDEST];
	unsigned kid_count;
};

enum statement_kind {
	STATEMENT_ASSIGN,        /* variable = value */
	STATEMENT_PART,          /* variable.lanes = value */
	STATEMENT_ARRAY,         /* array[index] = value */
	STATEMENT_STORE,         /* to the item's part of an output */
	STATEMENT_ATOMIC,        /* global, result unused */
	STATEMENT_RESULT,        /* variable = atomic operation on own dword */
	STATEMENT_IF,
	STATEMENT_UNIFORM_IF,    /* the same way for all of a work-group */
	STATEMENT_FOR,           /* value & 7 times, `number` is the counter */
	STATEMENT_UNIFORM_FOR,
	STATEMENT_WHILE,         /* at most 5 times */
	STATEMENT_SWITCH,
	STATEMENT_BREAK,
	STATEMENT_CONTINUE,
	STATEMENT_RETURN,
	STATEMENT_SHARE,         /* local[local id] = value */
	STATEMENT_COUNT,         /* atomic on local counters */
	STATEMENT_CLEAR,         /* the counters, before */
	STATEMENT_BARRIER,
};

enum atomic { ADD_TO, SUB_FROM, MIN_OF, MAX_OF, AND_TO, OR_TO, XOR_TO, INCREMENT,
	      DECREMENT, EXCHANGE, COMPARE_EXCHANGE, ATOMICS };

struct statement {
	enum statement_kind kind;
	bool gone;               /* the reducer has removed it */
	unsigned number;         /* of a variable, local memory, ... */
	struct type type;        /* STORE */
	bool aligned;            /* STORE: through a pointer to the vector */
	bool falls;              /* SWITCH: into case 1 */
	enum atomic atomic;
	uint8_t lanes[WIDEST];   /* PART */
	struct node *value, *index;
	struct statement *sides[3]; /* the first of each */
	struct statement *next;
};

enum variable_kind { PLAIN, PRIVATE_ARRAY, COUNTER };

struct variable {
	struct type type;
	enum variable_kind kind;
	struct node *start;      /* PLAIN */
	unsigned home;           /* PLAIN: element of the item's zone */
};

struct kernel {
	unsigned number;
	struct variable variables[VARIABLES_MAX];
	unsigned variable_count;
	struct type shared[SHARED_MAX]; /* width 0: counters */
	unsigned shared_count;
	struct statement *body;
	void *allocated;         /* all nodes and statements */
};

/* Memory of a launch. */
struct memory {
	uint8_t input[SIZES][INPUTS * 8];
	uint8_t output[SIZES][ITEMS * ZONE * 8];
	uint32_t counters[ATOMICS * COUNTERS];
	uint32_t own[ITEMS * 4];
	int argument;
};

/* --- Types (type.c) */
extern const char *const element_names[ELEMENTS];
unsigned element_bits(enum element element);
bool element_is_signed(enum element element);
bool element_is_real(enum element element);
/* Its buffer. */
unsigned element_buffer(enum element element);
/* The bound that variables keep to, so that no sum of products overflows. */
double element_bound(enum element element);
/* Cut to the element's bits, with its sign. */
uint64_t element_cut(enum element element, uint64_t bits);
/* "uint4"; the buffer is used up by the next four calls. */
const char *type_name(struct type type);
bool same_type(struct type a, struct type b);
/* The element at a place of memory, and back. */
void element_load(enum element element, const uint8_t *from,
		  struct value *value, unsigned lane);
void element_store(enum element element, uint8_t *to,
		   const struct value *value, unsigned lane);
/* The bits of the entries of tables of constants. */
uint64_t table_entry(unsigned index);
/* So many entries apart are a table's vectors of a width, at most. */
unsigned table_step(unsigned width);
/* The entry of the table of `uint` that a place names. */
unsigned place_of(unsigned index);
/* An entry of an element's table. */
void table_value(enum element element, unsigned index, struct value *value,
		 unsigned lane);

/* --- The rest */
struct kernel *kernel_make(uint64_t seed, unsigned number);
void kernel_free(struct kernel *kernel);
/* What stands before all kernels of a source, and one of them. */
void print_head(FILE *out);
void print_kernel(FILE *out, const struct kernel *kernel);
void evaluate_operation(enum operation operation, struct type type,
			const struct value *operands, struct value *result);
void evaluate_convert(struct type from, struct type to, bool saturate,
		      const struct value *operand, struct value *result);
/* Runs all work-items. */
void kernel_run(const struct kernel *kernel, struct memory *memory);

/* Tries to remove and to replace all parts of a kernel, while `differs` says
 * that the two results still differ. */
void kernel_reduce(struct kernel *kernel,
		   bool (*differs)(const struct kernel *kernel));

#endif
