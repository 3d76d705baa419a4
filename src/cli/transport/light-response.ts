/** An answer as `Response` has it (WHATWG Fetch, 5.5), as far as commands and the client use it. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { LightHeaders } from './light-headers.ts';

export interface Received {
  readonly url: string;
  readonly status: number;
  readonly headers: LightHeaders;
  /** Decoded. */
  readonly content: Readable;
  /** Called before it is read. */
  readonly onRead: () => void;
}

/**
 * What has a known length is read at once, as it may be that nobody asks for it, and the connection is wanted for the next request. Streams
 * are read when somebody does.
 */
export class LightResponse {
  readonly #received: Received;
  #bytes: Promise<Buffer> | null = null;

  constructor(received: Received) {
    this.#received = received;
    if (received.headers.has('content-length')) this.#whole().catch(() => undefined); // whoever asks for it gets the fault
  }

  get url(): string {
    return this.#received.url;
  }

  get status(): number {
    return this.#received.status;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get headers(): LightHeaders {
    return this.#received.headers;
  }

  /** As it arrives. */
  get body(): ReadableStream<Uint8Array> {
    const { content, onRead } = this.#received;
    onRead();
    return Readable.toWeb(this.#bytes === null ? content : Readable.from(one(this.#bytes)));
  }

  async text(): Promise<string> {
    const text = (await this.#whole()).toString('utf8');
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  /** Whichever is read first reads for both. */
  clone(): LightResponse {
    const copy = new LightResponse(this.#received);
    copy.#bytes = this.#whole();
    return copy;
  }

  #whole(): Promise<Buffer> {
    if (this.#bytes === null) {
      const { content, onRead } = this.#received;
      onRead();
      this.#bytes = content.toArray().then((chunks) => Buffer.concat(chunks as Buffer[]));
    }
    return this.#bytes;
  }
}

async function* one(bytes: Promise<Buffer>): AsyncGenerator<Buffer> {
  yield await bytes;
}

export function headersOf({ headers }: IncomingMessage): LightHeaders {
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
  );
  return new LightHeaders(fields);
}
