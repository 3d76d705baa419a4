import { Badge } from '../../design/shown/Badge.tsx';
import { Prefix } from '../../design/shown/Prefix.tsx';
import { Time } from '../../design/shown/Time.tsx';
import { entriesText } from '../../strings/entries.ts';
import { inWordsOfThePages } from '../../strings/remedies.ts';
import { FamilyCounts } from '../../views/difference/Counts.tsx';
import { Community } from '../../views/resources/Community.tsx';
import type { Entry } from './entry-kinds.ts';

interface EntryCellsProps {
  readonly name: string;
  readonly entry: Entry;
  readonly communities: readonly { readonly id: string; readonly community: string }[];
}

const TONES: Readonly<Record<string, 'good' | 'warning' | 'bad' | 'plain'>> = {
  ok: 'good',
  stale: 'warning',
  failed: 'bad',
};

/** What a row of the list has of an entry. */
export function EntryCells({ name, entry, communities }: EntryCellsProps) {
  const { enabled, status, note, url, last_error, prefix_count, expires_at } = entry;
  const fault = typeof last_error === 'string' ? inWordsOfThePages(last_error) : undefined;
  return (
    <>
      <span role="gridcell" className="entry-key">
        {prefix_count === undefined ? <Prefix prefix={name} /> : <span className="name">{name}</span>}
      </span>
      <span role="gridcell" className="entry-state">
        {!enabled && <Badge>{entriesText.off}</Badge>}
        {status !== undefined && (
          <Badge tone={TONES[status] ?? 'plain'}>{entriesText.status[status] ?? status}</Badge>
        )}
        {prefix_count !== undefined && <FamilyCounts counts={prefix_count} />}
      </span>
      <span role="gridcell" className="entry-note name" title={fault}>
        {communities.map(({ id, community }) => (
          <Community key={id} community={community} />
        ))}
        {expires_at !== null && (
          <span className="muted">
            {entriesText.expires} <Time at={expires_at} />
          </span>
        )}
        {fault ?? note ?? url}
      </span>
    </>
  );
}
