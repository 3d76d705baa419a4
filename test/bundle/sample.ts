/** Bundles for tests: keys, a speaker, and tables of routes. */
import fc from 'fast-check';
import { type BundleFiles, packBundle, packDeltaBundle } from '../../src/bundle/bundle.ts';
import { BundleError, type BundleErrorCode } from '../../src/bundle/bundle-error.ts';
import { digestOf, makeManifest, signManifest, type ManifestClaims } from '../../src/bundle/manifest.ts';
import type { BundleReader } from '../../src/bundle/open-bundle.ts';
import { encodeRoutes, encodeRoutesDelta } from '../../src/bundle/routes-part.ts';
import { generateSigningKey, type SigningKeyPair, type TrustedKey } from '../../src/bundle/signing-key.ts';
import { writeSpeakerDocument, type SpeakerDocument } from '../../src/bundle/speaker-document.ts';
import type { PrefixTable } from '../../src/core/tables/prefix-table.ts';
import { labelledPrefixes, tableOf } from '../oracle/arbitraries.ts';

export const TENANT = '0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c01';
export const SPEAKER = '0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c02';
export const REVISION = '0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c03';
const ISSUED = new Date('2026-01-01T00:00:00Z');
export const EXPIRES = new Date('2026-01-08T00:00:00Z');

export const key = generateSigningKey();

export function trusted(pair: SigningKeyPair = key, not_after: string | null = null): TrustedKey {
  return { key_id: pair.keyId, public_key: pair.publicKey.toString('base64'), not_after };
}

export const document: SpeakerDocument = {
  speaker: {
    tenantId: TENANT,
    speakerId: SPEAKER,
    name: 'edge "1" ☃',
    routerId: '192.0.2.1',
    localAsn: 64512,
    localIpv4: '192.0.2.1',
    localIpv6: null,
    peers: [
      {
        id: REVISION,
        name: 'router',
        address: '192.0.2.2',
        port: 179,
        remoteAsn: 64500,
        localAsn: 64512,
        localAddress: null,
        families: ['ipv4', 'ipv6'],
        passive: false,
        multihop: null,
        password: 'secret',
        holdTime: 90,
        nextHopIpv4: null,
        nextHopIpv6: null,
        labels: ['65000:100'],
        maxPrefixesOut: null,
        gracefulRestart: true,
        bfd: false,
      },
    ],
  },
  labels: { '65000:100': { community: '65000:100', nextHopIpv4: null, nextHopIpv6: null } },
  noExport: true,
  confirmSeconds: 60,
};

/** The files of a bundle of these routes, as the control plane issues it. */
export function filesOf(
  table: PrefixTable,
  claims: Partial<ManifestClaims> = {},
  { pair = key, speaker = document }: { pair?: SigningKeyPair; speaker?: SpeakerDocument } = {},
): BundleFiles {
  const routes = encodeRoutes(table);
  const speakerBytes = writeSpeakerDocument(speaker);
  const manifest = makeManifest(
    {
      tenant_id: TENANT,
      speaker_id: SPEAKER,
      sequence: 7,
      revision_id: REVISION,
      revision_number: 3,
      content_hash: routes.contentHash,
      issued_at: ISSUED.toISOString(),
      expires_at: EXPIRES.toISOString(),
      key_id: pair.keyId,
      announced_keys: [{ ...trusted(pair), not_before: ISSUED.toISOString() }],
      ...claims,
    },
    digestOf(speakerBytes),
    digestOf(routes.bytes),
  );
  return { ...signManifest(manifest, pair), speaker: speakerBytes, routes: routes.bytes };
}

export function bundleOf(...sample: Parameters<typeof filesOf>): Buffer {
  return Buffer.concat(packBundle(filesOf(...sample)));
}

/** The same as what changed since `base`; null where that says too much. */
export function deltaBundleOf(base: PrefixTable, table: PrefixTable): Buffer | null {
  const delta = encodeRoutesDelta(encodeRoutes(base).contentHash, base, table);
  return delta === null ? null : Buffer.concat(packDeltaBundle(filesOf(table), delta));
}

export const reader: BundleReader = {
  trusted: [trusted()],
  tenantId: TENANT,
  speakerId: SPEAKER,
  highestSequence: null,
  now: new Date('2026-01-02T00:00:00Z'),
};

/** The code of the refusal; null: it was taken. */
export function refusal(open: () => unknown): BundleErrorCode | null {
  try {
    open();
    return null;
  } catch (error) {
    if (error instanceof BundleError) return error.code;
    throw error;
  }
}

export const tables: fc.Arbitrary<PrefixTable> = labelledPrefixes.map(tableOf);

/** Two tables that share most of what they hold, so that a delta is worth its while. */
export const relatedTables: fc.Arbitrary<readonly [PrefixTable, PrefixTable]> = fc
  .tuple(labelledPrefixes, labelledPrefixes, labelledPrefixes)
  .map(([shared, a, b]) => [
    tableOf([...shared, ...a.slice(0, 4)]),
    tableOf([...shared.slice(a.length >> 3), ...b.slice(0, 4)]),
  ]);
