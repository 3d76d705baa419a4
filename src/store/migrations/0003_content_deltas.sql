-- A content may be stored as what changed since another one, instead of as blocks of its own.

ALTER TABLE content
  ADD COLUMN base_hash bytea,
  ADD COLUMN delta bytea,
  ADD COLUMN step smallint NOT NULL DEFAULT 0 CHECK (step BETWEEN 0 AND 255),
  ALTER COLUMN manifest DROP NOT NULL,
  -- No ON DELETE: a content that another one is read with can never be pruned before it.
  ADD CONSTRAINT content_base_hash_fkey FOREIGN KEY (tenant_id, base_hash) REFERENCES content (tenant_id, content_hash),
  ADD CONSTRAINT content_whole_or_delta CHECK (
    CASE WHEN step = 0
      THEN manifest IS NOT NULL AND base_hash IS NULL AND delta IS NULL
      ELSE manifest IS NULL AND base_hash IS NOT NULL AND delta IS NOT NULL AND block_hashes = '{}'
    END),
  ADD CONSTRAINT content_base_is_another CHECK (base_hash <> content_hash);
-- Deltas come compressed already.
ALTER TABLE content ALTER COLUMN delta SET STORAGE EXTERNAL;
CREATE INDEX content_base ON content (tenant_id, base_hash);
