/**
 * Bundles: what one speaker is to run, signed, in one file that can travel anywhere. A checkout of a revision for one speaker.
 *
 *     bundle.ts             the files of a bundle          open-bundle.ts       verifies and reads one
 *     manifest.ts           what is signed                 signing-key.ts       who signs, and who vouches for the next key
 *     speaker-document.ts   the speaker and its peers      routes-part.ts       the routes, whole or as what changed
 *     archive.ts            all of it as one tar           canonical-json.ts    one form for every value
 *     inspect-bundle.ts     reads one that nobody may run
 *
 * Pure but for node:crypto: no clock, no file, no network. The control plane packs, agents open. docs/reference/bundle-format.md describes the
 * format to whoever writes another reader.
 */
import { createHash } from 'node:crypto';
import { readArchive, writeArchive, type ExpectedFile } from './archive.ts';
import { corrupt } from './bundle-error.ts';
import { ROUTES_PART, SPEAKER_PART, type PartDigest } from './manifest.ts';
import { SIGNATURE_BYTES } from './signing-key.ts';

const MANIFEST_PART = 'manifest.json';
const SIGNATURE_PART = 'manifest.json.sig';
const DELTA_PART = 'routes.delta';

const MAX_MANIFEST_BYTES = 64 * 1024;
const MAX_SPEAKER_BYTES = 16 * 1024 * 1024;
const MAX_ROUTES_BYTES = 240 * 1024 * 1024;
/** No bundle is larger: a reader need not take more from anybody. */
export const MAX_BUNDLE_BYTES = 256 * 1024 * 1024;

const FILES: readonly ExpectedFile[] = [
  { names: [MANIFEST_PART], maximum: MAX_MANIFEST_BYTES },
  { names: [SIGNATURE_PART], maximum: SIGNATURE_BYTES },
  { names: [SPEAKER_PART], maximum: MAX_SPEAKER_BYTES },
  { names: [ROUTES_PART, DELTA_PART], maximum: MAX_ROUTES_BYTES },
];

/** The files of a bundle but its routes. */
export interface BundleHead {
  readonly manifest: Uint8Array;
  /** 64 bytes, over `manifest`. */
  readonly signature: Uint8Array;
  readonly speaker: Uint8Array;
}

export interface BundleFiles extends BundleHead {
  readonly routes: Uint8Array;
}

/** The bundle in pieces, which are the given bytes where they can be: routes that many speakers share are not copied. */
export function packBundle({ routes, ...head }: BundleFiles): Uint8Array[] {
  return pack(head, ROUTES_PART, routes);
}

/** {@link packBundle} with what changed in place of the routes. */
export function packDeltaBundle(head: BundleHead, delta: Uint8Array): Uint8Array[] {
  return pack(head, DELTA_PART, delta);
}

function pack({ manifest, signature, speaker }: BundleHead, name: string, routes: Uint8Array): Uint8Array[] {
  return writeArchive([
    { name: MANIFEST_PART, bytes: manifest },
    { name: SIGNATURE_PART, bytes: signature },
    { name: SPEAKER_PART, bytes: speaker },
    { name, bytes: routes },
  ]);
}

/** The files of a bundle that nobody has verified yet, as views into it. */
export interface UnpackedBundle extends BundleFiles {
  /** `routes` are what changed. */
  readonly isDelta: boolean;
}

/** @throws {BundleError} `bundle_corrupt` */
export function unpackBundle(bytes: Uint8Array): UnpackedBundle {
  if (bytes.length > MAX_BUNDLE_BYTES)
    throw corrupt(`it has ${bytes.length} bytes, and ${MAX_BUNDLE_BYTES} is the most`);
  const files = readArchive(bytes, FILES);
  const [manifest, signature, speaker, routes] = files.map((file) => file.bytes);
  return {
    manifest: manifest!,
    signature: signature!,
    speaker: speaker!,
    routes: routes!,
    isDelta: files.at(-1)!.name === DELTA_PART,
  };
}

/** Length and SHA-256 of a bundle in pieces. */
export function digestPieces(pieces: readonly Uint8Array[]): PartDigest {
  const sum = createHash('sha256');
  for (const piece of pieces) sum.update(piece);
  return { sha256: sum.digest('hex'), length: pieces.reduce((total, { length }) => total + length, 0) };
}
