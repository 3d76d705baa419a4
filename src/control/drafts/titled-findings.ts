/** Findings that name an entry, for people: an id tells nobody whom to call. */
import type { Finding } from '../../api/revisions/revisions.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { readEntryTitles } from '../../store/entries/entry-titles.ts';
import type { JudgedModule } from '../../store/revisions/held-modules.ts';

interface Found {
  readonly findings: readonly Finding[];
  readonly held: readonly JudgedModule[];
}

/** The same with what their entries are called. Those that are gone stay without a name. */
export async function withTitles(
  found: Found,
  inTenant: <T>(work: (tx: TenantTx) => Promise<T>) => Promise<T>,
): Promise<Found> {
  const all = [...found.findings, ...found.held.flatMap(({ findings }) => findings)];
  const ids = new Set(all.flatMap(({ entry_id: id }) => id ?? []));
  if (ids.size === 0) return found;
  const titles = await inTenant((tx) => readEntryTitles(tx, [...ids]));
  const titled = (findings: readonly Finding[]): Finding[] =>
    findings.map((finding) => withTitle(finding, titles));
  return {
    findings: titled(found.findings),
    held: found.held.map((one) => ({ ...one, findings: titled(one.findings) })),
  };
}

/** The entry with most of it, where several have part in it. */
function withTitle(finding: Finding, titles: ReadonlyMap<string, string>): Finding {
  const title = finding.entry_id === null ? undefined : titles.get(finding.entry_id);
  return title === undefined ? finding : { ...finding, detail: `${finding.detail} Look at ${title}.` };
}
