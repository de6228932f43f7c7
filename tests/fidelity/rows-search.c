/* SHOC's breadth-first search as assembly of ours, in that program's shape: 32
 * work-items go through 32 vertices, one after the other, and share the edges
 * of those of the current level; one launch for each level, over all vertices.
 * The graph is SHOC's, a tree in which each vertex knows its parent, too. */
#include <stdlib.h>

#include "fidelity/rows.h"

enum { GROUP = 256, UNSEEN = -1 };

struct shape {
	const char *name;
	uint32_t vertices;
	bool uncached;
};

/* R2: x the byte of the vertex's level, y where the levels end, z the byte of
 * its edges, less 4, w the work-item's place among the 32. R4: first edge and
 * the one behind the last, z their number. R5: x the byte of the edge that is
 * followed, y its number. R6: where it leads to, y and z: that vertex's level.
 * R7 to R10: what is stored where. "$" is the resource of reads. */
static const char search[] =
    ".kernel search\n.registers 11\n.stack 4\n"
    ".argument global \"uint*\" levels\n"
    ".argument global \"uint*\" edges\n"
    ".argument global \"uint*\" others\n"
    ".argument global \"int*\" flag\n"
    ".argument value \"uint\" vertices\n"
    ".argument value \"uint\" level\n"
    "ALU: KCACHE0(CB0:0-31)\n"
    "0 x: LSHL R1.x, R1.x, 8\n"
    "  t: ADD_INT R10.x, KC0[3].z, 1\n"
    "1 x: ADD_INT R1.x, PV.x, R0.x\n"
    "  t: LSHR R8.x, KC0[3].x, 2\n"
    "2 x: AND_INT R1.x, PV.x, 0xffffffe0\n"
    "  w: AND_INT R2.w, PV.x, 31\n"
    "  t: MOV R9.x, 1\n"
    "3 x: LSHL R1.x, PV.x, 2\n"
    "  y: ADD_INT R1.y, PV.x, 32\n"
    "4 x: ADD_INT R2.x, PV.x, KC0[2].y\n"
    "  y: MIN_UINT R1.y, PV.y, KC0[3].y\n"
    "  z: ADD_INT R2.z, PV.x, KC0[2].z\n"
    "5 y: LSHL R1.y, PV.y, 2\n"
    "  z: ADD_INT R2.z, PV.z, 0xfffffffc\n"
    "6 y: ADD_INT R2.y, PV.y, KC0[2].y\n"
    "LOOP_DX10 i0 FAIL_JUMP_ADDR(@done)\n@vertex:\n"
    "ALU_BREAK:\n"
    "0 x: PRED_SETGT_UINT ____, R2.y, R2.x UPDATE_EXEC_MASK\n"
    "TEX:\n"
    "VFETCH R3.x___, R2.x, fc$ MEGA(5) FORMAT(32) NUM_FORMAT(INT) "
    "FETCH_TYPE(NO_INDEX_OFFSET)\n"
    "ALU_PUSH_BEFORE: KCACHE0(CB0:0-31)\n"
    "0 x: ADD_INT R2.x, R2.x, 4\n"
    "  z: ADD_INT R2.z, R2.z, 4\n"
    "  w: PREDE_INT ____, R3.x, KC0[3].z UPDATE_EXEC_MASK\n"
    "JUMP POP_CNT(1) ADDR(@next)\n"
    "TEX:\n"
    "VFETCH R4.xy__, R2.z, fc$ MEGA(9) FORMAT(32_32) NUM_FORMAT(INT) "
    "FETCH_TYPE(NO_INDEX_OFFSET)\n"
    "ALU_PUSH_BEFORE: KCACHE0(CB0:0-31)\n"
    "0 x: ADD_INT R5.x, R4.x, R2.w\n"
    "  y: MOV R5.y, R2.w\n"
    "  z: SUB_INT R4.z, R4.y, R4.x\n"
    "1 x: LSHL R5.x, PV.x, 2\n"
    "2 x: ADD_INT R5.x, PV.x, KC0[2].w\n"
    "  w: PRED_SETGT_UINT ____, R4.z, R2.w UPDATE_EXEC_MASK\n"
    "JUMP POP_CNT(1) ADDR(@none)\n"
    "LOOP_DX10 i0 FAIL_JUMP_ADDR(@followed)\n@edge:\n"
    "TEX:\n"
    "VFETCH R6.x___, R5.x, fc$ MEGA(5) FORMAT(32) NUM_FORMAT(INT) "
    "FETCH_TYPE(NO_INDEX_OFFSET)\n"
    "ALU: KCACHE0(CB0:0-31)\n"
    "0 y: LSHL R6.y, R6.x, 2\n"
    "1 y: ADD_INT R6.y, PV.y, KC0[2].y\n"
    "TEX:\n"
    "VFETCH R6.__x_, R6.y, fc$ MEGA(5) FORMAT(32) NUM_FORMAT(INT) "
    "FETCH_TYPE(NO_INDEX_OFFSET)\n"
    "ALU_PUSH_BEFORE:\n"
    "0 x: LSHR R7.x, R6.y, 2\n"
    "  y: ADD_INT R5.y, R5.y, 32\n"
    "  w: PREDE_INT ____, R6.z, -1 UPDATE_EXEC_MASK\n"
    "  t: ADD_INT R5.x, R5.x, 128\n"
    "JUMP POP_CNT(1) ADDR(@seen)\n"
    "MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R7].x___, R10, ARRAY_SIZE(0)\n"
    "MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R8].x___, R9, ARRAY_SIZE(0)\n"
    "POP (1) ADDR(@seen)\n@seen:\n"
    "ALU_BREAK:\n"
    "0 x: PRED_SETGT_UINT ____, R4.z, R5.y UPDATE_EXEC_MASK\n"
    "ENDLOOP i0 PASS_JUMP_ADDR(@edge)\n@followed:\n"
    "POP (1) ADDR(@none)\n@none:\n"
    "POP (1) ADDR(@next)\n@next:\n"
    "ENDLOOP i0 PASS_JUMP_ADDR(@vertex)\n@done:\n"
    "NOP\nEND_OF_PROGRAM\n";

