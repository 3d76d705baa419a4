import type { SessionOnSpeaker } from '../src/api/speakers/peers.ts';
import { waitFor } from './daemons/wait.ts';

/** Waits until the session of the peer is reported like this. @param read the present report; undefined: none */
export function untilSession(
  name: string,
  read: () => Promise<SessionOnSpeaker | undefined>,
  test: (session: SessionOnSpeaker) => boolean,
): Promise<SessionOnSpeaker> {
  let last: SessionOnSpeaker | undefined;
  return waitFor(
    async () => {
      last = await read();
      return last !== undefined && test(last) && last;
    },
    { what: `the session of ${name}`, details: () => JSON.stringify(last) },
  );
}
