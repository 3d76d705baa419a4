-- An entry that leaves because its time is over changes what revisions have, as an edit does, and is counted as one. Yet nobody edited its
-- module, and what a rollback brought back of that stays.
ALTER TABLE pending_change ADD COLUMN is_expiry boolean NOT NULL DEFAULT false;
