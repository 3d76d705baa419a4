import { formatAddress, parseAddress } from '../../core/address.ts';
import { parseAsn } from '../../core/asn.ts';
import { fieldProblem } from '../../api/problems/problem.ts';

/**
 * The one text of an address that a host can have: neither unspecified nor multicast nor broadcast.
 * @throws {Problem} for the field
 */
export function hostAddress(pointer: string, text: string): string {
  const parsed = parseAddress(text);
  if (!parsed.ok) throw fieldProblem(pointer, `${parsed.reason}.`);
  const { family, words } = parsed.value;
  const first = words[0]! >>> 24;
  const isNoHost =
    family === 'ipv4' ? first === 0 || first >= 224 : first === 0xff || words.every((word) => word === 0);
  if (isNoHost)
    throw fieldProblem(
      pointer,
      `${text} is not the address of a host. Give the address that a router answers on.`,
    );
  return formatAddress(parsed.value);
}

/** The body with {@link hostAddress} of each of these fields that it sets. */
export function withHostAddresses<Body extends object>(
  body: Body,
  names: readonly (keyof Body & string)[],
): Body {
  const read = names.flatMap((name) => {
    const text = body[name];
    return typeof text === 'string' ? [[name, hostAddress(`/${name}`, text)]] : [];
  });
  return { ...body, ...(Object.fromEntries(read) as Partial<Body>) };
}

/**
 * An AS number of a network, not one that stands for something else.
 * @throws {Problem} for the field
 */
export function checkAsn(pointer: string, asn: number | undefined): void {
  const parsed = asn === undefined ? null : parseAsn(asn);
  if (parsed?.ok === false) throw fieldProblem(pointer, `${parsed.reason}.`);
}
