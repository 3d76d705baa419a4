/** What is damaged in an archive is found, with its place. Without a database: readers see rows as bytes. */
import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { extract, type Header, pack } from 'tar-stream';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ArchiveHead, ArchiveManifest } from '../../src/backup/archive.ts';
import { readArchive } from '../../src/backup/archive-reader.ts';
import { ArchiveWriter } from '../../src/backup/archive-writer.ts';

const HEAD: ArchiveHead = {
  format: 1,
  createdAt: '2027-01-31T12:00:00.000Z',
  release: '1.0.0',
  serverVersion: '18.4',
  serviceId: '',
  migrations: [],
  tables: ['empty', 'large', 'last', 'small'].map((name) => ({ name, columns: ['a'] })),
};
const LARGE = Array.from({ length: 200_000 }, (_, at) => `${at}\tsome text of a row that is repeated\n`).join(
  '',
);
const ROWS: Readonly<Record<string, string>> = { empty: '', large: LARGE, last: '', small: 'one\ntwo\n' };

interface Member {
  readonly name: string;
  readonly bytes: Buffer;
}

let archive: Buffer;
let members: readonly Member[];

beforeAll(async () => {
  const chunks: Uint8Array[] = [];
  const sink = (bytes: Uint8Array): Promise<void> => Promise.resolve(void chunks.push(Buffer.from(bytes)));
  const writer = new ArchiveWriter(sink, HEAD.createdAt);
  await writer.begin(HEAD, '{"fingerprint":"0123456789"}');
  for (const { name } of HEAD.tables)
    await writer.table(name, Readable.from(pieces(Buffer.from(ROWS[name]!), 65_536)));
  await writer.finish([]);
  archive = Buffer.concat(chunks);
  members = await membersOf(archive);
});

function pieces(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
}

async function membersOf(bytes: Buffer): Promise<Member[]> {
  const found: Member[] = [];
  const tar = extract();
  tar.end(bytes);
  for await (const entry of tar as unknown as AsyncIterable<AsyncIterable<Buffer> & { header: Header }>) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk);
    found.push({ name: entry.header.name, bytes: Buffer.concat(chunks) });
  }
  return found;
}

