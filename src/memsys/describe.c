/* What modules wait for, for the report of a simulation that hangs. */
#include "memsys/ahead.h"
#include "memsys/module.h"

#include <inttypes.h>

#include "memsys/dram/internal.h"
#include "memsys/tlb/tlb.h"

static const char *const stage_waits[] = {
	[STAGE_FETCH] = "waits for the module below,",
	[STAGE_DATA] = "waits for the data that a peer has sent",
	[STAGE_PLACE] = "has its block and waits for a line that is not in use",
	[STAGE_EVICT] = "waits for the modules above to give up the victim",
	[STAGE_PROBE] = "waits for the modules above to answer probes",
};

static unsigned length(const struct access *access)
{
	unsigned count = 0;

	for (; access; access = access->next)
		count++;
	return count;
}

static void describe_transaction(const struct module *module,
				 const struct transaction *transaction,
				 FILE *stream)
{
	const struct access *initiator = transaction->initiator;

	fprintf(stream, "  block 0x%" PRIx64 " %s", transaction->block,
		stage_waits[transaction->stage]);
	if (transaction->stage == STAGE_FETCH && module->low_count)
		fprintf(stream, " %s",
			module_low(module, transaction->block)->name);
	if (transaction->pending)
		fprintf(stream, " (%" PRIu32 " to come)",
			transaction->pending);
	if (initiator)
		fprintf(stream, ", for %s", initiator->from
						    ? initiator->from->name
						    : "its processor");
	fprintf(stream, "; %u accesses and %u probes wait for it\n",
		length(transaction->waiting.first),
		length(transaction->deferred.first));
}

static void describe_outbox(const struct outbox *outbox, const char *side,
			    FILE *stream)
{
	unsigned count = length(outbox->waiting.first);

	if (count)
		fprintf(stream, "  %u messages %s wait for room in the output "
			"buffer of %s, the first about block 0x%" PRIx64
			" for %s\n", count, side,
			network_node_name(outbox->node),
			outbox->waiting.first->address,
			outbox->waiting.first->to->name);
}

static void describe_channel(const struct module *module,
			     const struct dram_channel *channel, FILE *stream)
{
	const unsigned banks = channel->dram->banks;
	unsigned outside = 0;

	if (!channel->queued[0] && !channel->queued[1])
		return;
	for (int write = 0; write < 2; write++)
		for (const struct dram_request *request =
			     channel->outside[write].first;
		     request; request = request->next)
			outside++;
	fprintf(stream, "module %s, DRAM channel %u: %" PRIu32 " reads and %" PRIu32
		" writes queued, %u accesses found the queue full, next command"
		" at memory cycle %" PRIu64 "\n", module->name, channel->number,
		channel->queued[0], channel->queued[1], outside,
		channel->next_command);
	for (unsigned bank = 0; bank < banks; bank++) {
		const struct dram_bank *state = &channel->banks[bank];
		const struct dram_request *read = state->queue[0].first;
		const struct dram_request *first = read ? read
							: state->queue[1].first;

		if (!first)
			continue;
		fprintf(stream, "  bank %u: a %s of row %" PRIu64 " waits; ",
			bank, first->write ? "write" : "read", first->row);
		if (state->open)
			fprintf(stream, "row %" PRIu64 " is open\n",
				state->row);
		else
			fprintf(stream, "no row is open\n");
	}
}

static bool is_idle(const struct module *module)
{
	for (uint32_t i = 0; module->table && i <= module->table_mask; i++)
		if (module->table[i])
			return false;
	return !module->stalled.first && !module->placing &&
	       !module->writes_pending && !module->up.waiting.first &&
	       !module->down.waiting.first;
}

static void describe_module(const struct module *module, FILE *stream)
{
	if (module->dram)
		for (unsigned i = 0; i < module->dram->config.channels; i++)
			describe_channel(module, &module->dram->channels[i],
					 stream);
	if (is_idle(module))
		return;
	fprintf(stream, "module %s: %" PRIu32 " of %" PRIu32 " MSHRs in use, "
		"%u accesses wait for one, %" PRIu32 " of %" PRIu32
		" write-buffer entries\n", module->name, module->mshr_used,
		module->config.mshr, length(module->stalled.first),
		module->writes_pending, module->config.write_buffer);
	for (uint32_t i = 0; module->table && i <= module->table_mask; i++)
		for (const struct transaction *transaction = module->table[i];
		     transaction; transaction = transaction->next)
			describe_transaction(module, transaction, stream);
	describe_outbox(&module->down, "down", stream);
	describe_outbox(&module->up, "up", stream);
}

void memsys_describe(const struct memsys *memsys, FILE *stream)
{
	memsys_settle(memsys);
	fprintf(stream, "memory system: %" PRIu64
		" accesses of processors under way\n", memsys_pending(memsys));
	if (memsys->script)
		memsys_script_describe(memsys->script, stream);
	for (size_t i = 0; i < memsys->module_count; i++)
		describe_module(memsys->modules[i], stream);
	tlb_describe(memsys, stream);
	for (size_t i = 0; i < memsys->internal.count; i++)
		network_describe(memsys->internal.networks[i], stream);
	for (size_t i = 0; i < memsys->external.count; i++)
		network_describe(memsys->external.networks[i], stream);
}
