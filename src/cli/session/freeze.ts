/** Whether changes reach routers at all: a freeze of applies holds everything, and looks like a fault to whoever has forgotten it. */
import { ApiProblem } from '#client';
import type { AuditRecord } from '../../api/activity/audit.ts';
import type { Session } from './run-remote.ts';

/** Changes of settings that are read at once until the one is found that began it. */
const READ_AT_ONCE = 200;

interface Freeze {
  readonly isOn: boolean;
  /** Null: nobody has said why. */
  readonly reason: string | null;
}

/** Whoever may not read it hears of none, so that it is in nobody's way. */
export async function readFreeze({ client }: Pick<Session, 'client'>): Promise<Freeze> {
  const answer = await client.get('/v1/settings').catch((error: unknown) => {
    if (error instanceof ApiProblem && error.code === 'forbidden') return null;
    throw error;
  });
  const { deploy_freeze: isOn, deploy_freeze_reason: reason } = answer?.settings ?? {};
  return { isOn: isOn === true, reason: reason ?? null };
}

/** Whether the setting `deploy_freeze` is on. */
export async function isFrozen(session: Pick<Session, 'client'>): Promise<boolean> {
  return (await readFreeze(session)).isOn;
}

/** Firewall hosts apply revisions and no applies, so that a freeze does not stop them: what a sentence says of that where there are some. */
export async function hostsFollow({ client }: Pick<Session, 'client'>): Promise<string> {
  const page = await client
    .get('/v1/firewall/clients', { params: { query: { limit: 1 } } })
    .catch(() => null);
  return page === null || page.items.length === 0 ? '' : '; firewall hosts follow lists all the same';
}

/** Since when, by whom, why, and how it ends; null: applies may begin. */
export async function freezeText(session: Session): Promise<string | null> {
  const { isOn, reason } = await readFreeze(session);
  if (!isOn) return null;
  const [begun, hosts] = await Promise.all([freezeBeginning(session), hostsFollow(session)]);
  const since = begun === null ? '' : ` since ${begun.at}, by ${begun.actor}`;
  const why = reason === null ? '' : ` (${reason})`;
  return `Applies are frozen${since}${why}: routers keep what they have${hosts}. See what waits: prefixcast${session.contextWords} unfreeze --dry-run. End it: prefixcast${session.contextWords} unfreeze`;
}

/** The newest record that turned it on; null: it is forgotten, or this key may not read the audit log. */
export async function freezeBeginning({
  client,
}: Session): Promise<Pick<AuditRecord, 'at' | 'actor'> | null> {
  try {
    const query = { action: 'settings.change', limit: READ_AT_ONCE } as const;
    for await (const record of client.list('/v1/audit', { params: { query } }))
      if (turnsOn(record.changes.before, record.changes.after)) return record;
  } catch {
    // Nobody says it, then.
  }
  return null;
}

function turnsOn(before: Changed, after: Changed): boolean {
  return valueIn(after) === true && valueIn(before) !== true;
}

type Changed = AuditRecord['changes']['before'];

/** Of the answer, members that changed: settings are one of them. */
function valueIn(state: Changed): unknown {
  return (state?.settings as { readonly deploy_freeze?: unknown } | undefined)?.deploy_freeze;
}
