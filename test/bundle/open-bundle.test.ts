import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NO_REVISION } from '../../src/api/nodes/bundles.ts';
import { MAX_BUNDLE_BYTES, packBundle } from '../../src/bundle/bundle.ts';
import { canonicalJson } from '../../src/bundle/canonical-json.ts';
import { openBundle } from '../../src/bundle/open-bundle.ts';
import { encodeRoutes } from '../../src/bundle/routes-part.ts';
import { generateSigningKey, signBytes } from '../../src/bundle/signing-key.ts';
import { PrefixTableBuilder, emptyTable, type PrefixTable } from '../../src/core/tables/prefix-table.ts';
import {
  EXPIRES,
  REVISION,
  SPEAKER,
  TENANT,
  bundleOf,
  deltaBundleOf,
  document,
  filesOf,
  key,
  reader,
  refusal,
  relatedTables,
  tables,
  trusted,
} from './sample.ts';
import '../fuzz.ts';

const WITHDRAWN = { revision_id: NO_REVISION, revision_number: 0 };
const OTHER = '0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0cff';

/** `count` host prefixes from 10.0.0.0 on. */
function hosts(count: number, label = '65000:100'): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (let i = 0; i < count; i++) builder.add('ipv4', [0x0a000000 + i * 2], 32, label);
  return builder.build();
}

const table = hosts(40);
const bundle = bundleOf(table);
const baseOf = (base: PrefixTable) => ({ contentHash: encodeRoutes(base).contentHash, table: base });

describe('a bundle', () => {
  test('opens to what was packed', () => {
    const opened = openBundle(bundle, reader);
    expect(opened.speaker).toEqual(document.speaker);
    expect(opened.routes).toEqual({
      revisionId: REVISION,
      table,
      labels: document.labels,
      noExport: true,
      confirmSeconds: 60,
    });
    expect(opened.manifest).toMatchObject({ format: 1, tenant_id: TENANT, speaker_id: SPEAKER, sequence: 7 });
  });

  test('of any routes opens to them, and is the same bytes from equal tables', () => {
    fc.assert(
      fc.property(tables, (some) => {
        const packed = bundleOf(some);
        const { routes, files } = openBundle(packed, reader);
        expect(routes.table).toEqual(some);
        expect(Buffer.concat(packBundle(files)).equals(packed)).toBe(true);
        expect(bundleOf(routes.table).equals(packed)).toBe(true);
      }),
    );
  });

  test('of no routes is one too', () => {
    expect(openBundle(bundleOf(emptyTable()), reader).routes.table).toEqual(emptyTable());
  });

  test('that withdraws everything says so in its format, its revision and its routes', () => {
    const opened = openBundle(bundleOf(emptyTable(), WITHDRAWN), reader);
    expect(opened.manifest).toMatchObject({ format: 2, revision_id: NO_REVISION, revision_number: 0 });
    expect(opened.routes.table).toEqual(emptyTable());
    expect(opened.speaker).toEqual(document.speaker);
  });

  test('is made of exactly these bytes: others have readers of their own', () => {
    const { speaker, routes } = filesOf(table);
    expect(hash('sha256', speaker)).toBe('efcbf9e8919ca8e12cca272f9ad13a521b02d2a5458796d2c19d6dce218ec3ec');
    expect(hash('sha256', routes)).toBe('c915f906c1f367ac177e5f775e7ea8e25e4d0751baad45c9989698f6ade88b4c');
  });
});

describe('what changed since a content', () => {
  test('makes the very bundle that is whole, for any two tables', () => {
    fc.assert(
      fc.property(relatedTables, ([before, after]) => {
        const delta = deltaBundleOf(before, after);
        fc.pre(delta !== null);
        const opened = openBundle(delta, { ...reader, base: baseOf(before) });
        expect(opened.routes.table).toEqual(after);
        expect(Buffer.concat(packBundle(opened.files)).equals(bundleOf(after))).toBe(true);
      }),
    );
  });

  test('is small where little changed', () => {
    const delta = deltaBundleOf(hosts(9_999), hosts(10_000))!;
    expect(delta.length).toBeLessThan(bundleOf(hosts(10_000)).length / 4);
  });

  test('is refused without that content, or with another', () => {
    const delta = deltaBundleOf(hosts(39), table)!;
    expect(refusal(() => openBundle(delta, reader))).toBe('base_missing');
    expect(refusal(() => openBundle(delta, { ...reader, base: baseOf(hosts(38)) }))).toBe('base_missing');
    expect(refusal(() => openBundle(delta, { ...reader, base: baseOf(hosts(39)) }))).toBeNull();
  });

  test('is refused when the table that it is put on is not the one it is said to be', () => {
    const delta = deltaBundleOf(hosts(39), table)!;
    const { contentHash } = baseOf(hosts(39));
    const wrong = { contentHash, table: hosts(39, '65000:200') };
    expect(refusal(() => openBundle(delta, { ...reader, base: wrong }))).toBe('bundle_corrupt');
  });
});

const TAMPERED = ['bundle_corrupt', 'signature_invalid', 'key_unknown', 'base_missing'];

