import { inPieces } from '../../concurrency/paced-text.ts';
import { Slices } from '../../concurrency/slices.ts';
import { Problem, fieldProblem } from '../../api/problems/problem.ts';
import type { RevisionChange } from '../../api/revisions/diff.ts';
import type { Page } from '../../api/shapes/page.ts';
import type { RevisionPrefix, RevisionPrefixQuery } from '../../api/revisions/revisions.ts';
import { FAMILIES, type Family } from '../../core/address.ts';
import { matchesOf } from '../../core/tables/lookup.ts';
import { formatPrefixAt, parsePrefix, type Prefix } from '../../core/prefix.ts';
import type { PrefixSet } from '../../core/sets/prefix-set.ts';
import type { PrefixRows, PrefixTable } from '../../core/tables/prefix-table.ts';
import { meets } from '../../core/sets/within.ts';
import { Cursors } from '../../store/database/cursors.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { listRevisionInputs } from '../../store/revisions/revision-history.ts';
import { tableCache } from '../tables/table-cache.ts';
import { changesBetween, changesOneByOne } from './diff-revisions.ts';
import { addressesOfInputs } from './module-uses.ts';
import { requireRevision, type StoredRevision } from '../../store/revisions/stored-revisions.ts';

const DEFAULT_PAGE = 1_000;
const PLACE_BYTES = 4;
/** Rows that are looked at between two looks at the clock. */
const LOOK = 1_024;

const FILTERS = ['family', 'community_id', 'module_id', 'contains'] as const;
type Filters = Pick<RevisionPrefixQuery, (typeof FILTERS)[number] | 'since_revision'>;

/** A page of the revision's prefixes, IPv4 before IPv6, in address order. The content never changes, so a row number is a cursor. */
export async function listRevisionPrefixes(
  tx: TenantTx,
  revisionId: string,
  { cursor, limit = DEFAULT_PAGE, ...filters }: RevisionPrefixQuery,
): Promise<Page<RevisionPrefix>> {
  if (filters.since_revision !== undefined) {
    const since = requireAlone(filters);
    const page = { limit, ...(cursor === undefined ? {} : { cursor }) };
    const { items, next_cursor, has_more } = await changesBetween(tx, since, revisionId, page);
    return { items: items.map(presentChange), next_cursor, has_more };
  }
  const view = await openView(tx, revisionId, filters);
  const items: RevisionPrefix[] = [];
  const cursors = cursorsOf(revisionId);
  const start = cursor === undefined ? 0 : cursors.read(cursor, PLACE_BYTES).readUInt32BE();
  const slices = new Slices();
  for (const row of view.rows(start)) {
    if (row === null) {
      await slices.pause();
      continue;
    }
    if (items.length === limit)
      return { items, next_cursor: cursors.write(placeBytes(row.number)), has_more: true };
    items.push({
      prefix: formatPrefixAt(row.rows, row.index),
      communities: view.communitiesOf(row.rows, row.index),
    });
  }
  return { items, next_cursor: null, has_more: false };
}

/** All prefixes of the filters: one a line as text, or with their communities as CSV with a header (RFC 4180). */
export async function* streamRevisionPrefixes(
  tx: TenantTx,
  revisionId: string,
  filters: Filters,
  format: 'text' | 'csv',
): AsyncGenerator<string> {
  if (filters.since_revision !== undefined) {
    const changes = await changesOneByOne(tx, requireAlone(filters), revisionId);
    yield* inPieces(tx.tenantId, writeChanges(changes, format));
    return;
  }
  yield* inPieces(tx.tenantId, writeRows(await openView(tx, revisionId, filters), format));
}

function* writeRows(view: View, format: 'text' | 'csv'): Generator<string> {
  if (format === 'csv') yield 'prefix,communities\r\n';
  for (const row of view.rows(0)) {
    if (row === null) {
      yield '';
      continue;
    }
    const { rows, index } = row;
    const prefix = formatPrefixAt(rows, index);
    const communities = () => view.communitiesOf(rows, index).map(({ community }) => community);
    yield format === 'csv' ? `${prefix},${communities().join(' ')}\r\n` : `${prefix}\n`;
  }
}

/** The id of the revision to compare with. @throws {Problem} `validation_failed` beside other filters: the difference has all of it */
function requireAlone(filters: Filters): string {
  const other = FILTERS.find((name) => filters[name] !== undefined);
  if (other === undefined) return filters.since_revision!;
  throw fieldProblem(`?${other}`, 'since_revision lists the whole difference: leave this filter out');
}

function presentChange({ prefix, change, ...communities }: RevisionChange): RevisionPrefix {
  const { communities_before: before, communities_after: after } = communities;
  return { prefix, communities: change === 'withdrawn' ? before : after, change };
}

/** Each difference as a line: `+` or `-` and the prefix, or with what changed and its communities as CSV. Text has no communities. */
function* writeChanges(changes: Iterable<RevisionChange>, format: 'text' | 'csv'): Generator<string> {
  if (format === 'csv') yield 'change,prefix,communities\r\n';
  for (const change of changes) {
    const one = presentChange(change);
    yield format === 'csv' ? csvLine(one) : textLine(one);
  }
}

