/**
 * The files of a bundle as a tar archive (POSIX.1-1988 ustar) with exactly one form: these names in this order, plain files without owner
 * and time, two blocks of zeros at the end. A reader that accepts nothing else need not handle paths, links, owners, sparse files, extended
 * headers or duplicates. Any tar program reads it.
 */
import { corrupt } from './bundle-error.ts';

const BLOCK = 512;
const END_BYTES = 2 * BLOCK;

/** A file to archive, or a view of one in an archive. */
export interface ArchiveFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The file that may come next in an archive, and its maximum size. */
export interface ExpectedFile {
  readonly names: readonly string[];
  readonly maximum: number;
}

/** The archive in pieces; files are pieces as they are. */
export function writeArchive(files: readonly ArchiveFile[]): Uint8Array[] {
  const pieces = files.flatMap(({ name, bytes }) => [
    header(name, bytes.length),
    bytes,
    new Uint8Array(paddingOf(bytes.length)),
  ]);
  return [...pieces, new Uint8Array(END_BYTES)].filter(({ length }) => length > 0);
}

/**
 * The files of an archive that {@link writeArchive} made, as views into it. Nothing is allocated by what the archive says of itself.
 * @throws {BundleError} `bundle_corrupt` for anything else
 */
export function readArchive(archive: Uint8Array, expected: readonly ExpectedFile[]): ArchiveFile[] {
  let at = 0;
  const files = expected.map((next) => {
    const file = readFile(archive, at, next);
    at += BLOCK + file.bytes.length + paddingOf(file.bytes.length);
    return file;
  });
  const end = archive.subarray(at);
  if (end.length !== END_BYTES || !isZero(end)) throw corrupt('it does not end where it should');
  return files;
}

function readFile(archive: Uint8Array, at: number, { names, maximum }: ExpectedFile): ArchiveFile {
  const expected = names.join(' or ');
  const found = archive.subarray(at, at + BLOCK);
  if (found.length < BLOCK) throw corrupt(`it ends before ${expected}`);
  const size = /^[0-7]{11}$/.exec(Buffer.from(found.subarray(124, 135)).toString('latin1'));
  const length = size === null ? -1 : Number.parseInt(size[0], 8);
  // Rebuilt and compared, so that every byte of a header is one that we would write.
  const name = length < 0 ? undefined : names.find((one) => header(one, length).equals(found));
  if (name === undefined) throw corrupt(`there is no plain ${expected} where it should be`);
  if (length > maximum) throw corrupt(`${name} has ${length} bytes, and ${maximum} is the most`);
  const start = at + BLOCK;
  const padding = archive.subarray(start + length, start + length + paddingOf(length));
  if (archive.length < start + length || padding.length < paddingOf(length) || !isZero(padding))
    throw corrupt(`${name} is cut off, or something stands behind it`);
  return { name, bytes: archive.subarray(start, start + length) };
}

function paddingOf(length: number): number {
  return (BLOCK - (length % BLOCK)) % BLOCK;
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

/** A ustar header of a plain file, mode 0600, owned by 0, of the epoch. */
function header(name: string, length: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, 'latin1');
  block.write('0000600\0' + '0000000\0' + '0000000\0', 100, 'latin1');
  block.write(`${length.toString(8).padStart(11, '0')}\0${'0'.repeat(11)}\0`, 124, 'latin1');
  // The checksum counts its own field as spaces.
  block.write('        0', 148, 'latin1');
  block.write('ustar\0' + '00', 257, 'latin1');
  block.write('0000000\0' + '0000000\0', 329, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}
