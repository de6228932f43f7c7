/* Prints doc/evergreen-instructions.md from the instruction tables. */
#include <stdio.h>

#include "evergreen/isa/inst.h"

/* A table cell: Markdown's column mark must be hidden. */
static void cell(const char *text)
{
	for (; *text; text++) {
		if (*text == '|')
			putchar('\\');
		putchar(*text);
	}
}

static void row_end(const char *meaning, int compute)
{
	printf(" %s | ", compute ? "yes" : "");
	cell(meaning);
	printf(" |\n");
}

int main(void)
{
	printf("# Evergreen instructions\n\n"
	       "Generated from the tables in `src/evergreen/isa/*.def`; "
	       "`make check` compares the two\n(`GOLDEN_REBASE=1 "
	       "tests/evergreen/isa-document.sh` writes this page anew). "
	       "*Compute*: an\nOpenCL kernel may hold it; the other rows are "
	       "decoded and listed, but belong to graphics.\n\n");

	printf("## Control flow\n\n| name | text | format | code | compute | "
	       "meaning |\n|---|---|---|---|---|---|\n");
#define CF(id, text, format, code, compute, meaning)                           \
	printf("| %s | %s | %s | %u |", #id, text, #format, code);             \
	row_end(meaning, compute);
#include "evergreen/isa/cf.def"

	printf("\n## ALU\n\nSlots: ANY is x, y, z, w or t; VECTOR is x, y, z or "
	       "w; PAIR takes x and y or z and w; FOUR\ntakes x, y, z and "
	       "w.\n\n| name | text | form | code | sources | slots | result | "
	       "compute | meaning |\n|---|---|---|---|---|---|---|---|---|\n");
#define ALU(id, text, form, code, sources, slots, result, kind, compute,       \
	    meaning)                                                           \
	printf("| %s | %s | %s | %u | %u | %s | %s |", #id, text, #form, code, \
	       sources, #slots, #result);                                      \
	row_end(meaning, compute);
#include "evergreen/isa/alu.def"

	printf("\n## Local memory\n\nOperations of LDS_IDX_OP. D(a) is the "
	       "dword at byte address a, the first source; s0 and s1 are\nthe "
	       "second and third source. *Returns*: values pushed on the "
	       "output queues.\n\n| name | code | sources | returns | compute "
	       "| meaning |\n|---|---|---|---|---|---|\n");
#define LDS(id, code, sources, returns, compute, meaning)                      \
	printf("| %s | %u | %u | %u |", #id, code, sources, returns);          \
	row_end(meaning, compute);
#include "evergreen/isa/lds.def"

	printf("\n## Global memory (RAT)\n\nOperations of MEM_RAT. mem is the "
	       "element in memory, X and W are components of RW_GPR.\n\n"
	       "| name | code | returns | compute | meaning |\n"
	       "|---|---|---|---|---|\n");
#define RAT(id, code, returns, compute, meaning)                               \
	printf("| %s | %u | %s |", #id, code, (returns) ? "yes" : "");         \
	row_end(meaning, compute);
#include "evergreen/isa/rat.def"

	printf("\n## Fetch\n\n*Mod*: INST_MOD of TEX, MEM_OP of MEM_RD and "
	       "GDS.\n\n| name | layout | code | mod | GDS_OP | compute | "
	       "meaning |\n|---|---|---|---|---|---|---|\n");
#define FETCH(id, layout, code, mod, gds_op, compute, meaning)                 \
	printf("| %s | %s | %u | %s | %u |", #id, #layout, code, #mod,         \
	       gds_op);                                                        \
	row_end(meaning, compute);
#include "evergreen/isa/fetch.def"
	return 0;
}
