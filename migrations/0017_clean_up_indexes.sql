-- A vacuum that finds dead rows in few pages leaves their entries in indexes: of an inbox whose messages have gone, the
-- list would walk all these entries until much else has gone too.

ALTER TABLE deliveries SET (vacuum_index_cleanup = on);
