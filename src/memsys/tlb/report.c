/* Reports of a TLB: its statistics, and the work under way. */
#include "memsys/tlb/tlb.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"

void tlb_register_stats(struct tlb *tlb, struct stats *stats)
{
	const struct tlb_config *config = &tlb->config;
	char *name = xasprintf("TLB %s", tlb->name);
	struct stats_section *section = stats_section(stats, "memory", name);
	const struct tlb_count *count = &tlb->count;

	free(name);
#define STATS_REGISTRATION
#include "memsys/tlb/tlb.stat.def"
}

static unsigned length(const struct access *access)
{
	unsigned count = 0;

	for (; access; access = access->next)
		count++;
	return count;
}

static void describe_tlb(const struct tlb *tlb, FILE *stream)
{
	fprintf(stream, "TLB %s: %" PRIu32 " accesses, of these %u translated "
		"wait for %s; %" PRIu32 " walks under way\n", tlb->name,
		tlb->waiting, length(tlb->translated.first),
		tlb->entry ? tlb->entry->name : "nobody", tlb->walking);
	for (uint32_t i = 0; i <= tlb->table_mask; i++)
		for (const struct tlb_miss *miss = tlb->table[i]; miss;
		     miss = miss->next)
			fprintf(stream, "  page 0x%" PRIx64 " waits for %s%s; "
				"%u accesses%s wait for it\n", miss->page,
				tlb->low ? "TLB " : "its walk",
				tlb->low ? tlb->low->name : "",
				length(miss->accesses.first),
				miss->requests ? " and other TLBs" : "");
}

void tlb_describe(const struct memsys *memsys, FILE *stream)
{
	for (size_t i = 0; i < memsys->tlb_count; i++) {
		const struct tlb *tlb = memsys->tlbs[i];
		bool busy = tlb->waiting;

		for (uint32_t j = 0; j <= tlb->table_mask; j++)
			busy |= tlb->table[j] != NULL;
		if (busy)
			describe_tlb(tlb, stream);
	}
}
