/* SHOC's matrix products, without transposition (N) and with B transposed (T),
 * as assembly of ours: a work-group of 16 x 4 has 64 rows and 16 columns of C, a
 * row a work-item; some k of B go through local memory, those of A are in
 * registers. What products of singles and of doubles have in common. */
#ifndef M2S_FIDELITY_PRODUCT_H
#define M2S_FIDELITY_PRODUCT_H

#include "fidelity/rows.h"

enum { PRODUCT_N = 1024, PRODUCT_COLUMNS = 16, PRODUCT_TILE = 64 };

struct product {
	const char *name;
	double published; /* GFLOPS */
	bool transposed;
	unsigned each; /* dwords of a read of local memory */
};

/* The code of one type of numbers. R2.x is the address in A, R2.y in B, R2.w
 * counts rounds, R3.x is the row of C, R3.w the byte of B in local memory. */
struct product_code {
	const char *type;
	unsigned size; /* of a number, 4 or 8 bytes */
	unsigned m;    /* rows of C */
	/* All registers, those of the sums, and those behind them. */
	unsigned registers, sums, behind_sums;
	/* Fetch a round's numbers, write B's to local memory, multiply; and
	 * store the sums behind the last round. */
	void (*operands)(struct text *text, const struct product *product,
			 unsigned rounds);
	void (*products)(struct text *text, const struct product *product);
	void (*store)(struct text *text);
};

/* k of a round, and numbers between two k in local memory. */
unsigned product_depth(const struct product *product);
unsigned product_row(const struct product *product);

/* A row of the table for each product that is wanted; checks the results. */
void product_rows(struct table *table, const struct product_code *code,
		  const struct product *product, size_t count);

#endif
