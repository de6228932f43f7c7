/* Occupancy against the tables of AMD's OpenCL guide (hd5870 figures, 2). */
#include "evergreen/timing/occupancy.h"
#include "unit/harness.h"

static struct evg_occupancy find(uint32_t work_items, uint32_t registers,
				 uint32_t local_memory)
{
	const struct evg_occupancy_use use = { work_items, registers,
					       local_memory };
	struct evg_config config;

	CU_ASSERT_EQUAL_FATAL(evg_config_read(&config, NULL, NULL), 0);
	return evg_occupancy_find(&config, &use);
}

/* Wavefronts by registers per work-item, for work-groups of one wavefront. */
static void test_registers(void)
{
	static const struct {
		uint32_t registers, wavefronts;
	} rows[] = {
		{ 1, 248 }, { 2, 124 }, { 3, 82 },  { 4, 62 },  { 5, 49 },
		{ 6, 41 },  { 7, 35 },	{ 8, 31 },  { 9, 27 },  { 10, 24 },
		{ 11, 22 }, { 12, 20 }, { 13, 19 }, { 14, 17 }, { 15, 16 },
		{ 16, 15 }, { 17, 14 }, { 18, 13 }, { 20, 12 }, { 22, 11 },
		{ 24, 10 }, { 27, 9 },	{ 31, 8 },  { 35, 7 },  { 41, 6 },
		{ 49, 5 },  { 62, 4 },	{ 82, 3 },  { 124, 2 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct evg_occupancy found = find(64, rows[i].registers, 0);

		CU_ASSERT_EQUAL(found.allowed[EVG_LIMIT_REGISTERS],
				rows[i].wavefronts);
		/* Eight work-groups of one wavefront are the most. */
		CU_ASSERT_EQUAL(found.wavefronts, rows[i].wavefronts < 8
							  ? rows[i].wavefronts
							  : 8);
	}
}

/* Wavefronts by local memory, four wavefronts in a work-group: the guide's
 * 4 x floor(32 KB / size), in dwords. */
static void test_local_memory(void)
{
	static const struct {
		uint32_t bytes, wavefronts;
	} rows[] = {
		{ 4096, 32 }, { 4097, 28 }, { 4680, 28 },  { 4681, 24 },
		{ 5460, 24 }, { 5461, 20 }, { 6552, 20 },  { 6553, 16 },
		{ 8192, 16 }, { 8193, 12 }, { 10920, 12 }, { 10921, 8 },
		{ 16384, 8 }, { 16385, 4 }, { 32768, 4 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		CU_ASSERT_EQUAL(find(256, 4, rows[i].bytes).wavefronts,
				rows[i].wavefronts);
}

static void test_limits(void)
{
	CU_ASSERT_EQUAL(find(64, 4, 0).limit, EVG_LIMIT_WORK_GROUPS);
	CU_ASSERT_EQUAL(find(64, 4, 0).allowed[EVG_LIMIT_LOCAL_MEMORY],
			UINT32_MAX);
	CU_ASSERT_EQUAL(find(192, 4, 0).wavefronts, 24);
	/* Three wavefronts and 35 registers: 7 wavefronts would fit, but
	 * only whole work-groups count. */
	CU_ASSERT_EQUAL(find(192, 35, 0).limit, EVG_LIMIT_REGISTERS);
	CU_ASSERT_EQUAL(find(192, 35, 0).wavefronts, 6);
	CU_ASSERT_EQUAL(find(64, 4, 32768).limit, EVG_LIMIT_LOCAL_MEMORY);
	CU_ASSERT_EQUAL(find(64, 4, 32768).work_groups, 1);
	/* 70 registers x 256 work-items are more than there are. */
	CU_ASSERT_EQUAL(find(256, 70, 0).work_groups, 0);
	/* Incomplete wavefronts take all of one. */
	CU_ASSERT_EQUAL(find(65, 4, 0).group_wavefronts, 2);
}

/* In the whole device: 20 compute units, and 496 wavefronts. */
static void test_device(void)
{
	static const struct {
		struct evg_occupancy_use use;
		uint32_t groups;
	} rows[] = {
		{ { 64, 4, 0 }, 160 },      { { 64, 62, 0 }, 80 },
		{ { 256, 4, 0 }, 124 },     { { 64, 4, 8193 }, 60 },
		{ { 256, 70, 0 }, 1 },
	};
	struct evg_config config;

	CU_ASSERT_EQUAL_FATAL(evg_config_read(&config, NULL, NULL), 0);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		CU_ASSERT_EQUAL(evg_occupancy_device(&config, &rows[i].use),
				rows[i].groups);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "registers", test_registers },
		{ "local memory", test_local_memory },
		{ "limits", test_limits },
		{ "the whole device", test_device },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "Occupancy", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
