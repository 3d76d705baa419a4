-- What was let through, as the first revision with it has it: later edits of the module are measured from there.
ALTER TABLE released_withdrawal
  ADD COLUMN revision_id uuid,
  ADD CONSTRAINT released_withdrawal_revision_id_fkey
    FOREIGN KEY (tenant_id, revision_id) REFERENCES revision (tenant_id, id) ON DELETE SET NULL (revision_id);
CREATE INDEX released_withdrawal_revision ON released_withdrawal (tenant_id, revision_id);

-- Entries that did not count in what was taken back. Whoever disables or deletes another one that did has corrected it. Null: nobody wrote down
-- which, so that nothing tells a correction from an entry that was disabled before.
ALTER TABLE rolled_back_snapshot ADD COLUMN left_out uuid[];
