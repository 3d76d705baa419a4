import type { History, HistoryItem, HistoryQuery, HistoryStart } from '../../api/lookup/history.ts';
import { fieldProblem } from '../../api/problems/problem.ts';
import { DEFAULT_LIMIT } from '../../api/shapes/page.ts';
import { formatPrefix, parsePrefix, type Prefix } from '../../core/prefix.ts';
import { Cursors } from '../../store/database/cursors.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { countBetween, findOldestRevision, type PastRevision } from '../../store/revisions/history.ts';
import { listPastApplies } from '../../store/revisions/past-applies.ts';
import { areSameRoutes, contributionsOf } from './past-state.ts';
import { type PastChange, changeBetween, presentContributors } from './present-change.ts';
import { WalkBack } from './walk-back.ts';

const PLACE_BYTES = 8;

/**
 * Which revisions changed what is announced around a prefix, and who contributes it, the newest first: a page of them. It costs what
 * changed there, whatever the size and the number of revisions.
 * @throws {Problem} `validation_failed`, `invalid_cursor`
 */
export async function readHistory(
  tx: TenantTx,
  { prefix: text, cursor, limit = DEFAULT_LIMIT }: HistoryQuery,
): Promise<History> {
  const around = askedPrefix(text);
  const cursors = cursorsOf(tx, around);
  const start = cursor === undefined ? BEGINNING : readPlace(cursors, cursor);
  const found: PastChange[] = [];
  let next: Place | null = null;
  for await (const { revision, previous, before, after } of new WalkBack(tx, around).steps(start.upTo)) {
    const below = found.at(-1)?.revision.number ?? start.below;
    next = previous === null ? null : { upTo: previous.number, below };
    if (before === after) continue;
    const [earlier, later] = [before, after].map((state) => contributionsOf(state, around.family)) as [
      ReturnType<typeof contributionsOf>,
      ReturnType<typeof contributionsOf>,
    ];
    const isSame = earlier.size === later.size && [...earlier.keys()].every((name) => later.has(name));
    if (isSame && areSameRoutes(before.routes, after.routes)) continue;
    if (found.length === limit) {
      next = { upTo: revision.number, below };
      break;
    }
    found.push({ revision, previous, below, routes: [before.routes, after.routes], earlier, later });
    if (next !== null) next = { ...next, below: revision.number };
  }
  return {
    prefix: formatPrefix(around),
    oldest: await readStart(tx),
    items: await presentAll(tx, found, around),
    next_cursor: next === null ? null : cursors.write(placeBytes(next)),
    has_more: next !== null,
  };
}

function askedPrefix(text: string): Prefix {
  const parsed = parsePrefix(text);
  if (!parsed.ok) throw fieldProblem('?prefix', parsed.reason);
  return parsed.value;
}

async function readStart(tx: TenantTx): Promise<HistoryStart | null> {
  const oldest = await findOldestRevision(tx);
  if (oldest === null) return null;
  const { id, number, created_at: at } = oldest;
  const [kept] = await countBetween(tx, [{ above: 0, below: number }]);
  return { revision_id: id, revision: number, created_at: at, pruned_before: number - 1 - kept! };
}

async function presentAll(
  tx: TenantTx,
  found: readonly PastChange[],
  around: Prefix,
): Promise<HistoryItem[]> {
  const gaps = found.map(({ revision: { number }, previous }) => ({
    ...{ above: previous?.number ?? number - 1, below: number },
  }));
  const kept = await countBetween(tx, gaps);
  const applies = Map.groupBy(
    await listPastApplies(
      tx,
      found.map(({ revision, below }) => ({ from: revision.number, below })),
    ),
    ({ place }) => place,
  );
  const contributors = await presentContributors(tx, found);
  return found.map((change, place) => {
    const { revision, previous } = change;
    const { above, below } = gaps[place]!;
    return {
      ...presentRevision(revision),
      previous_revision: previous?.number ?? null,
      pruned_between: below - above - 1 - kept[place]!,
      ...changeBetween(change, around),
      ...contributors[place]!,
      applied: (applies.get(place) ?? []).map(({ place: _, ...apply }) => apply),
    };
  });
}

function presentRevision({ id, number, created_at: at, trigger, rollback_of: origin }: PastRevision) {
  return { revision_id: id, revision: number, created_at: at, trigger, rollback_of: origin };
}

/** Where a page begins. */
interface Place {
  /** The newest revision that counts; null: all count. */
  readonly upTo: number | null;
  /** The revision of the item before; null: there is none. */
  readonly below: number | null;
}

const BEGINNING: Place = { upTo: null, below: null };

function cursorsOf({ tenantId }: TenantTx, prefix: Prefix): Cursors {
  return new Cursors(['history', tenantId, formatPrefix(prefix)], {
    list: 'the history of this prefix',
    kept: 'the prefix',
  });
}

function placeBytes({ upTo, below }: Place): Buffer {
  const bytes = Buffer.alloc(PLACE_BYTES);
  bytes.writeUInt32BE(upTo ?? 0);
  bytes.writeUInt32BE(below ?? 0, 4);
  return bytes;
}

function readPlace(cursors: Cursors, cursor: string): Place {
  const bytes = cursors.read(cursor, PLACE_BYTES);
  const [upTo, below] = [bytes.readUInt32BE(), bytes.readUInt32BE(4)];
  if (Math.max(upTo, below) > 0x7fffffff) throw cursors.refusal();
  return { upTo: upTo || null, below: below || null };
}
