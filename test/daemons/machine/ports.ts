import { createServer } from 'node:net';

const HOSTS = 254;
const HALF = 126;
let taken = 0;

/**
 * An address of 127.0.0.0/8 that no other caller in this process got lately, and hardly one in another process: the process
 * id chooses the middle of it, in the lower half for the first 254 and in the upper half for the next. By then the first are free again: a
 * process runs one file after the other. Daemons on addresses of their own may all use one port.
 */
export function loopbackAddress(): string {
  const host = 1 + (taken % HOSTS);
  const half = Math.floor(taken / HOSTS) % 2;
  taken += 1;
  return `127.${2 + ((process.pid >> 8) % HALF) + HALF * half}.${process.pid & 0xff}.${host}`;
}

/** Browsers and `fetch` refuse it whoever listens there: the only such port of our range (Fetch Standard, "bad port"). */
const REFUSED_BY_FETCH = 10_080;

/** Processes of tests that run side by side take their ports from ranges of their own: between asking for one and listening on it lie seconds. */
const RANGES = 40;
const PORTS_IN_RANGE = 20_000 / RANGES;
const range = Number(process.env.VITEST_POOL_ID ?? process.pid) % RANGES;
let lastPort = Math.floor(Math.random() * PORTS_IN_RANGE);

/**
 * A TCP port free on `address`, above the privileged ones and below those the kernel gives to outgoing connections:
 * one of these could be taken between asking for it and listening on it.
 */
export async function freePort(address = '127.0.0.1'): Promise<number> {
  for (let attempt = 0; attempt < PORTS_IN_RANGE; attempt += 1) {
    lastPort = (lastPort + 1) % PORTS_IN_RANGE;
    const port = 10_000 + range * PORTS_IN_RANGE + lastPort;
    if (port !== REFUSED_BY_FETCH && (await isFree(address, port))) return port;
  }
  throw new Error(
    `no free TCP port found on ${address} in range ${range} of ${RANGES} between 10000 and 29999`,
  );
}

/** `count` ports, all different. */
export async function freePorts(count: number, address = '127.0.0.1'): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort(address));
  return [...ports];
}

function isFree(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen(port, address, () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}
