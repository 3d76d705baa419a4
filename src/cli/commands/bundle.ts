/** `prefixcast bundle`: what is in a bundle, and whether it is good, without the service that made it. */
import { readFileSync, statSync } from 'node:fs';
import { BundleError } from '../../bundle/bundle-error.ts';
import { MAX_BUNDLE_BYTES } from '../../bundle/bundle.ts';
import { inspectBundle, type InspectedBundle } from '../../bundle/inspect-bundle.ts';
import type { TrustedKey } from '../../bundle/signing-key.ts';
import { type Family, FAMILIES } from '../../core/address.ts';
import { formatPrefixAt } from '../../core/prefix.ts';
import { column, type Item } from '../nouns/noun.ts';
import { CommandError, EXIT, UsageError } from '../process/command-error.ts';
import { isSystemError, reasonOf } from '../process/system-error.ts';
import { type Format, print, printList, printObject } from '../render/formats.ts';

const COLUMNS = [
  column('SPEAKER', 'speaker'),
  column('REVISION', 'revision_number'),
  column('SEQUENCE', 'sequence'),
  column('IPV4', 'prefix_count.ipv4'),
  column('IPV6', 'prefix_count.ipv6'),
  column('ISSUED', 'issued_at'),
  column('EXPIRES', 'expires_at'),
  column('KEY', 'key_id'),
];

export async function show(file: string, format: Format): Promise<number> {
  const item = described(read(file, null));
  const isForPeople = format === 'table' || format === 'wide';
  const shown = isForPeople ? { ...item, peers: item.peers.map(peerText) } : item;
  await printObject(shown, { columns: COLUMNS, name: 'speaker' }, format);
  return EXIT.ok;
}

/** Who made it up could say anything in it: nothing of it is printed before the signature is good. */
export function verify(file: string, keysFile: string | undefined): number {
  if (keysFile === undefined)
    throw new UsageError(
      'Name the keys that may sign it: --keys FILE, as prefixcast bundle keys -o json prints them',
    );
  const now = new Date();
  const bundle = read(file, trustedOf(keysFile), now);
  const { speaker, revision_number: number, key_id: key, expires_at: end } = described(bundle);
  const what = `${file} is for the speaker ${speaker}, revision ${number}; the key ${key} has signed it`;
  if (now.getTime() > Date.parse(end))
    throw new CommandError(`${what}. It has expired at ${end}: no node takes it any more`, EXIT.rejects);
  print(`${what}; nodes take it until ${end}\n`);
  return EXIT.ok;
}

export async function prefixes(file: string, format: Format): Promise<number> {
  const { routes, document } = read(file, null);
  if (routes === null)
    throw new CommandError(
      `${file} has only what changed since another bundle; the whole one has all routes`,
      EXIT.rejects,
    );
  const communities = routes.labelSets.map((labels) =>
    labels.map((label) => document.labels[label]?.community ?? label),
  );
  const items = FAMILIES.flatMap((family) =>
    Array.from({ length: routes[family].size }, (_, row): Item => ({
      prefix: formatPrefixAt(routes[family], row),
      communities: communities[routes[family].labels[row]!],
    })),
  );
  const columns = [column('PREFIX', 'prefix'), column('COMMUNITIES', 'communities')];
  await printList({ items, columns, name: 'prefix' }, format);
  return EXIT.ok;
}

function described({ manifest, document: { speaker, noExport }, routes }: InspectedBundle) {
  const count = (family: Family): number | null => (routes === null ? null : routes[family].size);
  return {
    speaker: speaker.name,
    speaker_id: manifest.speaker_id,
    tenant_id: manifest.tenant_id,
    local_asn: speaker.localAsn,
    router_id: speaker.routerId,
    revision_number: manifest.revision_number,
    revision_id: manifest.revision_id,
    sequence: manifest.sequence,
    content_hash: manifest.content_hash,
    is_delta: routes === null,
    prefix_count: { ipv4: count('ipv4'), ipv6: count('ipv6') },
    no_export: noExport,
    issued_at: manifest.issued_at,
    expires_at: manifest.expires_at,
    key_id: manifest.key_id,
    announced_keys: manifest.announced_keys.map(({ key_id: key }) => key),
    peers: speaker.peers.map(({ name, address, port, remoteAsn, families, refusal }) => ({
      name,
      address,
      port,
      remote_asn: remoteAsn,
      families,
      refusal: refusal ?? null,
    })),
  };
}

type Peer = ReturnType<typeof described>['peers'][number];

function peerText({ name, address, port, remote_asn: asn, refusal }: Peer): string {
  return `${name} (${address}${port === 179 ? '' : ` port ${port}`}, AS${asn}${refusal === null ? '' : `, without a session: ${refusal}`})`;
}

/** @param trusted null: whoever has signed it. @throws {CommandError} */
function read(file: string, trusted: readonly TrustedKey[] | null, now = new Date()): InspectedBundle {
  const bytes = readBytes(file);
  try {
    return inspectBundle(bytes, trusted, now);
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    throw new CommandError(`${file}: ${error.message}`, EXIT.rejects, { cause: error });
  }
}

/** As the service publishes them (`items`), or as a node keeps those that it trusts (`keys`). */
function trustedOf(file: string): readonly TrustedKey[] {
  const text = readBytes(file).toString('utf8');
  const keys = ((): unknown => {
    try {
      const { items, keys: kept } = JSON.parse(text) as { readonly items?: unknown; readonly keys?: unknown };
      return items ?? kept;
    } catch {
      return undefined;
    }
  })();
  if (Array.isArray(keys) && keys.length > 0 && keys.every(isKey)) return keys;
  throw new CommandError(
    `${file} has no signing keys: write what prefixcast bundle keys -o json prints, or the trust.json of a node`,
    EXIT.noInput,
  );
}

function isKey(value: unknown): value is TrustedKey {
  const { key_id: id, public_key: key, not_after: end } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return typeof id === 'string' && typeof key === 'string' && (end === null || typeof end === 'string');
}

const STANDARD_INPUT = 0;

/** @throws {CommandError} for what cannot be read, or is larger than a bundle may be */
function readBytes(file: string): Buffer {
  try {
    const size = file === '-' ? 0 : statSync(file).size;
    if (size > MAX_BUNDLE_BYTES)
      throw new CommandError(
        `${file} has ${size} bytes; no bundle has more than ${MAX_BUNDLE_BYTES}`,
        EXIT.rejects,
      );
    return readFileSync(file === '-' ? STANDARD_INPUT : file);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new CommandError(`${file} can't be read: ${reasonOf(error)}`, EXIT.noInput, { cause: error });
  }
}
