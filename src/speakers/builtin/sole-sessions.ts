/**
 * Which routers have a session with a speaker of this thread. A router keeps one with each address, and one with graceful restart takes another
 * call from there for a restart: it ends the session that it has (RFC 4724 section 5). Two speakers that call it from one address would end
 * each other's for ever, so nobody calls where another has a session.
 */
import { plainAddress } from '../../core/socket-address.ts';

/** One peer of one speaker, with the ends of its session. */
export interface Caller {
  readonly speakerId: string;
  readonly speakerName: string;
  readonly peerId: string;
  readonly peerName: string;
  /** The router's, in canonical form. */
  readonly address: string;
  readonly port: number;
  /** Null: the system chooses it, each time the same. */
  readonly localAddress: string | null;
}

export class SoleSessions {
  /** Those that have a session, with the address that it came to have on our side. */
  readonly #live = new Map<Caller, string>();
  readonly #held = new Map<Caller, () => void>();

  /** Whose session a call would end; null: nobody's, and whatever was held before is forgotten. */
  rivalOf(caller: Caller, onFree: () => void): Caller | null {
    for (const [rival, from] of this.#live) {
      if (!isSame(rival, from, caller)) continue;
      this.#held.set(caller, onFree);
      return rival;
    }
    this.#held.delete(caller);
    return null;
  }

  begin(caller: Caller, from: string): void {
    this.#live.set(caller, from);
  }

  /** Those that were held may call now, unless yet another has a session there. */
  end(caller: Caller): void {
    this.#held.delete(caller);
    if (!this.#live.delete(caller)) return;
    for (const onFree of [...this.#held.values()]) onFree();
  }
}

/** A peer whose settings have changed takes the place of its session before. */
function isSame(rival: Caller, from: string, caller: Caller): boolean {
  if (rival.address !== caller.address || rival.port !== caller.port) return false;
  if (rival.speakerId === caller.speakerId && rival.peerId === caller.peerId) return false;
  return caller.localAddress === null
    ? rival.localAddress === null
    : plainAddress(caller.localAddress) === from;
}
