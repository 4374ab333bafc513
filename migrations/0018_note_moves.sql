-- When deliveries are moved from one inbox into another, revisions say nothing of those that are gone from the first and
-- of the older broadcasts that the second shows from then on: cursors from before are answered by the whole view.

ALTER TABLE inboxes ADD COLUMN moved_revision bigint NOT NULL DEFAULT 0;
GRANT SELECT (moved_revision) ON inboxes TO martlet_lookup;
