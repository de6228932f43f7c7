/* Statistics declared in tables.
 *
 * A `.stat.def` file has one row per figure and is the only place that knows
 * the figure. The row makes the member of a struct, the entry in the registry
 * and so the line in doc/statistics.md. The file begins with this header and
 * ends with stats/rows-end.h. Its rows:
 *
 *	COUNTER(name, member, unit, doc)       a count, and a member for it
 *	COUNTERS(name, member, length, unit, doc)
 *	                                       counts, and an array for them
 *	PART(member, doc)                      a count that only derived
 *	                                       figures show
 *	ALIAS(name, member, unit, doc)         shows a count of another row
 *	RATIO(name, over, under, unit, doc)    of two members
 *	DERIVED(name, function, unit, doc)     double function(void *owner),
 *	                                       asked when a report is written
 *	FIXED(name, value, unit, doc)          a whole number, known when the
 *	                                       figures are registered
 *	FIXED_IF(condition, name, value, unit, doc)
 *	FIXED_REAL(name, value, unit, doc)     a number, likewise
 *	FIXED_REAL_IF(condition, name, value, unit, doc)
 *	FIXED_VECTOR(name, values, length, unit, doc)
 *	                                       whole numbers that the includer
 *	                                       freezes before they change
 *	FIXED_TEXT(name, value, doc)           a text, likewise
 *	FIXED_TEXT_IF(condition, name, value, doc)
 *
 * Members of a struct are made by
 *
 *	struct unit_count {
 *	#define STATS_MEMBERS
 *	#include "....stat.def"
 *	};
 *
 * and the entries of the registry, in a function that has a `section`, a
 * `count` (a pointer to such a struct) and, for derived figures, an `owner`, by
 *
 *	#define STATS_REGISTRATION
 *	#include "....stat.def"
 *
 * The includer may also define STATS_NAME(name), for names that are known only
 * at run time; a single row may get such a name from stats_name(). Without
 * STATS_MEMBERS and STATS_REGISTRATION, rows whose macro the includer has not
 * defined expand to nothing.
 *
 * An empty unit or an empty text does not compile. The unit of a count is what
 * is counted; that of a share from 0 to 1 is "fraction". */

#ifdef STATS_MEMBERS

#define COUNTER(name, member, unit, doc) uint64_t member;
#define COUNTERS(name, member, length, unit, doc) uint64_t member[length];
#define PART(member, doc)                                                      \
	uint64_t member;                                                       \
	_Static_assert(sizeof doc > 1, "a part of a statistic has a text");

#elif defined STATS_REGISTRATION

#ifndef STATS_NAME
#define STATS_NAME(name) name
#endif
/* `unit` is the row's text, in quotes. An empty one is "\"\"". */
#define STATS_CHECK(unit, doc)                                                 \
	_Static_assert(sizeof unit > sizeof "\"\"" && sizeof doc > 1,          \
		       "a statistic has a unit and a text");
#define COUNTER(name, member, unit, doc)                                       \
	STATS_CHECK(#unit, doc)                                                \
	stats_counter(section, STATS_NAME(name), &(count)->member, unit, doc);
#define COUNTERS(name, member, length, unit, doc)                              \
	STATS_CHECK(#unit, doc)                                                \
	stats_vector(section, STATS_NAME(name), (count)->member, length, unit, \
		     doc);
#define ALIAS(name, member, unit, doc)                                         \
	STATS_CHECK(#unit, doc)                                                \
	stats_counter(section, STATS_NAME(name), &(count)->member, unit, doc);
#define RATIO(name, over, under, unit, doc)                                    \
	STATS_CHECK(#unit, doc)                                                \
	stats_ratio(section, STATS_NAME(name), &(count)->over,                 \
		    &(count)->under, unit, doc);
#define DERIVED(name, function, unit, doc)                                     \
	STATS_CHECK(#unit, doc)                                                \
	stats_derived(section, STATS_NAME(name), function, owner, unit, doc);
#define FIXED(name, value, unit, doc)                                          \
	STATS_CHECK(#unit, doc)                                                \
	stats_u64(section, STATS_NAME(name), value, unit, doc);
#define FIXED_IF(condition, name, value, unit, doc)                            \
	STATS_CHECK(#unit, doc)                                                \
	if (condition)                                                         \
		stats_u64(section, STATS_NAME(name), value, unit, doc);
#define FIXED_REAL_IF(condition, name, value, unit, doc)                       \
	STATS_CHECK(#unit, doc)                                                \
	if (condition)                                                         \
		stats_double(section, STATS_NAME(name), value, unit, doc);
#define FIXED_REAL(name, value, unit, doc)                                     \
	FIXED_REAL_IF(true, name, value, unit, doc)
#define FIXED_VECTOR(name, values, length, unit, doc)                          \
	STATS_CHECK(#unit, doc)                                                \
	stats_vector(section, STATS_NAME(name), values, length, unit, doc);
#define FIXED_TEXT_IF(condition, name, value, doc)                             \
	STATS_CHECK("text", doc)                                               \
	if (condition)                                                         \
		stats_text(section, STATS_NAME(name), value, doc);
#define FIXED_TEXT(name, value, doc)                                           \
	STATS_CHECK("text", doc)                                               \
	stats_text(section, STATS_NAME(name), value, doc);

#endif

#ifndef COUNTER
#define COUNTER(...)
#endif
#ifndef COUNTERS
#define COUNTERS(...)
#endif
#ifndef PART
#define PART(...)
#endif
#ifndef ALIAS
#define ALIAS(...)
#endif
#ifndef RATIO
#define RATIO(...)
#endif
#ifndef DERIVED
#define DERIVED(...)
#endif
#ifndef FIXED
#define FIXED(...)
#endif
#ifndef FIXED_IF
#define FIXED_IF(...)
#endif
#ifndef FIXED_REAL_IF
#define FIXED_REAL_IF(...)
#endif
#ifndef FIXED_REAL
#define FIXED_REAL(...)
#endif
#ifndef FIXED_VECTOR
#define FIXED_VECTOR(...)
#endif
#ifndef FIXED_TEXT_IF
#define FIXED_TEXT_IF(...)
#endif
#ifndef FIXED_TEXT
#define FIXED_TEXT(...)
#endif
