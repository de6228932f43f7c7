/* Checkpoints that are damaged on purpose: refused, and never more. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"
#include "unit/harness.h"
#include "unit/random.h"
#include "x86/linux/checkpoint/archive.h"
#include "x86/linux/linux.h"
#include "x86/linux/state.h"
#include "x86/small-elf.h"

/* pipe(DATA); write(DATA[1], DATA, 16); count to 9 for ever */
#define DATA (SMALL_ELF_BASE + 0x2000)
#define LOW(n) (n) & 255, (n) >> 8 & 255, (n) >> 16 & 255, (n) >> 24 & 255
static const uint8_t code[] = {
	0xb8, LOW(22), 0xbf, LOW(DATA), 0x0f, 0x05,
	0xb8, LOW(1), 0x8b, 0x3c, 0x25, LOW(DATA + 4), 0xbe, LOW(DATA),
	0xba, LOW(16), 0x0f, 0x05,
	0xff, 0xc3, 0xeb, 0xfc,
};

#ifndef CONTENT_CHANGES
#define CONTENT_CHANGES 150
#endif

struct saved {
	uint8_t *bytes;
	size_t size;
};

static void read_back(const char *path, struct saved *saved)
{
	FILE *stream = fopen(path, "rb");
	struct stat status = { 0 };

	CU_ASSERT_PTR_NOT_NULL_FATAL(stream);
	fstat(fileno(stream), &status);
	saved->size = (size_t)status.st_size;
	saved->bytes = xmalloc(saved->size);
	CU_ASSERT_EQUAL(fread(saved->bytes, 1, saved->size, stream),
			saved->size);
	fclose(stream);
	unlink(path);
}

/* With so many groups of the process, which only this test makes wrong. */
static struct saved save_groups(int group_count)
{
	char path[] = "/tmp/m2s-test-checkpoint-XXXXXX";
	char file[sizeof path + 5];
	const char *argv[] = { path, NULL }, *envp[] = { NULL };
	struct linux_program program = {
		.path = path, .argv = argv, .envp = envp,
		.standard = { 0, 1, 2 },
	};
	struct linux_options options = { .pause_at = 1000 };
	struct linux_result result = { 0 };
	struct error error = { "" };
	struct saved saved = { 0 };
	struct linux_system *system = linux_create(&options, &error);
	uint8_t bytes[SMALL_ELF_MAX];
	size_t size = small_elf(bytes, true, code, sizeof code);
	int program_file = mkstemp(path);

	CU_ASSERT_EQUAL(write(program_file, bytes, size), (ssize_t)size);
	fchmod(program_file, 0755);
	close(program_file);
	snprintf(file, sizeof file, "%s.ckpt", path);
	CU_ASSERT_FATAL(linux_load(system, &program, &error) >= 0);
	CU_ASSERT_EQUAL(linux_run(system, &result, &error), 0);
	CU_ASSERT_EQUAL(result.end, LINUX_END_PAUSE);
	system->processes->credentials.group_count = group_count;
	CU_ASSERT_EQUAL(linux_save_checkpoint(system, file, &error), 0);
	linux_free(system);
	unlink(path);
	read_back(file, &saved);
	return saved;
}

static struct saved save(void)
{
	return save_groups(0);
}

/* 0 when it loads; `run` more instructions then. */
static int load(const uint8_t *bytes, size_t size, bool unchecked,
		bool detached, uint64_t run, struct error *error)
{
	struct linux_checkpoint source = {
		.bytes = bytes, .size = size, .standard = { 0, 1, 2 },
		.unchecked = unchecked, .detached = detached,
	};
	struct linux_options options = { .max_instructions = 1000 + run };
	struct linux_result outcome = { 0 };
	struct linux_system *system = linux_create(&options, error);
	int result;

	error->text[0] = 0;
	result = linux_read_checkpoint(system, &source, error);
	if (!result && run) {
		CU_ASSERT_EQUAL(linux_run(system, &outcome, error), 0);
		CU_ASSERT_EQUAL(outcome.instructions, 1000 + run);
	}
	CU_ASSERT(result == 0 || error->text[0]);
	linux_free(system);
	return result;
}

