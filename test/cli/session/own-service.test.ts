import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { findTarget } from '../../../src/cli/session/connect.ts';
import { urlHere } from '../../../src/cli/session/own-service.ts';

describe('the service of this machine', () => {
  afterEach(() => vi.unstubAllEnvs());
  test.each([
    [{}, 'http://127.0.0.1:8080'],
    [{ APP_PORT: '8099' }, 'http://127.0.0.1:8099'],
    [{ APP_HOST: '10.77.0.1', APP_PORT: '8099' }, 'http://10.77.0.1:8099'],
    [{ APP_HOST: '0.0.0.0' }, 'http://127.0.0.1:8080'],
    [{ APP_HOST: '::' }, 'http://[::1]:8080'],
    [{ APP_HOST: '2001:db8::1' }, 'http://[2001:db8::1]:8080'],
    [{ APP_HOST: '', APP_PORT: '' }, 'http://127.0.0.1:8080'],
  ])('with %j listens at %s', (env, url) => {
    for (const name of ['APP_HOST', 'APP_PORT']) vi.stubEnv(name, undefined);
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    expect(urlHere()).toBe(url);
  });

  describe('gets its own key', () => {
    const key = `pc_s_${'k'.repeat(50)}`;
    let directory: string;
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'own-service-'));
      await writeFile(join(directory, 'bootstrap-key'), key, { mode: 0o600 });
    });
    afterAll(() => rm(directory, { recursive: true }));

    const targetOf = (env: Readonly<Record<string, string>>) => {
      const names = ['PREFIXCAST_URL', 'PREFIXCAST_KEY', 'PREFIXCAST_CONTEXT', 'APP_HOST', 'APP_PORT'];
      for (const name of names) vi.stubEnv(name, undefined);
      const own = { APP_DATA_DIR: directory, XDG_CONFIG_HOME: directory, ...env };
      for (const [name, value] of Object.entries(own)) vi.stubEnv(name, value);
      return findTarget(undefined);
    };
    const others = Object.values(networkInterfaces())
      .flatMap((some) => some ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => address);

    test.each(['127.0.0.1', ...others])('at %s, where it listens', async (address) => {
      expect(await targetOf({ APP_HOST: address })).toMatchObject({ url: `http://${address}:8080`, key });
      expect(await targetOf({ PREFIXCAST_URL: `http://${address}:1` })).toMatchObject({ key });
    });

    test('and no other machine does', async () => {
      for (const host of ['192.0.2.77', 'routes.example.net', '127.example.net'])
        await expect(targetOf({ PREFIXCAST_URL: `http://${host}:8080` })).rejects.toThrow(
          `No key for http://${host}:8080 is known: run prefixcast login`,
        );
    });
  });
});
