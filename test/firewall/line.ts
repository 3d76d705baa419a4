import { type Server, type Socket, connect, createServer } from 'node:net';

/** The line between the host and the service. */
export class Line {
  /** `held`: reports are not answered; `cut`: nothing passes; else what answers say of `tamper[0]` becomes `tamper[1]`. */
  mode: 'open' | 'held' | 'cut' = 'open';
  tamper: readonly [string, string] | null = null;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(path: string, url: string) {
    this.#server = createServer((socket) => this.#pass(socket, Number(new URL(url).port)));
    this.#server.listen(path);
  }

  #pass(socket: Socket, port: number): void {
    if (this.mode === 'cut') return void socket.destroy();
    const there = connect(port, '127.0.0.1');
    this.#sockets.add(socket);
    socket.on('data', (chunk) => {
      const isReport = chunk.toString('latin1').includes('apply-status');
      if (this.mode === 'open' || (this.mode === 'held' && !isReport)) there.write(chunk);
    });
    there.on('data', (chunk) => {
      const text = chunk.toString('latin1');
      const shown = this.tamper === null ? text : text.replaceAll(...this.tamper);
      socket.write(shown, 'latin1');
    });
    for (const [one, other] of [
      [socket, there],
      [there, socket],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  }

  cut(): void {
    this.mode = 'cut';
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}