static uint64_t section_size(const uint8_t *header)
{
	uint64_t size;

	memcpy(&size, header + 8, sizeof size);
	return 32 + size;
}

static void test_sections(void)
{
	struct saved saved = save();
	struct error error;
	unsigned count = 0;

	CU_ASSERT_EQUAL(load(saved.bytes, saved.size, false, false, 50,
			     &error), 0);
	/* Truncated at the begin, in the header and in the middle of each
	 * section, with and without regard to the whole length. */
	for (size_t at = 64; at < saved.size;) {
		uint64_t size = section_size(saved.bytes + at);
		size_t cuts[] = { at, at + 11, at + 32, at + size / 2 };

		count++;
		for (size_t i = 0; i < ARRAY_SIZE(cuts); i++)
			for (int unchecked = 0; unchecked < 2; unchecked++)
				CU_ASSERT_EQUAL(load(saved.bytes, cuts[i],
						     unchecked, true, 0,
						     &error), -1);
		at += size;
	}
	CU_ASSERT(count >= 9);
	for (size_t size = 0; size < 64; size += 9)
		CU_ASSERT_EQUAL(load(saved.bytes, size, false, true, 0,
				     &error), -1);
	free(saved.bytes);
}

static void test_order(void)
{
	struct saved saved = save();
	size_t first = 64, second;
	uint8_t *other = xmalloc(saved.size);
	struct error error;

	/* The first two sections change places. */
	second = first + section_size(saved.bytes + first);
	memcpy(other, saved.bytes, saved.size);
	memcpy(other + first, saved.bytes + second,
	       section_size(saved.bytes + second));
	memcpy(other + first + section_size(saved.bytes + second),
	       saved.bytes + first, section_size(saved.bytes + first));
	CU_ASSERT_EQUAL(load(other, saved.size, false, true, 0, &error), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "expected section SYST"));
	free(other);
	free(saved.bytes);
}

static void test_flips(void)
{
	struct saved saved = save();
	uint64_t seed = 1;
	struct error error;

	for (int i = 0; i < 300; i++) {
		size_t at;
		uint8_t bit;

		at = random_draw(&seed) % saved.size;
		bit = (uint8_t)(1 << (random_draw(&seed) & 7));
		saved.bytes[at] ^= bit;
		CU_ASSERT_EQUAL(load(saved.bytes, saved.size, false, true, 0,
				     &error), -1);
		saved.bytes[at] ^= bit;
	}
	free(saved.bytes);
}

static void test_header(void)
{
	struct saved saved = save();
	struct error error;
	static const struct {
		size_t at;
		const char *message;
	} cases[] = {
		{ 0, "not a checkpoint" }, { 8, "version" },
		{ 12, "byte order" }, { 16, "checksum" }, { 24, "checksum" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		saved.bytes[cases[i].at] ^= 0x55;
		CU_ASSERT_EQUAL(load(saved.bytes, saved.size, false, true, 0,
				     &error), -1);
		CU_ASSERT_PTR_NOT_NULL(strstr(error.text, cases[i].message));
		saved.bytes[cases[i].at] ^= 0x55;
	}
	free(saved.bytes);
}

/* Random bytes of the content changed, with checksums disregarded: loads or
 * is refused with a message, and nothing worse. Returns how many load. */
static unsigned change_section(const struct saved *saved, size_t at,
			       unsigned times, uint64_t *seed)
{
	const uint8_t *header = saved->bytes + at;
	size_t stored = section_size(header) - 32;
	uint64_t content;
	uLongf size, packed;
	uint8_t *plain, *other;
	unsigned loaded = 0;
	struct error error;

	memcpy(&content, header + 16, sizeof content);
	size = content;
	plain = xmalloc(size + 1);
	packed = compressBound(size);
	other = xmalloc(saved->size + packed);
	CU_ASSERT_EQUAL_FATAL(uncompress(plain, &size, header + 32, stored),
			      Z_OK);
	for (unsigned i = 0; i < times && size; i++) {
		uint8_t *byte, kept;
		uint64_t length, random = random_draw(seed);

		byte = plain + random_draw(seed) % size;
		kept = *byte;
		*byte = random >> 63 ? (uint8_t)random : *byte ^ 1;
		packed = compressBound(size);
		memcpy(other, saved->bytes, at + 32);
		compress2(other + at + 32, &packed, plain, size, 1);
		length = packed;
		memcpy(other + at + 8, &length, sizeof length);
		memcpy(other + at + 32 + packed, header + 32 + stored,
		       saved->size - at - 32 - stored);
		loaded += !load(other, saved->size - stored + packed, true,
				true, 0, &error);
		*byte = kept;
	}
	free(plain);
	free(other);
	return loaded;
}

static void test_content(void)
{
	struct saved saved = save();
	uint64_t seed = 7;
	unsigned loaded = 0;

	for (size_t at = 64; at < saved.size;
	     at += section_size(saved.bytes + at))
		loaded += change_section(&saved, at, CONTENT_CHANGES, &seed);
	printf("# %u loaded all the same\n", loaded);
	free(saved.bytes);
}

/* More groups than there is room for, or fewer than none. */
static void test_groups(void)
{
	static const int counts[] = { 64, 65, -1 };
	struct error error;

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		struct saved saved = save_groups(counts[i]);

		CU_ASSERT_EQUAL(load(saved.bytes, saved.size, true, true, 0,
				     &error), i ? -1 : 0);
		CU_ASSERT_EQUAL(!strstr(error.text, "group_count"), !i);
		free(saved.bytes);
	}
}