async function packed(some: readonly Member[]): Promise<Buffer> {
  const tar = pack();
  for (const { name, bytes } of some) tar.entry({ name, size: bytes.length }, bytes);
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** @returns what the archive holds, as far as its reader tells */
async function read(bytes: Buffer): Promise<Record<string, string>> {
  const rows: Record<string, string> = {};
  await readArchive(Readable.from(pieces(bytes, 1_000)) as AsyncIterable<Buffer>, {
    onHead: () => Promise.resolve(),
    onRows: (table, some) => Promise.resolve(void (rows[table] = (rows[table] ?? '') + some.toString())),
    onTableEnd: (table) => Promise.resolve(void (rows[table] ??= '')),
  });
  return rows;
}

test('every row comes out as it went in', async () => {
  expect(await read(archive)).toEqual(ROWS);
  expect(members.filter(({ name }) => name.startsWith('tables/large/')).length).toBeGreaterThan(1);
});

const isLarge = ({ name }: Member): boolean => name.startsWith('tables/large/');

function flipped({ name, bytes }: Member): Member {
  const other = Buffer.from(bytes);
  other[other.length >> 1]! ^= 1;
  return { name, bytes: other };
}

const flip =
  (name: string) =>
  (all: readonly Member[]): Member[] =>
    all.map((one) => (one.name === name ? flipped(one) : one));

const without =
  (name: string) =>
  (all: readonly Member[]): Member[] =>
    all.filter((one) => one.name !== name);

/** Another text in place of a member, which reads as well as its own. */
const replaced =
  (name: string, change: (text: string) => string) =>
  (all: readonly Member[]): Member[] =>
    all.map((one) => (one.name === name ? { name, bytes: Buffer.from(change(one.bytes.toString())) } : one));

/** Another manifest, with the seal that belongs to it. */
const manifest =
  (change: (manifest: ArchiveManifest) => ArchiveManifest) =>
  (all: readonly Member[]): Member[] => {
    const { bytes } = all.find(({ name }) => name === 'manifest.json')!;
    const text = JSON.stringify(change(JSON.parse(bytes.toString()) as ArchiveManifest));
    const seal = `${hash('sha256', text)}  manifest.json\n`;
    return replaced('manifest.sha256', () => seal)(replaced('manifest.json', () => text)(all));
  };

describe('refuses', () => {
  test.each<[what: string, change: (all: readonly Member[]) => Member[], says: RegExp]>([
    ['a flipped bit of rows', flip('tables/large/000001.zst'), /damaged at tables\/large/],
    ['a flipped bit of the manifest', flip('manifest.json'), /damaged at manifest\.json/],
    ['a flipped bit of the seal', flip('manifest.sha256'), /damaged at manifest\.json/],
    ['a flipped bit of the keys', flip('keys.json'), /damaged at keys\.json/],
    [
      'keys of another backup',
      replaced('keys.json', (text) => text.replace('0123456789', '9876543210')),
      /damaged at keys\.json: it is not what was written/,
    ],
    [
      'a head of another backup',
      replaced('prefixcast.json', (text) => text.replace('2027-01-31', '2026-01-31')),
      /damaged at prefixcast\.json: it is not what was written/,
    ],
    [
      'a manifest that has a table more',
      manifest((one) => ({ ...one, tables: [...one.tables, { ...one.tables[0]!, name: 'more' }] })),
      /damaged at manifest\.json: it has other tables than the archive/,
    ],
    [
      'a manifest that lacks a table',
      manifest((one) => ({ ...one, tables: one.tables.slice(0, -1) })),
      /damaged at manifest\.json: it does not have the table small/,
    ],
    [
      'a missing part',
      without('tables/large/000000.zst'),
      /tables\/large\/000001\.zst: part 0 is not before it/,
    ],
    [
      'a missing last part',
      (all) => all.filter((one) => !isLarge(one) || one.name.endsWith('00.zst')),
      /tables\/large: 200000 rows were written, and \d+ are there/,
    ],
    ['a missing table', without('tables/small/000000.zst'), /tables\/small: 2 rows were written, and 0/],
    [
      'a part that comes twice',
      (all) => all.flatMap((one) => (isLarge(one) ? [one, one] : [one])),
      /tables\/large\/000000\.zst: it should not be there/,
    ],
    [
      'tables in another order',
      (all) => [
        ...all.filter((one) => !isLarge(one) && !one.name.startsWith('manifest')),
        ...all.filter(isLarge),
        ...all.slice(-2),
      ],
      /does not say that it has this table/,
    ],
    ['no keys', without('keys.json'), /keys\.json is not before it/],
    ['no manifest', without('manifest.json'), /manifest\.json is not before it/],
    ['no end', without('manifest.sha256'), /ends too early, behind manifest\.json/],
    [
      'a stranger',
      (all) => [...all.slice(0, 3), { name: '../x', bytes: Buffer.from('x') }, ...all.slice(3)],
      /damaged at \.\.\/x: it should not be there/,
    ],
    [
      'a newer format',
      (all) => [
        { name: 'prefixcast.json', bytes: Buffer.from('{"format":2,"release":"9.0.0"}') },
        ...all.slice(1),
      ],
      /has format 2.*9\.0\.0/,
    ],
    ['another archive', (all) => all.slice(3), /This is no backup: it begins with tables/],
    ['an empty one', () => [], /there is nothing in it/],
  ])('%s', async (_what, change, says) => {
    await expect(read(await packed(change(members)))).rejects.toThrow(says);
  });

  test.each([0.1, 0.5, 0.9])('one that is cut off at %d of its length', async (share) => {
    const cut = archive.subarray(0, Math.floor(archive.length * share));
    await expect(read(cut)).rejects.toThrow(/damaged behind|ends too early/);
  });

  test('what is no tar', async () => {
    await expect(read(Buffer.from('not a tar\n'.repeat(1_000)))).rejects.toThrow(
      'damaged behind its beginning',
    );
  });
});
