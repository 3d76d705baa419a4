import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Time } from '../../design/shown/Time.tsx';
import { editsQuery } from '../../service/operations.ts';
import { useMay } from '../../service/permissions.ts';
import { TwoVersions } from '../../views/forms/TwoVersions.tsx';
import type { Contested } from './merge-text.ts';
import { entriesText } from '../../strings/entries.ts';

const { text: words } = entriesText;
const MOST_CONTESTED = 50;

/** What somebody else made of the list meanwhile: how much of it, who, and when. @param names of their entries @param contested those that were changed here as well */
export function TheirChanges({
  names,
  contested,
}: {
  names: readonly string[];
  contested: readonly Contested[];
}) {
  const may = useMay();
  const { data: edits = [] } = useQuery({ ...editsQuery(names), enabled: may('bgp:monitoring:read') });
  return (
    <div className="banner" role="alert">
      <strong>{words.outdated}</strong>
      <p>{words.outdatedWhat(names.length)}</p>
      {edits.length > 0 && (
        <ul className="their-changes" aria-label={words.changedBy}>
          {edits.map(({ id, actor, at }) => (
            <li key={id}>
              <span className="name">{actor}</span> <Time at={at} />{' '}
              <Link to="/audit" search={{ record: id }}>
                {words.theirRecord}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {contested.length > 0 && (
        <>
          <p>{words.contested(contested.length)}</p>
          <TwoVersions
            caption={words.contested(contested.length)}
            differences={contested.slice(0, MOST_CONTESTED).map(({ name, mine, theirs }) => ({
              ...{ name, label: name },
              one: <code>{theirs ?? words.deleted}</code>,
              other: <code>{mine ?? words.deleted}</code>,
            }))}
          />
        </>
      )}
    </div>
  );
}
