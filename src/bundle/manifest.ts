/** `manifest.json`: what a bundle is, for whom, until when, and the hashes of its files. This is what is signed. */
import { hash } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { NO_REVISION } from '../api/nodes/bundles.ts';
import { UUID } from '../api/shapes/uuid.ts';
import { lazily } from '../core/lazily.ts';
import { EMPTY_TABLE_HASH } from '../core/stored/table-manifest.ts';
import { canonicalJson } from './canonical-json.ts';
import { corrupt } from './bundle-error.ts';
import { type SigningKeyPair, signBytes } from './signing-key.ts';

const FORMAT = 1;
/** Format of a bundle that withdraws everything; it differs from {@link FORMAT} so that nobody confuses them. */
const WITHDRAWING_FORMAT = 2;
const FORMATS = [FORMAT, WITHDRAWING_FORMAT];
export const SPEAKER_PART = 'speaker.json';
export const ROUTES_PART = 'routes.pct';

const strict = { additionalProperties: false };
export const Uuid = Type.String({ pattern: `^${UUID}$` });
export const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
export const KeyId = Type.String({ pattern: '^[0-9a-f]{16}$' });
export const Time = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' });
const Length = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** Every key whose signature is valid now or will be: a reader trusts these from now on. */
export const AnnouncedKeys = Type.Array(
  Type.Object(
    {
      key_id: KeyId,
      public_key: Type.String({ maxLength: 44 }),
      not_before: Time,
      not_after: Type.Union([Time, Type.Null()]),
    },
    strict,
  ),
  { maxItems: 100 },
);

const partOf = (name: string) =>
  Type.Object({ name: Type.Literal(name), sha256: Sha256, length: Length }, strict);

export const BundleManifest = Type.Object(
  {
    format: Type.Enum(FORMATS),
    tenant_id: Uuid,
    speaker_id: Uuid,
    /** Higher than that of every earlier desired state of the speaker. */
    sequence: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    /** In the {@link WITHDRAWING_FORMAT}: the nil UUID, number 0, and the table without rows. */
    revision_id: Uuid,
    revision_number: Type.Integer({ minimum: 0 }),
    /** Of the table in `routes.pct` (core/stored/table-codec.ts). */
    content_hash: Sha256,
    /** The files of the whole bundle, also if `routes.delta` replaces `routes.pct`. */
    parts: Type.Tuple([partOf(SPEAKER_PART), partOf(ROUTES_PART)]),
    issued_at: Time,
    expires_at: Time,
    /** The key that signed this. */
    key_id: KeyId,
    announced_keys: AnnouncedKeys,
  },
  strict,
);
export type BundleManifest = Readonly<Static<typeof BundleManifest>>;

/** The parts of a manifest that do not follow from the files. */
export type ManifestClaims = Omit<BundleManifest, 'format' | 'parts'>;

export interface PartDigest {
  readonly sha256: string;
  readonly length: number;
}

export function digestOf(bytes: Uint8Array): PartDigest {
  return { sha256: hash('sha256', bytes), length: bytes.length };
}

export function makeManifest(
  claims: ManifestClaims,
  speaker: PartDigest,
  routes: PartDigest,
): BundleManifest {
  return {
    ...claims,
    format: claims.revision_id === NO_REVISION ? WITHDRAWING_FORMAT : FORMAT,
    parts: [
      { name: SPEAKER_PART, sha256: speaker.sha256, length: speaker.length },
      { name: ROUTES_PART, sha256: routes.sha256, length: routes.length },
    ],
  };
}

/** The bytes of the manifest and the raw Ed25519 signature over them. */
export function signManifest(
  manifest: BundleManifest,
  key: SigningKeyPair,
): { readonly manifest: Buffer; readonly signature: Buffer } {
  const bytes = Buffer.from(canonicalJson(manifest));
  return { manifest: bytes, signature: signBytes(key, bytes) };
}

const check = lazily(() => Compile(BundleManifest));

/**
 * @param value as read from canonical JSON
 * @throws {BundleError} `bundle_corrupt`
 */
export function checkManifest(value: unknown): BundleManifest {
  const { format } = (value ?? {}) as { readonly format?: unknown };
  if (!FORMATS.includes(format as number))
    throw corrupt(
      `its format is ${JSON.stringify(format)}, and this program reads ${FORMATS.join(' and ')} only`,
    );
  if (!check().Check(value)) throw corrupt('manifest.json says something unknown');
  const withdraws = format === WITHDRAWING_FORMAT;
  // Nothing is withdrawn by mistake: the whole manifest must say so.
  const isClear =
    (value.revision_id === NO_REVISION) === withdraws &&
    (value.revision_number === 0) === withdraws &&
    (!withdraws || value.content_hash === EMPTY_TABLE_HASH);
  if (!isClear) throw corrupt('manifest.json does not say clearly whether everything is to be withdrawn');
  return value;
}
