/** Two modules of ranges in a service of their own, a page that is signed in, and what is written there as text. */
import { waitFor } from '../daemons/wait.ts';
import { isFocused } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

/** Of the module `ranges`, at first. */
export const CIDRS = ['45.0.0.0/24', '45.0.2.0/24', '45.0.4.0/24', '45.0.6.0/24'];

type RangesScene = Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;

export interface Ranges {
  readonly scene: RangesScene;
  readonly moduleId: string;
  readonly otherId: string;
}

export async function openRanges(): Promise<Ranges> {
  const scene = await Scene.open(await startEmptyWorld());
  const { service } = scene;
  const { id: communityId } = await service.post<{ id: string }>('/v1/communities', {
    ...{ community: '64500:1', title: 'ranges' },
  });
  const moduleId = await makeModule(scene, communityId, 'ranges', CIDRS);
  const otherId = await makeModule(scene, communityId, 'others', ['46.0.0.0/24']);
  await scene.page.goto(scene.base);
  await signIn(scene.page, service.key);
  return { scene, moduleId, otherId };
}

async function makeModule(
  scene: RangesScene,
  communityId: string,
  name: string,
  cidrs: readonly string[],
): Promise<string> {
  const { service } = scene;
  const { id } = await service.post<{ id: string }>('/v1/modules', {
    ...{ name, type: 'IP_RANGES', community_id: communityId },
  });
  const items = cidrs.map((cidr) => ({ cidr }));
  await service.post(`/v1/modules/${id}/ip-range-entries`, { items });
  await refreshModule(scene, id);
  return id;
}

export async function refreshModule({ service }: RangesScene, id: string): Promise<void> {
  await service.succeeded(await service.post(`/v1/modules/${id}/refresh`));
}

export function editorOf({ page }: RangesScene) {
  return page.getByRole('textbox', { name: 'Entries as CSV' });
}

export async function untilFocused({ page }: RangesScene, selector: string): Promise<void> {
  const target = page.locator(selector);
  await waitFor(() => isFocused(target), { what: `the focus on ${selector}` });
}
