-- What a peer is sent whose routes are more than its max_prefixes_out: what it has, or a cover of so many routes.
ALTER TABLE peer
  ADD COLUMN when_too_many text NOT NULL DEFAULT 'keep' CHECK (when_too_many IN ('keep', 'fit'));
