/**
 * Resolves AS numbers to prefixes. The operator chooses one of three sources (`APP_ASN_SOURCE`):
 *
 *     ripestat.ts   RIPEstat: what an AS announces now, one request per AS
 *     irr.ts        an IRRd server: the route objects that name the AS as origin, all over one connection
 *     table.ts      a table of ranges with AS numbers: one download for any number of ASes
 *
 * All of them implement this interface, and none stores anything: control keeps the last good prefixes.
 */
import type { CollectedPrefixes } from '../../core/text/prefix-text.ts';
import type { Bogons } from '../bogons.ts';
import type { SourceError } from '../source-error.ts';
import type { Origin } from './origins.ts';

/** An AS to query, with the validators of an earlier answer whose prefixes the caller still has. */
export interface AsnQuestion {
  readonly asn: number;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** What the source knows about an AS; there may be no prefixes. */
export interface AsnFound {
  readonly kind: 'found';
  readonly prefixes: CollectedPrefixes;
  readonly bogons: Bogons;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export type AsnAnswer =
  | AsnFound
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'failed'; readonly error: SourceError };

export interface AsnOptions {
  /** How special-purpose prefixes are handled (setting `guard_bogons`). */
  readonly bogons: 'drop' | 'allow';
  readonly signal?: AbortSignal | undefined;
  /** Called once for every question, in any order. */
  readonly onAnswer: (asn: number, answer: AsnAnswer) => void;
}

export interface AsnSource {
  /** Names the source, since validators of one mean nothing to another. */
  readonly name: string;
  /**
   * Queries all of them; no AS occurs twice. A failure of the source is reported as an answer.
   * @throws the signal's reason when it aborts
   */
  ask(questions: readonly AsnQuestion[], options: AsnOptions): Promise<void>;
  /**
   * Which ASes have addresses of each prefix, in their order; none where nobody is known.
   * @throws {SourceError} where the source fails; the signal's reason when it aborts
   */
  originsOf(prefixes: readonly string[], signal?: AbortSignal): Promise<(readonly Origin[])[]>;
  /** Closes persistent connections. */
  close(): void;
}
