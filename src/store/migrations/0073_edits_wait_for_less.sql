-- Events that had happened when a webhook began to follow them, and that nobody had given a number: it is not sent these. Whoever gives numbers
-- keeps all others of the tenant from it until its transaction ends, and an edit of a webhook is to wait for nobody.

ALTER TABLE webhook_turn ADD COLUMN passed bigint[] NOT NULL DEFAULT '{}';
