import { SETTINGS } from '../api/operation/settings.ts';
import type { PrefixTable } from '../core/tables/prefix-table.ts';
import { type BundleFiles, unpackBundle, type UnpackedBundle } from './bundle.ts';
import { BundleError, corrupt, orCorrupt } from './bundle-error.ts';
import { parseCanonicalJson } from './canonical-json.ts';
import { checkManifest, digestOf, type BundleManifest, type PartDigest } from './manifest.ts';
import { type BaseTable, decodeRoutes, decodeRoutesDelta, encodeRoutes } from './routes-part.ts';
import { SIGNATURE_BYTES, isSignedBy, type TrustedKey } from './signing-key.ts';
import { readSpeakerDocument, type SpeakerDocument } from './speaker-document.ts';

/** What a reader knows beforehand. */
export interface BundleReader {
  readonly trusted: readonly TrustedKey[];
  readonly tenantId: string;
  readonly speakerId: string;
  /** The highest sequence that was ever accepted; null: none was. */
  readonly highestSequence: number | null;
  readonly now: Date;
  /** Routes that are available, from which a delta may start. */
  readonly base?: BaseTable | undefined;
}

export interface OpenedBundle {
  readonly manifest: BundleManifest;
  readonly speaker: SpeakerDocument['speaker'];
  /** In the shape that drivers take. */
  readonly routes: {
    readonly revisionId: string;
    readonly table: PrefixTable;
    readonly labels: SpeakerDocument['labels'];
    readonly noExport: boolean;
    readonly confirmSeconds: number;
  };
  /** Which of them may be announced; null: all. */
  readonly allowedRoutes: NonNullable<SpeakerDocument['allowedRoutes']> | null;
  /** What covers for peers may be; null: no peer is sent one. */
  readonly fit: NonNullable<SpeakerDocument['fit']> | null;
  /** How an apply is verified. */
  readonly verdict: { readonly maxFailedPercent: number; readonly calm: number };
  /** The files of the whole bundle, also when a delta was opened: packed again, they are the bundle that was issued. */
  readonly files: BundleFiles;
}

/**
 * Verifies a bundle and reads it. Its content is not trusted before the signature was verified. A bundle of the highest sequence may be
 * opened again, since it is issued again before it expires.
 * @throws {BundleError}
 */
export function openBundle(bytes: Uint8Array, reader: BundleReader): OpenedBundle {
  const unpacked = unpackBundle(bytes);
  const manifest = verifyManifest(unpacked, reader);
  refuseUnfit(manifest, reader);
  const [speakerPart, routesPart] = manifest.parts;
  requirePart(speakerPart, unpacked.speaker);
  const {
    speaker,
    maxFailedPeersPercent: maxFailedPercent = SETTINGS.deploy_max_failed_peers_percent.default,
    calmMilliseconds: calm = SETTINGS.deploy_calm_milliseconds.default,
    allowedRoutes = null,
    fit = null,
    ...policy
  } = readSpeakerDocument(unpacked.speaker);
  if (speaker.tenantId !== manifest.tenant_id || speaker.speakerId !== manifest.speaker_id)
    throw corrupt('speaker.json is that of another speaker');
  const { table, routes } = readRoutes(unpacked, manifest, routesPart, reader.base);
  return {
    manifest,
    speaker,
    routes: { revisionId: manifest.revision_id, table, ...policy },
    allowedRoutes,
    fit,
    verdict: { maxFailedPercent, calm },
    files: {
      manifest: unpacked.manifest,
      signature: unpacked.signature,
      speaker: unpacked.speaker,
      routes,
    },
  };
}

/** @throws {BundleError} `key_unknown`, `signature_invalid`, `bundle_corrupt` */
function verifyManifest(
  { manifest, signature }: UnpackedBundle,
  { trusted, now }: BundleReader,
): BundleManifest {
  const claimed = parseCanonicalJson(manifest, 'manifest.json');
  requireSignature(claimed, manifest, signature, trusted, now);
  return checkManifest(claimed);
}

/**
 * Verifies that a trusted key signed these bytes.
 * @param claimed what the bytes say; only the name of the key is used before verification
 * @throws {BundleError} `key_unknown`, `signature_invalid`, `bundle_corrupt`
 */
export function requireSignature(
  claimed: unknown,
  bytes: Uint8Array,
  signature: Uint8Array,
  trusted: readonly TrustedKey[],
  now: Date,
): void {
  const keyId = (claimed as { readonly key_id?: unknown } | null)?.key_id;
  const key = trusted.find((one) => one.key_id === keyId);
  if (key === undefined)
    throw new BundleError(
      'key_unknown',
      `The bundle is signed by the key ${JSON.stringify(keyId)}, which is not among those that are trusted: ` +
        `${trusted.map((one) => one.key_id).join(', ') || 'none'}. Read the signing keys again, or enroll again.`,
    );
  if (signature.length !== SIGNATURE_BYTES) throw corrupt(`the signature has ${signature.length} bytes`);
  if (!isSignedBy(key.public_key, bytes, signature))
    throw new BundleError(
      'signature_invalid',
      `The key ${key.key_id} did not sign this manifest. Somebody has changed the bundle on its way.`,
    );
  if (key.not_after !== null && now.getTime() > Date.parse(key.not_after))
    throw new BundleError(
      'key_unknown',
      `The key ${key.key_id} was good until ${key.not_after}. Read the signing keys again, or enroll again.`,
    );
}

/** @throws {BundleError} `bundle_foreign`, `bundle_replayed`, `bundle_expired` */
function refuseUnfit(
  { tenant_id: tenantId, speaker_id: speakerId, sequence, expires_at: expiresAt }: BundleManifest,
  reader: BundleReader,
): void {
  if (tenantId !== reader.tenantId || speakerId !== reader.speakerId)
    throw new BundleError(
      'bundle_foreign',
      `The bundle is for the speaker ${speakerId} of the tenant ${tenantId}, not for ${reader.speakerId} of ${reader.tenantId}.`,
    );
  if (reader.highestSequence !== null && sequence < reader.highestSequence)
    throw new BundleError(
      'bundle_replayed',
      `The bundle has the sequence ${sequence}, and ${reader.highestSequence} was taken before. It is an old one.`,
    );
  if (reader.now.getTime() > Date.parse(expiresAt))
    throw new BundleError(
      'bundle_expired',
      `The bundle expired at ${expiresAt}, and it is ${reader.now.toISOString()}. Fetch the latest one; see that the clock is right.`,
    );
}

/** @throws {BundleError} `bundle_corrupt` */
export function requirePart(
  { name, sha256, length }: PartDigest & { readonly name: string },
  bytes: Uint8Array,
): void {
  const found = digestOf(bytes);
  if (found.length !== length || found.sha256 !== sha256)
    throw corrupt(`${name} is not the one that was signed`);
}

function readRoutes(
  { routes, isDelta }: UnpackedBundle,
  { content_hash: contentHash }: BundleManifest,
  part: BundleManifest['parts'][1],
  base: BaseTable | undefined,
): { readonly table: PrefixTable; readonly routes: Uint8Array } {
  if (isDelta) {
    const table = decodeRoutesDelta(routes, base);
    // A delta that was tampered with may produce a table that could not have been stored.
    const { bytes } = orCorrupt(RangeError, () => encodeRoutes(table));
    requirePart(part, bytes);
    return { table, routes: bytes };
  }
  // Before it is decoded: hashing is quick, and unsigned data must not reach a decoder.
  requirePart(part, routes);
  return { table: decodeRoutes({ contentHash, bytes: routes }), routes };
}
