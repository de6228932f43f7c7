/* Sources LDS_DIRECT_A and _B: a dword of local memory as an operand.
 *
 * The group's first two literals describe the two: OFFSET 12:0, STRIDE 19:13,
 * THREAD_REL 22, and in the second DIRECT_READ_32 at 31. Mesa and r600-dass
 * give the fields and no more. Offsets and strides are taken as dwords (13
 * bits are the 32 KB there are); a thread-relative read adds STRIDE times the
 * work-item's number in its group. */
#include "evergreen/emu/memory/local-direct.h"

#include <string.h>

#include "evergreen/emu/machine.h"

struct evg_direct evg_direct_decode(uint32_t literal)
{
	return (struct evg_direct){
		.offset = 4 * (literal & 0x1fff),
		.stride = literal >> 22 & 1 ? 4 * (literal >> 13 & 0x7f) : 0,
	};
}

void evg_run_local_direct(struct evg_wavefront *wavefront,
			  const struct evg_uop *uop)
{
	const struct evg_direct *direct = uop->extra;
	uint64_t lanes =
	    wavefront->masks.lanes[uop->mask] & wavefront->masks.valid;
	uint32_t *row =
	    (uint32_t *)(void *)(wavefront->registers.base[EVG_BASE_STATE] +
				 uop->dest);

	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(lanes);
		uint32_t item = wavefront->index * EVG_WAVEFRONT_SIZE + lane;
		uint32_t address = direct->offset + direct->stride * item;

		if ((uint64_t)address + 4 <= wavefront->local.size) {
			memcpy(&row[lane], wavefront->local.bytes + address, 4);
			continue;
		}
		if (!wavefront->fault.kind)
			wavefront->fault = (struct evg_fault){
				.kind = EVG_FAULT_LOCAL,
				.lane = (uint8_t)lane,
				.group = uop->group,
				.address = address,
				.bytes = 4,
			};
		return;
	}
}
