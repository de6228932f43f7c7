/* Any bytes as code with call frame information: the list of frames ends, and
 * only the guest's memory is read for it.
 *
 * The input: struct head; what lies at the beginning of the only image, which
 * begins with the .eh_frame_hdr. Behind the image is a stack with chained
 * frame pointers. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "x86/linux/state.h"
#include "x86/linux/unwind/unwind.h"

enum {
	IMAGE = 0x10000, STACK = 0x20000, SIZE = 0x10000,
	FRAMES = 64,
};

struct head {
	uint16_t mode;    /* odd: i386 */
	uint16_t rip;     /* from the beginning of the image */
	uint16_t reg[16]; /* likewise; the highest ones are negative */
};

static struct space *make_space(void)
{
	struct error error = { "" };
	struct space *space = space_create(UINT64_C(1) << 32, &error);

	if (!space ||
	    space_map(space, IMAGE, SIZE,
		      SPACE_READ | SPACE_WRITE | SPACE_EXECUTE, false, -1, 0,
		      "/fuzz") ||
	    space_map(space, STACK, SIZE, SPACE_READ | SPACE_WRITE, false, -1,
		      0, "[stack]"))
		fuzz_fail("no space %s", error.text);
	return space;
}

static void fill(struct space *space, bool wide, const uint8_t *image,
		 size_t size)
{
	static uint8_t bytes[SIZE];
	unsigned word = wide ? 8 : 4;

	memset(bytes, 0, sizeof bytes);
	memcpy(bytes, image, size < SIZE ? size : SIZE);
	space_write(space, IMAGE, bytes, SIZE);
	for (uint32_t at = 0; at < SIZE; at += 2 * word) {
		uint64_t frame[2] = { STACK + at + 2 * word,
				      IMAGE + at * 5 % SIZE };

		memcpy(bytes + at, &frame[0], word);
		memcpy(bytes + at + word, &frame[1], word);
	}
	space_write(space, STACK, bytes, SIZE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct elf_segment segment = {
		.address = IMAGE, .file_size = SIZE, .memory_size = SIZE,
	};
	static struct elf_image image = {
		.unwind_table = IMAGE, .segments = &segment,
		.segment_count = 1,
	};
	static char path[] = "/fuzz";
	static struct image_cache images = { path, &image };
	static struct linux_system system = {.images.list = &images,
					     .images.count = 1};
	static struct process process = { .system = &system };
	static struct x86_cpu cpu;
	struct context context = { .process = &process, .cpu = &cpu };
	struct unwind_frame *list;
	struct head head;
	size_t count;

	if (size < sizeof head)
		return 0;
	memcpy(&head, data, sizeof head);
	if (!cpu.space)
		cpu.space = make_space();
	cpu.mode = head.mode & 1 ? X86_MODE_32 : X86_MODE_64;
	fill(cpu.space, cpu.mode == X86_MODE_64, data + sizeof head,
	     size - sizeof head);
	cpu.rip = IMAGE + (uint64_t)head.rip;
	for (int i = 0; i < 16; i++) {
		cpu.reg[i] = head.reg[i] < 0xff00
				     ? IMAGE + 2 * (uint64_t)head.reg[i]
				     : (uint64_t)(int16_t)head.reg[i];
		if (head.mode & 1)
			cpu.reg[i] = (uint32_t)cpu.reg[i];
	}
	list = malloc(FRAMES * sizeof *list);
	count = unwind(&context, list, FRAMES);
	if (!count || count > FRAMES || list[0].rip != cpu.rip ||
	    list[0].called)
		fuzz_fail("%zu frames, the first at 0x%llx", count,
			  (unsigned long long)list[0].rip);
	free(list);
	return 0;
}
