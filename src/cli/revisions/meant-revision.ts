/** Which revision is to be announced, where guardrails hold a newer one than the latest that is ready. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Schemas } from '#client';
import { say } from '../process/ask.ts';
import type { Session } from '../session/run-remote.ts';

type Revision = Schemas['Revision'];

/** An edit is built within two seconds where the service has nothing else to do; after that long, what there is counts. */
const BUILT_MS = 30_000;
const LOOK_MS = 250;

/**
 * The revision of that name. Whoever overrides guardrails at `latest` means what they hold, though the latest ready one has that name: a command for a held
 * edit is printed before its revision has a number.
 */
export async function meantRevision(
  session: Session,
  given: string,
  override: readonly string[],
): Promise<Revision> {
  const isLatest = given === 'latest';
  if (isLatest && override.length > 0) await untilBuilt(session);
  const held = isLatest ? await newestHeld(session) : null;
  if (held !== null && override.length > 0) return held;
  const path = `/v1/revisions/${encodeURIComponent(given)}`;
  const revision = (await (await session.client.request('GET', path)).json()) as Revision;
  if (held !== null) say(heldText(session, held));
  return revision;
}

async function untilBuilt({ client }: Session): Promise<void> {
  const { settings } = await client.get('/v1/settings');
  if (!settings.auto_revision) return;
  const end = Date.now() + BUILT_MS;
  for (;;) {
    const { pending_changes: pending } = await client.get('/v1/auth/session');
    if (pending.count === 0 || Date.now() > end) return;
    await sleep(LOOK_MS);
  }
}

/** The newest revision, if it is held. */
async function newestHeld({ client }: Session): Promise<Revision | null> {
  const params = { query: { state: ['ready' as const, 'held' as const], limit: 1 } };
  const { items } = await client.get('/v1/revisions', { params });
  return items[0]?.state === 'held' ? items[0] : null;
}

function heldText({ contextWords }: Session, { number, findings }: Revision): string {
  const codes = [...new Set(findings.map(({ code }) => code))].join(',');
  return `Revision ${number} is newer, and guardrails hold it. Announce it all the same: prefixcast${contextWords} revision apply ${number} --override ${codes} --reason TEXT`;
}
