import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collectDomains, type DomainsToCollect } from '../../../src/control/collectors/collect-domains.ts';
import { a, type DohServer, replyTo, startDohServer } from '../../sources/doh/server.ts';
import { reaching } from '../../sources/lists/list-server.ts';

let server: DohServer;
beforeAll(async () => {
  server = await startDohServer();
});
afterAll(() => server?.close());

const domains = (count: number): DomainsToCollect => ({
  entries: Array.from({ length: count }, (_, i) => ({
    ...{ id: `id${i}`, questionVersion: 1, domain: `n${i}.example`, addresses: [] },
  })),
  profiles: [
    {
      ...{ id: 'p', name: 'p', url: server.url, method: 'POST', bootstrap_addresses: [], headers: {} },
      headersFault: null,
      ...{ client_subnet: null, timeout_ms: 30_000 },
    },
  ],
  policy: { concurrency: 2, families: ['ipv4'] },
  families: ['ipv4', 'ipv6'],
  at: '2026-11-21T12:00:00.000Z',
});
const options = { bogons: 'drop', reach: reaching('127.0.0.1/32') } as const;

test('who is slow has a limit in all: the others stay as they are', async () => {
  server.answer = (asked) => (stream) => {
    void sleep(100).then(() => {
      stream.respond({ ':status': 200, 'content-type': 'application/dns-message' });
      stream.end(replyTo(asked, [a(asked.name, '45.0.0.1')]));
    });
  };
  const signal = new AbortController().signal;
  const reported: number[] = [];
  const { outcomes, addresses } = await collectDomains(
    domains(1_000),
    new Map(),
    { ...options, signal, withinMs: 1_000 },
    (done) => reported.push(done),
  );
  expect(outcomes[0]).toMatchObject({ id: 'id0', status: 'ok', modified: true });
  expect(outcomes.at(-1)).toMatchObject({ id: 'id999', status: 'failed', modified: false });
  expect(outcomes.at(-1)!.error).toContain('source_timeout: The domains of the module were not all resolved');
  expect(addresses.size).toBe(outcomes.filter(({ status }) => status === 'ok').length);
  expect(reported).toEqual(Array.from({ length: 1_000 }, (_, i) => i + 1));
});

test('an abort ends it with its reason, and the connections', async () => {
  server.answer = () => () => undefined;
  const controller = new AbortController();
  const collecting = collectDomains(
    domains(10),
    new Map(),
    { ...options, signal: controller.signal },
    () => undefined,
  );
  setTimeout(() => controller.abort(new Error('cancelled')), 100);
  await expect(collecting).rejects.toThrow('cancelled');
});

test('a name that has no address any more says when the first of those that it had leaves', async () => {
  const NXDOMAIN = 3;
  server.answer = (asked) => replyTo(asked, [], { rcode: NXDOMAIN });
  const { entries, ...one } = domains(1);
  const held = ['2026-11-21T11:00:00.000Z', '2026-11-21T10:00:00.000Z'].map((seen, i) => ({
    ...{ address: `45.0.0.${i}`, ttl: 60, dropped: null, first_seen_at: seen, last_seen_at: seen },
  }));
  const { outcomes } = await collectDomains(
    { ...one, entries: [{ ...entries[0]!, addresses: held }], policy: { retain_seconds: 21_600 } },
    new Map(),
    { ...options, signal: new AbortController().signal },
    () => undefined,
  );
  expect(outcomes).toMatchObject([{ status: 'ok', leavesAt: '2026-11-21T16:00:00.000Z' }]);
});
