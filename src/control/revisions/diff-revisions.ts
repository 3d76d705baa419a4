import { createHash } from 'node:crypto';
import type {
  Change,
  DiffSummary,
  RevisionChange,
  RevisionDiff,
  RevisionDiffQuery,
} from '../../api/revisions/diff.ts';
import { Problem } from '../../api/problems/problem.ts';
import type { Revision, RevisionPrefix } from '../../api/revisions/revisions.ts';
import { FAMILIES, type Family, widthOf } from '../../core/address.ts';
import { compareWords } from '../../core/bits.ts';
import { diffTables, type TableDiff } from '../../core/tables/diff.ts';
import { formatPrefixAt } from '../../core/prefix.ts';
import { type PrefixRows, type PrefixTable, emptyTable } from '../../core/tables/prefix-table.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { getRevision } from '../../store/revisions/revisions.ts';
import { differingTables } from '../tables/table-cache.ts';

const DEFAULT_PAGE = 1_000;
const PURPOSE_BYTES = 12;

/**
 * What a router would hear when it goes from revision `a` to revision `b`: IPv4 before IPv6, by address. Contents never change,
 * so a place in that order is a cursor, good for these two contents.
 * @throws {Problem} `not_found`, `revision_not_ready`, `invalid_cursor`
 */
export async function diffRevisions(
  tx: TenantTx,
  a: string,
  b: string,
  query: RevisionDiffQuery,
): Promise<RevisionDiff> {
  const before = withContent((await getRevision(tx, a)).resource);
  const after = withContent((await getRevision(tx, b)).resource);
  const isSame = before.content_hash === after.content_hash;
  const { before: left, after: right } = isSame
    ? { before: emptyTable(), after: emptyTable() }
    : await differingTables(tx, before.content_hash, after.content_hash);
  return pageOfDiff({ ...before, table: left }, { ...after, table: right }, query);
}

/** A content, as far as it may differ from another. */
export interface DiffSide extends Pick<Revision, 'communities'> {
  readonly content_hash: string;
  readonly table: PrefixTable;
}

/** A page of the difference of two contents. @throws {Problem} `invalid_cursor` */
export function pageOfDiff(
  before: DiffSide,
  after: DiffSide,
  { cursor, limit = DEFAULT_PAGE }: RevisionDiffQuery,
): RevisionDiff {
  const { table: left } = before;
  const { table: right } = after;
  const purpose = purposeOf(before.content_hash, after.content_hash);
  const start = cursor === undefined ? 0 : readCursor(cursor, purpose);
  const diff = diffTables(left, right);
  const communities = { before: communitiesBySet(left, before), after: communitiesBySet(right, after) };
  const items: RevisionChange[] = [];
  let place = 0;
  for (const row of changedRows(left, right, diff)) {
    if (place++ < start) continue;
    if (items.length === limit) {
      return { summary: summaryOf(diff), ...page(items, writeCursor(purpose, place - 1)) };
    }
    items.push(present(row, communities));
  }
  return { summary: summaryOf(diff), ...page(items, null) };
}

export function summaryOf({ announced, withdrawn, changed }: TableDiff): DiffSummary {
  return { announced, withdrawn, changed };
}

export type RevisionWithContent = Revision & { readonly content_hash: string };

/** @throws {Problem} `revision_not_ready` */
export function withContent(revision: Revision): RevisionWithContent {
  const { content_hash: hash, number, state } = revision;
  if (hash !== null) return { ...revision, content_hash: hash };
  throw new Problem('revision_not_ready', `Revision ${number} is ${state} and has no content yet.`);
}

function page(items: RevisionChange[], cursor: string | null): Omit<RevisionDiff, 'summary'> {
  return { items, next_cursor: cursor, has_more: cursor !== null };
}

/** One difference: a row of the table before, of the one after, or of both. */
interface ChangedRow {
  readonly change: Change;
  readonly before: { readonly rows: PrefixRows; readonly index: number } | null;
  readonly after: { readonly rows: PrefixRows; readonly index: number } | null;
}

function* changedRows(before: PrefixTable, after: PrefixTable, diff: TableDiff): Generator<ChangedRow> {
  for (const family of FAMILIES) yield* changedRowsOf(family, before[family], after[family], diff);
}

/** Joins the three ascending lists of the family into one. */
function* changedRowsOf(
  family: Family,
  before: PrefixRows,
  after: PrefixRows,
  diff: TableDiff,
): Generator<ChangedRow> {
  const { announced, withdrawn, changed } = diff[family];
  const width = widthOf(family);
  let [a, w, c] = [0, 0, 0];
  /** Order of a row before against a row after; a list that has ended comes last. */
  const order = (i: number | undefined, j: number | undefined): number => {
    if (i === undefined) return 1;
    if (j === undefined) return -1;
    return (
      compareWords(before.words, i * width, after.words, j * width, width) ||
      before.lengths[i]! - after.lengths[j]!
    );
  };
  for (;;) {
    const gone = withdrawn[w];
    const other = changed[2 * c];
    const fresh = announced[a];
    if (gone === undefined && other === undefined && fresh === undefined) return;
    const isGoneFirst = gone !== undefined && (other === undefined || gone < other);
    const first = isGoneFirst ? gone : other;
    if (order(first, fresh) > 0) {
      yield { change: 'announced', before: null, after: { rows: after, index: fresh! } };
      a++;
    } else if (isGoneFirst) {
      yield { change: 'withdrawn', before: { rows: before, index: gone }, after: null };
      w++;
    } else {
      const pair = {
        before: { rows: before, index: other! },
        after: { rows: after, index: changed[2 * c + 1]! },
      };
      yield { change: 'changed', ...pair };
      c++;
    }
  }
}

type Communities = RevisionPrefix['communities'];

/** For each label set of the table, its communities as the revision names them. */
function communitiesBySet(table: PrefixTable, revision: Pick<Revision, 'communities'>): Communities[] {
  const known = new Map(
    revision.communities.map(({ prefix_count: _, ...community }) => [community.community, community]),
  );
  return table.labelSets.map((labels) => labels.flatMap((text) => known.get(text) ?? []));
}

function present(
  { change, before, after }: ChangedRow,
  communities: { readonly before: readonly Communities[]; readonly after: readonly Communities[] },
): RevisionChange {
  const { rows, index } = (after ?? before)!;
  return {
    prefix: formatPrefixAt(rows, index),
    change,
    communities_before: before === null ? [] : communities.before[before.rows.labels[before.index]!]!,
    communities_after: after === null ? [] : communities.after[after.rows.labels[after.index]!]!,
  };
}

function purposeOf(before: string, after: string): Buffer {
  return createHash('sha256').update(`diff ${before} ${after}`).digest().subarray(0, PURPOSE_BYTES);
}

function writeCursor(purpose: Buffer, place: number): string {
  const bytes = Buffer.alloc(PURPOSE_BYTES + 4);
  purpose.copy(bytes);
  bytes.writeUInt32BE(place, PURPOSE_BYTES);
  return bytes.toString('base64url');
}

function readCursor(cursor: string, purpose: Buffer): number {
  const bytes = Buffer.from(cursor, 'base64url');
  const isOurs = bytes.length === PURPOSE_BYTES + 4 && bytes.subarray(0, PURPOSE_BYTES).equals(purpose);
  if (isOurs && bytes.toString('base64url') === cursor) return bytes.readUInt32BE(PURPOSE_BYTES);
  throw new Problem(
    'invalid_cursor',
    'The cursor does not belong to the difference of these two contents. Take next_cursor of the page before.',
  );
}
