/** Has speakers connect to a peer now, as whoever has corrected its router wants it: by themselves they may call again in a minute. */
import type { Schemas } from '#client';
import { NOUNS } from '../nouns/nouns.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { printAnswer } from '../render/formats.ts';
import { counted } from '../render/counted.ts';
import { shellWord } from '../render/shell-word.ts';
import { EndedSessions } from '../session/ended-sessions.ts';
import type { Session } from '../session/run-remote.ts';
import { readSessions } from './sessions.ts';

/** Resolves to `partial` where a session is not up in time. */
export async function connect(session: Session, name: string): Promise<number> {
  const peer = (await session.names.find(NOUNS.peer, name)) as unknown as Schemas['Peer'];
  if (!peer.enabled)
    throw new CommandError(
      `The peer ${peer.name} is disabled: prefixcast${session.contextWords} peer edit ${shellWord(peer.name)} --enabled yes connects to it`,
      EXIT.conflict,
    );
  const sessions = new EndedSessions(session);
  await sessions.begin({ wait: 'applied' }, peer);
  if (sessions.peers.size === 0)
    throw new CommandError(
      `No speaker that is enabled has a session with the peer ${peer.name}: prefixcast${session.contextWords} status says why`,
      EXIT.conflict,
    );
  // It changes nothing, and is followed by an apply that keeps speakers at what they run: that has them connect.
  await session.client.request('PATCH', `${NOUNS.peer.path}/${peer.id}`, { body: { enabled: true } });
  const exitCode = await sessions.wait();
  const own = (await readSessions(session)).filter(({ peer_id: id }) => id === peer.id);
  const older = ` of an older revision; prefixcast${session.contextWords} apply retry --wait tries those that it refused`;
  const lines = own.map(
    ({ speaker, state, reverted, routes_exported: routes }) =>
      `${peer.name} at ${String(speaker)}: ${String(state)}${typeof routes === 'number' ? `, ${counted(routes, 'route')}` : ''}${reverted === null ? '' : older}`,
  );
  await printAnswer({ items: own }, lines.join('\n'), session.format);
  return exitCode;
}
