/** A service, and what the doctor finds beside it. */
import { afterAll, beforeAll, expect } from 'vitest';
import { freePort } from '../daemons/machine/ports.ts';
import { startCasting, type Casting } from '../e2e/casting.ts';
import { examine, type Examined } from './examine.ts';

class Practice {
  #casting: Casting | null = null;
  #env: Readonly<Record<string, string>> = {};

  async open(): Promise<void> {
    const APP_BGP_LISTEN = `127.0.0.1:${await freePort()}`;
    this.#casting = await startCasting({ APP_BGP_LISTEN });
    const { dataDir, service } = this.#casting;
    this.#env = { APP_BGP_LISTEN, APP_DATA_DIR: dataDir, APP_PORT: new URL(service.url).port };
  }

  async close(): Promise<void> {
    await this.#casting?.close();
  }

  get casting(): Casting {
    return this.#casting!;
  }

  readonly doctor = (more: Record<string, string> = {}, wrapper: readonly string[] = []): Promise<Examined> =>
    examine({ ...this.#env, ...more }, wrapper);

  /** That the doctor finds this, with a remedy, and ends accordingly. */
  readonly expectFinding = async (
    verdict: 'fault' | 'warning',
    check: string,
    found: RegExp,
    remedy: RegExp,
    more: Record<string, string> = {},
    wrapper: readonly string[] = [],
  ): Promise<void> => {
    const examined = await this.doctor(more, wrapper);
    const fitting = examined.findings.filter(
      (one) => one.verdict === verdict && one.check === check && found.test(one.found),
    );
    expect(fitting, JSON.stringify(examined.findings, null, 1)).not.toEqual([]);
    expect(fitting[0]!.remedy).toMatch(remedy);
    if (verdict === 'fault') expect(examined.code).toBe(1);
  };
}

/** It is there from `beforeAll` on. */
export function useDoctor(): Practice {
  const practice = new Practice();
  beforeAll(() => practice.open());
  afterAll(() => practice.close());
  return practice;
}
