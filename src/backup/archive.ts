/**
 * The file of a backup: a tar, so that everybody can open it. Its members, in their order:
 *
 *     prefixcast.json              {@link ArchiveHead}: what it is, and what rows there will be
 *     keys.json                    the keys without which the rows are worth little; see keys.ts
 *     tables/<name>/<part>.zst     rows in PostgreSQL's text format of COPY; the parts of a table one behind the other are one zstd file
 *     manifest.json                {@link ArchiveManifest}: how many rows and which bytes there have to be
 *     manifest.sha256              of manifest.json, as sha256sum writes it: the end of an archive that is whole
 */
import type { DatabaseFacts } from '../store/archive/database-snapshot.ts';
import type { Counter } from '../store/archive/tables.ts';

export const FORMAT = 1;

export const MEMBERS = {
  head: 'prefixcast.json',
  keys: 'keys.json',
  manifest: 'manifest.json',
  seal: 'manifest.sha256',
} as const;

export interface ArchiveHead extends DatabaseFacts {
  readonly format: typeof FORMAT;
  /** When the snapshot was taken (RFC 3339). */
  readonly createdAt: string;
  /** The release that made it. */
  readonly release: string;
}

export interface TableSum {
  readonly name: string;
  readonly rows: number;
  /** Of the rows as they are, not compressed. */
  readonly bytes: number;
  readonly sha256: string;
}

export interface ArchiveManifest {
  readonly format: typeof FORMAT;
  /** Of the members before the rows. */
  readonly headSha256: string;
  readonly keysSha256: string;
  readonly tables: readonly TableSum[];
  readonly counters: readonly Counter[];
}

const PARTS = /^tables\/([^/]+)\/(\d{6})\.zst$/;

export function partName(table: string, part: number): string {
  return `tables/${table}/${String(part).padStart(6, '0')}.zst`;
}

/** Null: it is no part of a table. */
export function readPartName(name: string): { readonly table: string; readonly part: number } | null {
  const [, table, part] = PARTS.exec(name) ?? [];
  return table === undefined ? null : { table, part: Number(part) };
}

/** The archive is damaged, incomplete, or none; the message says where. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}
