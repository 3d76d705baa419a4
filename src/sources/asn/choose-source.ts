import { IrrSource } from './irr.ts';
import { RipestatSource } from './ripestat.ts';
import type { AsnSource } from './source.ts';
import { TableSource } from './table.ts';
import type { FetchOptions } from '../fetch/fetch.ts';

/** The operator's choice. */
export interface AsnChoice {
  readonly source: 'ripestat' | 'irr' | 'table';
  /** Null: RIPEstat's own. A table always has one. */
  readonly url: string | null;
  readonly irr: { readonly host: string; readonly port: number };
}

export function createAsnSource(
  { source, url, irr }: AsnChoice,
  fetch: Omit<FetchOptions, 'signal'>,
): AsnSource {
  if (source === 'irr') return new IrrSource(irr);
  if (source === 'ripestat') return new RipestatSource({ url, fetch });
  if (url === null) throw new Error('A table of AS numbers needs a URL');
  return new TableSource({ url, fetch });
}
