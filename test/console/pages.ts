import type { Page } from 'playwright-core';
import { waitFor } from '../daemons/wait.ts';
import { ANNOUNCED, EXCLUDED, HOSTILE_ADDRESS, HOSTILE_NAME, type World } from './world.ts';

/** Ids in the addresses of pages. */
interface Shown {
  readonly moduleId: string;
  readonly hostileId: string;
  readonly applyId: string;
  readonly speakerId: string;
  readonly peerId: string;
  readonly webhookId: string;
  readonly hostId: string;
  /** Those whose names somebody chose to do harm. */
  readonly hostileSpeakerId: string;
  readonly hostilePeerId: string;
}

export const PAGES = {
  overview: () => '',
  'lookup-empty': () => 'lookup',
  lookup: () => `lookup?q=${ANNOUNCED}`,
  'lookup-hostile': () => `lookup?q=${HOSTILE_ADDRESS}`,
  'lookup-why-not': () => `lookup?q=${EXCLUDED}`,
  'lookup-refused': () => 'lookup?q=not%20an%20address',
  modules: () => 'modules',
  'modules-deleted': () => 'modules?tab=deleted',
  module: ({ moduleId }) => `modules/${moduleId}`,
  entries: ({ hostileId }) => `modules/${hostileId}`,
  'entries-text': ({ hostileId }) => `modules/${hostileId}?tab=text`,
  'entries-deleted': ({ hostileId }) => `modules/${hostileId}?tab=removed`,
  'module-settings': ({ moduleId }) => `modules/${moduleId}?tab=settings`,
  revisions: () => 'revisions',
  revision: () => 'revisions/latest',
  'revision-map': () => 'revisions/latest?map=shown',
  'lookup-many': () => `lookup?q=${ANNOUNCED} ${EXCLUDED}`,
  compare: () => 'compare/1...latest',
  'compare-map': () => 'compare/1...latest?map=shown',
  applies: () => 'applies',
  apply: ({ applyId }) => `applies/${applyId}`,
  sessions: () => 'sessions',
  speakers: () => 'speakers',
  peers: () => 'peers',
  peer: ({ peerId }) => `peers/${peerId}`,
  'peer-hostile': ({ hostilePeerId }) => `peers/${hostilePeerId}`,
  sources: () => 'sources',
  'sources-none': () => 'sources?status=failed',
  jobs: () => 'jobs',
  job: ({ applyId }) => `jobs/${applyId}`,
  audit: () => 'audit',
  keys: () => 'keys',
  communities: () => 'communities',
  resolvers: () => 'resolvers',
  feeds: () => 'feeds',
  webhooks: () => 'webhooks',
  webhook: ({ webhookId }) => `webhooks/${webhookId}`,
  settings: () => 'settings',
  speaker: ({ speakerId }) => `speakers/${speakerId}`,
  'speaker-hostile': ({ hostileSpeakerId }) => `speakers/${hostileSpeakerId}`,
  'speaker-model': ({ speakerId }) => `speakers/${speakerId}?tab=model`,
  'new-node': () => 'nodes/new',
  firewall: () => 'firewall',
  'firewall-hosts': () => 'firewall?tab=clients',
  'firewall-host': ({ hostId }) => `firewall/${hostId}`,
  maintenance: () => 'maintenance',
  logs: () => 'logs',
  database: () => 'database',
  tenants: () => 'tenants',
  welcome: () => 'welcome',
  'no-such-page': () => 'nowhere',
} as const satisfies Readonly<Record<string, (shown: Shown) => string>>;

export type PageName = keyof typeof PAGES;

/** The names of all pages, by which pictures are called as well. */
export const PAGE_NAMES = Object.keys(PAGES) as readonly PageName[];

/** Every page of the console by its name, below `/console/`, with something on it. */
export async function consolePages({
  casting,
  moduleId,
  hostileId,
}: World): Promise<Record<PageName, string>> {
  const first = async (path: string): Promise<string> => {
    const { items } = await casting.service.get<{ items: { id: string }[] }>(path);
    return items[0]!.id;
  };
  const applyId = await first('/v1/jobs?type=apply&limit=1');
  const idsOf = async (list: 'speakers' | 'peers'): Promise<readonly [string, string]> => {
    const { items } = await casting.service.get<{ items: { id: string; name: string }[] }>(`/v1/${list}`);
    const hostile = items.find(({ name }) => name === HOSTILE_NAME)!;
    return [items.find((one) => one !== hostile)!.id, hostile.id];
  };
  const [speakerId, hostileSpeakerId] = await idsOf('speakers');
  const [peerId, hostilePeerId] = await idsOf('peers');
  const webhookId = await first('/v1/webhooks?limit=1');
  const hostId = await first('/v1/firewall/clients?limit=1');
  const shown = {
    ...{ moduleId, hostileId, applyId, speakerId, hostileSpeakerId, peerId, hostilePeerId },
    ...{ webhookId, hostId },
  };
  return Object.fromEntries(Object.entries(PAGES).map(([name, path]) => [name, path(shown)])) as Record<
    PageName,
    string
  >;
}

/** Opens a page, and waits until all of it was read. */
export async function openPage(page: Page, base: string, path: string): Promise<void> {
  await page.goto(base + path);
  await page.locator('#content h1').waitFor();
  await allRead(page, path);
}

const NOWHERE = 'nowhere';

/** Leads to a page as a link does, without a new document, from a page that asks for nothing: what has failed is asked again. */
export async function leadTo(page: Page, base: string, path: string): Promise<void> {
  const visit = (to: string) => page.evaluate(`history.pushState(null, '', ${JSON.stringify(base + to)})`);
  const nowhere = page.locator('#content h1').getByText('No such page', { exact: true });
  await visit(NOWHERE);
  await nowhere.waitFor();
  if (path === NOWHERE) return;
  await visit(path);
  // The next heading is that of the page.
  await nowhere.waitFor({ state: 'detached' });
}

/** Goes to a page as by a link, and waits until all of it was read. */
export async function visitPage(page: Page, base: string, path: string): Promise<void> {
  await leadTo(page, base, path);
  await page.locator('#content h1').waitFor();
  await allRead(page, path);
}

async function allRead(page: Page, path: string): Promise<void> {
  await waitFor(async () => (await page.locator('.skeleton').count()) === 0, { what: `all of /${path}` });
}

/** Types the key into the form of whatever page was opened. */
export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
  await page.locator('#content h1').waitFor();
}
