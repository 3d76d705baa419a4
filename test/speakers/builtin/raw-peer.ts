// A peer made of a bare socket: says exactly what a test lets it say, however wrong.
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { MessageType, encodeKeepalive } from '../../../src/bgp/message.ts';
import { MessageReader } from '../../../src/bgp/message-reader.ts';
import { decodeNotification, describeNotification } from '../../../src/bgp/notification.ts';
import { encodeOpen } from '../../../src/bgp/open.ts';
import type { OpenMessage } from '../../../src/bgp/open.ts';
import { decodeUpdate } from '../../../src/bgp/update.ts';
import { waitFor } from '../../daemons/wait.ts';

export const rawOpen: OpenMessage = {
  asn: 65_001,
  holdTime: 90,
  identifier: 0x0a000009,
  capabilities: {
    families: ['ipv4'],
    fourOctetAs: 65_001,
    routeRefresh: true,
    extendedMessage: false,
    gracefulRestart: null,
  },
};

const NAMES = ['', 'open', 'update', 'notification', 'keepalive', 'refresh'];

export class RawPeer {
  readonly socket: Socket;
  /** What the speaker said: names of messages; a NOTIFICATION in words. */
  readonly received: string[] = [];
  routes = new Set<string>();
  closed = false;
  readonly #reader = new MessageReader();

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('close', () => (this.closed = true));
    socket.on('data', (octets) => this.#read(octets));
  }

  /** Calls the speaker from `localAddress`. */
  static async call(port: number, localAddress: string): Promise<RawPeer> {
    const socket = connect({ host: '127.0.0.1', port, localAddress });
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new RawPeer(socket);
  }

  count(name: string): number {
    return this.received.filter((one) => one === name).length;
  }

  async establish(open: Partial<OpenMessage> = {}): Promise<void> {
    this.socket.write(encodeOpen({ ...rawOpen, ...open }));
    await this.receives('keepalive');
    this.socket.write(encodeKeepalive());
  }

  async receives(text: string): Promise<void> {
    const details = (): string => this.received.slice(-20).join(', ');
    await waitFor(() => this.received.some((one) => one.includes(text)), {
      what: `the speaker to say ${text}`,
      details,
    });
  }

  #read(octets: Uint8Array): void {
    this.#reader.push(octets);
    for (let message = this.#reader.next(); message !== null; message = this.#reader.next()) {
      const { type, body } = message;
      if (type === MessageType.notification)
        this.received.push(describeNotification(decodeNotification(body)));
      else this.received.push(NAMES[type]!);
      if (type !== MessageType.update) continue;
      const update = decodeUpdate(body, { external: true, fourOctetAs: true });
      for (const { nlri } of update.announced) nlri.words.forEach((word) => this.routes.add(String(word)));
      for (const nlri of update.withdrawn) nlri.words.forEach((word) => this.routes.delete(String(word)));
    }
  }
}

/** A place that the speaker calls; `calls` are the connections so far. */
export interface RawListener {
  readonly port: number;
  readonly calls: RawPeer[];
  close(): void;
}

export async function listenRaw(address: string): Promise<RawListener> {
  const calls: RawPeer[] = [];
  const server: Server = createServer((socket) => calls.push(new RawPeer(socket)));
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    calls,
    close: () => {
      server.close();
      for (const { socket } of calls) socket.destroy();
    },
  };
}
