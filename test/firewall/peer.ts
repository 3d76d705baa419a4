/**
 * A program that a test runs inside a network namespace, and asks by lines of JSON: it listens, forwards, connects and sends there. Sockets of
 * the file system are shared by all namespaces, so that a service outside is reached by one.
 */
import { createSocket } from 'node:dgram';
import { connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** For an answer, where nothing else is said: long enough for one on this machine. */
const WAIT_MILLISECONDS = 1_000;
const open = new Map<string, Socket>();

interface Asked {
  readonly id: number;
  readonly what: keyof typeof WORK;
  readonly host: string;
  readonly port: number;
  readonly name: string;
  readonly path: string;
  readonly from: string;
  /** Milliseconds. */
  readonly wait?: number;
}

const WORK = {
  /** Echoes TCP and UDP. */
  async listen({ host, port }: Asked): Promise<boolean> {
    const tcp = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.pipe(socket);
    });
    await new Promise<void>((resolve) => tcp.listen(port, host, resolve));
    const udp = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    udp.on('message', (bytes, { address, port: to }) => udp.send(bytes, to, address, () => undefined));
    await new Promise<void>((resolve) => udp.bind(port, host, resolve));
    return true;
  },
  /** Passes TCP on to a socket of the file system. */
  async forward({ host, port, path }: Asked): Promise<boolean> {
    const tcp = createServer((socket) => {
      const there = connect(path);
      for (const [one, other] of [
        [socket, there],
        [there, socket],
      ] as const) {
        one.on('error', () => other.destroy());
        one.pipe(other);
      }
    });
    await new Promise<void>((resolve) => tcp.listen(port, host, resolve));
    return true;
  },
  async tcp({ host, port, from, wait }: Asked): Promise<boolean> {
    const socket = connect({ host, port, ...(from === undefined ? {} : { localAddress: from }) });
    const isEchoed = await echo(socket, wait);
    socket.on('error', () => undefined).destroy();
    return isEchoed;
  },
  /** Opens a connection that stays. */
  async open({ host, port, name }: Asked): Promise<boolean> {
    const socket = connect({ host, port });
    socket.on('error', () => undefined);
    open.set(name, socket);
    return echo(socket);
  },
  /** Whether a connection that stays still carries what is sent. */
  async say({ name, wait }: Asked): Promise<boolean> {
    return echo(open.get(name)!, wait);
  },
  async udp({ host, port, from }: Asked): Promise<boolean> {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    if (from !== undefined) await new Promise<void>((resolve) => socket.bind(0, from, resolve));
    const answered = new Promise<boolean>((resolve) => {
      socket.once('message', () => resolve(true));
      socket.once('error', () => resolve(false));
      setTimeout(resolve, WAIT_MILLISECONDS, false);
    });
    // Refused by the host's own packet filter: EPERM.
    socket.send('x', port, host, () => undefined);
    const isAnswered = await answered;
    socket.close();
    return isAnswered;
  },
};

function echo(socket: Socket, wait = WAIT_MILLISECONDS): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => end(false), wait);
    const heard = (): void => end(true);
    const failed = (): void => end(false);
    const end = (isEchoed: boolean): void => {
      clearTimeout(timer);
      socket.off('data', heard).off('error', failed);
      resolve(isEchoed);
    };
    socket.on('data', heard).on('error', failed);
    socket.write('x');
  });
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const asked = JSON.parse(line) as Asked;
  WORK[asked.what](asked).then(
    (value) => console.log(JSON.stringify({ id: asked.id, value })),
    (error: unknown) => console.log(JSON.stringify({ id: asked.id, error: String(error) })),
  );
});
process.stdin.on('end', () => process.exit());
