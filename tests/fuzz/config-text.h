/* Configuration files made of a fuzzer's bytes: every byte is a choice, and
 * the tables of the readers say what can be chosen from, so that a new variable
 * is tried as soon as its row exists. */
#ifndef M2S_TESTS_FUZZ_CONFIG_TEXT_H
#define M2S_TESTS_FUZZ_CONFIG_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes first, then random numbers that depend on them. `wild`: values that
 * are out of range or nonsense may be chosen; without it most files are right,
 * so that simulations with them are tried, too. */
struct choices {
	const uint8_t *data;
	size_t size, at;
	uint64_t state;
	bool wild;
};

struct choices choices_begin(const uint8_t *data, size_t size);
/* 0 to limit - 1. */
uint32_t choose(struct choices *choices, uint32_t limit);

/* A hierarchy with `cores` cores and `units` compute units, --mem-config. */
void write_memory_config(struct choices *choices, unsigned cores,
			 unsigned units, FILE *stream);
/* Networks with topologies of their own or made of nodes and links,
 * --net-config. */
void write_network_config(struct choices *choices, FILE *stream);
/* A GPU with at most four compute units, --evg-config. */
void write_device_config(struct choices *choices, FILE *stream);
/* A branch predictor, --x86-config. */
void write_predictor_config(struct choices *choices, FILE *stream);

#endif
