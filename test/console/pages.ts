import type { Page } from 'playwright-core';
import { waitFor } from '../daemons/wait.ts';
import { ANNOUNCED, EXCLUDED, type World } from './world.ts';

/** Every page of the console, below `/console/`, with something on it. */
export async function consolePages({ casting, moduleId, hostileId }: World): Promise<Record<string, string>> {
  const applies = await casting.service.get<{ items: { id: string }[] }>('/v1/jobs?type=apply&limit=1');
  const speakers = await casting.service.get<{ items: { id: string }[] }>('/v1/speakers?limit=1');
  return {
    overview: '',
    'lookup-empty': 'lookup',
    lookup: `lookup?q=${ANNOUNCED}`,
    'lookup-why-not': `lookup?q=${EXCLUDED}`,
    'lookup-refused': 'lookup?q=not%20an%20address',
    modules: 'modules',
    module: `modules/${moduleId}`,
    entries: `modules/${hostileId}`,
    'entries-text': `modules/${hostileId}?tab=text`,
    'module-settings': `modules/${moduleId}?tab=settings`,
    revisions: 'revisions',
    revision: 'revisions/latest',
    compare: 'compare/1...latest',
    'compare-map': 'compare/1...latest?map=shown',
    applies: 'applies',
    apply: `applies/${applies.items[0]!.id}`,
    sessions: 'sessions',
    sources: 'sources',
    'sources-none': 'sources?status=failed',
    jobs: 'jobs',
    job: `jobs/${applies.items[0]!.id}`,
    audit: 'audit',
    keys: 'keys',
    communities: 'communities',
    feeds: 'feeds',
    settings: 'settings',
    speaker: `speakers/${speakers.items[0]!.id}`,
    'speaker-model': `speakers/${speakers.items[0]!.id}?tab=model`,
    'new-node': 'nodes/new',
    firewall: 'firewall',
    'firewall-hosts': 'firewall?tab=clients',
    maintenance: 'maintenance',
    logs: 'logs',
    database: 'database',
    tenants: 'tenants',
    'no-such-page': 'nowhere',
  };
}

/** Opens a page, and waits until all of it was read. */
export async function openPage(page: Page, base: string, path: string): Promise<void> {
  await page.goto(base + path);
  await page.locator('#content h1').waitFor();
  await waitFor(async () => (await page.locator('.skeleton').count()) === 0, { what: `all of /${path}` });
}

/** Types the key into the form of whatever page was opened. */
export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
  await page.locator('#content h1').waitFor();
}
