# packages: sqlite3
# limit: 900
# A file database: rows, indexes, transactions, JSON, windows, full text.
set -u
sqlite3 file.db <<'END'
PRAGMA page_size = 4096;
CREATE TABLE item(id INTEGER PRIMARY KEY, kind INTEGER, name TEXT, price REAL, note BLOB);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
INSERT INTO item SELECT i, i * 7919 % 1000, printf('item-%06d', i * 31 % 100003), i * 1.25 / (i % 17 + 1), NULL FROM n;
COMMIT;
CREATE INDEX by_kind ON item(kind, price);
CREATE UNIQUE INDEX by_name ON item(name);
ANALYZE;
SELECT count(*), sum(price), avg(price), min(name), max(name) FROM item;
SELECT kind, count(*), round(total(price), 6) FROM item WHERE kind BETWEEN 100 AND 104 GROUP BY kind;
EXPLAIN QUERY PLAN SELECT * FROM item WHERE kind = 5 ORDER BY price DESC LIMIT 3;
SELECT id, name, price FROM item WHERE kind = 5 ORDER BY price DESC LIMIT 3;
SELECT a.name, b.name FROM item a JOIN item b ON b.id = a.kind WHERE a.id % 20011 = 3;
UPDATE item SET price = price * 2 WHERE kind = 7;
DELETE FROM item WHERE kind % 10 = 3;
BEGIN; DELETE FROM item; SELECT count(*) FROM item; ROLLBACK;
SELECT count(*) FROM item;
SAVEPOINT one; UPDATE item SET name = name || '!' WHERE id < 10; ROLLBACK TO one; RELEASE one;
SELECT group_concat(name, ' ') FROM (SELECT name FROM item ORDER BY id LIMIT 3);
INSERT INTO item(name) VALUES('item-000031');
INSERT INTO item(name, note) VALUES('new', zeroblob(2)), ('hex', x'00ff10') ON CONFLICT DO NOTHING;
SELECT name, hex(note), typeof(note) FROM item WHERE name IN ('new', 'hex');
SELECT id, kind, row_number() OVER (PARTITION BY kind ORDER BY id) r, sum(id) OVER (ORDER BY id ROWS 2 PRECEDING) s FROM item WHERE kind < 3 LIMIT 5;
SELECT json_extract('{"a":[1,2,{"b":3.5}]}', '$.a[2].b'), json_group_array(id) FROM (SELECT id FROM item LIMIT 4);
CREATE TRIGGER audit AFTER DELETE ON item BEGIN UPDATE item SET note = 'gone ' || old.id WHERE id = 1; END;
DELETE FROM item WHERE id = 2;
SELECT id, note FROM item WHERE id = 1;
CREATE VIRTUAL TABLE page USING fts5(body);
INSERT INTO page SELECT 'number ' || id || ' is ' || CASE id % 3 WHEN 0 THEN 'fizz' WHEN 1 THEN 'buzz' ELSE 'plain' END FROM item WHERE id < 2000;
SELECT count(*) FROM page WHERE page MATCH 'fizz AND number';
SELECT round(abs(sin(2)) + sqrt(2) + exp(1) + ln(3), 12), strftime('%Y', 1e9, 'unixepoch'), julianday('2000-01-01');
VACUUM;
PRAGMA integrity_check;
PRAGMA page_count;
END
sqlite3 file.db 'PRAGMA journal_mode = WAL' 'INSERT INTO item(name) VALUES("wal")' 'SELECT count(*) FROM item' 'PRAGMA wal_checkpoint(TRUNCATE)'
sqlite3 file.db .dump | sha256sum
sqlite3 file.db 'SELECT * FROM nothing'; echo "status $?"
sqlite3 -csv -header file.db 'SELECT id, name, price FROM item LIMIT 3'
for i in 1 2 3; do sqlite3 file.db ".timeout 20000" "UPDATE item SET price = price + $i WHERE id < 1000" & done; wait
sqlite3 file.db 'SELECT sum(price) FROM item WHERE id < 1000'
