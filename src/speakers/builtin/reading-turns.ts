import type { Socket } from 'node:net';

/** Octets in one piece that only a peer sends which has much to say: a table, or a flood. */
const MUCH = 8 * 1024;

/**
 * Shares the thread between peers that send much. Node reads from every socket that has something before anything else runs, so that a hundred
 * peers with a flood of messages each would hold up what others are sent. Peers with much to say are read one after the other, one piece in
 * each turn of the event loop; what the others say is read at once.
 */
export class ReadingTurns {
  readonly #waiting = new Set<Socket>();
  #isScheduled = false;

  /** After each piece that was read. A piece that was much lets the socket wait for its next turn. */
  hasRead(socket: Socket, octets: number): void {
    if (octets < MUCH) return;
    socket.pause();
    this.#waiting.add(socket);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const [socket] = this.#waiting;
      this.#waiting.delete(socket!);
      socket!.resume();
      this.#schedule();
    });
  }
}
