/** Reads a bundle for somebody who looks into it: whoever it is for, however old it is, and whoever has signed it. Nobody may run what this reads. */
import type { PrefixTable } from '../core/tables/prefix-table.ts';
import { unpackBundle } from './bundle.ts';
import { parseCanonicalJson } from './canonical-json.ts';
import { type BundleManifest, checkManifest } from './manifest.ts';
import { requirePart, requireSignature } from './open-bundle.ts';
import { decodeRoutes } from './routes-part.ts';
import type { TrustedKey } from './signing-key.ts';
import { readSpeakerDocument, type SpeakerDocument } from './speaker-document.ts';

export interface InspectedBundle {
  readonly manifest: BundleManifest;
  readonly document: SpeakerDocument;
  /** Null: the bundle has only what changed since another one. */
  readonly routes: PrefixTable | null;
}

/**
 * The files are those that the manifest names. Where `trusted` is given, one of these keys has signed the manifest, and was good then.
 * @throws {BundleError} `bundle_corrupt`; with keys `key_unknown` and `signature_invalid`, too
 */
export function inspectBundle(
  bytes: Uint8Array,
  trusted: readonly TrustedKey[] | null,
  now: Date,
): InspectedBundle {
  const { manifest: signed, signature, speaker, routes, isDelta } = unpackBundle(bytes);
  const claimed = parseCanonicalJson(signed, 'manifest.json');
  if (trusted !== null) requireSignature(claimed, signed, signature, trusted, now);
  const manifest = checkManifest(claimed);
  const [speakerPart, routesPart] = manifest.parts;
  requirePart(speakerPart, speaker);
  if (!isDelta) requirePart(routesPart, routes);
  return {
    manifest,
    document: readSpeakerDocument(speaker),
    routes: isDelta ? null : decodeRoutes({ contentHash: manifest.content_hash, bytes: routes }),
  };
}
