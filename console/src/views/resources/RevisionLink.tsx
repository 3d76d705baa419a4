import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { revisionQuery } from '../../service/queries.ts';
import { isGone } from '../../service/writes.ts';
import { text } from '../../strings/english.ts';

/** A revision of which the id is known, by its number. */
export function RevisionLink({ id }: { id: string }) {
  const { data, error } = useQuery(revisionQuery(id));
  if (data === undefined) return isGone(error) ? <span className="muted">{text.revisions.pruned}</span> : '…';
  return (
    <Link to="/revisions/$revision" params={{ revision: String(data.number) }}>
      {text.revisions.numbered(data.number)}
    </Link>
  );
}
