import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Endpoint } from '../config/environment.ts';
import { type Check, fault, type Finding, ok } from './finding.ts';

const NAME = 'ports';
const BGP = 179;
const FIRST_FREE = 1024;

export const PORTS: Check = {
  name: NAME,
  async examine({ config, api }) {
    const { http, bgpListen } = config;
    const findings = [
      await port('the API', http, 'APP_PORT', api !== null),
      await port('BGP', bgpListen, 'APP_BGP_LISTEN', api !== null),
    ];
    if (bgpListen.port !== BGP)
      findings.push(
        ok(NAME, `routers that call the builtin speaker have to call port ${bgpListen.port}, not ${BGP}`),
      );
    return findings;
  },
};

/** @param isRunning the service answers, and so has the port itself */
async function port(
  what: string,
  { host, port: number }: Endpoint,
  setting: string,
  isRunning: boolean,
): Promise<Finding> {
  const where = `${host} port ${number}`;
  const code = await listenOnce(host, number);
  // The builtin speaker listens as soon as it has a peer.
  if (code === null) return ok(NAME, `${what} can listen on ${where}`);
  if (code === 'EADDRINUSE')
    return isRunning
      ? ok(NAME, `the service listens for ${what} on ${where}`)
      : fault(
          NAME,
          `another program listens on ${where}, for ${what}`,
          `Find it with ss -ltnp and stop it, or set ${setting}.`,
        );
  if (code === 'EACCES' && number < FIRST_FREE)
    return fault(
      NAME,
      `this user may not listen for ${what} on ${where}`,
      `Give the service the capability: AmbientCapabilities=CAP_NET_BIND_SERVICE in its unit, or setcap cap_net_bind_service=+ep on its node.`,
    );
  return fault(
    NAME,
    `${what} cannot listen on ${where} (${code})`,
    `Set ${setting} to an address of this machine.`,
  );
}

/** The system's code for why not; null: it could. */
async function listenOnce(host: string, number: number): Promise<string | null> {
  const server = createServer();
  try {
    server.listen({ host, port: number, exclusive: true });
    await once(server, 'listening');
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  } finally {
    server.close();
  }
}
