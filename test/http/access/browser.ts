/** A browser as far as sessions go: it keeps cookies by name, and sends those back whose path fits. */
import { expect } from 'vitest';
import { waitFor } from '../../daemons/wait.ts';
import { callApi, type Answered, type Body } from '../service.ts';

interface Kept {
  readonly value: string;
  readonly path: string;
}

export class Browser {
  readonly cookies = new Map<string, Kept>();
  readonly #url: string;
  /** What the page of it knows of its session. */
  session: Body = {};

  constructor(url: string) {
    this.#url = url;
  }

  async signIn(
    apiKey: string,
    headers: Readonly<Record<string, string>> = { 'sec-fetch-site': 'same-origin' },
  ): Promise<Answered> {
    const answer = await this.ask('POST', '/v1/auth/session', { body: { api_key: apiKey }, headers });
    if (answer.status === 201) this.session = answer.body.browser_session as Body;
    return answer;
  }

  /** A write of a page that knows the token of its session. */
  write(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
    const token = { 'x-csrf-token': String(this.session.csrf_token) };
    return this.ask(method, path, { body, headers: { ...token, ...headers } });
  }

  async ask(
    method: string,
    path: string,
    {
      body,
      headers = {},
    }: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Answered> {
    const cookie = [...this.cookies]
      .filter(([, kept]) => path.startsWith(kept.path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
    const answer = await callApi(this.#url, method, path, {
      ...(body === undefined ? {} : { body }),
      headers: { ...(cookie === '' ? {} : { cookie }), ...headers },
    });
    for (const text of answer.headers.getSetCookie()) this.#keep(text);
    return answer;
  }

  #keep(text: string): void {
    const [pair = '', ...attributes] = text.split('; ');
    const at = pair.indexOf('=');
    const name = pair.slice(0, at);
    if (attributes.includes('Max-Age=0')) this.cookies.delete(name);
    else
      this.cookies.set(name, {
        value: pair.slice(at + 1),
        path: attributes.find((attribute) => attribute.startsWith('Path='))!.slice('Path='.length),
      });
  }
}

/** A browser that has signed in with the key. */
export async function signedIn(url: string, key: string): Promise<Browser> {
  const browser = new Browser(url);
  expect((await browser.signIn(key)).status).toBe(201);
  return browser;
}

/** How the browser is refused; null: it is not. */
export async function refused(browser: Browser, path = '/v1/modules'): Promise<unknown> {
  const { status, body } = await browser.ask('GET', path);
  return status === 200 ? null : { status, code: body.code };
}

export const ENDED = { status: 401, code: 'session_ended' };

/** How the browser is refused, as soon as it is. */
export function untilEnded(browser: Browser): Promise<unknown> {
  return waitFor(async () => (await refused(browser)) ?? undefined, { what: 'a refusal' });
}
