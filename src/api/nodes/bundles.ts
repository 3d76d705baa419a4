/** Bundles: what a node pulls for its speaker, and the keys that sign it. */
import { Type, type Static } from 'typebox';
import { Id, Nullable, Strict, Timestamp } from '../shapes/page.ts';

export const MAXIMUM_WAIT_SECONDS = 60;
export const DEFAULT_ANNOUNCE_SECONDS = 86_400;
/** Stands where a revision would, of a bundle that withdraws everything: the nil UUID (RFC 9562, section 5.9). Its number is 0. */
export const NO_REVISION = '00000000-0000-0000-0000-000000000000';

const Sequence = Type.Integer({
  minimum: 1,
  description: 'Higher than that of every earlier state of the speaker',
});

export const LatestQuery = Strict({
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAXIMUM_WAIT_SECONDS,
      default: 0,
      description: 'Seconds to wait for a bundle other than the one that `If-None-Match` names',
    }),
  ),
});
export type LatestQuery = Static<typeof LatestQuery>;

export const LatestBundle = Strict({
  speaker_id: Id,
  sequence: Sequence,
  revision_id: Type.String({
    format: 'uuid',
    description: `The revision that the routes are; \`${NO_REVISION}\`: none, the speaker is to withdraw everything`,
  }),
  revision_number: Type.Integer({ minimum: 0, description: '0: no revision' }),
  content_hash: Type.String({ description: 'Of the routes' }),
  bundle: Strict({
    url: Type.String({
      description: 'Path of the whole bundle; with `&from=` of what changed since a revision',
    }),
    length: Type.Integer({ description: 'Bytes of the whole bundle' }),
    sha256: Type.String({ description: 'Of the whole bundle' }),
  }),
  expires_at: Type.String({ format: 'date-time', description: 'A node accepts the bundle until then' }),
});
export type LatestBundle = Static<typeof LatestBundle>;

export const BundleQuery = Strict({
  sequence: Type.Optional(Sequence),
  issue: Type.Optional(
    Type.Integer({ minimum: 1, description: 'How often this state was signed; a URL with it never changes' }),
  ),
  from: Type.Optional(
    Type.String({
      format: 'uuid',
      description:
        'A revision whose content the node has: the answer holds only the changes since, if these are smaller',
    }),
  ),
});
export type BundleQuery = Static<typeof BundleQuery>;

export const SigningKey = Strict({
  key_id: Type.String({
    description: 'The first 16 hexadecimal digits of the SHA-256 of the raw public key',
  }),
  algorithm: Type.Literal('Ed25519'),
  public_key_pem: Type.String({ description: 'As `openssl pkeyutl -verify -pubin` takes it' }),
  public_key: Type.String({ description: 'The 32 raw bytes, base64' }),
  not_before: Type.String({ format: 'date-time', description: 'When it begins, or began, to sign' }),
  not_after: Nullable(
    Timestamp,
    'Bundles that it signed are not valid after this; null: no other key follows yet',
  ),
  active: Type.Boolean({ description: 'Whether it signs now' }),
  endorsed_by: Nullable(Type.String(), '`key_id` of the key that vouches for it; null: the first'),
  endorsement: Nullable(Type.String(), 'Signature of that key, base64; see docs/reference/bundle-format.md'),
});
export type SigningKey = Static<typeof SigningKey>;

export const SigningKeys = Strict({ items: Type.Array(SigningKey) });
export type SigningKeys = Static<typeof SigningKeys>;

export const SigningKeyRotate = Strict({
  announce_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 30 * 86_400,
      default: DEFAULT_ANNOUNCE_SECONDS,
      description: 'How long the new key is announced before it signs; 0: it signs from now on',
    }),
  ),
});
export type SigningKeyRotate = Static<typeof SigningKeyRotate>;
