import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import {
  ArchiveError,
  type ArchiveHead,
  type ArchiveManifest,
  FORMAT,
  MEMBERS,
  readPartName,
  type TableSum,
} from './archive.ts';
import { countLines, sha256 } from './archive-writer.ts';

const decompress = promisify(zstdDecompress);

/** More than any part or member is, so that a damaged length costs no memory. */
const LARGEST_MEMBER = 256 * 1024 * 1024;

/** A member: its bytes, once it is iterated. */
type Entry = Readable & { readonly header: Header };

/** What is done with an archive while it is read. */
export interface ArchiveUse {
  /** @param keys what keys.json holds */
  onHead(head: ArchiveHead, keys: string): Promise<void>;
  /** Some more rows of a table, whole lines or not. */
  onRows(table: string, bytes: Buffer): Promise<void>;
  /** The last rows of the table have been. */
  onTableEnd(table: string, rows: number): Promise<void>;
}

/**
 * Reads an archive from its beginning to its end, and checks everything in it.
 * @throws {ArchiveError} naming the place, when it is damaged, ends too early or is none; others of `use` as they are
 */
export async function readArchive(bytes: AsyncIterable<Buffer>, use: ArchiveUse): Promise<ArchiveManifest> {
  const reading = new Reading(use);
  const source = Readable.from(bytes, { objectMode: false });
  const tar = extract();
  source.on('error', (error) => tar.destroy(error));
  source.pipe(tar);
  let place = 'its beginning';
  try {
    for await (const entry of tar as unknown as AsyncIterable<Entry>) {
      place = entry.header.name;
      await reading.member(place, await contentOf(entry));
    }
  } catch (error) {
    throw isOfTar(error)
      ? new ArchiveError(`The archive is damaged behind ${place}: ${(error as Error).message}.`, {
          cause: error,
        })
      : error;
  } finally {
    source.destroy();
  }
  return reading.end(place);
}

/** tar-stream has no class of its own for what it finds. */
function isOfTar(error: unknown): boolean {
  return (
    error instanceof Error && /Invalid tar header|Unexpected end of data|Premature close/.test(error.message)
  );
}

