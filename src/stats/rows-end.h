/* The end of a `.stat.def` file: undefines the macros of stats/rows.h and of
 * the includer, so that another file can be included. */
#undef COUNTER
#undef COUNTERS
#undef PART
#undef ALIAS
#undef RATIO
#undef DERIVED
#undef FIXED
#undef FIXED_IF
#undef FIXED_REAL_IF
#undef FIXED_REAL
#undef FIXED_VECTOR
#undef FIXED_TEXT_IF
#undef FIXED_TEXT
#undef STATS_CHECK
#undef STATS_NAME
#undef STATS_MEMBERS
#undef STATS_REGISTRATION
