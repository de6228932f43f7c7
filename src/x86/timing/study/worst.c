#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "x86/timing/branches/format.h"
#include "x86/timing/study/output.h"

enum { EVENTS = 4096 };

static const char *const kinds[] = {
	[BRANCH_CONDITIONAL] = "conditional",
	[BRANCH_JUMP] = "jump",
	[BRANCH_CALL] = "call",
	[BRANCH_INDIRECT_JUMP] = "indirect jump",
	[BRANCH_INDIRECT_CALL] = "indirect call",
	[BRANCH_RETURN] = "return",
};

/* One branch of the program. */
struct place {
	uint64_t address, executed, taken, wrong;
	uint32_t process;
	enum branch_kind kind;
};

struct table {
	/* `last` of a path is the number of the place */
	struct branch_paths index;
	struct place *list;
	size_t count, capacity;
};

static struct place *place_of(struct table *table,
			      const struct branch_event *event)
{
	struct branch_path path = { .start = event->branch.address,
				    .process = event->process,
				    .last = table->count };
	const struct branch_path *known =
		branch_paths_find(&table->index, path.process, path.start);

	if (known)
		return &table->list[known->last];
	branch_paths_put(&table->index, &path);
	ARRAY_GROW(table->list, table->count, table->capacity);
	table->list[table->count] = (struct place){
		.address = path.start,
		.process = path.process,
		.kind = event->branch.kind,
	};
	return &table->list[table->count++];
}

static int by_wrong(const void *one, const void *other)
{
	const struct place *first = one, *second = other;

	if (first->wrong != second->wrong)
		return first->wrong > second->wrong ? -1 : 1;
	if (first->address != second->address)
		return first->address < second->address ? -1 : 1;
	return first->process < second->process ? -1 : 1;
}

static int fill(struct table *table, struct branch_reader *reader,
		struct predict_unit *unit, struct error *error)
{
	static struct branch_event events[EVENTS];
	long count;

	while ((count = branch_reader_read(reader, events, EVENTS, error)) > 0)
		for (long i = 0; i < count; i++) {
			const struct branch_event *event = &events[i];
			struct place *place = place_of(table, event);
			struct predict_outcome outcome = { event->next,
							   event->taken };
			struct predict_answer answer = predict_unit_predict(
				unit, &event->branch, event->behind, &outcome);

			place->wrong += !predict_unit_resolve(
				unit, answer.checkpoint, &outcome);
			predict_unit_commit(unit);
			place->executed++;
			place->taken += event->taken;
		}
	return (int)count;
}

static void write_table(struct table *table, size_t most, FILE *stream)
{
	uint64_t all = 0;

	for (size_t i = 0; i < table->count; i++)
		all += table->list[i].wrong;
	if (table->count)
		qsort(table->list, table->count, sizeof *table->list,
		      by_wrong);
	fputs("Process,Address,Kind,Executed,Taken,Wrong,PartOfAllWrong\n",
	      stream);
	for (size_t i = 0; i < table->count && i < most; i++) {
		const struct place *place = &table->list[i];

		fprintf(stream, "%" PRIu32 ",0x%" PRIx64 ",%s,%" PRIu64
			",%" PRIu64 ",%" PRIu64 ",%.6f\n",
			place->process, place->address, kinds[place->kind],
			place->executed, place->taken, place->wrong,
			all ? (double)place->wrong / (double)all : 0);
	}
}

int study_write_worst(const struct study_predictor *predictor,
		      const char *trace, size_t most, FILE *stream,
		      struct error *error)
{
	struct branch_reader *reader = branch_reader_open(trace, error);
	struct predict_unit unit;
	struct table table = { 0 };
	int status;

	if (!reader)
		return -1;
	predict_unit_init(&unit, &predictor->config, 1);
	status = fill(&table, reader, &unit, error);
	if (!status)
		write_table(&table, most, stream);
	predict_unit_free(&unit);
	branch_reader_free(reader);
	branch_paths_clear(&table.index);
	free(table.list);
	return status;
}
