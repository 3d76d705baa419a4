import type { AnyBytes } from '../../concurrency/parcel.ts';
import { readTableFile } from './table-file.ts';
import type { Origin } from './origins.ts';
import { readAsnBodyInThread, readOriginsInThread } from './answer-pool.ts';
import { RetryPolicy, type RetryRule } from '../fetch/retry.ts';
import type { AsnAnswer, AsnOptions, AsnQuestion, AsnSource } from './source.ts';
import { type FetchOptions, SourceError, fetchSource } from '../fetch/fetch.ts';
import { shownUrl } from '../fetch/source-url.ts';

const RETRY: RetryRule = { attempts: 4, firstMs: 1_000, longestMs: 60_000 };

/** Validators of a table. */
type Validators = Pick<AsnQuestion, 'etag' | 'lastModified'>;

interface Table extends Validators {
  readonly body: AnyBytes;
}

export interface TableOptions {
  /** http, https or file. */
  readonly url: string;
  readonly fetch: Omit<FetchOptions, 'signal'>;
  readonly retry?: RetryRule;
}

/** A table of ranges with AS numbers, such as those of iptoasn.com: one download answers for any number of ASes. */
export class TableSource implements AsnSource {
  readonly name: string;
  readonly #url: URL;
  readonly #fetch: Omit<FetchOptions, 'signal'>;
  readonly #retries: RetryPolicy;

  constructor({ url, fetch, retry = RETRY }: TableOptions) {
    this.#url = new URL(url);
    this.name = `table ${this.#url.href}`;
    this.#fetch = fetch;
    this.#retries = new RetryPolicy(retry);
  }

  async ask(questions: readonly AsnQuestion[], { bogons, signal, onAnswer }: AsnOptions): Promise<void> {
    if (questions.length === 0) return;
    const answerAll = (answer: AsnAnswer): void => questions.forEach(({ asn }) => onAnswer(asn, answer));
    try {
      const table = await this.#retries.run(() => this.#load(sharedValidators(questions), signal), signal);
      if (table === null) return answerAll({ kind: 'unchanged' });
      const { body, etag, lastModified } = table;
      const asns = questions.map(({ asn }) => asn);
      const place = this.#place();
      const { found } = await readAsnBodyInThread({ kind: 'table', body, asns, bogons }, place, signal);
      found.forEach((read, index) =>
        onAnswer(
          asns[index]!,
          read.ok
            ? { kind: 'found', prefixes: read.prefixes, bogons: read.bogons, etag, lastModified }
            : { kind: 'failed', error: new SourceError(read.code, `${place}: ${read.reason}.`) },
        ),
      );
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof SourceError)) throw error;
      answerAll({ kind: 'failed', error });
    }
  }

  async originsOf(prefixes: readonly string[], signal?: AbortSignal): Promise<(readonly Origin[])[]> {
    const table = await this.#load({ etag: null, lastModified: null }, signal);
    // Without validators nobody says "not modified".
    if (table === null) throw new Error('A table answered a question that was not asked');
    const task = { kind: 'table_origins', body: table.body, prefixes } as const;
    const { origins } = await readOriginsInThread(task, this.#place(), signal);
    return [...origins];
  }

  close(): void {
    // A download has its own connection.
  }

  /** null: the table has not changed. */
  async #load(validators: Validators, signal: AbortSignal | undefined): Promise<Table | null> {
    if (this.#url.protocol === 'file:') {
      const file = await readTableFile(this.#url, validators.etag);
      return file === null ? null : { body: file.bytes, etag: file.etag, lastModified: null };
    }
    const answer = await fetchSource(
      { url: this.#url.href, headers: {}, ...validators },
      { ...this.#fetch, ...(signal === undefined ? {} : { signal }) },
    );
    if (answer.notModified) return null;
    return { body: answer.bytes, etag: answer.etag, lastModified: answer.lastModified };
  }

  #place(): string {
    return this.#url.protocol === 'file:' ? this.#url.href : shownUrl(this.#url);
  }
}

/** "Not modified" answers for all only if all prefixes come from the same version of the table. */
function sharedValidators(questions: readonly AsnQuestion[]): Validators {
  const [first] = questions;
  const isShared = questions.every(
    ({ etag, lastModified }) => etag === first!.etag && lastModified === first!.lastModified,
  );
  return isShared
    ? { etag: first!.etag, lastModified: first!.lastModified }
    : { etag: null, lastModified: null };
}
