-- A policy that allows more may let through what is held, and one that allows less may hold what was built.
CREATE FUNCTION note_policy_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM note_change(NEW.id, NULL, false, true, 1);
  RETURN NULL;
END
$$;
CREATE TRIGGER tenant_pending_changed AFTER UPDATE OF policy ON tenant
  FOR EACH ROW WHEN (OLD.policy IS DISTINCT FROM NEW.policy) EXECUTE FUNCTION note_policy_change();
