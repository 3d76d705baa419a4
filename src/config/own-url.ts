/** Where the service of this machine answers, and whether a URL is of this machine at all. */
import { networkInterfaces } from 'node:os';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;
/** Where a service listens at every address: this machine reaches it at loopback, of IPv6 where IPv4 may not lead there. */
const EVERYWHERE = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** @param host as `APP_HOST` has it: a name, or an address without brackets */
export function ownUrl(host: string, port: number | string): string {
  const reached = EVERYWHERE.get(host) ?? host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}

/** A name may lead anywhere, but for the one of loopback. */
export function isOwnUrl(url: string): boolean {
  const host = (URL.parse(url)?.hostname ?? '').replace(/^\[|\]$/g, '');
  const own = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  return LOOPBACK.test(host) || own.some(({ address }) => address === host);
}
