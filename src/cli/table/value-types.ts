/** Kinds of values that options and arguments have, and how each is read. */
import { type Parsed, parseAddress } from '../../core/address.ts';
import { parseAsn } from '../../core/asn.ts';

export interface Values {
  readonly text: string;
  /** A path; shells complete it. */
  readonly file: string;
  readonly directory: string;
  /** A whole number from 1 on. */
  readonly count: number;
  /** In seconds, perhaps with a fraction: `10m`, or a plain number. */
  readonly seconds: number;
  /** In whole seconds, 1 or more: `1h30m`, or a plain number. */
  readonly duration: number;
  readonly asn: number;
  readonly endpoint: { readonly host: string; readonly port: number };
  /** An IPv4 address as a number. */
  readonly router_id: number;
}

export type ValueType = keyof Values;

export const READERS: { readonly [Type in ValueType]: (text: string) => Parsed<Values[Type]> } = {
  text: asWritten,
  file: asWritten,
  directory: asWritten,
  count: (text) =>
    /^[1-9][0-9]{0,8}$/.test(text) ? good(Number(text)) : bad('write a whole number, 1 or more'),
  seconds: (text) => (Number(text) > 0 ? good(Number(text)) : readDuration(text)),
  duration: readDuration,
  asn: parseAsn,
  endpoint: readEndpoint,
  router_id: readRouterId,
};

function good<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

function bad(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}

function asWritten(text: string): Parsed<string> {
  return good(text);
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

function readDuration(text: string): Parsed<number> {
  if (/^[1-9]\d{0,8}$/.test(text)) return good(Number(text));
  const parts = [...text.matchAll(/(\d{1,9})([smhdw])/g)];
  const seconds = parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNIT_SECONDS[unit!]!, 0);
  return parts.map(([part]) => part).join('') === text && seconds > 0
    ? good(seconds)
    : bad('write a number and s, m, h, d or w, such as 90s, 10m or 1h30m, or a number of seconds');
}

function readEndpoint(text: string): Parsed<Values['endpoint']> {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? '';
  const port = Number(digits);
  return parseAddress(host).ok && port <= 65_535
    ? good({ host, port })
    : bad('write an address and a port, such as 127.0.0.1:1179 or [::1]:1179');
}

function readRouterId(text: string): Parsed<number> {
  const address = parseAddress(text);
  const word = address.ok && address.value.family === 'ipv4' ? address.value.words[0]! : 0;
  return word === 0 ? bad('write four numbers, such as 192.0.2.1') : good(word);
}
