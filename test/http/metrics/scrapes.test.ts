import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Gauge } from 'prom-client';
import { createServer } from '../../../src/http/server/server.ts';
import { mintApiKey } from '../../../src/store/keys/api-key-secret.ts';
import { openDatabase } from '../../../src/store/database/database.ts';
import { type ProcessMetrics, Scrapes } from '../../../src/http/metrics/scrapes.ts';
import type { Principal } from '../../../src/http/route.ts';
import { callApi, newMetrics, plantKey, startService, type TestService } from '../service.ts';

let service: TestService;
/** How often what names tenants was read. */
let looks = 0;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** A gauge as the fleet's are: it names a tenant, and reading it takes a moment. */
function named(isServedApart: boolean): ProcessMetrics {
  const metrics = { ...newMetrics(), isServedApart };
  new Gauge({
    name: 'prefixcast_speaker_routes',
    help: 'Routes.',
    labelNames: ['tenant'],
    registers: [metrics.named],
    async collect() {
      looks++;
      await new Promise((resolve) => setImmediate(resolve));
      this.set({ tenant: 'acme' }, 7);
    },
  });
  return metrics;
}

interface Scraped {
  readonly status: number;
  readonly hasSums: boolean;
  readonly hasNames: boolean;
}

async function withServer(
  metrics: ProcessMetrics,
  work: (scrape: (key: string | null, headers?: Record<string, string>) => Promise<Scraped>) => Promise<void>,
): Promise<void> {
  const server = await createServer({ ...service.dependencies, metrics });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  try {
    await work(async (key, headers = {}) => {
      const { status, text } = await callApi(url, 'GET', '/metrics', { key, headers });
      return {
        status,
        hasSums: text.includes('http_requests_total'),
        hasNames: text.includes('prefixcast_speaker_routes{tenant="acme"} 7\n'),
      };
    });
  } finally {
    await server.close();
  }
}

const SUMS: Scraped = { status: 200, hasSums: true, hasNames: false };
const ALL: Scraped = { status: 200, hasSums: true, hasNames: true };

describe('where there are several tenants', () => {
  test('strangers and keys of tenants read sums, super roles everything', async () => {
    await withServer(named(false), async (scrape) => {
      expect(await scrape(null)).toEqual(SUMS);
      for (const role of ['viewer', 'operator', 'node', 'firewall'] as const)
        expect(await scrape(service.tenant.keys[role]), role).toEqual(SUMS);
      for (const role of ['super_viewer', 'super_admin'] as const)
        expect(await scrape(service.tenant.keys[role]), role).toEqual(ALL);
    });
  });

  test('what a proxy asks for in the same header is left to it', async () => {
    await withServer(named(false), async (scrape) => {
      expect(await scrape(null, { authorization: 'Basic c2NyYXBlcjpwYXNz' })).toEqual(SUMS);
    });
  });

  test('a key that is not good is told so', async () => {
    await withServer(named(false), async (scrape) => {
      expect((await scrape(mintApiKey('super_viewer').secret)).status).toBe(401);
      expect(await scrape(null)).toEqual(SUMS);
    });
  });

  test('scrapes that come together read what names tenants twice: for the first, and for all who came while it was read', async () => {
    const scrapes = new Scrapes(service.database.db, named(false));
    const principal = { role: 'super_viewer' } as Principal;
    looks = 0;
    const read = await Promise.all(Array.from({ length: 64 }, () => scrapes.read(principal)));
    for (const { text } of read) expect(text).toContain('prefixcast_speaker_routes{tenant="acme"} 7\n');
    expect(looks).toBe(2);
    await Promise.all(Array.from({ length: 64 }, () => scrapes.read(null)));
    expect(looks).toBe(2);
  });

  test('served apart, a key of a super role reads them here too', async () => {
    await withServer(named(true), async (scrape) => {
      expect(await scrape(null)).toEqual(SUMS);
      expect(await scrape(service.tenant.keys.super_admin)).toEqual(ALL);
    });
  });
});

describe('where there is one tenant', () => {
  let alone: TestService;
  let key: string;
  beforeAll(async () => {
    alone = await startService();
    await alone.database.admin('DELETE FROM tenant WHERE id <> $1', [alone.tenant.id]);
    key = (await plantKey(alone.database, alone.tenant.id, 'viewer')).secret;
  });
  afterAll(() => alone.close());

  async function scrapeText(metrics: ProcessMetrics, shown: string | null): Promise<string> {
    const server = await createServer({ ...alone.dependencies, metrics });
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    const { text } = await callApi(url, 'GET', '/metrics', { key: shown });
    await server.close();
    return text;
  }

  test('a scraper without a key reads everything, unless it is served apart', async () => {
    expect(await scrapeText(named(false), null)).toContain('tenant="acme"');
    expect(await scrapeText(named(false), key)).toContain('tenant="acme"');
    expect(await scrapeText(named(true), null)).not.toContain('tenant="acme"');
  });

  test('and sums from the moment that there is another one', async () => {
    await alone.database.admin(
      `INSERT INTO tenant (id, name, slug) VALUES (gen_random_uuid(), 'Second', 'second')`,
    );
    expect(await scrapeText(named(false), null)).not.toContain('tenant="acme"');
  });
});

test('without a database, a scraper with a key reads what needs none', async () => {
  const db = openDatabase({ host: '/nonexistent', port: 1, user: 'nobody', database: 'none' });
  const server = await createServer({ ...service.dependencies, db, metrics: named(false) });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  try {
    for (const key of [null, service.tenant.keys.super_viewer]) {
      const { status, text } = await callApi(url, 'GET', '/metrics', { key });
      expect([status, text.includes('acme')]).toEqual([200, false]);
      expect(text).toContain('http_requests_total');
    }
  } finally {
    await server.close();
    await db.close();
  }
});
