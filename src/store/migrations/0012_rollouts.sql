-- An apply in phases: canaries first, then waves, with a way back.

ALTER TABLE speaker_apply
  -- 0: the canaries; from 1 on: the waves of the others, one after the other.
  ADD COLUMN wave integer NOT NULL DEFAULT 1 CHECK (wave >= 0),
  -- What the speaker ran when the apply began, to go back to; null: nothing.
  ADD COLUMN previous_revision_id uuid,
  -- Of the error, where it has one.
  ADD COLUMN code text,
  -- What the speaker's sessions were, and are to stay, when the apply was confirmed; null: not known.
  ADD COLUMN sessions jsonb,
  ADD CONSTRAINT speaker_apply_previous_revision_id_fkey FOREIGN KEY (tenant_id, previous_revision_id)
    REFERENCES revision (tenant_id, id) ON DELETE SET NULL (previous_revision_id),
  DROP CONSTRAINT speaker_apply_state_check,
  -- planned: its wave has not begun; skipped: nor will it. undoing: it is being taken back; undone: it was.
  ADD CONSTRAINT speaker_apply_state_check CHECK (
    state IN ('planned', 'queued', 'running', 'succeeded', 'failed', 'superseded', 'skipped', 'undoing', 'undone'));
CREATE INDEX speaker_apply_previous_revision ON speaker_apply (tenant_id, previous_revision_id);

CREATE OR REPLACE FUNCTION write_apply_event() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM write_event(NEW.tenant_id, 'apply', jsonb_build_object(
    'id', NEW.id, 'job_id', NEW.job_id, 'speaker_id', NEW.speaker_id, 'revision_id', NEW.revision_id, 'state', NEW.state,
    'wave', NEW.wave, 'announced', NEW.announced, 'withdrawn', NEW.withdrawn, 'changed', NEW.changed,
    'code', NEW.code, 'error', NEW.error));
  RETURN NULL;
END
$$;
