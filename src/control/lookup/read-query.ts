import { fieldProblem } from '../../api/problems/problem.ts';
import { type Address, parseAddress } from '../../core/address.ts';
import { parseFqdn } from '../../core/fqdn.ts';
import { parsePrefix, type Prefix } from '../../core/prefix.ts';

/** What is looked up. */
export type Asked =
  | { readonly kind: 'ip'; readonly address: Address }
  | { readonly kind: 'prefix'; readonly prefix: Prefix }
  | { readonly kind: 'fqdn'; readonly name: string };

/** An address, or a prefix. */
export type Place = Exclude<Asked, { readonly kind: 'fqdn' }>;

/** @param pointer where the query stands in the request. @throws {Problem} `validation_failed` for what is nothing to look up */
export function readQuery(query: string, pointer: string): Asked {
  const text = query.trim();
  const address = parseAddress(text);
  if (address.ok) return { kind: 'ip', address: address.value };
  const prefix = parsePrefix(text);
  if (prefix.ok) return { kind: 'prefix', prefix: prefix.value };
  const name = parseFqdn(text);
  if (name.ok) return { kind: 'fqdn', name: name.value };
  const looksLikeAddress = /^[0-9.]+(?:\/|$)|:/.test(text);
  const reason = text.includes('/') ? prefix.reason : looksLikeAddress ? address.reason : name.reason;
  throw fieldProblem(pointer, `Neither an address or a prefix nor a domain name. ${reason}.`);
}
