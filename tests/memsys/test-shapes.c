/* Random accesses over the hierarchies that are shipped, with what tester.h
 * checks. Lines of words are so far apart that few sets of the caches are in
 * use. */
#include "memsys/tester.h"

#include <stdlib.h>

#include "base/memory.h"
#include "unit/harness.h"

static char *sample(const char *name)
{
	const char *top = getenv("top_srcdir");

	return xasprintf("%s/samples/memory/%s", top ? top : ".", name);
}

/* `data`: not where page walks read far beyond the words. */
static void run(const char *mem, const char *net, bool data, unsigned entries)
{
	char *mem_path = sample(mem), *net_path = net ? sample(net) : NULL;

	for (unsigned seed = 1; seed <= 6; seed++) {
		struct tester *tester = tester_create(seed);

		tester->stride = 64ull << 2 * seed;
		tester->bytes =
		    data ? 81 * tester->stride * (TESTER_WORDS / TESTER_LINE)
			 : 0;
		tester_start(tester, mem_path, net_path, mem);
		CU_ASSERT_EQUAL(tester->entries, entries);
		tester_run(tester, 6000);
		tester_free(tester);
	}
	free(mem_path);
	free(net_path);
}

static void test_evergreen(void)
{
	run("evg-hd5870.ini", NULL, true, 20);
	run("evg-hd5870-prefetch.ini", NULL, true, 20);
	run("evg-hd5870-tlb.ini", NULL, false, 20);
	run("evg-multi2sim-4.2.ini", NULL, true, 20);
}

static void test_cores(void)
{
	run("x86-private-l2.ini", NULL, true, 8);
	run("x86-shared-l2.ini", NULL, true, 4);
	run("x86-ddr3.ini", NULL, true, 4);
	run("x86-prefetch-tlb.ini", NULL, false, 4);
}

static void test_mesh(void)
{
	run("x86-mesh.ini", "x86-mesh-net.ini", true, 4);
}

static void test_both(void)
{
	run("x86-evg-fused.ini", NULL, true, 6);
	run("x86-evg-shared.ini", NULL, true, 4);
}

int main(void)
{
	static CU_TestInfo tests[] = {
	    {"compute units", test_evergreen},
	    {"cores", test_cores},
	    {"cores at a mesh", test_mesh},
	    {"cores and compute units", test_both},
	    CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
	    {"shapes", NULL, NULL, NULL, NULL, tests},
	    CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
