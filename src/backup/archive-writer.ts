import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import { pack } from 'tar-stream';
import type { Counter } from '../store/archive/tables.ts';
import {
  type ArchiveHead,
  type ArchiveManifest,
  FORMAT,
  MEMBERS,
  partName,
  type TableSum,
} from './archive.ts';

/** So much of a table is in memory, a few times over. */
const PART_BYTES = 4 * 1024 * 1024;

const compress = promisify(zstdCompress);

/** Where the archive goes. */
export type Sink = (bytes: Uint8Array) => Promise<void>;

export class ArchiveWriter {
  readonly #tar = pack();
  readonly #drained: Promise<void>;
  readonly #createdAt: Date;
  readonly #tables: TableSum[] = [];
  #headSha256 = '';
  #keysSha256 = '';
  #fault: { readonly error: unknown } | null = null;

  constructor(sink: Sink, createdAt: string) {
    this.#createdAt = new Date(createdAt);
    this.#drained = this.#drain(sink);
    // Whoever writes next learns of it.
    this.#drained.catch((error: unknown) => (this.#fault = { error }));
  }

  /** To be written first. */
  async begin(head: ArchiveHead, keys: string): Promise<void> {
    const text = json(head);
    this.#headSha256 = sha256(text);
    this.#keysSha256 = sha256(keys);
    await this.#member(MEMBERS.head, Buffer.from(text));
    await this.#member(MEMBERS.keys, Buffer.from(keys));
  }

  /** @param rows one on each line, as COPY writes them */
  async table(name: string, rows: Readable): Promise<TableSum> {
    const hash = createHash('sha256');
    let [bytes, lines, part] = [0, 0, 0];
    let chunks: Buffer[] = [];
    let size = 0;
    const flush = async (): Promise<void> => {
      if (size === 0) return;
      const whole = Buffer.concat(chunks);
      [chunks, size] = [[], 0];
      await this.#member(partName(name, part++), await compress(whole));
    };
    for await (const chunk of rows as AsyncIterable<Buffer>) {
      hash.update(chunk);
      bytes += chunk.length;
      lines += countLines(chunk);
      chunks.push(chunk);
      size += chunk.length;
      if (size >= PART_BYTES) await flush();
    }
    await flush();
    const sum = { name, rows: lines, bytes, sha256: hash.digest('hex') };
    this.#tables.push(sum);
    return sum;
  }

  async finish(counters: readonly Counter[]): Promise<ArchiveManifest> {
    const manifest: ArchiveManifest = {
      format: FORMAT,
      headSha256: this.#headSha256,
      keysSha256: this.#keysSha256,
      tables: this.#tables,
      counters,
    };
    const text = json(manifest);
    await this.#member(MEMBERS.manifest, Buffer.from(text));
    await this.#member(MEMBERS.seal, Buffer.from(`${sha256(text)}  ${MEMBERS.manifest}\n`));
    this.#tar.finalize();
    await this.#drained;
    return manifest;
  }

  async #member(name: string, bytes: Buffer): Promise<void> {
    if (this.#fault !== null) throw this.#fault.error;
    const written = new Promise<void>((resolve, reject) => {
      this.#tar.entry({ name, mode: 0o600, mtime: this.#createdAt, size: bytes.length }, bytes, (error) =>
        error ? reject(error) : resolve(),
      );
    });
    // The sink may fail first, and nobody would take what is written.
    await Promise.race([written, this.#drained]);
  }

  async #drain(sink: Sink): Promise<void> {
    for await (const bytes of this.#tar as AsyncIterable<Buffer>) await sink(bytes);
  }
}

const LINE_FEED = 10;

/** A row is a line: those within values are written as two characters. */
export function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) lines++;
  return lines;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}

export function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}
