/** The addresses of this machine, of the service and of its database: no routes, routers or sources of tenants may be there. */
import { networkInterfaces } from 'node:os';
import { parsePrefix, type Prefix } from './prefix.ts';

/** A host on which this process listens, or that it needs: an address, or a name. */
export interface OwnHost {
  readonly host: string;
  /** What it is, in words for people. */
  readonly of: string;
}

export interface OwnAddress {
  readonly prefix: string;
  /** What it is, in words for people. */
  readonly of: string;
}

/**
 * The addresses under which this process and what it needs can be reached. A wildcard stands for every address of the machine. Names are
 * left out, since resolving them needs a query.
 */
export function ownAddresses(hosts: readonly OwnHost[]): readonly OwnAddress[] {
  return hosts.flatMap(({ host, of }) => addressesOf(host).map((prefix) => ({ prefix, of })));
}

/** The host of a URL, or the text itself, if it is an address; otherwise nothing. */
export function addressesOf(host: string): string[] {
  const text = host.replace(/^\[(.*)\]$/, '$1');
  const parsed = parsePrefix(text);
  if (!parsed.ok) return [];
  if (parsed.value.words.some((word) => word !== 0)) return [text];
  const all = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  const wanted = parsed.value.family === 'ipv4' ? ['IPv4'] : ['IPv4', 'IPv6'];
  return all.filter(({ family }) => wanted.includes(family)).map(({ address }) => address);
}

/** The addresses of this machine, of the service and of its database. */
export function machineAddresses(own: readonly OwnAddress[]): Prefix[] {
  const machine = Object.values(networkInterfaces()).flatMap((some) =>
    (some ?? []).map((one) => one.address),
  );
  const service = own.map(({ prefix }) => prefix);
  return [...machine, ...service].flatMap((text) => {
    // An interface shows the scope of its link-local address after a percent sign.
    const parsed = parsePrefix(text.replace(/%.*$/, ''));
    return parsed.ok ? [parsed.value] : [];
  });
}
