/* The 512-byte FXSAVE image, and behind it an XSAVE header with the upper
 * halves of the AVX registers (Intel SDM volume 1, chapters 10.5 and 13.4),
 * as signal frames hold them. */
#include <string.h>

#include "x86/linux/process.h"

static void put16(uint8_t *at, uint16_t value)
{
	memcpy(at, &value, sizeof value);
}

static void put32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof value);
}

void fp_state_save(const struct x86_cpu *cpu, uint8_t *image)
{
	const struct x86_x87 *x87 = &cpu->x87;
	int vectors = cpu->mode == X86_MODE_64 ? 16 : 8;
	uint64_t features = 7; /* x87, SSE, AVX are all saved */

	memset(image, 0, FP_STATE_XSAVE);
	put16(image, x87->control);
	put16(image + 2, (uint16_t)((x87->status & ~0x3800) |
				    (x87->top & 7) << 11));
	image[4] = (uint8_t)~x87->empty;
	put16(image + 6, x87->opcode);
	memcpy(image + 8, &x87->instruction_pointer, 8);
	memcpy(image + 16, &x87->data_pointer, 8);
	put32(image + 24, cpu->mxcsr);
	put32(image + 28, 0xffff);
	for (int i = 0; i < 8; i++)
		memcpy(image + 32 + 16 * i, x87->reg[(x87->top + i) & 7].bytes,
		       10);
	for (int i = 0; i < vectors; i++)
		memcpy(image + 160 + 16 * i, cpu->vector[i].u8, 16);
	memcpy(image + 512, &features, sizeof features);
	for (int i = 0; i < vectors; i++)
		memcpy(image + 576 + 16 * i, cpu->vector[i].u8 + 16, 16);
}

void fp_state_load(struct x86_cpu *cpu, const uint8_t *image)
{
	struct x86_x87 *x87 = &cpu->x87;
	int vectors = cpu->mode == X86_MODE_64 ? 16 : 8;

	memcpy(&x87->control, image, 2);
	memcpy(&x87->status, image + 2, 2);
	x87->top = x87->status >> 11 & 7;
	x87->status &= (uint16_t)~0x3800;
	x87->empty = (uint8_t)~image[4];
	memcpy(&x87->opcode, image + 6, 2);
	memcpy(&x87->instruction_pointer, image + 8, 8);
	memcpy(&x87->data_pointer, image + 16, 8);
	memcpy(&cpu->mxcsr, image + 24, 4);
	cpu->mxcsr &= 0xffff;
	for (int i = 0; i < 8; i++)
		memcpy(x87->reg[(x87->top + i) & 7].bytes, image + 32 + 16 * i,
		       10);
	for (int i = 0; i < vectors; i++) {
		memcpy(cpu->vector[i].u8, image + 160 + 16 * i, 16);
		memcpy(cpu->vector[i].u8 + 16, image + 576 + 16 * i, 16);
	}
}
