/* A workload of SQL statements on a database in memory. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

static void run(sqlite3 *db, const char *statement)
{
	char *message;

	if (sqlite3_exec(db, statement, NULL, NULL, &message)) {
		fprintf(stderr, "%s: %s\n", statement, message);
		exit(1);
	}
}

static int print(void *owner, int columns, char **values, char **names)
{
	(void)owner;
	(void)names;
	for (int i = 0; i < columns; i++)
		printf("%s%c", values[i] ? values[i] : "-",
		       i + 1 < columns ? ' ' : '\n');
	return 0;
}

int main(void)
{
	enum { ROWS = 30000 };
	sqlite3_stmt *insert;
	unsigned seed = 7;
	sqlite3 *db;

	if (sqlite3_open(":memory:", &db))
		return 1;
	run(db, "CREATE TABLE item (id INTEGER PRIMARY KEY, kind INTEGER, "
		"name TEXT, price REAL)");
	run(db, "CREATE INDEX item_kind ON item (kind)");
	run(db, "BEGIN");
	sqlite3_prepare_v2(db, "INSERT INTO item (kind, name, price) "
			       "VALUES (?, ?, ?)", -1, &insert, NULL);
	for (int i = 0; i < ROWS; i++) {
		char name[32];

		seed = seed * 1664525 + 1013904223;
		snprintf(name, sizeof name, "item %u", seed >> 8);
		sqlite3_bind_int(insert, 1, (int)(seed >> 24) % 100);
		sqlite3_bind_text(insert, 2, name, -1, SQLITE_TRANSIENT);
		sqlite3_bind_double(insert, 3, (seed >> 12) / 100.0);
		sqlite3_step(insert);
		sqlite3_reset(insert);
	}
	sqlite3_finalize(insert);
	run(db, "COMMIT");
	run(db, "UPDATE item SET price = price * 1.25 WHERE kind < 50");
	run(db, "DELETE FROM item WHERE kind = 13");
	sqlite3_exec(db, "SELECT kind, count(*), round(avg(price), 2) FROM item"
			 " GROUP BY kind ORDER BY 3 DESC LIMIT 5",
		     print, NULL, NULL);
	sqlite3_exec(db, "SELECT count(*) FROM item a JOIN item b ON a.kind = "
			 "b.kind WHERE a.id < 500 AND b.id > 15000",
		     print, NULL, NULL);
	sqlite3_exec(db, "SELECT name FROM item WHERE name LIKE '%777%' ORDER "
			 "BY name LIMIT 3", print, NULL, NULL);
	sqlite3_close(db);
}
