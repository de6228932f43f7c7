/* Walks through encodings, for lists and tests that need every instruction. */
#include "x86/emu/row-walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/emu/decode/describe.h"

/* One- to three-byte opcodes with every ModRM byte and mandatory prefix. */
static void walk_legacy(x86_look *look, void *owner, uint8_t filler)
{
	static const char *const prefixes[] = {
		"", "\x66", "\xf2", "\xf3", "\x66\xf2", "\xf0", "\x66\xf0",
	};
	static const char *const maps[] = {
		"", "\x0f", "\x0f\x38", "\x0f\x3a", "\x0f\x0f\xc1",
	};

	for (size_t i = 0; i < ARRAY_SIZE(maps) * ARRAY_SIZE(prefixes) * 2;
	     i++) {
		const char *prefix = prefixes[i / 2 % ARRAY_SIZE(prefixes)];
		const char *map = maps[i / 2 / ARRAY_SIZE(prefixes)];

		for (unsigned at = 0; at < 1u << 16; at++) {
			size_t n = strlen(prefix), m = strlen(map);
			uint8_t code[24];

			memset(code, filler, sizeof code);
			memcpy(code, prefix, n);
			if (i & 1)
				code[n++] = 0x48;
			memcpy(code + n, map, m);
			n += m;
			code[n++] = (uint8_t)(at >> 8);
			code[n++] = (uint8_t)at;
			look(owner, code);
		}
	}
}

/* Opcodes behind a VEX (c4), XOP (8f) or EVEX (62) prefix: registers and
 * memory, every extension in the ModRM byte. */
static void walk_vectors(x86_look *look, void *owner, uint8_t filler)
{
	static const struct {
		uint8_t prefix, first_map, last_map;
	} spaces[] = { { 0xc4, 1, 3 }, { 0x8f, 8, 10 }, { 0x62, 1, 6 } };

	for (size_t s = 0; s < ARRAY_SIZE(spaces); s++)
		for (unsigned map = spaces[s].first_map;
		     map <= spaces[s].last_map; map++)
			for (unsigned at = 0; at < 1u << 17; at++) {
				/* Opcode, prefix and length, W, vvvv, reg;
				 * rm alternates with the latter. */
				unsigned bits = at >> 8;
				bool evex = spaces[s].prefix == 0x62;
				unsigned pp = bits & 3, w = bits >> 2 & 1;
				unsigned v = bits >> 3 & 1, l = bits >> 4 & 1;
				unsigned reg = bits >> 5 & 7, n = 3;
				uint8_t code[24];

				memset(code, filler, sizeof code);
				code[0] = spaces[s].prefix;
				code[1] = (uint8_t)(map | (evex ? 0xf0 : 0xe0));
				code[2] = (uint8_t)(w << 7 | pp |
						    (v ? 0x78 : 0x70));
				if (evex) {
					code[2] |= 4;
					code[3] = (uint8_t)(l << 6 | 8 |
							    reg % 3);
					n = 4;
				} else {
					code[2] |= (uint8_t)(l << 2);
				}
				code[n++] = (uint8_t)at;
				/* A register, memory, memory with an index. */
				code[n] = (uint8_t)(0xc1 | reg << 3);
				look(owner, code);
				code[n] = (uint8_t)(0xc0 | reg << 3);
				look(owner, code);
				code[n] = (uint8_t)(0x01 | reg << 3);
				look(owner, code);
				code[n] = (uint8_t)(0x04 | reg << 3);
				code[n + 1] = 0x51;
				look(owner, code);
			}
}

void x86_encodings_walk(x86_look *look, void *owner, uint8_t filler)
{
	walk_legacy(look, owner, filler);
	walk_vectors(look, owner, filler);
}

/* ---- Rows ---- */

enum { OF_EACH_ROW = 8 };

struct rows {
	struct x86_decoder *decoder[2];
	uint8_t *seen; /* times, by row */
	void (*visit)(void *owner, const struct x86_inst *inst);
	void *owner;
};

static void look_for_row(void *owner, const uint8_t *code)
{
	struct rows *rows = owner;

	for (int mode = 0; mode < 2; mode++) {
		struct x86_decoder *decoder = rows->decoder[mode];
		struct x86_decoding d;
		const struct x86_row *row;
		struct x86_inst inst;
		uint16_t number;

		memset(&d, 0, sizeof d);
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(
			    &decoder->zydis, code,
			    ZYDIS_MAX_INSTRUCTION_LENGTH, &d.inst,
			    d.operand)) ||
		    x86_refused(decoder, &d.inst) || x86_does_nothing(&d))
			continue;
		x86_set_shapes(&d);
		row = x86_find_row(decoder, &d, 0);
		if (!row)
			continue;
		number = x86_row_number(row);
		if (rows->seen[number] == OF_EACH_ROW)
			continue;
		rows->seen[number]++;
		x86_describe(&inst, &d, 0x1000, mode);
		inst.row = number;
		rows->visit(rows->owner, &inst);
	}
}

int x86_rows_walk(void (*visit)(void *owner, const struct x86_inst *inst),
		  void *owner, struct error *error)
{
	struct rows rows = {
		.seen = xcalloc(x86_rows(), 1), .visit = visit,
		.owner = owner,
	};
	struct x86_model model;
	int status = 0;

	x86_model_everything(&model);
	for (int mode = 0; mode < 2 && !status; mode++) {
		rows.decoder[mode] = x86_decoder_create(
			mode ? X86_MODE_64 : X86_MODE_32, NULL, error);
		if (!rows.decoder[mode]) {
			status = -1;
			break;
		}
		rows.decoder[mode]->model = model;
		x86_gates_init(rows.decoder[mode]);
	}
	if (!status)
		x86_encodings_walk(look_for_row, &rows, 0x11);
	for (int mode = 0; mode < 2; mode++)
		x86_decoder_free(rows.decoder[mode]);
	free(rows.seen);
	return status;
}