/* ---- The archive by itself ---- */

static void test_archive(void)
{
	struct error error = { "" };
	struct archive archive = { .section = "TEST", .error = &error };
	uint64_t number = UINT64_C(0x1122334455667788);
	char *text = (char *)(uintptr_t)"a text", *none = NULL;
	bool truth = true;

	ARCHIVE_VALUE(&archive, number, "number");
	ARCHIVE_VALUE(&archive, truth, "truth");
	archive_text(&archive, &text);
	archive_text(&archive, &none);
	archive_count(&archive, 3, 1, "count");
	archive_index(&archive, -1, 4, true, "index");
	archive.loading = true;
	number = 0;
	truth = false;
	ARCHIVE_VALUE(&archive, number, "number");
	ARCHIVE_VALUE(&archive, truth, "truth");
	archive_text(&archive, &text);
	archive_text(&archive, &none);
	CU_ASSERT_EQUAL(number, UINT64_C(0x1122334455667788));
	CU_ASSERT_TRUE(truth);
	CU_ASSERT_STRING_EQUAL(text, "a text");
	CU_ASSERT_PTR_NULL(none);
	free(text);
	CU_ASSERT_EQUAL(archive_count(&archive, 0, 1, "count"), 3);
	CU_ASSERT_EQUAL(archive_index(&archive, 0, 4, true, "index"), -1);
	archive_end(&archive);
	CU_ASSERT_FALSE(archive.failed);
	/* A bool of 2, a count and an index too large. */
	archive.at = 0;
	archive.bytes[8] = 2;
	ARCHIVE_VALUE(&archive, number, "number");
	ARCHIVE_VALUE(&archive, truth, "truth");
	CU_ASSERT_TRUE(archive.failed);
	CU_ASSERT_STRING_EQUAL(error.text, "section TEST, byte 9: truth is 2, "
					   "expected 0 or 1");
	archive.failed = false;
	archive.at = 0;
	CU_ASSERT_EQUAL(archive_count(&archive, 0, 1, "count"), 0);
	CU_ASSERT_TRUE(archive.failed);
	archive.failed = false;
	archive.at = 0;
	CU_ASSERT_EQUAL(archive_index(&archive, 0, 9, false, "index"), 0);
	CU_ASSERT_TRUE(archive.failed);
	archive_free(&archive);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "numbers, texts, counts", test_archive },
		{ "truncated anywhere", test_sections },
		{ "sections in another order", test_order },
		{ "flipped bits", test_flips },
		{ "every field of the header", test_header },
		{ "content changed at random", test_content },
		{ "number of groups", test_groups },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "checkpoint", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
