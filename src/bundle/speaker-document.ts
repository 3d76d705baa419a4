/**
 * `speaker.json`: everything of a speaker except its routes. Its members are those of the models that drivers take (speakers/speaker.ts).
 * That room is beside ours, so they are defined here once more, as a schema that validates the document.
 */
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { lazily } from '../core/lazily.ts';
import { canonicalJson, parseCanonicalJson } from './canonical-json.ts';
import { corrupt } from './bundle-error.ts';

const strict = { additionalProperties: false };
const Text = Type.String({ maxLength: 1024 });
const MaybeText = Type.Union([Text, Type.Null()]);
const MaybeInteger = Type.Union([Type.Integer(), Type.Null()]);

const Peer = Type.Object(
  {
    id: Text,
    name: Text,
    address: Text,
    port: Type.Integer(),
    remoteAsn: Type.Integer(),
    localAsn: Type.Integer(),
    localAddress: MaybeText,
    families: Type.Array(Type.Enum(['ipv4', 'ipv6'])),
    passive: Type.Boolean(),
    takesCalls: Type.Optional(Type.Boolean()),
    multihop: MaybeInteger,
    password: MaybeText,
    refusal: Type.Optional(Text),
    holdTime: Type.Integer(),
    nextHopIpv4: MaybeText,
    nextHopIpv6: MaybeText,
    labels: Type.Union([Type.Array(Text), Type.Null()]),
    maxPrefixesOut: MaybeInteger,
    fits: Type.Optional(Type.Literal(true)),
    gracefulRestart: Type.Boolean(),
    restartTime: Type.Optional(Type.Integer()),
    staleTime: Type.Optional(Type.Integer()),
    bfd: Type.Boolean(),
    isBird: Type.Optional(Type.Boolean()),
  },
  strict,
);

const Speaker = Type.Object(
  {
    tenantId: Text,
    speakerId: Text,
    name: Text,
    routerId: Text,
    localAsn: Type.Integer(),
    localIpv4: MaybeText,
    localIpv6: MaybeText,
    birdRoutes: Type.Optional(Type.Enum(['static', 'feed'])),
    peers: Type.Array(Peer),
  },
  strict,
);

const Label = Type.Object({ community: Text, nextHopIpv4: MaybeText, nextHopIpv6: MaybeText }, strict);

/** Null: all. */
const AllowedRoutes = Type.Object(
  {
    prefixes: Type.Union([Type.Array(Text), Type.Null()]),
    communities: Type.Union([Type.Array(Text), Type.Null()]),
    foreignNextHops: Type.Array(Text),
  },
  strict,
);

const Lengths = Type.Object({ ipv4: Type.Integer(), ipv6: Type.Integer() }, strict);

/** What a cover may be that a peer is sent in place of more routes than its limit. */
const Fit = Type.Object(
  { maxAddedPercent: Type.Number({ minimum: 0 }), shortest: Lengths, forbidden: Type.Array(Text) },
  strict,
);

export const SpeakerDocument = Type.Object(
  {
    speaker: Speaker,
    /** What each label of the routes means on the wire. */
    labels: Type.Record(Type.String(), Label),
    /** Every route also carries NO_EXPORT (RFC 1997). */
    noExport: Type.Boolean(),
    /** Seconds until a daemon reverts an apply that is not confirmed. */
    confirmSeconds: Type.Integer({ minimum: 1 }),
    /** Percentage of the healthy peers that may fail before everything is taken back; absent: the setting's default. */
    maxFailedPeersPercent: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
    /** How long everything must be healthy before an apply stays; absent: the setting's default. */
    calmMilliseconds: Type.Optional(Type.Integer({ minimum: 0 })),
    /** Routes that the node may announce, since the tenant's policy was tightened; absent: all. */
    allowedRoutes: Type.Optional(AllowedRoutes),
    /** Present if a peer has `fits`. */
    fit: Type.Optional(Fit),
  },
  strict,
);
export type SpeakerDocument = DeepReadonly<Static<typeof SpeakerDocument>>;

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

const check = lazily(() => Compile(SpeakerDocument));

export function writeSpeakerDocument(document: SpeakerDocument): Buffer {
  return Buffer.from(canonicalJson(document));
}

/** @throws {BundleError} `bundle_corrupt` */
export function readSpeakerDocument(bytes: Uint8Array): SpeakerDocument {
  const value = parseCanonicalJson(bytes, 'speaker.json');
  if (!check().Check(value))
    throw corrupt(`speaker.json says something unknown${placeOf(check().Errors(value))}`);
  return value;
}

function placeOf(errors: readonly { readonly instancePath: string }[]): string {
  return errors[0] === undefined ? '' : ` at ${errors[0].instancePath || '/'}`;
}
