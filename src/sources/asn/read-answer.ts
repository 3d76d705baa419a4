/** Chooses the reader for a source's answer about ASes. Pure, so that it runs in threads and outside. */
import type { UnreadAsn } from './answer.ts';
import { readRipestatAnswer } from './ripestat-answer.ts';
import { type OriginsToRead, type ReadOrigins, readTableOrigins } from './table-origins.ts';
import { type ReadTable, type TableToRead, readAsnTable } from './table-rows.ts';

export interface RipestatTask {
  readonly kind: 'ripestat';
  readonly body: Uint8Array<ArrayBuffer>;
  readonly asn: number;
  readonly bogons: 'drop' | 'allow';
}

export type AsnTask = RipestatTask | (TableToRead & { readonly kind: 'table' });
export type OriginsTask = OriginsToRead & { readonly kind: 'table_origins' };

export function readAsnBody(task: AsnTask): ReadTable | UnreadAsn {
  if (task.kind === 'table') return readAsnTable(task);
  const { body, asn, bogons } = task;
  const read = readRipestatAnswer(body, asn, bogons);
  return read.ok ? { ok: true, found: [read] } : read;
}

export function readAnyBody(task: AsnTask | OriginsTask): ReadTable | ReadOrigins | UnreadAsn {
  return task.kind === 'table_origins' ? readTableOrigins(task) : readAsnBody(task);
}