static struct evg_program *program_for(bool uncached)
{
	struct text text;

	text_begin(&text);
	for (const char *from = search; *from; from++)
		if (*from == '$')
			text_add(&text, "%u", uncached ? 173 : 1);
		else
			text_add(&text, "%c", *from);
	return text_end(&text);
}

/* The tree: two children and, but for the root, the parent. How many edges. */
static uint32_t make_tree(uint32_t vertices, uint32_t *edges, uint32_t *others)
{
	uint32_t count = 0;

	for (uint32_t vertex = 0; vertex < vertices; vertex++) {
		edges[vertex] = count;
		for (uint32_t child = 2 * vertex + 1; child < 2 * vertex + 3;
		     child++)
			if (child < vertices)
				others[count++] = child;
		if (vertex)
			others[count++] = (vertex - 1) / 2;
	}
	edges[vertices] = count;
	return count;
}

static void verify_levels(uint32_t vertices, const uint32_t *levels)
{
	for (uint32_t vertex = 0; vertex < vertices; vertex++) {
		uint32_t level = 31 - (uint32_t)__builtin_clz(vertex + 1);

		if (levels[vertex] == level)
			continue;
		fprintf(stderr,
			"fidelity: search: vertex %u has level %u, not %u\n",
			vertex, levels[vertex], level);
		exit(1);
	}
}

/* Bytes a second as SHOC counts them: the levels three times, edges once. */
static double search_rate(struct table *table, const struct shape *shape)
{
	uint32_t vertices = shape->vertices, bytes = 4 * vertices;
	struct device *device = device_create(table_options(table), NULL);
	struct evg_program *program = program_for(shape->uncached);
	struct launch launch = {
	    .program = program,
	    .global = {(vertices + GROUP - 1) / GROUP * GROUP},
	    .local = {GROUP},
	    .arguments = {device_allocate(device, bytes),
			  device_allocate(device, bytes + 4),
			  device_allocate(device, 3 * bytes),
			  device_allocate(device, 4), vertices},
	};
	const uint32_t *at = launch.arguments;
	uint32_t *levels = device_bytes(device, at[0], bytes);
	int32_t *flag = device_bytes(device, at[3], 4);
	uint32_t edges =
	    make_tree(vertices, device_bytes(device, at[1], bytes + 4),
		      device_bytes(device, at[2], 3 * bytes));
	double cycles = 0;

	for (uint32_t vertex = 1; vertex < vertices; vertex++)
		levels[vertex] = (uint32_t)UNSEEN;
	do {
		*flag = 0;
		cycles += (double)device_run(device, &launch);
		launch.arguments[5]++;
	} while (*flag);
	verify_levels(vertices, levels);
	evg_program_free(program);
	device_free(device);
	return gigabytes(table, 4.0 * bytes + 4 + 4.0 * edges, cycles);
}

void rows_search(struct table *table)
{
	static const struct shape shapes[] = {
	    {"SHOC's BFS, 10,000 vertices, cached", 10000, false},
	    {"SHOC's BFS, 10,000 vertices, uncached", 10000, true},
	    {"SHOC's BFS, 100,000 vertices, cached", 100000, false},
	};

	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		if (table_wants_row(table, shapes[i].name))
			table_row(table, KIND_HAND, shapes[i].name, 0.571,
				  "GB/s", "SHOC 2.6", NULL,
				  search_rate(table, &shapes[i]));
}
