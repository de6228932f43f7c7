/* Accesses that go to another thread: what arrives says what was sent, and each
 * side keeps its objects. */
#include "base/memory.h"
#include "memsys/module.h"
#include "unit/harness.h"
#include "unit/random.h"

#include <stdlib.h>
#include <string.h>

enum { MODULES = 5, ACCESSES = 4000 };

struct sides {
	struct module modules[MODULES];
	struct module *list[MODULES];
	struct memsys memsys;
	struct memsys_pool from, to;
};

static struct sides *sides_create(void)
{
	struct sides *sides = xcalloc_aligned(sizeof *sides);

	for (unsigned i = 0; i < MODULES; i++) {
		sides->modules[i].index = i;
		sides->list[i] = &sides->modules[i];
	}
	sides->memsys.modules = sides->list;
	sides->memsys.module_count = MODULES;
	sides->from.memsys = sides->to.memsys = &sides->memsys;
	return sides;
}

static void pool_free(struct memsys_pool *pool)
{
	for (size_t i = 0; i < pool->chunk_count; i++)
		free(pool->chunks[i]);
	free(pool->chunks);
}

static void sides_free(struct sides *sides)
{
	pool_free(&sides->from);
	pool_free(&sides->to);
	free(sides);
}

/* Of any type, with and without what only some have. */
static void fill(struct sides *sides, struct access *access, uint64_t *state)
{
	uint64_t draw = random_draw(state);

	access->type = draw % (MESSAGE_PEER + 1);
	access->kind = draw >> 8 & 7;
	access->origin = draw >> 16 & 3;
	access->granted = draw >> 20 & 7;
	access->operation = draw >> 24 & 7;
	access->waited = draw >> 28 & 1;
	access->dirty = draw >> 29 & 1;
	access->through = draw >> 30 & 1;
	access->keep = draw >> 31 & 1;
	access->peer = draw >> 32 & 1;
	access->present = draw >> 33 & 1;
	access->grain = draw >> 34 & 31;
	access->address = random_draw(state);
	access->size = access->extent = (uint32_t)random_draw(state);
	access->from = &sides->modules[draw >> 40 & 3];
	access->transaction = (void *)(uintptr_t)random_draw(state);
	if (draw >> 44 & 1)
		access->instruction = (uint32_t)random_draw(state);
	if (draw >> 45 & 1)
		access->written = random_draw(state);
	if (draw >> 46 & 1)
		access->extent = (uint32_t)random_draw(state);
	if ((draw >> 47 & 7) == 0) {
		access->requester = &sides->modules[draw >> 50 & 3];
		access->requester_transaction =
			(void *)(uintptr_t)random_draw(state);
	}
	if ((draw >> 53 & 7) == 0)
		access->words = (void *)(uintptr_t)random_draw(state);
}

static bool same(const struct access *a, const struct access *b)
{
	if (a->bits != b->bits || a->transaction != b->transaction ||
	    a->words != b->words)
		return false;
	/* Who gets a reply has the rest itself. */
	if (a->type == MESSAGE_REPLY)
		return true;
	return a->address == b->address && a->size == b->size &&
	       a->extent == b->extent && a->from == b->from &&
	       a->instruction == b->instruction && a->written == b->written &&
	       a->requester == b->requester &&
	       (!a->requester ||
		a->requester_transaction == b->requester_transaction);
}

static void test_contents(void)
{
	struct sides *sides = sides_create();
	uint64_t state = 11, bytes[NETWORK_CARRIED / 8];
	unsigned wrong = 0, long_replies = 0;

	for (unsigned i = 0; i < ACCESSES; i++) {
		struct access *access = access_take(&sides->from), sent;
		uint32_t size;

		fill(sides, access, &state);
		sent = *access;
		/* Nothing may be left over from the last one. */
		memset(bytes, 0xa5, sizeof bytes);
		size = access_carrier.pack(&sides->from, access, bytes);
		CU_ASSERT(size && size <= sizeof bytes);
		if (sent.type == MESSAGE_REPLY && !sent.words &&
		    !sent.requester)
			long_replies += size > 16;
		access = access_carrier.unpack(&sides->to, bytes, size);
		wrong += !same(&sent, access);
		access_free(&sides->to, access);
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_EQUAL(long_replies, 0);
	sides_free(sides);
}

/* None goes from one side's memory to the other's. */
static void test_pools(void)
{
	struct sides *sides = sides_create();
	uint64_t state = 5, bytes[NETWORK_CARRIED / 8];
	size_t from, to;

	access_free(&sides->from, access_take(&sides->from));
	access_free(&sides->to, access_take(&sides->to));
	from = sides->from.access_count;
	to = sides->to.access_count;
	for (unsigned i = 0; i < ACCESSES; i++) {
		struct access *access = access_take(&sides->from);
		uint32_t size;

		fill(sides, access, &state);
		size = access_carrier.pack(&sides->from, access, bytes);
		access = access_carrier.unpack(&sides->to, bytes, size);
		access_free(&sides->to, access);
	}
	CU_ASSERT_EQUAL(sides->from.access_count, from);
	CU_ASSERT_EQUAL(sides->to.access_count, to);
	CU_ASSERT_EQUAL(sides->from.chunk_count, 1);
	CU_ASSERT_EQUAL(sides->to.chunk_count, 1);
	sides_free(sides);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "what arrives says what was sent", test_contents },
		{ "each side keeps its objects", test_pools },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "accesses between threads", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
