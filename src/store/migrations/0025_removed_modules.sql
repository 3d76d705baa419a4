-- A module that is held may have nothing in its latest snapshot and routes in the one that was accepted: these leave with it as well.
DROP TRIGGER module_pending_removed ON module;
CREATE TRIGGER module_pending_removed AFTER DELETE ON module
  FOR EACH ROW WHEN (OLD.enabled) EXECUTE FUNCTION note_module_removal();
