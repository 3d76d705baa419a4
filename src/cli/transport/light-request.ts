/** A request as `Request` has it (WHATWG Fetch, 5.3), as far as commands and the client use it: its body is a text or bytes. */
import { type HeaderFields, LightHeaders } from './light-headers.ts';

export interface LightRequestInit {
  readonly method?: string;
  readonly headers?: HeaderFields;
  readonly body?: string | Uint8Array | null;
  readonly signal?: AbortSignal | null;
}

export class LightRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: LightHeaders;
  readonly body: string | Uint8Array | null;
  readonly signal: AbortSignal;

  /** @throws {TypeError} for an address that is none, or headers that HTTP cannot carry */
  constructor(url: string | URL, init: LightRequestInit = {}) {
    this.url = new URL(url).href;
    this.method = init.method ?? 'GET';
    this.headers = new LightHeaders(init.headers);
    this.body = init.body ?? null;
    this.signal = init.signal ?? new AbortController().signal;
    if (typeof this.body === 'string' && !this.headers.has('content-type'))
      this.headers.set('content-type', 'text/plain;charset=UTF-8');
  }

  clone(): LightRequest {
    const { url, method, headers, body, signal } = this;
    return new LightRequest(url, { method, headers, body, signal });
  }
}
