import { parseAddress } from '../../core/address.ts';
import { compareWords, setHostBits } from '../../core/bits.ts';
import { parsePrefix, type Prefix } from '../../core/prefix.ts';
import type { UnreadAsn } from './answer.ts';
import { distinctOrigins, MOST_ORIGINS, type Origin } from './origins.ts';
import { type TableLine, unpackTable, walkTable } from './table-rows.ts';

export interface OriginsToRead {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly prefixes: readonly string[];
}

export interface ReadOrigins {
  readonly ok: true;
  /** Of each prefix, in that order. */
  readonly origins: readonly (readonly Origin[])[];
}

interface Asked {
  readonly family: Prefix['family'];
  readonly first: Uint32Array;
  readonly last: Uint32Array;
  readonly found: Origin[];
}

/** The lines of a table that have addresses of the prefixes; AS 0 is nobody. Never throws for any content. */
export function readTableOrigins({ body, prefixes }: OriginsToRead): ReadOrigins | UnreadAsn {
  const table = unpackTable(body);
  if (!table.ok) return table;
  const asked = prefixes.map(rangeOf);
  const refused = walkTable(table.text, (line) => {
    if (line.asn !== 0) keep(line, asked);
  });
  return refused ?? { ok: true, origins: asked.map(({ found }) => distinctOrigins(found)) };
}

function rangeOf(text: string): Asked {
  const parsed = parsePrefix(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  const { family, words, length } = parsed.value;
  const last = Uint32Array.from(words);
  setHostBits(last, 0, length, last.length);
  return { family, first: Uint32Array.from(words), last, found: [] };
}

function keep({ asn, first: firstText, last: lastText, name }: TableLine, asked: readonly Asked[]): void {
  const [first, last] = [parseAddress(firstText()), parseAddress(lastText())];
  if (!first.ok || !last.ok || first.value.family !== last.value.family) return;
  for (const one of asked) {
    const isBeside =
      one.family !== first.value.family ||
      compareWords(last.value.words, 0, one.first, 0, one.first.length) < 0 ||
      compareWords(first.value.words, 0, one.last, 0, one.last.length) > 0;
    if (isBeside || one.found.length >= MOST_ORIGINS) continue;
    one.found.push({ asn, name: name(), range: `${firstText()}-${lastText()}` });
  }
}
