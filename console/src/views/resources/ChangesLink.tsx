import { Link } from '@tanstack/react-router';
import { useMay } from '../../service/permissions.ts';
import { text } from '../../strings/english.ts';

/** Who has changed a thing, and when, as far as the audit log may be read. */
export function ChangesLink({ id }: { id: string }) {
  const may = useMay();
  if (!may('bgp:monitoring:read')) return null;
  return (
    <Link className="button" to="/audit" search={{ resource_id: id }}>
      {text.changesOf}
    </Link>
  );
}
