/** `--timeout` on a service whose disk is full: it asks to be tried again later than the command may wait. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { placesOf } from '../../../src/store/embedded/places.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { useDesk } from '../desk/desk.ts';
import { typist } from '../desk/typing.ts';

describe('a service that can write nothing', () => {
  const desk = useDesk();
  const { type, mustType } = desk;
  let database: pg.Client;

  beforeAll(async () => {
    await mustType('module create drop --type IP_RANGES');
    await mustType('entry add drop 47.4.0.0/24 --wait=built');
    const host = placesOf(desk.casting.dataDir).socketDir;
    database = new pg.Client({ host, port: 5432, user: 'postgres', database: 'prefixcast' });
    await database.connect();
    // As PostgreSQL fails a statement that finds no space (disk_full).
    await database.query(`
      CREATE FUNCTION public.no_space() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER no_space BEFORE INSERT ON prefixcast.ip_range_entry EXECUTE FUNCTION public.no_space();`);
  });
  afterAll(() => database?.end());

  test('a pause that would exceed the time is not begun, and the cause is said at once', async () => {
    const { code, out, err } = await type('entry add drop 47.4.1.0/24 --wait --timeout 10');
    expect(code, out + err).toBe(75);
    expect(err).not.toContain('trying again in 30 s');
    expect(err).toMatch(/\b(disk|space)\b/);
    expect(out).toBe('');
  });
});

describe.skipIf(requireDaemon('bird') === null)('an apply that is watched at its canary', () => {
  const desk = useDesk();
  const { type, mustType } = desk;

  test('the speakers that it is not done with are named', async () => {
    const bird = await desk.casting.addBird();
    await mustType('peer edit bird1 --speaker builtin');
    await mustType('speaker create second --daemon builtin --asn 64500 --yes');
    await mustType('module create drop --type IP_RANGES');
    await mustType('entry add drop 47.4.0.0/24 --wait');
    await bird.waitRoutes(1);
    await mustType('settings set deploy_canary_speaker_ids builtin');
    await mustType('settings set deploy_canary_soak_seconds 3600');
    await mustType('entry add drop 47.4.2.0/24');
    await mustType('revision build --wait=built');
    await waitFor(
      async () => (await mustType('job list --type apply --limit 1 -o json')).includes('"soak"'),
      {
        what: 'the apply to soak',
      },
    );
    const { code, err } = await type('apply watch --timeout 2s');
    expect(code, err).toBe(6);
    expect(err).toMatch(
      /Not done after 2 s at second; the job goes on\. Watch it: prefixcast job watch \S+$/m,
    );
    await mustType('apply cancel');
  });
});

describe('a service that takes requests and answers none', () => {
  let silent: Server;
  beforeAll(async () => {
    silent = createServer(() => undefined);
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
  });
  afterAll(() => {
    silent.closeAllConnections();
    silent.close();
  });

  test.each(['entry add drop 47.4.1.0/24 --wait', 'job watch', 'module delete drop --dry-run'])(
    '%s ends in time',
    async (words) => {
      const { port } = silent.address() as AddressInfo;
      const type = typist({ PREFIXCAST_URL: `http://127.0.0.1:${port}`, PREFIXCAST_KEY: 'pc_test' });
      const { code, err } = await type(...words.split(' '), '--timeout', '2');
      expect(code, err).toBe(75);
      expect(err).toContain('no answer within the 2 s of --timeout');
    },
  );
});

describe('a service that is away for a while', () => {
  const desk = useDesk();
  const { type, mustType } = desk;
  /** Longer than a few attempts take. */
  const outage = (): Promise<void> => sleep(15_000);

  test('is waited for as long as --timeout says', async () => {
    await mustType('module create drop --type IP_RANGES');
    await desk.casting.service.stop();
    const added = type('entry add drop 47.4.0.0/24 --timeout 2m');
    await outage();
    await desk.casting.restart();
    const { code, out, err } = await added;
    expect(code, err).toBe(0);
    expect(out).toBe('47.4.0.0/24 added\n');
    expect(await mustType('entry list drop -o name')).toBe('47.4.0.0/24\n');
  });
});
