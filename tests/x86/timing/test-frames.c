/* Frames of physical memory: who has which, and who must hear of a change; a
 * core's accesses to them. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memsys/space/space.h"
#include "unit/harness.h"
#include "x86/timing/memory/frames.h"

enum { PAGE = 4096, RIGHTS = SPACE_READ | SPACE_WRITE };

static unsigned told;
static uint32_t told_number;
static uint64_t told_start, told_end;

static void lost(void *owner, uint32_t number, uint64_t start, uint64_t end)
{
	(void)owner;
	told++;
	told_number = number;
	told_start = start;
	told_end = end;
}

static uint64_t frame_of(struct x86_page_table *table, uint64_t address,
			 bool store, enum x86_frame_answer expected)
{
	uint64_t frame = 0;
	bool writable = false, large;

	CU_ASSERT_EQUAL(x86_frames_find(table, address / PAGE, store, &frame,
					&writable, &large), expected);
	CU_ASSERT_TRUE(writable || !store || expected == X86_FRAME_NONE);
	return frame;
}

static struct space *with_pages(uint64_t address, unsigned pages, bool shared,
				int file, int rights)
{
	struct space *space = space_create(1ull << 32, NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(space);
	CU_ASSERT_EQUAL(space_map(space, address, pages * (uint64_t)PAGE,
				  rights, shared, file, 0, ""), 0);
	return space;
}

static void test_private(void)
{
	struct x86_frames *frames = x86_frames_create(lost, NULL);
	struct space *a = with_pages(0x10000, 4, false, -1, RIGHTS);
	struct space *b = with_pages(0x10000, 4, false, -1, RIGHTS);
	struct x86_page_table *ta = x86_frames_table(frames, a);
	struct x86_page_table *tb = x86_frames_table(frames, b);
	uint64_t first = frame_of(ta, 0x10000, false, X86_FRAME_FIRST);

	CU_ASSERT_PTR_EQUAL(x86_frames_table(frames, a), ta);
	CU_ASSERT_NOT_EQUAL(x86_page_table_number(ta),
			    x86_page_table_number(tb));
	/* one address, two processes */
	CU_ASSERT_NOT_EQUAL(frame_of(tb, 0x10000, true, X86_FRAME_FIRST),
			    first);
	CU_ASSERT_EQUAL(frame_of(ta, 0x10008, true, X86_FRAME_KNOWN), first);
	frame_of(ta, 0x20000, false, X86_FRAME_NONE);
	/* rights change, the frame does not */
	told = 0;
	CU_ASSERT_EQUAL(space_protect(a, 0x10000, PAGE, SPACE_READ), 0);
	CU_ASSERT_EQUAL(told, 1);
	CU_ASSERT_EQUAL(told_number, x86_page_table_number(ta));
	CU_ASSERT_EQUAL(told_start, 0x10000);
	CU_ASSERT_EQUAL(told_end, 0x11000);
	CU_ASSERT_EQUAL(frame_of(ta, 0x10000, false, X86_FRAME_KNOWN), first);
	/* nobody has touched these */
	CU_ASSERT_EQUAL(space_unmap(a, 0x12000, PAGE), 0);
	CU_ASSERT_EQUAL(told, 1);
	/* what is unmapped is given to the next one */
	CU_ASSERT_EQUAL(space_unmap(a, 0x10000, PAGE), 0);
	CU_ASSERT_EQUAL(told, 2);
	CU_ASSERT_EQUAL(x86_frames_counts(frames)->lost, 1);
	frame_of(ta, 0x10000, false, X86_FRAME_NONE);
	CU_ASSERT_EQUAL(frame_of(tb, 0x11000, false, X86_FRAME_FIRST), first);
	/* contents given up */
	CU_ASSERT_EQUAL(space_advise(b, 0x11000, PAGE, MADV_DONTNEED), 0);
	frame_of(tb, 0x11000, false, X86_FRAME_FIRST);
	space_free(a);
	space_free(b);
	CU_ASSERT_EQUAL(x86_frames_counts(frames)->lost,
			x86_frames_counts(frames)->given);
	x86_frames_free(frames);
}

