import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeCertificates } from '../daemons/certificates.ts';

export interface TlsProxy {
  readonly url: string;
  close(): void;
}

/** A reverse proxy on the same machine as it is set up in a minute: it ends TLS and asks the service by its loopback address, and says no more. */
export async function startTlsProxy(service: string): Promise<TlsProxy> {
  const certificates = makeCertificates(['IP:127.0.0.1']);
  const { host } = new URL(service);
  const server = createServer(certificates, (incoming, answer) => {
    const { method, url, headers } = incoming;
    const asked = request(service + url, { method, headers: { ...headers, host } }, (answered) => {
      answer.writeHead(answered.statusCode!, answered.headers);
      answered.pipe(answer);
    });
    asked.on('error', () => answer.destroy());
    answer.on('close', () => asked.destroy());
    incoming.pipe(asked);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
      certificates.remove();
    },
  };
}
