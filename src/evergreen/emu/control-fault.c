/* Faults of control flow: they stop the whole wavefront. */
#include "evergreen/emu/control.h"

void control_fault_number(struct evg_wavefront *wavefront,
			  enum evg_fault_kind kind, uint32_t number)
{
	uint64_t lanes = wavefront->masks.lanes[EVG_MASK_ACTIVE];

	if (wavefront->fault.kind)
		return;
	if (!lanes)
		lanes = wavefront->masks.valid;
	wavefront->fault = (struct evg_fault){
		.kind = kind,
		.lane = (uint8_t)__builtin_ctzll(lanes),
		.control = true,
		.address = number,
		.bytes = number,
	};
}

void control_fault(struct evg_wavefront *wavefront, const char *text)
{
	if (wavefront->fault.kind)
		return;
	control_fault_number(wavefront, EVG_FAULT_TRAP, 0);
	wavefront->fault.text = text;
}
