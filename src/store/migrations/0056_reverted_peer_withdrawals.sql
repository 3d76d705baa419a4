-- A peer that was reverted goes on with what it held, and loses of that what later revisions take away.
ALTER TABLE reverted_peer
  -- It holds of `revision_id` only what the revision of its speaker has for it too; false: all of it, as the apply left it that it failed.
  ADD COLUMN narrowed boolean NOT NULL DEFAULT false;
