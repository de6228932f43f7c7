#!/bin/bash
# A row of a statistics table that lacks its unit or its text does not compile.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compiles() { # ROW
	printf '#include "stats/rows.h"\n%s\n#include "stats/rows-end.h"\n' \
		"$1" >"$work/row.stat.def"
	cat >"$work/row.c" <<-'END'
	#include "stats/stats.h"
	struct count {
		uint64_t under;
	#define STATS_MEMBERS
	#include "row.stat.def"
	};
	double function(void *owner);
	void register_rows(struct stats_section *section,
			   const struct count *count, void *owner);
	void register_rows(struct stats_section *section,
			   const struct count *count, void *owner)
	{
		(void)section, (void)count, (void)owner;
	#define STATS_REGISTRATION
	#include "row.stat.def"
	}
	END
	${CC:-gcc} -std=gnu17 -fsyntax-only -I"$work" -I"$top_srcdir/src" \
		"$work/row.c" 2>"$work/errors"
}

check() { # NAME ROW WITHOUT-UNIT WITHOUT-TEXT
	local name=$1 good=$2 status=ok bad
	shift 2
	compiles "$good" || status="not ok"
	for bad; do
		compiles "$bad" && status="not ok"
	done
	echo "$status - a $name has a unit and a text"
}

check counter 'COUNTER("A", a, "bytes", "text")' \
	'COUNTER("A", a, "", "text")' 'COUNTER("A", a, "bytes", "")' \
	'COUNTER("A", a, "text")'
check vector 'COUNTERS("A", a, 2, "bytes", "text")' \
	'COUNTERS("A", a, 2, "", "text")' 'COUNTERS("A", a, 2, "bytes", "")'
check alias 'ALIAS("A", under, "bytes", "text")' \
	'ALIAS("A", under, "", "text")' 'ALIAS("A", under, "bytes", "")'
check ratio 'RATIO("A", under, under, "hits/access", "text")' \
	'RATIO("A", under, under, "", "text")' \
	'RATIO("A", under, under, "hits/access", "")'
check "derived figure" 'DERIVED("A", function, "cycles", "text")' \
	'DERIVED("A", function, "", "text")' \
	'DERIVED("A", function, "cycles", "")'
check "fixed figure" 'FIXED("A", 1, "sets", "text")' \
	'FIXED("A", 1, "", "text")' 'FIXED("A", 1, "sets", "")'
check "fixed figure of some" 'FIXED_IF(1, "A", 1, "sets", "text")' \
	'FIXED_IF(1, "A", 1, "", "text")' 'FIXED_IF(1, "A", 1, "sets", "")'
check "fixed number" 'FIXED_REAL("A", 0.5, "%", "text")' \
	'FIXED_REAL("A", 0.5, "", "text")' 'FIXED_REAL("A", 0.5, "%", "")'
check "fixed vector" 'FIXED_VECTOR("A", &count->under, 1, "groups", "text")' \
	'FIXED_VECTOR("A", &count->under, 1, "", "text")' \
	'FIXED_VECTOR("A", &count->under, 1, "groups", "")'
check "fixed text of some" 'FIXED_TEXT_IF(1, "A", "LRU", "text")' \
	'FIXED_TEXT_IF(1, "A", "LRU", "")'
check "fixed text" 'FIXED_TEXT("A", "LRU", "text")' 'FIXED_TEXT("A", "LRU", "")'
check "part of a derived figure" 'PART(a, "text")' 'PART(a, "")'
