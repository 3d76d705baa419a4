import { FAMILIES } from '../../../src/core/address.ts';
import type { CollectedPrefixes } from '../../../src/core/text/prefix-text.ts';
import { formatPrefixAt } from '../../../src/core/prefix.ts';
import {
  type ListToRead,
  type ReadList,
  type UnreadList,
  readList,
} from '../../../src/sources/lists/read-list.ts';

/** What was collected, IPv4 first, in order. */
export function textsOf(prefixes: Pick<CollectedPrefixes, 'ipv4' | 'ipv6'>): string[] {
  return FAMILIES.flatMap((family) =>
    Array.from({ length: prefixes[family].size }, (_, i) => formatPrefixAt(prefixes[family], i)),
  );
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, 'utf8'));
}

/** A list as it would come from a server that says nothing about it. */
export function listOf(body: string | Uint8Array<ArrayBuffer>, more: Partial<ListToRead> = {}): ListToRead {
  return {
    body: typeof body === 'string' ? bytesOf(body) : body,
    contentType: null,
    path: '/list',
    format: 'auto',
    jsonPath: null,
    csvColumn: null,
    bogons: 'drop',
    ...more,
  };
}

export function read(
  body: string | Uint8Array<ArrayBuffer>,
  more: Partial<ListToRead> = {},
): ReadList | UnreadList {
  return readList(listOf(body, more));
}

/** As {@link read}, for a list that must be readable. */
export function readGood(body: string | Uint8Array<ArrayBuffer>, more: Partial<ListToRead> = {}): ReadList {
  const answer = read(body, more);
  if (!answer.ok) throw new Error(`${answer.code}: ${answer.reason}`);
  return answer;
}
