/** A control plane with lists of two communities, red and blue. */
import { afterAll, beforeAll } from 'vitest';
import type { CdnSourceCreate } from '../../src/api/entries/cdn-sources.ts';
import type { ModuleCreate, ModulePatch } from '../../src/api/lists/modules.ts';
import { requestRefresh } from '../../src/control/collection/refresh-module.ts';
import { SCHEDULER } from '../../src/control/actor.ts';
import { createCdnSources } from '../../src/control/entries/cdn-sources.ts';
import { createIpRangeEntries } from '../../src/control/entries/ip-range-entries.ts';
import { changeModule, createModule } from '../../src/control/lists/modules.ts';
import { startPlane, type Plane } from './plane.ts';

class ListsScene {
  #plane: Plane | null = null;
  /** The id of 64500:1. */
  red = '';
  /** The id of 64500:2. */
  blue = '';

  async open(): Promise<void> {
    this.#plane = await startPlane();
    this.red = await this.plane.addCommunity('64500:1');
    this.blue = await this.plane.addCommunity('64500:2');
  }

  async close(): Promise<void> {
    await this.#plane?.close();
  }

  get plane(): Plane {
    return this.#plane!;
  }

  /** Of ranges that are red, unless it says otherwise. */
  readonly addModule = async (body: Partial<ModuleCreate> & Pick<ModuleCreate, 'name'>): Promise<string> => {
    const whole = { type: 'IP_RANGES', community_id: this.red, ...body } as const;
    return (await this.plane.run((tx) => createModule(tx, whole))).resource.id;
  };

  readonly addRanges = async (moduleId: string, ...cidrs: string[]): Promise<string[]> => {
    const bodies = cidrs.map((cidr) => ({ cidr }));
    const made = await this.plane.run((tx) => createIpRangeEntries(tx, moduleId, bodies, () => ''));
    return made.map(({ resource }) => resource.id);
  };

  /** A source at this path of the list server. */
  readonly addSource = async (
    moduleId: string,
    path: string,
    more: Partial<CdnSourceCreate> = {},
  ): Promise<string> => {
    const { plane } = this;
    const body = { name: path, url: plane.lists.origin + path, ...more };
    const [made] = await plane.run((tx) => createCdnSources(tx, plane.context, moduleId, [body], () => ''));
    return made!.resource.id;
  };

  readonly change = (id: string, patch: ModulePatch) =>
    this.plane.run((tx) => changeModule(tx, id, patch, null));

  /** Refreshes the module; answers the result and the routes of the revision. */
  readonly refreshed = async (moduleId: string) => {
    const result = await this.plane.succeeded(await this.plane.refresh(moduleId));
    return { result, routes: await this.plane.routes(String(result.revision_id)) };
  };

  /** Refreshes the module as its interval does; answers the result. */
  readonly byClock = async (moduleId: string) => {
    const { queue } = this.plane.context;
    const job = await this.plane.run((tx) => requestRefresh(tx, queue, moduleId, SCHEDULER));
    return this.plane.succeeded(job);
  };
}

/** It is there from `beforeAll` on. */
export function useLists(): ListsScene {
  const scene = new ListsScene();
  beforeAll(() => scene.open());
  afterAll(() => scene.close());
  return scene;
}