describe.each([
  ['a bundle', bundle],
  ['a delta', deltaBundleOf(hosts(39), table)!],
])('of %s', (_, original) => {
  const withBase = { ...reader, base: baseOf(hosts(39)) };

  test('no byte can be altered', () => {
    for (let at = 0; at < original.length; at++) {
      const altered = Buffer.from(original);
      altered[at]! ^= 1 << (at % 8);
      expect(TAMPERED, `byte ${at}`).toContain(refusal(() => openBundle(altered, withBase)));
    }
  });

  test('no part can be missing, and nothing added', () => {
    for (let length = 0; length < original.length; length += 1)
      expect(refusal(() => openBundle(original.subarray(0, length), withBase))).toBe('bundle_corrupt');
    const longer = Buffer.concat([original, Buffer.alloc(512)]);
    expect(refusal(() => openBundle(longer, withBase))).toBe('bundle_corrupt');
  });
});

describe('a bundle is refused', () => {
  const code = (bytes: Uint8Array, more: Partial<typeof reader> = {}) =>
    refusal(() => openBundle(bytes, { ...reader, ...more }));

  test('for another speaker or another tenant', () => {
    expect(code(bundle, { speakerId: OTHER })).toBe('bundle_foreign');
    expect(code(bundle, { tenantId: OTHER })).toBe('bundle_foreign');
  });

  test('with the document of another speaker or tenant in it, although it is signed', () => {
    for (const foreign of [{ speakerId: OTHER }, { tenantId: OTHER }]) {
      const speaker = { ...document, speaker: { ...document.speaker, ...foreign } };
      expect(code(bundleOf(table, {}, { speaker }))).toBe('bundle_corrupt');
    }
  });

  test('when it is older than one that was taken; the same again is good', () => {
    expect(code(bundle, { highestSequence: 8 })).toBe('bundle_replayed');
    expect(code(bundle, { highestSequence: 7 })).toBeNull();
  });

  test('after it has expired', () => {
    expect(code(bundle, { now: new Date(EXPIRES.getTime() + 1) })).toBe('bundle_expired');
    expect(code(bundle, { now: EXPIRES })).toBeNull();
  });

  test('when its key is not trusted, or not any more', () => {
    const other = generateSigningKey();
    expect(code(bundleOf(table, {}, { pair: other }))).toBe('key_unknown');
    expect(code(bundle, { trusted: [] })).toBe('key_unknown');
    expect(code(bundle, { trusted: [trusted(key, '2026-01-01T12:00:00Z')] })).toBe('key_unknown');
  });

  test('when another key has signed in the name of the trusted one', () => {
    const files = filesOf(table);
    const signature = signBytes(generateSigningKey(), files.manifest);
    expect(code(Buffer.concat(packBundle({ ...files, signature })))).toBe('signature_invalid');
  });

  test('when it is larger than any bundle', () => {
    // Made of nothing: a view of a length.
    const huge = new Proxy(bundle, {
      get: (target, name) =>
        name === 'length' ? MAX_BUNDLE_BYTES + 1 : (Reflect.get(target, name) as unknown),
    });
    expect(code(huge)).toBe('bundle_corrupt');
  });

  const signed = (manifest: string, routes = table) => {
    const bytes = Buffer.from(manifest);
    return Buffer.concat(
      packBundle({ ...filesOf(routes), manifest: bytes, signature: signBytes(key, bytes) }),
    );
  };

  test.each([
    ['routes', table, WITHDRAWN, {}],
    ['a revision', emptyTable(), {}, { format: 2 }],
    ['the number of a revision', emptyTable(), WITHDRAWN, { revision_number: 3 }],
    ['the id of a revision', emptyTable(), WITHDRAWN, { revision_id: REVISION }],
    ['the format of what has one', emptyTable(), WITHDRAWN, { format: 1 }],
  ])('when it withdraws everything and has %s', (_, routes, claims, more) => {
    const members = JSON.parse(Buffer.from(filesOf(routes, claims).manifest).toString()) as object;
    expect(code(signed(canonicalJson({ ...members, ...more }), routes))).toBe('bundle_corrupt');
  });

  test('when its manifest is of another format, has members unknown, or is not canonical', () => {
    const text = Buffer.from(filesOf(table).manifest).toString();
    const members = JSON.parse(text) as Record<string, unknown>;
    expect(code(signed(text))).toBeNull();
    for (const format of [0, 2, 3, '1', null])
      expect(code(signed(canonicalJson({ ...members, format })))).toBe('bundle_corrupt');
    expect(code(signed(canonicalJson({ ...members, extra: 1 })))).toBe('bundle_corrupt');
    expect(code(signed(canonicalJson({ ...members, sequence: 1.5 })))).toBe('bundle_corrupt');
    expect(code(signed(JSON.stringify(members, null, 1)))).toBe('bundle_corrupt');
    expect(code(signed(text.replace('{', '{"format":1,')))).toBe('bundle_corrupt');
    expect(code(signed('[]'))).toBe('key_unknown');
    expect(code(signed('{'))).toBe('bundle_corrupt');
  });

  test('when its manifest is nested as deep as it may be long', () => {
    const nested = (start: string, end: string, levels: number) =>
      `${start.repeat(levels)}0${end.repeat(levels)}`;
    expect(code(signed(nested('[', ']', 32_000)))).toBe('bundle_corrupt');
    expect(code(signed(nested('{"":', '}', 13_000)))).toBe('bundle_corrupt');
  });

  test('when the routes are of another content than the manifest says', () => {
    expect(code(bundleOf(table, { content_hash: 'a'.repeat(64) }))).toBe('bundle_corrupt');
  });
});
