/** Asks one service, and keeps how long each operation took. */
import { Agent, request } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly ms: number;
}

export class Asker {
  readonly #url: URL;
  readonly key: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly times: Map<string, number[]>;

  constructor(url: string, key: string, times = new Map<string, number[]>()) {
    this.#url = new URL(url);
    this.key = key;
    this.times = times;
  }

  /** Somebody else who asks the same service; the times are kept beside these. */
  as(key: string): Asker {
    return new Asker(this.#url.href, key, this.times);
  }

  /** Asks and keeps the time under that title. The answer's body, of JSON. @throws where it is no good answer */
  async ask<T = { readonly id: string }>(
    title: string,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<T> {
    return parsed<T>(method, path, await this.time(title, method, path, body));
  }

  /** The same, where a refusal will do. */
  async time(title: string, method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await this.send(method, path, body);
    const times = this.times.get(title) ?? [];
    this.times.set(title, times);
    times.push(answer.ms);
    return answer;
  }

  /** Asks what is not measured. */
  async prepare<T = { readonly id: string }>(method: string, path: string, body?: unknown): Promise<T> {
    return parsed<T>(method, path, await this.send(method, path, body));
  }

  send(method: string, path: string, body?: unknown): Promise<Answer> {
    const isText = typeof body === 'string';
    const bytes = body === undefined ? undefined : Buffer.from(isText ? body : JSON.stringify(body));
    const headers = {
      authorization: `Bearer ${this.key}`,
      ...(bytes === undefined
        ? {}
        : { 'content-type': isText ? 'text/csv' : 'application/json', 'content-length': bytes.length }),
    };
    return new Promise((resolve, reject) => {
      const started = performance.now();
      const { hostname: host, port } = this.#url;
      const sent = request({ host, port, method, path, headers, agent: this.#agent }, (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () => {
          const ms = performance.now() - started;
          resolve({ status: response.statusCode!, body: Buffer.concat(pieces).toString(), ms });
        });
        response.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(bytes);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function parsed<T>(method: string, path: string, { status, body }: Answer): T {
  if (status >= 400) throw new Error(`${method} ${path} answered ${status}: ${body.slice(0, 500)}`);
  return (/^[[{]/.test(body) ? JSON.parse(body) : body) as T;
}

/** The cursor of a page in the middle of a list: that of its first page with another place in it. */
export function cursorAt(first: string, id: string, position: number | null = null): string {
  const bytes = Buffer.from(first, 'base64url');
  Buffer.from(id.replaceAll('-', ''), 'hex').copy(bytes, bytes.length - 16);
  if (position !== null) bytes.writeBigInt64BE(BigInt(position), bytes.length - 24);
  return bytes.toString('base64url');
}
