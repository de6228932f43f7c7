/* What annotate.c collects and annotate-write.c prints. */
#ifndef M2S_REPORT_ANNOTATE_INTERNAL_H
#define M2S_REPORT_ANNOTATE_INTERNAL_H

#include "report/annotate.h"

/* A line of a source, once per kernel. */
struct annotation_source {
	char *place;           /* "file:line" */
	char *text;            /* the line, or "" */
};

/* No line: made by the compiler. */
enum { NO_SOURCE = -1 };

/* A static instruction. A clause that several CF instructions name has its rows
 * behind each of them. */
struct annotation_row {
	size_t line;           /* of the code, for the figures */
	char *text;            /* a line per slot of a group */
	uint32_t address;
	enum evg_step_kind kind;
	unsigned slots;        /* filled, of a VLIW group; else 0 */
	/* The source line of each slot; an instruction other than a group has
	 * one slot. `source` is the line of the most slots, the first among
	 * equals: the figures count for it. */
	int slot_source[EVG_SLOT_COUNT];
	int source;
};

struct annotation_figures {
	uint64_t executions, lanes, transactions, conflicts;
	uint64_t busy, stall;  /* cycles, detailed only */
};

struct annotation {
	char *name;
	uint8_t *code;         /* two kernels are one when this is equal */
	uint32_t code_size;
	struct annotation_row *rows;
	size_t row_count, row_capacity;
	struct annotation_source *sources;
	size_t source_count, source_capacity;
	struct annotation_figures *figures; /* by line */
	uint64_t launches, wavefronts, work_items;
};

struct annotations {
	struct annotation *list;
	size_t count, capacity;
	bool detailed;         /* busy and stall are counted */
};

#endif
