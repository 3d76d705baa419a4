import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';

/** Passes connections on, and cuts them all when asked. */
export class CuttingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  connections = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(target: string): Promise<CuttingProxy> {
    const { hostname, port } = new URL(target);
    const proxy: CuttingProxy = new CuttingProxy(
      createServer((inward) => {
        proxy.connections++;
        const outward = connect(Number(port), hostname);
        for (const [one, other] of [
          [inward, outward],
          [outward, inward],
        ] as const) {
          proxy.#sockets.add(one);
          one.on('error', () => undefined).on('close', () => other.destroy());
          one.pipe(other);
        }
      }),
    );
    await new Promise<void>((listening) => proxy.#server.listen(0, '127.0.0.1', listening));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((closed) => this.#server.close(closed));
  }
}