function csvLine({ change, prefix, communities }: RevisionPrefix): string {
  return `${change},${prefix},${communities.map(({ community }) => community).join(' ')}\r\n`;
}

function textLine({ change, prefix }: RevisionPrefix): string {
  return change === 'changed' ? '' : `${change === 'withdrawn' ? '-' : '+'}${prefix}\n`;
}

interface Row {
  readonly rows: PrefixRows;
  readonly index: number;
  /** Place among all rows of the table, IPv4 first. */
  readonly number: number;
}

interface View {
  /** Null: many rows were looked at since the last one, and nobody wants them. */
  rows(start: number): Iterable<Row | null>;
  communitiesOf(rows: PrefixRows, index: number): RevisionPrefix['communities'];
}

async function openView(tx: TenantTx, revisionId: string, filters: Filters): Promise<View> {
  const revision = await requireRevision(tx, revisionId);
  const contained = filters.contains === undefined ? null : containedPrefix(filters.contains);
  const label = filters.community_id === undefined ? null : labelOf(revision, filters.community_id);
  if (revision.content_hash === null) {
    throw new Problem(
      'revision_not_ready',
      `Revision ${revision.number} is ${revision.state} and has no content yet.`,
    );
  }
  const table = await tableCache.load(tx, revision.content_hash);
  const known = new Map(
    revision.communities.map(({ prefix_count: _, ...community }) => [community.community, community]),
  );
  const communitiesOfSet = table.labelSets.map((labels) => labels.flatMap((text) => known.get(text) ?? []));
  const contributed =
    filters.module_id === undefined ? null : await readContributed(tx, revision, filters.module_id);
  const wantedSets = table.labelSets.map((labels) => label === null || labels.includes(label));
  return {
    communitiesOf: (rows, index) => communitiesOfSet[rows.labels[index]!]!,
    rows: (start) =>
      selectRows(table, { wantedSets, family: filters.family ?? null, contained, contributed }, start),
  };
}

interface Wanted {
  /** By label set. */
  readonly wantedSets: readonly boolean[];
  readonly family: Family | null;
  readonly contained: Prefix | null;
  readonly contributed: Readonly<Record<Family, PrefixSet>> | null;
}

function* selectRows(
  table: PrefixTable,
  { wantedSets, family, contained, contributed }: Wanted,
  start: number,
): Generator<Row | null> {
  let [offset, looked] = [0, 0];
  for (const name of FAMILIES) {
    const rows = table[name];
    if ((family ?? name) === name && (contained?.family ?? name) === name) {
      for (const index of contained === null
        ? range(Math.max(0, start - offset), rows.size)
        : containing(rows, contained)) {
        if (++looked % LOOK === 0) yield null;
        const number = offset + index;
        if (number < start || !wantedSets[rows.labels[index]!]!) continue;
        if (contributed === null || meets(rows, index, contributed[name])) yield { rows, index, number };
      }
    }
    offset += rows.size;
  }
}

function* range(from: number, to: number): Generator<number> {
  for (let i = from; i < to; i++) yield i;
}

/** Rows that contain the whole prefix, in address order. */
function containing(rows: PrefixRows, prefix: Prefix): number[] {
  return matchesOf(rows, prefix)
    .filter((index) => rows.lengths[index]! <= prefix.length)
    .sort((a, b) => a - b);
}

/** The addresses of the module's snapshot that the revision was built from. */
async function readContributed(
  tx: TenantTx,
  revision: StoredRevision,
  moduleId: string,
): Promise<Readonly<Record<Family, PrefixSet>>> {
  const inputs = await listRevisionInputs(tx, revision.id);
  const input = inputs.find(({ module_id }) => module_id === moduleId);
  if (input === undefined) {
    throw fieldProblem(
      '?module_id',
      `Revision ${revision.number} was not built from a module of this id. List /v1/modules to see which there are.`,
    );
  }
  return addressesOfInputs(tx, [input]);
}

function containedPrefix(text: string): Prefix {
  const parsed = parsePrefix(text);
  if (!parsed.ok) throw fieldProblem('?contains', parsed.reason);
  return parsed.value;
}

function labelOf(revision: StoredRevision, communityId: string): string {
  const found = revision.communities.find((community) => community.community_id === communityId);
  if (found !== undefined) return found.community;
  throw fieldProblem(
    '?community_id',
    `Revision ${revision.number} has no community of this id. Its communities are listed in the revision.`,
  );
}

function cursorsOf(revisionId: string): Cursors {
  return new Cursors(['prefixes', revisionId], {
    list: 'the prefixes of this revision',
    kept: 'the revision',
  });
}

function placeBytes(row: number): Buffer {
  const bytes = Buffer.alloc(PLACE_BYTES);
  bytes.writeUInt32BE(row);
  return bytes;
}
