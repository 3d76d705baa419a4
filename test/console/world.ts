/**
 * What the console is looked at with: the real service with a source, a BIRD peer, two revisions that differ, and names that somebody
 * chose to do harm; and a browser that is signed in by nobody.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import type { Bird } from '../daemons/bird/bird.ts';
import { programPath } from '../daemons/programs.ts';
import { addCdnModule, type Casting, refresh, refreshInVain, serve, startCasting } from '../e2e/casting.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Prefixes of the source at first, how many come to them, and how many a bad day leaves, which a guardrail holds. */
export const FIRST = 1_000;
export const ADDED = 200;
export const LEFT = 20;
/** A /16 without one of its /24s. */
export const RANGES = 8;
export const COMMUNITY = '64500:100';
export const SOURCE_MODULE = `module ${COMMUNITY}`;
/** An address that the source has, and one that the module `excluded` takes away. */
export const ANNOUNCED = '45.0.2.1';
export const EXCLUDED = '46.1.2.3';
/** One that the module with the hostile name has. */
export const HOSTILE_ADDRESS = '46.1.5.5';
/** As long as they may be, without a place to break them. */
export const HOSTILE_NAME = '<img src=x onerror=alert(1)> שלום '.padEnd(100, 'W');
export const HOSTILE_TEXT = 'javascript:alert(1) "><script>alert(2)</script> \u202e'.padEnd(2_000, 'W');

export interface World {
  readonly casting: Casting;
  readonly bird: Bird;
  readonly browser: Browser;
  readonly moduleId: string;
  readonly hostileId: string;
  /** From now on the source has so few prefixes that a guardrail holds its module. */
  poison(): Promise<void>;
  /** The source fails, and its last good prefixes are retained. */
  breakSource(): Promise<void>;
  /** It is again as it was; nobody has read it yet. */
  mendSource(): void;
  close(): Promise<void>;
}

/** `count` scattered /24s from the `from`th on: no two of them halves of one. */
function scattered(count: number, from = 0): string {
  const prefixes = Array.from({ length: count }, (_, i) => from + i).map(
    (at) => `45.${at >> 7}.${(at & 127) * 2}.0/24`,
  );
  return prefixes.join('\n');
}

/** A service that has nothing yet, and a browser. */
export async function startEmptyWorld(
  env: Record<string, string> = {},
): Promise<Pick<World, 'casting' | 'browser' | 'close'>> {
  execFileSync(process.execPath, [join(ROOT, 'scripts/build-console.ts'), '--stale']);
  const [casting, browser] = await Promise.all([startCasting(env), startBrowser()]);
  return {
    ...{ casting, browser },
    async close() {
      await browser.close();
      await casting.close();
    },
  };
}

export async function startWorld(): Promise<World> {
  const { casting, browser, close } = await startEmptyWorld();
  const { sources } = casting;
  const bird = await casting.addBird();
  const hostileId = await addRanges(casting, HOSTILE_NAME, {
    ...{ description: HOSTILE_TEXT, cidrs: ['46.1.0.0/16'] },
  });
  await addHostileNames(casting);
  await addRanges(casting, 'excluded', { purpose: 'exclude', cidrs: ['46.1.2.0/24'] });
  sources.set('/list', serve(scattered(FIRST)));
  const { moduleId } = await addCdnModule(casting, COMMUNITY, { path: '/list' });
  await refresh(casting, moduleId);
  sources.set('/list', serve(scattered(FIRST + ADDED)));
  await refresh(casting, moduleId);
  let current = serve(scattered(FIRST + ADDED));
  return {
    ...{ casting, bird, browser, moduleId, hostileId, close },
    async poison() {
      current = serve(scattered(LEFT));
      sources.set('/list', current);
      await refresh(casting, moduleId);
    },
    async breakSource() {
      sources.delete('/list');
      await refreshInVain(casting, moduleId);
    },
    mendSource: () => void sources.set('/list', current),
  };
}

/** Of everything else that people name. */
async function addHostileNames({ service }: Casting): Promise<void> {
  const name = HOSTILE_NAME;
  await service.post('/v1/peers', {
    ...{ name, description: HOSTILE_TEXT.slice(0, 500), enabled: false },
    ...{ address: '192.0.2.77', remote_asn: 64_500 },
  });
  await service.post('/v1/api-keys', { name, role: 'viewer' });
  await service.post('/v1/feeds', { name: 'hostile', description: HOSTILE_TEXT.slice(0, 500) });
  await service.post('/v1/speakers', { name, label: name, enabled: false, local_asn: 64_512 });
  await service.post('/v1/tenants', { name, slug: 'hostile' });
  await service.post('/v1/firewall/rules', { name, cidrs: ['198.51.100.0/24'], enabled: false });
  await service.post('/v1/doh-profiles', {
    ...{ name, url: 'https://198.51.100.9/dns-query', enabled: false },
  });
  await service.post('/v1/maintenance/policies', { name, kind: 'audit_prune', enabled: false });
  await service.post('/v1/webhooks', {
    name,
    url: 'https://hooks.example.net/%3Cscript%3E',
    events: ['revision'],
    enabled: false,
  });
  const module = await service.post<{ id: string }>('/v1/modules', {
    ...{ name: `${name.slice(0, 40)} of sources`, type: 'CDN_SOURCES', enabled: false },
  });
  await service.post(`/v1/modules/${module.id}/cdn-sources`, {
    name,
    url: 'https://198.51.100.9/"><img/src=x/onerror=alert(1)>',
  });
  const deleted = await service.post<{ id: string }>('/v1/modules', {
    ...{ name: `${name.slice(0, 40)} that is gone`, type: 'IP_RANGES' },
  });
  await service.call('DELETE', `/v1/modules/${deleted.id}`);
  const { token } = await service.post<{ token: string }>('/v1/firewall/enrollment-tokens');
  const enrolled = await fetch(`${service.url}/v1/firewall/clients/enroll`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, hostname: HOSTILE_TEXT.slice(0, 100), version: '<b>1</b>' }),
  });
  if (!enrolled.ok) throw new Error(await enrolled.text());
  const { client_id } = (await enrolled.json()) as { client_id: string };
  await service.post('/v1/firewall/rules', {
    ...{ name: `${name.slice(0, 40)} at a host`, cidrs: ['198.51.100.0/24'], client_ids: [client_id] },
  });
}

function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: programPath('chromium-headless-shell'),
    // As root there is no sandbox; pages are our own.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  });
}

interface Ranges {
  readonly description?: string;
  readonly purpose?: 'announce' | 'exclude';
  readonly cidrs: readonly string[];
}

/** A module of ranges, with a community of the same name. */
async function addRanges(
  { service }: Casting,
  name: string,
  { description = '', purpose = 'announce', cidrs }: Ranges,
): Promise<string> {
  const values = { announce: '64500:200', exclude: '64500:300' };
  const community = await service.post<{ id: string }>('/v1/communities', {
    ...{ community: values[purpose], title: name },
  });
  const { id } = await service.post<{ id: string }>('/v1/modules', {
    ...{ name, description, purpose, type: 'IP_RANGES' },
    ...(purpose === 'announce' ? { community_id: community.id } : {}),
  });
  await service.post(`/v1/modules/${id}/ip-range-entries`, { items: cidrs.map((cidr) => ({ cidr })) });
  await service.succeeded(await service.post(`/v1/modules/${id}/refresh`));
  return id;
}
