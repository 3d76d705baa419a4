/** What became of an address that nobody announces and no list has: it may have been announced an hour ago. */
import type { Schemas } from '#client';
import { deletedNames, restoreLinesOf } from './deleted-names.ts';
import { lostAt } from './applied-times.ts';
import { cutText, isCut } from './pruned.ts';
import { byText, changedOf } from './history.ts';
import type { Session } from '../session/run-remote.ts';

type Lookup = Schemas['Lookup'];

/** Entries that are named. */
const NAMED = 3;

/** Empty where no revision had it, as far as all are kept, or nobody can say. */
export async function pastLines(
  session: Session,
  { kind, normalized }: Pick<Lookup, 'kind' | 'normalized'>,
): Promise<string[]> {
  if (kind === 'fqdn') return [];
  const { client, contextWords } = session;
  const query = { prefix: normalized, limit: 1 };
  const past = await client.get('/v1/history', { params: { query } }).catch(() => null);
  const [last] = past?.items ?? [];
  if (last?.announced !== 'none' || last.routes_before.length === 0) {
    const lost = await lostLines(session, { kind, normalized });
    const oldest = past?.oldest ?? null;
    return lost.length === 0 && isCut(oldest) ? ['', cutText(session, oldest, normalized)] : lost;
  }
  const { revision, created_at: at, contributors, routes_before: routes, trigger } = last;
  const gone = changedOf(contributors).slice(0, NAMED);
  const deleted = await deletedNames(session, gone);
  const by = gone.map((one) => byText(one, deleted)).join(', ');
  const why = trigger.kind === 'expiry' ? ', whose time was over' : '';
  return [
    '',
    'Announced before:',
    `  ${routes[0]!.prefix} until ${at}, revision ${revision}${gone.length === 0 ? '' : ` (${by}${why})`}`,
    `  All of it: prefixcast${contextWords} history ${normalized}; who did it: prefixcast${contextWords} audit list --prefix ${normalized}`,
    ...(await restoreLinesOf(session, gone, deleted)).map((line) => `  ${line}`),
  ];
}

/** Since when speakers lack what a revision has, and by which one: an older one may have been applied. */
export async function lostLines(
  { client, contextWords }: Session,
  { kind, normalized }: Pick<Lookup, 'kind' | 'normalized'>,
): Promise<string[]> {
  if (kind === 'fqdn') return [];
  const query = { prefix: normalized, limit: 20 };
  const past = await client.get('/v1/history', { params: { query } }).catch(() => null);
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
