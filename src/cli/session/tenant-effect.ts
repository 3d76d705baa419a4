/** What a change of a tenant does to its routers, as a dry run counts it: nobody but the tenant reads their names. */
import type { Schemas } from '#client';
import { counted, total } from '../render/counted.ts';

type Effect = Pick<Schemas['Effect'], 'tenants'>;
type Sessions = NonNullable<Effect['tenants']>[number];

/** Whether the path is of one tenant that is there. */
export function isOfTenant(path: string): boolean {
  return path.startsWith('/v1/tenants/');
}

/** All that a dry run says of it. An older service counts routes of the asker's tenant alone, which say nothing of this one. */
export function tenantLines({ tenants }: Effect): string[] {
  if (tenants === undefined) return ['What this takes from the routers of the tenant is not known'];
  if (tenants.length === 0) return ['No session of the tenant ends or is sent other routes'];
  return tenants.map(lineOf);
}

/** What its routers lose of it, or get in place of what they have; null: nothing. */
export function tenantLoss({ tenants }: Effect): string | null {
  const losing = (tenants ?? []).filter(
    ({ session, before, after, updated }) =>
      session === 'ends' || (session === 'same' && (total(after) < total(before) || updated > 0)),
  );
  return losing.length === 0 ? null : losing.map(lineOf).join('\n');
}

function lineOf({ count, session, before, after, updated }: Sessions): string {
  const what = `${counted(count, 'session')} of the tenant`;
  const each = count === 1 ? '' : ' each';
  if (session === 'ends')
    return `${what} ${count === 1 ? 'ends' : 'end'}, and ${counted(total(before), 'route')}${each} with ${count === 1 ? 'it' : 'them'}`;
  if (session === 'begins')
    return `${what} ${count === 1 ? 'begins' : 'begin'}, with ${counted(total(after), 'route')}${each}`;
  const others = updated > 0 ? `, ${updated} of them new or changed` : '';
  return `${what}: ${counted(total(before), 'route')}${each} now, ${total(after)} then${others}`;
}
