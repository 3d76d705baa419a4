/** Peers that name no speaker: every enabled one has a session with them, a new one too, which nobody should find out from routers. */
import type { Item } from '../nouns/noun.ts';
import { asksYes, canAsk, say } from '../process/ask.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { shellWord } from '../render/shell-word.ts';
import type { CautionOptions } from '../session/consequences.ts';
import type { Session } from '../session/run-remote.ts';

const NAMED = 10;

/**
 * Says which peers a new speaker takes that others have now, and asks where somebody can answer.
 * @throws {CommandError} where the answer is no
 */
export async function beforeSpeaker(
  session: Session,
  name: string,
  body: Item,
  options: CautionOptions,
): Promise<void> {
  const others = await enabledSpeakers(session);
  if (body.enabled === false || others.length === 0) return;
  const peers = (await session.names.all('peer'))
    .filter(({ enabled, speaker_ids: ids }) => enabled === true && (ids as unknown[]).length === 0)
    .map((peer) => String(peer.name));
  if (peers.length === 0) return;
  const own = others.length === 1 ? shellWord(others[0]!) : 'SPEAKER';
  const [count, them] =
    peers.length === 1 ? ['1 peer that names', 'it'] : [`${peers.length} peers that name`, 'them'];
  say(
    `${name} also serves ${count} no speaker: ${listed(peers)}; give ${them} one with: prefixcast${session.contextWords} peer edit ${shellWord(peers[0]!)} --speaker ${own}`,
  );
  if (options['dry-run'] === true || options.yes === true || !canAsk()) return;
  if (!(await asksYes(`Create ${name}?`))) throw new CommandError('Nothing has changed', EXIT.no);
}

/** Says which speakers serve a new peer that names none, where there are several. */
export async function beforePeer(session: Session, name: string, body: Item): Promise<void> {
  const ids = (body.speaker_ids ?? []) as readonly unknown[];
  if (body.enabled === false || ids.length > 0) return;
  const speakers = await enabledSpeakers(session);
  if (speakers.length < 2) return;
  say(
    `${name} names no speaker, so each of ${speakers.length} serves it: ${listed(speakers)}; --speaker chooses`,
  );
}

async function enabledSpeakers({ names }: Session): Promise<string[]> {
  return (await names.all('speaker'))
    .filter(({ enabled }) => enabled === true)
    .map(({ name }) => String(name));
}

function listed(names: readonly string[]): string {
  return names.slice(0, NAMED).join(', ') + (names.length > NAMED ? ', …' : '');
}
