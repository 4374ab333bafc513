-- A browser asks before each kind of call whether any app lets its page's origin in.

CREATE INDEX apps_by_origin ON apps USING gin (cors_origins) WHERE cors_origins <> '{}';
