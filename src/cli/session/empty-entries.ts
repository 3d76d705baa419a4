/** Entries that were read, and that nothing is announced of: a name that does not exist, or an AS without routes. */
import type { Schemas } from '#client';
import { say } from '../process/ask.ts';
import type { Session } from './run-remote.ts';

export type Source = Schemas['Source'];

/** Of a module, or of all; those read last come first. */
export async function emptyEntries(
  { client }: Session,
  { moduleId, limit }: { readonly moduleId?: string; readonly limit: number },
): Promise<readonly Source[]> {
  const query = {
    ...{ status: ['ok' as const], has_prefixes: false, enabled: true, limit },
    ...{ sort: '-last_refreshed_at' as const },
    ...(moduleId === undefined ? {} : { module_id: moduleId }),
  };
  return (await client.get('/v1/sources', { params: { query } })).items;
}

/** Such as `nope.example.net has no addresses`. */
export function emptyText({ name, type }: Source): string {
  return `${name} has no ${type === 'domain_entry' ? 'addresses' : 'prefixes'}`;
}

/** A module may have thousands. */
const NAMED = 20;
const LOOKED_THROUGH = 500;

/** Says which of the entries of a module have nothing, once they were read. @param ids null: all of them */
export async function sayEmpty(
  session: Session,
  moduleId: string,
  ids: ReadonlySet<string> | null,
): Promise<void> {
  const items = await emptyEntries(session, { moduleId, limit: LOOKED_THROUGH });
  const own = ids === null ? items : items.filter(({ id }) => ids.has(id));
  for (const one of own.slice(0, NAMED))
    say(`${emptyText(one)}${one.last_error === null ? '' : `: ${one.last_error}`}`);
  if (own.length > NAMED) say(`and ${own.length - NAMED} more: prefixcast${session.contextWords} status`);
}
