import { IrrSource } from './asn-irr.ts';
import { RipestatSource } from './asn-ripestat.ts';
import type { AsnSource } from './asn-source.ts';
import { TableSource } from './asn-table.ts';
import type { FetchOptions } from './fetch.ts';

/** What the operator of the service chose. */
export interface AsnChoice {
  readonly source: 'ripestat' | 'irr' | 'table';
  /** Null: RIPEstat's own. A table has one. */
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
