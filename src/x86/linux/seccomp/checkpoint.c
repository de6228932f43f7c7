/* Filters in a checkpoint: section FILT. */
#include <stdlib.h>

#include "base/memory.h"
#include "x86/linux/checkpoint/checkpoint.h"
#include "x86/linux/seccomp/filter.h"
#include "x86/linux/state.h"

/* Filters, each behind those that were there before it. */
struct list {
	struct seccomp_filter **filters;
	size_t count, capacity;
};

static void add_filter(struct list *list, struct seccomp_filter *filter)
{
	if (!filter ||
	    list_index(list->filters, list->count, filter) >= 0)
		return;
	add_filter(list, filter->before);
	ARRAY_GROW(list->filters, list->count, list->capacity);
	list->filters[list->count++] = filter;
}

/* Loading makes a reference of it. */
static void exchange_link(struct archive *archive, const struct list *list,
			  size_t limit, bool none,
			  struct seccomp_filter **filter)
{
	int64_t index = list_index(list->filters, list->count, *filter);

	index = archive_index(archive, archive->loading ? -1 : index, limit,
			      none, "filter");
	if (archive->loading)
		*filter = index < 0 || archive->failed
				  ? NULL
				  : seccomp_hold(list->filters[index]);
}

static void exchange_filter(struct archive *archive, struct list *list,
			    size_t i)
{
	struct seccomp_filter *filter = list->filters[i];
	size_t size = filter->count * sizeof *filter->code;

	exchange_link(archive, list, i, true, &filter->before);
	ARCHIVE_VALUE(archive, filter->logs, "filter.logs");
	archive_blob(archive, &filter->code, &size);
	filter->count = size / sizeof *filter->code;
	if (!archive->loading || archive->failed)
		return;
	archive_expect(archive, size % sizeof *filter->code == 0 &&
		       filter->count <= BPF_MAXINSNS &&
		       seccomp_program_valid(filter->code, filter->count),
		       "filter", i, "a valid program");
}

void exchange_seccomp(struct checkpoint *checkpoint)
{
	struct archive *archive = checkpoint->archive;
	struct list list = { 0 };
	size_t count, made = 0;

	for (size_t i = 0; !archive->loading && i < checkpoint->context_count;
	     i++)
		if (checkpoint->contexts[i]->seccomp)
			add_filter(&list,
				   checkpoint->contexts[i]->seccomp->filter);
	count = archive_count(archive, list.count, 10, "filters");
	for (size_t i = 0; i < count && !archive->failed; i++) {
		if (archive->loading) {
			struct seccomp_filter *filter =
				xcalloc(1, sizeof *filter);

			filter->references = 1;
			ARRAY_GROW(list.filters, list.count, list.capacity);
			list.filters[list.count++] = filter;
			made++;
		}
		exchange_filter(archive, &list, i);
	}
	for (size_t i = 0; i < checkpoint->context_count && !archive->failed;
	     i++) {
		struct context *context = checkpoint->contexts[i];
		bool present = context->seccomp != NULL;

		ARCHIVE_VALUE(archive, present, "presence of filters");
		ARCHIVE_VALUE(archive, context->call.filter, "filter");
		archive_expect(archive,
			       context->call.filter <= FILTER_TRACED &&
				       (present || !context->call.filter),
			       "filter", context->call.filter,
			       "0 to 2, and 0 when there are no filters");
		if (!present || archive->failed)
			continue;
		if (archive->loading)
			context->seccomp = xcalloc(1,
						   sizeof *context->seccomp);
		ARCHIVE_VALUE(archive, context->seccomp->strict, "strict");
		exchange_link(archive, &list, list.count,
			      context->seccomp->strict,
			      &context->seccomp->filter);
	}
	/* Those who use them hold them now. */
	while (made)
		seccomp_drop(list.filters[--made]);
	free(list.filters);
}
