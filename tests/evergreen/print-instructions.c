/* Prints doc/evergreen-instructions.md from the instruction tables. */
#include <stdio.h>

#include "evergreen/isa/inst.h"

/* How each is proved, or NULL. */
static const char *const alu_proof[EVG_ALU_COUNT] = {
#define REF(id, sources, tolerance, ...)                                       \
	[EVG_ALU_##id] = tolerance ? "within 1 ulp: test-alu"                  \
				   : "exact: test-alu",
#include "evergreen/emu/alu-reference.def"
#define PROOF_ALU(id, how, test) [EVG_ALU_##id] = how ": test-" test,
#include "evergreen/proof.def"
};
static const char *const cf_proof[EVG_CF_COUNT] = {
#define PROOF_CF(id, how, test) [EVG_CF_##id] = how ": test-" test,
#include "evergreen/proof.def"
};
static const char *const fetch_proof[EVG_FETCH_COUNT] = {
#define PROOF_FETCH(id, how, test) [EVG_FETCH_##id] = how ": test-" test,
#include "evergreen/proof.def"
};

/* A table cell: Markdown's column mark must be hidden. */
static void cell(const char *text)
{
	for (; *text; text++) {
		if (*text == '|')
			putchar('\\');
		putchar(*text);
	}
}

static void row_end(const char *meaning, int compute, const char *proof)
{
	printf(" %s | ", compute ? "yes" : "");
	cell(meaning);
	printf(" | %s |\n", !compute ? "" : proof ? proof : "**none**");
}

int main(void)
{
	printf("# Evergreen instructions\n\n"
	       "Generated from the tables in `src/evergreen/isa/*.def`; "
	       "`make check` compares the two\n(`GOLDEN_REBASE=1 "
	       "tests/evergreen/isa-document.sh` writes this page anew). "
	       "*Compute*: an\nOpenCL kernel may hold it; the other rows are "
	       "decoded and listed, but belong to graphics.\n*Proof*: the "
	       "test in `tests/evergreen/emu` that compares it with an "
	       "independent definition, over random\noperands, masks and "
	       "modifiers, on every host instruction set, and how close they "
	       "must come.\n\n");

	printf("## Control flow\n\n| name | text | format | code | compute | "
	       "meaning | proof |\n|---|---|---|---|---|---|---|\n");
#define CF(id, text, format, operands, code, compute, llvm, meaning)           \
	printf("| %s | %s | %s | %u |", #id, text, #format, code);             \
	row_end(meaning, compute, cf_proof[EVG_CF_##id]);
#include "evergreen/isa/cf.def"

	printf("\n## ALU\n\nTakes: F64 is the halves of doubles, B32 anything "
	       "else. Slots: ANY is x, y, z, w or t; VECTOR\nis x, y, z or w; "
	       "PAIR takes x and y or z and w; FOUR takes x, y, z and "
	       "w.\n\n| name | text | form | code | sources | takes | slots | "
	       "result | compute | meaning | proof |\n"
	       "|---|---|---|---|---|---|---|---|---|---|---|\n");
#define ALU(id, text, form, code, sources, takes, slots, result, kind,         \
	    compute, meaning)                                                  \
	printf("| %s | %s | %s | %u | %u | %s | %s | %s |", #id, text, #form,  \
	       code, sources, #takes, #slots, #result);                        \
	row_end(meaning, compute, alu_proof[EVG_ALU_##id]);
#include "evergreen/isa/alu.def"

	printf("\n## Local memory\n\nOperations of LDS_IDX_OP. D(a) is the "
	       "dword at byte address a, the first source; s0 and s1 are\nthe "
	       "second and third source. *Returns*: values pushed on the "
	       "output queues.\n\n| name | code | sources | returns | compute "
	       "| meaning | proof |\n|---|---|---|---|---|---|---|\n");
#define LDS(id, code, sources, returns, compute, element, step, does, meaning) \
	printf("| %s | %u | %u | %u |", #id, code, sources, returns);          \
	row_end(meaning, compute, "exact: test-lds");
#include "evergreen/isa/lds.def"

	printf("\n## Global memory (RAT)\n\nOperations of MEM_RAT. mem is the "
	       "element in memory, X and W are components of RW_GPR.\n\n"
	       "| name | code | returns | compute | meaning | proof |\n"
	       "|---|---|---|---|---|---|\n");
#define RAT(id, code, returns, compute, does, meaning)                         \
	printf("| %s | %u | %s |", #id, code, (returns) ? "yes" : "");         \
	row_end(meaning, compute, "exact: test-surface");
#include "evergreen/isa/rat.def"

	printf("\n## Fetch\n\n*Mod*: INST_MOD of TEX, MEM_OP of MEM_RD and "
	       "GDS.\n\n| name | layout | code | mod | GDS_OP | compute | "
	       "meaning | proof |\n|---|---|---|---|---|---|---|---|\n");
#define FETCH(id, layout, code, mod, gds_op, compute, meaning)                 \
	printf("| %s | %s | %u | %s | %u |", #id, #layout, code, #mod,         \
	       gds_op);                                                        \
	row_end(meaning, compute,                                              \
		EVG_LAYOUT_##layout == EVG_LAYOUT_GDS                          \
			? "exact: test-gds"                                    \
			: fetch_proof[EVG_FETCH_##id]);
#include "evergreen/isa/fetch.def"
	return 0;
}
