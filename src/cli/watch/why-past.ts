/** What became of an address that nobody announces and no list has, or of a route of its own: it may have been announced an hour ago. */
import type { Schemas } from '#client';
import { deletedNames, restoreLinesOf } from './deleted-names.ts';
import { lostAt } from './applied-times.ts';
import { cutText, isCut } from './pruned.ts';
import { byText, changedOf } from './history.ts';
import { isWithin } from '../session/is-within.ts';
import type { Session } from '../session/run-remote.ts';

type History = Schemas['History'];
type Lookup = Schemas['Lookup'];
type Item = Schemas['HistoryItem'];
type Route = Item['routes'][number];

/** Entries that are named. */
const NAMED = 3;
/** Changes in which the last withdrawal is looked for. */
const LOOKED_AT = 20;

type Place = Pick<Lookup, 'kind' | 'normalized'>;

/** The newest changes of an address or a prefix. Null: a name has none, or they cannot be read. */
async function historyOf(
  { client }: Session,
  { kind, normalized }: Place,
  limit: number,
): Promise<History | null> {
  if (kind === 'fqdn') return null;
  const query = { prefix: normalized, limit };
  return client.get('/v1/history', { params: { query } }).catch(() => null);
}

/** Empty where no revision had it, as far as all are kept, or nobody can say. */
export async function pastLines(session: Session, place: Place): Promise<string[]> {
  const { normalized } = place;
  const past = await historyOf(session, place, LOOKED_AT);
  const [last] = past?.items ?? [];
  if (last?.announced !== 'none' || last.routes_before.length === 0) {
    const lost = lostLinesOf(session, place, past);
    const oldest = past?.oldest ?? null;
    return lost.length === 0 && isCut(oldest) ? ['', cutText(session, oldest, normalized)] : lost;
  }
  return goneLines(session, last, {
    title: 'Announced before:',
    prefix: last.routes_before[0]!.prefix,
    normalized,
  });
}

/** Of an address that is announced: the more specific route that it had before, such as a blackhole whose time is over. Empty: it had none. */
export async function replacedLines(session: Session, place: Place): Promise<string[]> {
  const { normalized } = place;
  const [last] = (await historyOf(session, place, 1))?.items ?? [];
  // What no speaker has yet comes, and is no past.
  if (last?.change !== 'changed' || last.applied.length === 0) return [];
  const gone = last.routes_before.find((was) => isReplaced(was, last.routes));
  if (gone === undefined) return [];
  const title = 'Announced before by a route of its own:';
  return goneLines(session, last, { title, prefix: gone.prefix, normalized });
}

/** Whether a wider route of other communities is all that is left: one of the same has been merged with its neighbour. */
function isReplaced({ prefix, communities }: Route, routes: readonly Route[]): boolean {
  if (routes.some((one) => one.prefix === prefix)) return false;
  const wider = routes.filter((one) => isWithin(prefix, one.prefix));
  return wider.length > 0 && wider.every((one) => valuesOf(one.communities) !== valuesOf(communities));
}

function valuesOf(communities: Route['communities']): string {
  return communities
    .map(({ community }) => community)
    .sort()
    .join();
}

interface Gone {
  readonly title: string;
  readonly prefix: string;
  readonly normalized: string;
}

async function goneLines(
  session: Session,
  { revision, created_at: at, contributors, trigger }: Item,
  { title, prefix, normalized }: Gone,
): Promise<string[]> {
  const { contextWords } = session;
  const gone = changedOf(contributors).slice(0, NAMED);
  const deleted = await deletedNames(session, gone);
  const by = gone.map((one) => byText(one, deleted)).join(', ');
  const why = trigger.kind === 'expiry' ? ', whose time was over' : '';
  return [
    '',
    title,
    `  ${prefix} until ${at}, revision ${revision}${gone.length === 0 ? '' : ` (${by}${why})`}`,
    `  All of it: prefixcast${contextWords} history ${normalized}; who did it: prefixcast${contextWords} audit list --prefix ${normalized}`,
    ...(await restoreLinesOf(session, gone, deleted)).map((line) => `  ${line}`),
  ];
}

/** Since when speakers lack what a revision has, and by which one: an older one may have been applied. */
export async function lostLines(session: Session, place: Place): Promise<string[]> {
  return lostLinesOf(session, place, await historyOf(session, place, LOOKED_AT));
}

function lostLinesOf({ contextWords }: Session, { normalized }: Place, past: History | null): string[] {
  const lost = lostAt(past?.items ?? []);
  if (lost === null) return [];
  const { speaker, applied_at: from, until, until_revision: revision } = lost.applied;
  const by = revision === null ? '' : `, when it had revision ${revision}`;
  return [
    '',
    'Announced before:',
    `  ${lost.prefix} from ${from} to ${until!} at ${speaker}${by}`,
    `  All of it: prefixcast${contextWords} history ${normalized}`,
  ];
}
