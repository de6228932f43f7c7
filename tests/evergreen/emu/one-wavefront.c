#include "evergreen/emu/one-wavefront.h"

#include <stdio.h>
#include <string.h>

#include "evergreen/asm/asm.h"
#include "evergreen/emu/memory/memory.h"
#include "unit/harness.h"

void one_begin(struct one_wavefront *one, struct assembler *as,
	       const struct evg_simd *simd)
{
	struct evg_launch launch;

	memset(one, 0, sizeof *one);
	one->memory = evg_memory_create(1 << 24, NULL);
	one->block = evg_memory_allocate(one->memory, ONE_BLOCK, false, "data");
	one->bytes = evg_memory_host(one->memory, one->block, ONE_BLOCK);
	one->program = asm_program(as);
	launch = launch_of(one->program, one->memory, 64, 64);
	launch.bindings = &one->bindings;
	one->ndrange = evg_ndrange_create_for(&launch, simd, &one->error);
	one->group = evg_work_group_create(one->ndrange, 0);
	one->wavefront = evg_work_group_wavefront(one->group, 0);
}

const char *one_run(struct one_wavefront *one)
{
	one->error.text[0] = '\0';
	if (evg_wavefront_run(one->wavefront) == EVG_RUN_FAULT)
		evg_fault_report(one->wavefront, &one->error);
	return one->error.text;
}

void one_expect(struct one_wavefront *one, const char *text)
{
	one_run(one);
	if (!strstr(one->error.text, text))
		printf("# '%s', wanted '%s'\n", one->error.text, text);
	CU_ASSERT_PTR_NOT_NULL(strstr(one->error.text, text));
}

void one_end(struct one_wavefront *one)
{
	evg_work_group_free(one->group);
	evg_ndrange_free(one->ndrange);
	evg_memory_free(one->memory);
	program_free(one->program);
}

void one_masked(struct assembler *as)
{
	struct evg_alu_group predicate =
		group_predicate(gpr(ONE_MASK, 0), true, false);

	asm_begin(as);
	asm_alu(as, EVG_CF_ALU_PUSH_BEFORE, &predicate, 1);
}

const struct evg_simd *one_level(unsigned level)
{
	static const struct evg_simd *const levels[] = {
		&evg_simd_v2, &evg_simd_v3, &evg_simd_v4};

	return levels[level];
}

unsigned one_levels(void)
{
	unsigned count = 1;

	while (one_level(count - 1) != evg_simd_best())
		count++;
	return count;
}

bool text_gives_fetch(const struct evg_fetch_inst *inst)
{
	struct evg_fetch_inst parsed;
	uint32_t wanted[4], got[4];
	struct error error = {0};
	char text[512];
	struct evg_scan scan = {
		.name = "", .start = text, .at = text, .error = &error};

	if (evg_fetch_encode(wanted, inst, &error) < 0 ||
	    evg_fetch_decode(&parsed, wanted, &error) < 0)
		return false;
	evg_fetch_format_exact(text, sizeof text, &parsed);
	if (!evg_fetch_parse(&scan, &parsed) &&
	    evg_fetch_encode(got, &parsed, &error) > 0 &&
	    !memcmp(wanted, got, sizeof got))
		return true;
	printf("# %s: %s\n", text, error.text);
	return false;
}

bool text_gives_cf(const struct evg_cf_inst *inst)
{
	struct evg_cf_inst parsed;
	uint32_t wanted[4], got[4];
	struct evg_label_use label;
	struct error error = {0};
	char text[512];
	struct evg_scan scan = {
		.name = "", .start = text, .at = text, .error = &error};

	if (evg_cf_encode(wanted, inst, &error) < 0 ||
	    evg_cf_decode(&parsed, wanted, 1, &error) < 0)
		return false;
	evg_cf_format_exact(text, sizeof text, &parsed);
	if (!evg_cf_parse(&scan, &parsed, &label) &&
	    evg_cf_encode(got, &parsed, &error) > 0 &&
	    !memcmp(wanted, got, 8))
		return true;
	printf("# %s: %s\n", text, error.text);
	return false;
}