/* 2 MB at a time, as far as the mapping has whole ones. */
static void test_large(void)
{
	enum { LARGE = 2 << 20 };
	struct x86_frames *frames = x86_frames_create(lost, NULL);
	struct space *a = with_pages(0x3ff000, 1025 + 256, false, -1, RIGHTS);
	struct x86_page_table *ta;
	uint64_t first;

	x86_frames_give_large(frames);
	ta = x86_frames_table(frames, a);
	frame_of(ta, 0x3ff000, true, X86_FRAME_FIRST);
	CU_ASSERT_FALSE(x86_frames_is_large(ta, 0x3ff));
	frame_of(ta, 0x801000, true, X86_FRAME_FIRST);
	CU_ASSERT_FALSE(x86_frames_is_large(ta, 0x801));
	CU_ASSERT_EQUAL(x86_frames_counts(frames)->large, 0);
	first = frame_of(ta, 0x402000, false, X86_FRAME_FIRST) - 2;
	CU_ASSERT_EQUAL(first % 512, 0);
	CU_ASSERT_EQUAL(frame_of(ta, 0x5ff000, true, X86_FRAME_KNOWN),
			first + 511);
	CU_ASSERT_TRUE(x86_frames_is_large(ta, 0x400));
	CU_ASSERT_FALSE(x86_frames_is_large(ta, 0x600));
	CU_ASSERT_EQUAL(x86_frames_counts(frames)->large, 1);
	/* frames in front of an aligned one are given to small pages */
	CU_ASSERT_TRUE(frame_of(ta, 0x802000, true, X86_FRAME_FIRST) < first);
	/* a part gets other rights: all of it is small then */
	told = 0;
	CU_ASSERT_EQUAL(space_protect(a, 0x410000, PAGE, SPACE_READ), 0);
	CU_ASSERT_EQUAL(told, 1);
	CU_ASSERT_EQUAL(told_start, 0x400000);
	CU_ASSERT_EQUAL(told_end, 0x600000);
	CU_ASSERT_FALSE(x86_frames_is_large(ta, 0x400));
	CU_ASSERT_EQUAL(frame_of(ta, 0x5ff000, true, X86_FRAME_KNOWN),
			first + 511);
	/* the end of another is unmapped */
	frame_of(ta, 0x600000, true, X86_FRAME_FIRST);
	CU_ASSERT_TRUE(x86_frames_is_large(ta, 0x7ff));
	CU_ASSERT_EQUAL(space_unmap(a, 0x700000, LARGE / 2), 0);
	CU_ASSERT_EQUAL(told_start, 0x600000);
	CU_ASSERT_FALSE(x86_frames_is_large(ta, 0x600));
	frame_of(ta, 0x600000, true, X86_FRAME_KNOWN);
	frame_of(ta, 0x700000, true, X86_FRAME_NONE);
	space_free(a);
	CU_ASSERT_EQUAL(x86_frames_counts(frames)->lost,
			x86_frames_counts(frames)->given);
	x86_frames_free(frames);
}

static void test_shared(void)
{
	int file = memfd_create("shared", 0);
	struct x86_frames *frames = x86_frames_create(lost, NULL);
	struct space *a, *b, *c;
	struct x86_page_table *ta, *tb, *tc;
	uint64_t frame;

	CU_ASSERT_EQUAL(ftruncate(file, 2 * PAGE), 0);
	a = with_pages(0x10000, 2, true, file, RIGHTS);
	b = with_pages(0x50000, 2, true, file, RIGHTS);
	c = with_pages(0x70000, 2, false, file, RIGHTS);
	ta = x86_frames_table(frames, a);
	tb = x86_frames_table(frames, b);
	tc = x86_frames_table(frames, c);
	frame = frame_of(ta, 0x11000, true, X86_FRAME_FIRST);
	CU_ASSERT_EQUAL(frame_of(tb, 0x51000, true, X86_FRAME_FIRST), frame);
	CU_ASSERT_NOT_EQUAL(frame_of(tb, 0x50000, true, X86_FRAME_FIRST),
			    frame);
	/* private: the file's page until it is written */
	CU_ASSERT_EQUAL(frame_of(tc, 0x71000, false, X86_FRAME_FIRST), frame);
	CU_ASSERT_NOT_EQUAL(frame_of(tc, 0x71000, true, X86_FRAME_COPIED),
			    frame);
	CU_ASSERT_EQUAL(x86_frames_counts(frames)->copied, 1);
	/* the file keeps its page */
	space_free(a);
	space_free(b);
	b = with_pages(0x50000, 2, true, file, RIGHTS);
	tb = x86_frames_table(frames, b);
	CU_ASSERT_EQUAL(frame_of(tb, 0x51000, false, X86_FRAME_FIRST), frame);
	space_free(b);
	space_free(c);
	x86_frames_free(frames);
	close(file);
}

static void test_fork(void)
{
	struct x86_frames *frames = x86_frames_create(lost, NULL);
	struct space *a = with_pages(0x10000, 3, false, -1, RIGHTS), *b;
	struct x86_page_table *ta = x86_frames_table(frames, a), *tb;
	uint64_t first, second;

	first = frame_of(ta, 0x10000, true, X86_FRAME_FIRST);
	second = frame_of(ta, 0x11000, true, X86_FRAME_FIRST);
	b = space_create(1ull << 32, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(b);
	told = 0;
	CU_ASSERT_EQUAL(space_fork_prepare(a), 0);
	CU_ASSERT_EQUAL(space_fork_region(a, b, space_region_at(a, 0x10000)),
			0);
	/* the parent's entries say that it may store */
	CU_ASSERT_EQUAL(told, 1);
	CU_ASSERT_EQUAL(told_number, x86_page_table_number(ta));
	tb = x86_frames_table(frames, b);
	CU_ASSERT_EQUAL(frame_of(tb, 0x10000, false, X86_FRAME_KNOWN), first);
	CU_ASSERT_NOT_EQUAL(frame_of(tb, 0x10000, true, X86_FRAME_COPIED),
			    first);
	CU_ASSERT_EQUAL(frame_of(ta, 0x10000, false, X86_FRAME_KNOWN), first);
	/* the last one needs no copy */
	CU_ASSERT_EQUAL(frame_of(ta, 0x10000, true, X86_FRAME_COPIED), first);
	CU_ASSERT_EQUAL(frame_of(ta, 0x10000, true, X86_FRAME_KNOWN), first);
	CU_ASSERT_EQUAL(x86_frames_counts(frames)->copied, 1);
	space_free(b);
	CU_ASSERT_EQUAL(frame_of(ta, 0x11000, true, X86_FRAME_COPIED), second);
	space_free(a);
	x86_frames_free(frames);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "private pages", test_private },
		{ "pages of 2 MB", test_large },
		{ "shared pages", test_shared },
		{ "pages of a fork", test_fork },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = {
		{ .pName = "x86 frames", .pTests = tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
