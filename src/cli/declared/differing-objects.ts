/** What of a set differs from what there is. */
import type { Item } from '../nouns/noun.ts';
import { NOUNS } from '../nouns/nouns.ts';
import type { Session } from '../session/run-remote.ts';
import { compareObject, isByHand, noLongerDeclared, type Change, type LiveOf } from './compare.ts';
import { readEntries, stateOfEntries, type EntriesState } from './entry-changes.ts';
import type { LiveObject, LiveState } from './live-state.ts';
import type { OwnRecords } from './ownership.ts';
import { refuseFileFaults, type Declared, type DeclaredSet } from './read-set.ts';
import { StandIns } from './writes.ts';

/** What a set is compared with. */
interface Tenant {
  readonly live: LiveState;
  /** What the set owns of it. */
  readonly own: OwnRecords;
  readonly liveOf: LiveOf;
}

export interface DifferingObjects {
  /** In the order of the files, and behind them what is deleted. */
  readonly changes: readonly Change[];
  /** Own objects that the files name no more, deleted or not. */
  readonly gone: readonly LiveObject[];
  /** Lists of entries that files write, by the module that has them. */
  readonly states: ReadonlyMap<string, EntriesState>;
  readonly standIns: StandIns;
  readonly etags: ReadonlyMap<string, string>;
}

/** @throws {CommandError} for a member that nothing can change */
export async function differingObjects(
  session: Session,
  set: DeclaredSet,
  tenant: Tenant,
  options: { readonly prune: boolean; readonly 'renew-secrets': boolean },
): Promise<DifferingObjects> {
  const { live, own, liveOf } = tenant;
  const standIns = new StandIns();
  const etags = new Map<string, string>();
  const changes: Change[] = [];
  const states = new Map<string, EntriesState>();
  for (const declared of set.objects) {
    const known = liveOf(declared);
    const entries = await entriesOf(session, declared, known, own);
    if (entries !== null) states.set(known!.id, entries);
    const first = compareObject(declared, known, own, options['renew-secrets']);
    const imports = entries?.imports ?? first.imports;
    if (known !== null && first.members.length + first.secrets.length + imports.length === 0) continue;
    // The list may be older than what somebody has written meanwhile.
    const fresh = known === null ? null : await readFresh(session, live, known, etags);
    const change = { ...compareObject(declared, fresh, own, options['renew-secrets']), imports };
    if (fresh !== null && fresh.name !== declared.name)
      standIns.rename(declared.kind.name, declared.name, fresh.id);
    refuseFixed(change);
    changes.push(change);
  }
  const gone = noLongerDeclared(set, live, own, liveOf);
  for (const object of options.prune ? gone : [])
    changes.push(deletionOf(await readFresh(session, live, object, etags), own));
  return { changes, gone, states, standIns, etags };
}

/** Null: the module is not there yet, or its file is not written. */
async function entriesOf(
  session: Session,
  { entries }: Declared,
  known: LiveObject | null,
  own: OwnRecords,
): Promise<EntriesState | null> {
  if (known === null || entries === null) return null;
  return stateOfEntries(await readEntries(session, known.id), entries, own.get(known.id));
}

async function readFresh(
  { client }: Session,
  live: LiveState,
  { kind, id }: LiveObject,
  etags: Map<string, string>,
): Promise<LiveObject> {
  const answer = await client.request('GET', `${NOUNS[kind.name].path}/${id}`);
  const etag = answer.headers.get('etag');
  if (etag !== null) etags.set(id, etag);
  return live.replace(kind, (await answer.json()) as Item);
}

function deletionOf(live: LiveObject, own: OwnRecords): Change {
  return {
    ...{ action: 'delete', kind: live.kind.name, name: live.name, live, declared: null },
    ...{ members: [], secrets: [], imports: [], byHand: isByHand(live, own) },
  };
}

/** @throws {CommandError} for a member that nothing can change */
function refuseFixed({ action, kind, declared, members }: Change): void {
  if (action !== 'update') return;
  refuseFileFaults(
    members
      .filter(({ name }) => declared!.kind.fixed.includes(name))
      .map(({ name, before, after }) => ({
        at: declared!.at(`/${name}`),
        detail: `${name} of a ${kind} cannot change from ${JSON.stringify(before)} to ${JSON.stringify(after)}: write it back, or give the ${kind} another name`,
      })),
  );
}
