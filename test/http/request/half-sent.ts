/** Requests whose body is on its way: the head is sent, and the rest only when a test says so. */
import { connect, type Socket } from 'node:net';
import { waitFor } from '../../daemons/wait.ts';

export class HalfSent {
  readonly #socket: Socket;
  #answer = '';

  /** @param head lines of the head beside Host and Authorization */
  constructor(url: string, key: string, path: string, head: readonly string[]) {
    this.#socket = connect(Number(new URL(url).port), '127.0.0.1');
    this.#socket.on('error', () => undefined).on('data', (bytes) => (this.#answer += bytes.toString()));
    const lines = [`POST ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, ...head];
    this.#socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  }

  /** What was answered so far. */
  get answer(): string {
    return this.#answer;
  }

  /** Sends more of the body. */
  send(text: string): void {
    this.#socket.write(text);
  }

  /** Waits for the answer. @returns its status */
  async status(): Promise<number> {
    await waitFor(() => this.#answer.includes('\r\n\r\n'), { what: 'an answer' });
    return Number(/^HTTP\/1.1 (\d+)/.exec(this.#answer)![1]);
  }

  /** Breaks off. */
  end(): void {
    this.#socket.destroy();
  }
}
