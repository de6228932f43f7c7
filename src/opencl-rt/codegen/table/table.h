/* Tables of constants: the program's variables in constant memory. They lie
 * behind the code, in the order of the module, and are read as global memory.
 * Where they lie is known when the code is whole, and their address when it is
 * loaded: until then a literal stands for each place. */
#ifndef M2S_OPENCL_RT_CODEGEN_TABLE_TABLE_H
#define M2S_OPENCL_RT_CODEGEN_TABLE_TABLE_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdint.h>

#include "evergreen/kernel/kernel.h"
#include "opencl-rt/codegen/machine.h"

struct tables {
	uint8_t *bytes;      /* NULL: there are none */
	uint32_t size;
	/* Bytes at which there is a place among the tables, which becomes an
	 * address. */
	uint32_t *addresses;
	unsigned address_count, address_capacity;
	bool known;          /* the bytes of all */
};

/* All tables of a module, to be freed with tables_free(). Those whose bytes are
 * not known are 0. */
void tables_write(LLVMModuleRef module, struct tables *tables);
void tables_free(struct tables *tables);

/* The first byte of a variable among all tables of its module. False: it is no
 * table. */
bool table_begin(LLVMTargetDataRef layout, LLVMValueRef variable,
		 uint32_t *place);
/* The same; false also where its bytes, or others that its addresses lead to, are
 * not known here. */
bool table_offset(LLVMTargetDataRef layout, LLVMValueRef variable,
		 uint32_t *place);
/* Writes a constant's bytes, with the addresses among them, from byte `at` on,
 * where there are zeros (bytes.c). False: they are not known. */
bool table_write(LLVMTargetDataRef layout, LLVMValueRef value,
		 struct tables *tables, uint32_t at);

/* Makes the literals that stand for places ones that the code has nowhere else:
 * from *first on. `size`: bytes of all tables. */
void table_mark(struct machine *machine, uint32_t size, uint32_t *first);

/* Finds those literals in the code of a program with one kernel and makes them
 * places among the tables. *places: their offsets in the code in bytes, to be
 * freed with free(). Returns how many; -1 and *error when the code cannot be
 * decoded. */
int table_find(struct evg_program *program, uint32_t size, uint32_t first,
	       uint32_t **places, struct error *error);

#endif
