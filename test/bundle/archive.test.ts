import { execFileSync } from 'node:child_process';
import {
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readArchive, writeArchive, type ExpectedFile } from '../../src/bundle/archive.ts';
import { refusal } from './sample.ts';

const directory = mkdtempSync(join(tmpdir(), 'bundle-archive-'));
afterAll(() => rmSync(directory, { recursive: true }));

const EXPECTED: readonly ExpectedFile[] = [
  { names: ['a.json'], maximum: 10_000 },
  { names: ['b.bin', 'c.bin'], maximum: 10_000 },
];
const files = [
  { name: 'a.json', bytes: Buffer.from('{}') },
  { name: 'c.bin', bytes: Buffer.alloc(1024, 7) },
];
const archive = Buffer.concat(writeArchive(files));

/** Runs the tar program of this machine. */
function tar(...args: string[]): Buffer {
  return execFileSync('tar', args, { cwd: directory, timeout: 10_000 });
}

function write(name: string, bytes: Uint8Array | string = 'x'): string {
  writeFileSync(join(directory, name), bytes);
  return name;
}

/** An archive that the tar program makes with all options that make the form ours. */
function made(...args: string[]): Buffer {
  return tar(
    ...[
      '-cf',
      '-',
      '--format=ustar',
      '--owner=:0',
      '--group=:0',
      '--numeric-owner',
      '--mode=600',
      '--mtime=@0',
      '-b1',
    ],
    ...args,
  );
}

describe('an archive', () => {
  test('comes back, as views into it', () => {
    const read = readArchive(archive, EXPECTED);
    expect(read.map(({ name, bytes }) => [name, Buffer.from(bytes)])).toEqual(
      files.map(({ name, bytes }) => [name, bytes]),
    );
    expect(read[1]!.bytes.buffer).toBe(archive.buffer);
  });

  test('is one that tar reads', () => {
    write('ours.tar', archive);
    expect(tar('-tvf', 'ours.tar', '--full-time', '--utc').toString().trim().split('\n')).toEqual([
      '-rw------- 0/0               2 1970-01-01 00:00:00 a.json',
      '-rw------- 0/0            1024 1970-01-01 00:00:00 c.bin',
    ]);
    tar('-xf', 'ours.tar', 'c.bin');
    expect(readFileSync(join(directory, 'c.bin'))).toEqual(files[1]!.bytes);
    expect(statSync(join(directory, 'c.bin')).size).toBe(1024);
  });

  test.each([0, 1, 511, 512, 513])('takes a file of %i bytes', (length) => {
    const some = [files[0]!, { name: 'b.bin', bytes: Buffer.alloc(length, 9) }];
    const read = readArchive(Buffer.concat(writeArchive(some)), EXPECTED);
    expect(Buffer.from(read[1]!.bytes)).toEqual(some[1]!.bytes);
  });
});

describe('refused is', () => {
  const code = (bytes: Uint8Array) => refusal(() => readArchive(bytes, EXPECTED));
  const packed = (...names: string[]) =>
    Buffer.concat(writeArchive(names.map((name) => ({ name, bytes: Buffer.from('x') }))));

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['zeros only', Buffer.alloc(4096)],
    ['what is no tar', Buffer.alloc(4096, 'x')],
    ['a file too few', packed('a.json')],
    ['a file too many', packed('a.json', 'b.bin', 'c.bin')],
    ['a file twice', packed('a.json', 'a.json', 'b.bin')],
    ['another order', packed('b.bin', 'a.json')],
    ['another name', packed('a.json', 'd.bin')],
    ['a path', packed('a.json', './b.bin')],
    ['a path that leads out', packed('a.json', '../b.bin')],
    ['an absolute path', packed('a.json', '/b.bin')],
    ['a name with a zero in it', packed('a.json', 'b.bin\0/../x')],
  ])('%s', (_, bytes) => {
    expect(code(bytes)).toBe('bundle_corrupt');
  });

  test('a file larger than it may be', () => {
    const large = { name: 'b.bin', bytes: Buffer.alloc(10_001) };
    expect(code(Buffer.concat(writeArchive([files[0]!, large])))).toBe('bundle_corrupt');
  });

  test.each(['77777777777', '00000100000', '0000000000x', '           ', '-0000000001'])(
    'a length of %s, and nothing of that size is allocated',
    (size) => {
      const claims = Buffer.from(archive);
      claims.write(size, 124, 'latin1');
      let sum = 0;
      claims.write('        ', 148, 'latin1');
      for (let i = 0; i < 512; i++) sum += claims[i]!;
      claims.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
      const before = process.memoryUsage().arrayBuffers;
      expect(code(claims)).toBe('bundle_corrupt');
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
    },
  );

  test('a length as GNU tar writes those above 8 GiB', () => {
    const claims = Buffer.from(archive);
    claims[124] = 0x80;
    expect(code(claims)).toBe('bundle_corrupt');
  });

  test('what tar makes with links, directories, owners, times, sparse files or extended headers', () => {
    write('a.json');
    write('b.bin');
    const plain = made('a.json', 'b.bin');
    symlinkSync('/etc/passwd', join(directory, 'link'));
    write('sparse');
    truncateSync(join(directory, 'sparse'), 1_000_000);
    const rename = (from: string) => [`--transform=s/^${from}$/b.bin/`, 'a.json', from];
    const tricks = [
      made(...rename('link')),
      made('--no-recursion', '--transform=s/^[.]$/b.bin/', 'a.json', '.'),
      tar('-cf', '-', '--format=gnu', '--sparse', ...rename('sparse')),
      tar('-cf', '-', '--format=pax', 'a.json', 'b.bin'),
      tar('-cf', '-', '--format=gnu', 'a.json', 'b.bin'),
      made('--owner=root:1', 'a.json', 'b.bin'),
      made('--mtime=@1', 'a.json', 'b.bin'),
      made('--mode=4755', 'a.json', 'b.bin'),
    ];
    // These are tricks beside one that is as plain as tar can make it, which differs in a few bytes of the header only.
    for (const [index, trick] of tricks.entries())
      expect(code(trick), `trick ${index}`).toBe('bundle_corrupt');
    expect(plain).toHaveLength(
      Buffer.concat(writeArchive(['a.json', 'b.bin'].map((name) => ({ name, bytes: Buffer.of(120) }))))
        .length,
    );
  });
});
