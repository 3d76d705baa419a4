/** The requests of a walk: each with a key, and sent again while the service is busy. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from './ask.ts';
import type { World } from './world.ts';

/** A machine that has much else to do is slow, and no fault; who waits in vain waits so long. */
export const TIMEOUT_MS = Number(process.env.LIFE_WAIT ?? 180_000);

/** An answer that is not good. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: string;

  constructor(request: string, status: number, text: string) {
    super(`${request} answered ${status}: ${text}`);
    this.status = status;
    this.code = (/"code":"(\w+)"/.exec(text) ?? ['', ''])[1]!;
  }
}

export class Requests {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** One in JSON, and the answer to it. @throws {Refusal} */
  async call<T>(key: string, method: string, path: string, body?: object): Promise<T> {
    const content = body === undefined ? {} : { body: JSON.stringify(body), type: 'application/json' };
    const text = await this.send(key, method, path, content);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  /** @throws {Refusal} unless the answer is good */
  async send(
    key: string,
    method: string,
    path: string,
    sent: { readonly body?: string; readonly type?: string },
  ): Promise<string> {
    const end = performance.now() + TIMEOUT_MS;
    for (;;) {
      const { status, text } = await this.#sendOnce(key, method, path, sent);
      if (status < 300) return text;
      // On a machine that has much else to do requests wait in vain. Both say that nothing was changed, and that it is to be tried again.
      const isBusy = status === 503 && /"code":"(?:busy|database_unavailable)"/.test(text);
      if (!isBusy || performance.now() > end)
        throw new Refusal(`${method} ${path} ${sent.body ?? ''}`, status, text);
      await sleep(1_000); // before the next try
    }
  }

  #sendOnce(
    key: string,
    method: string,
    path: string,
    { body, type }: { readonly body?: string; readonly type?: string },
  ): ReturnType<typeof ask> {
    return ask(this.#world.service.url + path, {
      ...{ method, agent: this.#world.agent, body: body ?? '' },
      headers: {
        authorization: `Bearer ${key}`,
        ...(type === undefined ? {} : { 'content-type': type }),
      },
    });
  }
}
