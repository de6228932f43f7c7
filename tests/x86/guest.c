#include "x86/guest.h"

#include <stdio.h>

#include "unit/harness.h"
#include "x86/hex.h"

void guest_put_code(struct guest *guest, uint64_t address, const char *text)
{
	uint8_t code[256];
	size_t size = hex(text, code);

	CU_ASSERT_EQUAL(space_write(guest->space, address, code, size), 0);
}

struct guest guest_start(enum x86_mode mode, bool everything, int protection,
			 const char *code)
{
	struct x86_model model;
	struct guest guest;

	x86_model_everything(&model);
	guest.space = space_create(mode == X86_MODE_64 ?
				   1ull << SPACE_X86_64_BITS : 1ull << 32,
				   NULL);
	guest.emulator = x86_emulator_create(
		guest.space, mode, everything ? &model : NULL, NULL);
	guest.cpu = x86_cpu_create(guest.emulator);
	guest.ring = x86_ring_create(64);
	space_map(guest.space, CODE, 0x2000, RWX, false, -1, 0, "");
	space_map(guest.space, DATA, 0x2000, RW, false, -1, 0, "");
	space_map(guest.space, STACK, 0x1000, RW, false, -1, 0, "");
	guest_put_code(&guest, CODE, code);
	space_protect(guest.space, CODE, 0x2000, protection);
	guest.cpu->rip = CODE;
	guest.cpu->reg[X86_RSP] = STACK + 0x800;
	return guest;
}

void guest_finish(struct guest *guest)
{
	x86_ring_free(guest->ring);
	x86_cpu_free(guest->cpu);
	x86_emulator_free(guest->emulator);
	space_free(guest->space);
}

struct x86_record guest_take(struct guest *guest,
			     const struct x86_reference **list)
{
	static const struct x86_reference none[4];
	struct x86_ring *ring = guest->ring;
	struct x86_record record = { 0 };

	if (list)
		*list = none;
	CU_ASSERT_NOT_EQUAL(ring->tail, ring->head);
	if (ring->tail == ring->head)
		return record;
	record = ring->record[ring->tail++ & ring->mask];
	if (list && record.references)
		*list = ring->reference + record.first;
	return record;
}

bool is_reference(const struct x86_reference *r, uint64_t address,
		  unsigned count, unsigned size, unsigned direction)
{
	bool same = r->address == address && r->count == count &&
		    r->size == size && r->direction == direction;

	if (!same)
		printf("# %u elements of %u bytes at %llx, direction %u\n",
		       r->count, r->size, (unsigned long long)r->address,
		       r->direction);
	return same;
}
