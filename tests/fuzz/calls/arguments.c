/* Values of arguments, by their kind. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "fuzz/calls/calls.h"
#include "x86/linux/state.h"
#include "x86/linux/trace/call-print.h"

/* An earlier result instead of a value of the kind, and any number. */
enum { HOW_RESULT = 200, HOW_WILD = 230 };

static const uint64_t wild[] = {
	0, 1, 2, 3, 7, 8, 100, 4095, 4096, 65536, 0x7fffffff, 0x80000000,
	0xffffffff, 0xfffff000, 0xffffe000, UINT64_C(0x100000000),
	UINT64_C(0x1000000005), UINT64_C(1) << 38, (UINT64_C(1) << 38) - 4096,
	UINT64_C(1) << 46, UINT64_C(0x7ffffffff000), UINT64_C(0x7fffffffffff),
	UINT64_C(0x800000000000), UINT64_C(1) << 62, INT64_MAX,
	UINT64_C(1) << 63, (uint64_t)-1, (uint64_t)-2, (uint64_t)-4096,
	(uint64_t)-100, GUEST_BASE, GUEST_BASE + GUEST_SIZE - 8,
	UINT64_C(0xffffffffff600000),
};

static uint64_t wild_value(unsigned value)
{
	/* Where the simulator's secret lies. */
	if (value % 64 == 63)
		return (uint64_t)(uintptr_t)world_secret;
	return wild[value % ARRAY_SIZE(wild)];
}

/* Kinds that are bits, or a value, out of a list. */
static const struct {
	char letter;
	bool bits;
	const struct trace_names *names;
} lists[] = {
	{ 'O', true, &trace_open_flags },
	{ 'P', true, &trace_protections },
	{ 'M', true, &trace_map_flags },
	{ 'a', true, &trace_at_flags },
	{ 'A', true, &trace_accesses },
	{ 'W', false, &trace_whences },
	{ 'c', false, &trace_clocks },
	{ 'h', false, &trace_mask_changes },
	{ 'r', false, &trace_resources },
	{ 'R', false, &trace_advices },
	{ 'F', false, &trace_fcntl_commands },
	{ 'e', false, &trace_epoll_operations },
	{ 'D', false, &trace_domains },
	{ 'k', false, &trace_socket_types },
	{ 'U', false, &trace_futex_operations },
	{ 'I', false, &trace_requests },
	{ 'V', false, &trace_prctl_options },
	{ 'H', false, &trace_arch_operations },
	{ 'G', true, &trace_wait_options },
	{ 'K', true, &trace_clone_flags },
};

static uint64_t from_list(size_t list, unsigned value)
{
	const struct trace_names *names = lists[list].names;
	uint64_t bits = 0;

	if (!lists[list].bits)
		return names->item[value % names->count].value +
		       (value >> 13 == 7 ? value >> 8 & 31 : 0);
	for (size_t i = 0; i < names->count && value >> 14; i++)
		if ((value >> i % 12 & 1) && (i < 12 || (value & 0x8000)))
			bits |= names->item[i].value;
	/* What is no bit: the mode, the type. */
	if (lists[list].letter == 'O' || lists[list].letter == 'M')
		bits |= value >> 12 & 3;
	return bits;
}

static struct argument pointer(unsigned value)
{
	unsigned low = value & 0xfff;

	switch (value >> 12) {
	case 8:
	case 9:
		return (struct argument){
			0, GUEST_ARENA + ARENA_OBJECTS + (value & 0x1ff8)
		};
	case 10:
		return (struct argument){ SLOT_CUT, low };
	case 11:
		return (struct argument){ SLOT_ANONYMOUS, 0x10000 - low % 300 };
	case 12:
		return (struct argument){ SLOT_READ_ONLY, low };
	case 13:
		return low & 1 ? (struct argument){ SLOT_NO_ACCESS, low }
			       : (struct argument){ SLOT_FILE, 2 * low };
	case 14:
		return (struct argument){ 0, GUEST_BASE + (low << 2) };
	case 15:
		return (struct argument){ 0, low & 1 ? 0 : wild_value(low) };
	default:
		return (struct argument){
			0, GUEST_ARENA + ARENA_BUFFERS + (value & 0x1fff)
		};
	}
}

static uint64_t size_value(unsigned value)
{
	static const uint32_t sizes[] = {
		0, 1, 2, 4, 8, 12, 16, 24, 28, 32, 56, 64, 88, 100, 110, 128,
		255, 256, 512, 1024, 4095, 4096, 4097, 8192, 65535, 65536,
		1 << 20, 0x7fffffff, 0xffffffff,
	};

	if (value & 0x8000)
		return value & 0x7fff;
	return value == 0x7fff ? UINT64_MAX : sizes[value % ARRAY_SIZE(sizes)];
}

/* Process ids, small numbers, levels and names of options ... */
static uint64_t number_value(unsigned value)
{
	static const int32_t numbers[] = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, -1, 100, 101, 102, 103, -100, -2,
		10, 16, 17, 41, 64, 1000, 65534, 0x7fffffff,
	};

	if (value & 0x8000)
		return value & 0xff;
	return (uint64_t)(int64_t)numbers[value % ARRAY_SIZE(numbers)];
}

static uint64_t flags_value(unsigned value)
{
	switch (value >> 14) {
	case 0:
		return 0;
	case 1:
		return value & 0xff;
	case 2:
		return UINT64_C(1) << (value & 63);
	default:
		return UINT64_C(1) << (value & 31) |
		       UINT64_C(1) << (value >> 5 & 31) | (value >> 10 & 7);
	}
}

static uint64_t descriptor_value(unsigned value)
{
	if (value >> 13 == 7)
		return (uint64_t)(value & 1   ? AT_FDCWD
				  : value & 2 ? -1
					      : (int)(value & 0xfff));
	return value % 22;
}

struct argument argument_make(char kind, const uint8_t bytes[3],
			      unsigned slots)
{
	unsigned value = (unsigned)(bytes[1] | bytes[2] << 8);
	const struct object_kind *objects = arena_kind(kind);

	if (bytes[0] >= HOW_WILD)
		return (struct argument){ 0, wild_value(value) };
	if (bytes[0] >= HOW_RESULT)
		return (struct argument){ value % slots, value >> 12 };
	/* Any pointer in place of one of the kind, now and then. */
	if (objects && bytes[0] < 184)
		return (struct argument){
			0, GUEST_ARENA + objects->offset +
				   value % objects->count * objects->stride
		};
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (lists[i].letter == kind)
			return (struct argument){ 0, from_list(i, value) };
	switch (kind) {
	case 'f':
		return (struct argument){ 0, descriptor_value(value) };
	case 'd':
	case 'u':
		return (struct argument){ 0, number_value(value) };
	case 'x':
	case '-':
		return (struct argument){ 0, flags_value(value) };
	case 'z':
	case 'l':
		return (struct argument){ 0, size_value(value) };
	case 'g':
		return (struct argument){ 0, value % 67 };
	case 'o':
		return (struct argument){ 0, value };
	case '?':
		return bytes[0] & 1
			       ? pointer(value)
			       : (struct argument){ 0, number_value(value) };
	default:
		return pointer(value);
	}
}
