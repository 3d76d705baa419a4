/**
 * Finds the peer of an incoming connection: the one with its remote address; where several speakers have a peer there, the one bound to its
 * local address, and then the one whose AS number its OPEN names.
 */
import type { Socket } from 'node:net';
import { encodeNotification } from '../../bgp/notification.ts';
import { BgpError, CeaseSubcode, ErrorCode, OpenSubcode } from '../../bgp/notification.ts';
import { MessageReader } from '../../bgp/message-reader.ts';
import { MessageType } from '../../bgp/message.ts';
import { concatOctets } from '../../bgp/octets.ts';
import { decodeOpen } from '../../bgp/open.ts';
import type { Peer } from './peer.ts';
import { plainAddress } from '../../core/socket-address.ts';
import { closeSoon } from './wire.ts';

/** For a caller that must name itself, and how many such callers may wait at once. */
const OPEN_MILLISECONDS = 10_000;
const MAX_WAITING = 64;

export class IncomingCalls {
  readonly #peers: () => readonly Peer[];
  readonly #onRejected: (address: string, reason: string) => void;
  #waiting = 0;

  constructor(peers: () => readonly Peer[], onRejected: (address: string, reason: string) => void) {
    this.#peers = peers;
    this.#onRejected = onRejected;
  }

  readonly take = (socket: Socket): void => {
    const remote = plainAddress(socket.remoteAddress);
    const local = plainAddress(socket.localAddress);
    const found = this.#peers().filter(
      ({ address, model, isPossible }) =>
        address === remote &&
        isPossible &&
        model.takesCalls !== false &&
        (model.localAddress === null || plainAddress(model.localAddress) === local),
    );
    if (found.some(({ isCrowded }) => isCrowded)) this.#reject(socket, 'too many connections at once');
    else if (found.length === 1) found[0]!.accept(socket, null);
    else if (found.length === 0) this.#reject(socket, 'no peer is configured with this address');
    else if (this.#waiting >= MAX_WAITING) this.#reject(socket, 'too many callers at once');
    else this.#askName(socket, found);
  };

  #askName(socket: Socket, candidates: readonly Peer[]): void {
    const read: Uint8Array[] = [];
    const reader = new MessageReader();
    this.#waiting++;
    const finish = (act: () => void): void => {
      this.#waiting--;
      socket.setTimeout(0);
      for (const event of ['data', 'timeout', 'error', 'close']) socket.removeAllListeners(event);
      act();
    };
    socket.setTimeout(OPEN_MILLISECONDS, () => finish(() => this.#reject(socket, 'it sent no OPEN')));
    socket.on('error', () => finish(() => socket.destroy()));
    socket.on('close', () => finish(() => undefined));
    socket.on('data', (octets) => {
      read.push(octets);
      try {
        reader.push(octets);
        const asn = openAsn(reader);
        if (asn === null) return;
        const named = candidates.filter(({ model }) => model.remoteAsn === asn);
        const peer = named.find(({ isEstablished }) => !isEstablished) ?? named[0];
        finish(() => {
          if (peer !== undefined) peer.accept(socket, concatOctets(read));
          else
            this.#refuse(
              socket,
              new BgpError(ErrorCode.open, OpenSubcode.badPeerAs, `no peer has AS ${asn}`),
            );
        });
      } catch (error) {
        if (!(error instanceof BgpError)) throw error;
        finish(() => this.#refuse(socket, error));
      }
    });
  }

  #reject(socket: Socket, reason: string): void {
    this.#refuse(socket, new BgpError(ErrorCode.cease, CeaseSubcode.connectionRejected, reason));
  }

  #refuse(socket: Socket, error: BgpError): void {
    this.#onRejected(plainAddress(socket.remoteAddress), error.message);
    socket.on('error', () => undefined);
    socket.write(encodeNotification(error));
    void closeSoon(socket);
  }
}

/** The AS number of the first OPEN; null until it has arrived. */
function openAsn(reader: MessageReader): number | null {
  const message = reader.next();
  if (message === null) return null;
  if (message.type !== MessageType.open)
    throw new BgpError(ErrorCode.stateMachine, 0, 'an OPEN must come first');
  return decodeOpen(message.body).asn;
}
