/**
 * Where prefixes are in JSON if no path is given:
 *
 *     {"prefixes": [{"ip_prefix": "…/24", "region": "…"}]}    members whose name is one of those that publishers use, with a length
 *     {"web": ["…/24", "…"], "domains": ["…"]}                arrays of text that hold a prefix with a length
 *
 * A single address counts only inside an array beside prefixes: as a member of an object it is often only the address of the prefix beside
 * it. Everything else in an array that counts is returned too, so that it is reported as rejected.
 */
import type { JSONValue } from 'json-p3';
import { parsePrefix } from '../core/prefix.ts';

/** Names of members in lower case, without `_` and `-`. */
const USUAL_NAMES = new Set([
  'cidr',
  'cidrblock',
  'cidripv4',
  'cidripv6',
  'ipprefix',
  'ipv4',
  'ipv4cidr',
  'ipv4prefix',
  'ipv6',
  'ipv6cidr',
  'ipv6prefix',
  'iprange',
  'network',
  'prefix',
  'range',
  'route',
  'subnet',
]);

/** The values at the usual places, in the order of the document. */
export function* usualValues(value: JSONValue): IterableIterator<JSONValue> {
  if (Array.isArray(value)) {
    if (value.some(isPrefixWithLength)) yield* value;
    else for (const item of value) yield* usualValues(item);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      if (typeof member !== 'string') yield* usualValues(member);
      else if (USUAL_NAMES.has(name.toLowerCase().replaceAll(/[_-]/g, '')) && member.includes('/'))
        yield member;
    }
  }
}

function isPrefixWithLength(value: JSONValue): boolean {
  return (
    typeof value === 'string' && value.length < 100 && value.includes('/') && parsePrefix(value.trim()).ok
  );
}
