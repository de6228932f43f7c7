/* A small clause as a graph of operations, drawn at random, with the groups of
 * one operation each that the scheduler is given. */
#ifndef M2S_TESTS_CODEGEN_OPTIMUM_GRAPH_H
#define M2S_TESTS_CODEGEN_OPTIMUM_GRAPH_H

#include "opencl-rt/clc/verify/rules.h"

enum {
	GRAPH_OPS = 10,
	GRAPH_REGISTERS = 48, /* of a work-item: more than a clause needs */
	GRAPH_RESULTS = 8,    /* the first register that only has results */
	GRAPH_INPUT = -1,     /* no operation: what was there before */
};

/* A source: a result or an input's content, or nothing that waits. */
struct graph_source {
	bool waits; /* for the result of `op` */
	int op;
	struct read read; /* unless it waits; an input's register */
	int queue;        /* from 0 on; -1: none */
};

struct graph_op {
	enum evg_alu_op op;
	enum evg_lds_op lds_op;
	unsigned slots; /* may have any; of four parts, has all */
	unsigned parts; /* 1, or 4; 0: another does it */
	struct graph_source source[4][3];
	unsigned source_count;
	bool has_result;
	unsigned part; /* that has the result */
	bool fixed;    /* in `gpr`, `channel`; others are anywhere */
	uint8_t gpr, channel;
	bool predicated, sets_predicate, takes_lanes_out;
	bool live; /* the result is read behind the clause */
};

struct graph {
	struct graph_op op[GRAPH_OPS];
	unsigned count;
	/* 1 more than the least distance in groups, or 0. */
	uint8_t apart[GRAPH_OPS][GRAPH_OPS];
};

/* Draws a graph and its groups: one for each operation. */
void graph_draw(struct graph *graph, struct evg_alu_group *groups);

/* Works out the distances anew. */
void graph_order(struct graph *graph);

/* The ways in which local memory may be read: pairs of reads that become one,
 * and operations that take their value from the queue. Calls `visit` with each;
 * it returns false to stop. */
void graph_variants(const struct graph *graph,
		    bool (*visit)(const struct graph *variant, void *context),
		    void *context);

#endif