async function contentOf(entry: Entry): Promise<Buffer> {
  const { name, size = 0 } = entry.header;
  if (size > LARGEST_MEMBER) throw damaged(name, `it claims to have ${size} bytes`);
  const chunks: Buffer[] = [];
  for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

interface OpenTable {
  readonly name: string;
  readonly hash: Hash;
  rows: number;
  bytes: number;
  parts: number;
}

/** Members come in one order, each with its check. */
class Reading {
  readonly #use: ArchiveUse;
  readonly #sums: TableSum[] = [];
  readonly #seen = new Set<string>();
  #head: ArchiveHead | null = null;
  #headSha256 = '';
  #keysSha256: string | null = null;
  #left: string[] = [];
  #open: OpenTable | null = null;
  #manifest: { readonly text: string; readonly value: ArchiveManifest } | null = null;
  #isSealed = false;

  constructor(use: ArchiveUse) {
    this.#use = use;
  }

  async member(name: string, content: Buffer): Promise<void> {
    if (this.#isSealed || this.#seen.has(name)) throw damaged(name, 'it should not be there');
    this.#seen.add(name);
    const part = readPartName(name);
    if (name === MEMBERS.head) this.#readHead(content);
    else if (this.#head === null)
      throw new ArchiveError(`This is no backup: it begins with ${name}, and not with ${MEMBERS.head}.`);
    else if (name === MEMBERS.keys) await this.#readKeys(this.#head, content);
    else if (part !== null) await this.#readPart(name, part, content);
    else if (name === MEMBERS.manifest) await this.#readManifest(content);
    else if (name === MEMBERS.seal) this.#readSeal(content);
    else throw damaged(name, 'it should not be there');
  }

  end(place: string): ArchiveManifest {
    if (this.#head === null) throw new ArchiveError('This is no backup: there is nothing in it.');
    if (!this.#isSealed || this.#manifest === null)
      throw new ArchiveError(
        `The archive ends too early, behind ${place}: it was cut off, or its backup did not end.`,
      );
    return this.#manifest.value;
  }

  #readHead(content: Buffer): void {
    const head = parse<ArchiveHead>(MEMBERS.head, content);
    const format: number = head.format;
    if (format !== FORMAT)
      throw new ArchiveError(
        `The archive has format ${String(head.format)}, and this release knows ${FORMAT}: use the release that made it (${head.release}), or a newer one.`,
      );
    this.#head = head;
    this.#headSha256 = sha256(content);
    this.#left = head.tables.map(({ name }) => name);
  }

  async #readKeys(head: ArchiveHead, content: Buffer): Promise<void> {
    parse(MEMBERS.keys, content);
    this.#keysSha256 = sha256(content);
    await this.#use.onHead(head, content.toString('utf8'));
  }

  async #readPart(
    name: string,
    { table, part }: { readonly table: string; readonly part: number },
    content: Buffer,
  ): Promise<void> {
    if (this.#keysSha256 === null) throw damaged(name, `${MEMBERS.keys} is not before it`);
    if (this.#open?.name !== table) await this.#beginTable(name, table);
    const open = this.#open!;
    if (part !== open.parts++) throw damaged(name, `part ${open.parts - 1} is not before it`);
    let rows: Buffer;
    try {
      rows = await decompress(content);
    } catch (error) {
      throw damaged(name, 'it cannot be decompressed', error);
    }
    open.hash.update(rows);
    open.bytes += rows.length;
    open.rows += countLines(rows);
    await this.#use.onRows(table, rows);
  }

  /** Tables without rows have no parts. */
  async #beginTable(member: string, table: string | null): Promise<void> {
    await this.#endTable();
    for (;;) {
      const next = this.#left.shift();
      if (next === undefined && table === null) return;
      if (next === undefined)
        throw damaged(member, 'the archive does not say that it has this table, or it comes twice');
      this.#open = { name: next, hash: createHash('sha256'), rows: 0, bytes: 0, parts: 0 };
      if (next === table) return;
      await this.#endTable();
    }
  }

  async #endTable(): Promise<void> {
    const open = this.#open;
    if (open === null) return;
    this.#open = null;
    const { name, rows, bytes } = open;
    this.#sums.push({ name, rows, bytes, sha256: open.hash.digest('hex') });
    await this.#use.onTableEnd(name, rows);
  }

  async #readManifest(content: Buffer): Promise<void> {
    await this.#beginTable(MEMBERS.manifest, null);
    const manifest = parse<ArchiveManifest>(MEMBERS.manifest, content);
    if (manifest.headSha256 !== this.#headSha256) throw damaged(MEMBERS.head, 'it is not what was written');
    if (manifest.keysSha256 !== this.#keysSha256) throw damaged(MEMBERS.keys, 'it is not what was written');
    for (const [index, sum] of this.#sums.entries()) compare(sum, manifest.tables[index]);
    if (manifest.tables.length !== this.#sums.length)
      throw damaged(MEMBERS.manifest, 'it has other tables than the archive');
    this.#manifest = { text: content.toString('utf8'), value: manifest };
  }

  #readSeal(content: Buffer): void {
    if (this.#manifest === null) throw damaged(MEMBERS.seal, `${MEMBERS.manifest} is not before it`);
    if (content.toString('utf8') !== `${sha256(this.#manifest.text)}  ${MEMBERS.manifest}\n`)
      throw damaged(MEMBERS.manifest, 'it is not what was written');
    this.#isSealed = true;
  }
}

function compare(found: TableSum, written: TableSum | undefined): void {
  if (written?.name !== found.name)
    throw damaged(MEMBERS.manifest, `it does not have the table ${found.name}`);
  if (written.rows !== found.rows)
    throw damaged(`tables/${found.name}`, `${written.rows} rows were written, and ${found.rows} are there`);
  if (written.sha256 !== found.sha256)
    throw damaged(`tables/${found.name}`, 'its rows are not those that were written');
}

function parse<T>(name: string, content: Buffer): T {
  try {
    return JSON.parse(content.toString('utf8')) as T;
  } catch (error) {
    throw damaged(name, 'it is not JSON', error);
  }
}

function damaged(place: string, why: string, cause?: unknown): ArchiveError {
  return new ArchiveError(
    `The archive is damaged at ${place}: ${why}.`,
    cause === undefined ? undefined : { cause },
  );
}
