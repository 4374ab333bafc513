-- Around the apps' data: what would make a large load slow is taken away first and put back at the end.
--
-- psql runs it up to the line `-- apps`, then data.sql for each app, then the rest, as one transaction: a table that
-- was emptied in its transaction needs no log (wal_level is minimal), and an index is cheapest made at once.

BEGIN;
SET LOCAL maintenance_work_mem = '1GB';
SET LOCAL work_mem = '128MB';
TRUNCATE deliveries;
CREATE TEMPORARY TABLE shed ON COMMIT DROP AS
SELECT
    CASE WHEN c.oid IS NULL THEN format('DROP INDEX %s', i.indexrelid::regclass)
        ELSE format('ALTER TABLE deliveries DROP CONSTRAINT %I', c.conname) END AS away,
    CASE WHEN c.oid IS NULL THEN pg_get_indexdef(i.indexrelid)
        ELSE format('ALTER TABLE deliveries ADD CONSTRAINT %I %s', c.conname, pg_get_constraintdef(c.oid)) END AS back
FROM pg_index i
LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.conrelid = i.indrelid AND c.contype = 'p'
WHERE i.indrelid = 'deliveries'::regclass;
SELECT away FROM shed \gexec

-- apps

SELECT back FROM shed \gexec
COMMIT;
