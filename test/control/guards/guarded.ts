/** A plane with one speaker and a list server, for tests of what guardrails do: each test starts with no module and no setting. */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { ApplyRequest } from '../../../src/api/revisions/apply.ts';
import type { Role } from '../../../src/api/access/permissions.ts';
import type { Problem } from '../../../src/api/problems/problem.ts';
import type { CdnSource, CdnSourcePatch } from '../../../src/api/entries/cdn-sources.ts';
import type { ReleaseRequest } from '../../../src/api/lists/held-modules.ts';
import type { Module, ModuleCreate } from '../../../src/api/lists/modules.ts';
import type { Revision } from '../../../src/api/revisions/revisions.ts';
import { SETTING_KEYS, type Settings, type SettingsPatch } from '../../../src/api/operation/settings.ts';
import { requestApply } from '../../../src/control/rollout/apply-revision.ts';
import { createCdnSources } from '../../../src/control/entries/cdn-sources.ts';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { releaseModule } from '../../../src/control/revisions/release-module.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import type { Job } from '../../../src/api/activity/jobs.ts';
import { getCdnSource, updateCdnSource } from '../../../src/store/entries/cdn-sources.ts';
import { getModule } from '../../../src/store/modules/modules.ts';
import { getSettings } from '../../../src/store/tenants/settings.ts';
import { serves } from '../../sources/lists/list-server.ts';
import { startPlane, type Plane } from '../plane.ts';

class Guarded {
  plane!: Plane;
  #speakerId = '';
  #communityId = '';

  async start(): Promise<void> {
    this.plane = await startPlane();
    await this.plane.hold();
    this.#speakerId = (await this.plane.addSpeaker('one')).id;
    this.#communityId = await this.plane.addCommunity('64500:1');
  }

  async reset(): Promise<void> {
    await this.plane.deleteModules();
    await this.set(Object.fromEntries(SETTING_KEYS.map((key) => [key, null])));
  }

  settings(): Promise<Settings> {
    return this.plane.run((tx) => getSettings(tx, SETTING_KEYS));
  }

  set(patch: SettingsPatch): Promise<unknown> {
    return this.plane.run((tx) => changeSettings(tx, patch));
  }

  async addModule(name: string, more: Partial<ModuleCreate> = {}): Promise<string> {
    const body = { name, type: 'CDN_SOURCES', community_id: this.#communityId, ...more } as const;
    return (await this.plane.run((tx) => createModule(tx, body))).resource.id;
  }

  async addSource(moduleId: string, path: string): Promise<string> {
    const { lists, context } = this.plane;
    const body = { name: path, url: lists.origin + path };
    const [made] = await this.plane.run((tx) => createCdnSources(tx, context, moduleId, [body], () => ''));
    return made!.resource.id;
  }

  /** What the list server answers from now on. */
  answer(path: string, prefixes: readonly string[]): void {
    this.plane.answers.set(path, serves(prefixes.join('\n')));
  }

  /** Refreshes the module and waits for the apply, if one follows. */
  async refresh(moduleId: string): Promise<Revision> {
    const result = await this.plane.succeeded(await this.plane.refresh(moduleId));
    return this.plane.revision(String(result.revision_id));
  }

  module(id: string): Promise<Module> {
    return this.plane.run(async (tx) => (await getModule(tx, id)).resource);
  }

  source(moduleId: string, id: string): Promise<CdnSource> {
    return this.plane.run(async (tx) => (await getCdnSource(tx, moduleId, id)).resource);
  }

  enableSource(moduleId: string, id: string, enabled: boolean): Promise<unknown> {
    return this.editSource(moduleId, id, { enabled });
  }

  editSource(moduleId: string, id: string, patch: CdnSourcePatch): Promise<unknown> {
    return this.plane.run((tx) => updateCdnSource(tx, this.plane.context.secrets, moduleId, id, patch, null));
  }

  /** A module of this one range, which is what an operator announces in a hurry. */
  async addRange(name: string, cidr: string): Promise<string> {
    const moduleId = await this.addModule(name, { type: 'IP_RANGES' });
    await this.plane.run((tx) => createIpRangeEntries(tx, moduleId, [{ cidr }], () => ''));
    return moduleId;
  }

  /** Lets the module through, and waits for the apply, if one follows. */
  async release(moduleId: string, request: ReleaseRequest, role: Role = 'operator'): Promise<Revision> {
    const { context, run } = this.plane;
    const job = await run((tx) => releaseModule(tx, { ...context, role }, moduleId, request));
    return this.plane.revision(String((await this.plane.succeeded(job)).revision_id));
  }

  /** The prefixes that the speaker runs. */
  async routes(): Promise<string[]> {
    return Object.keys(await this.plane.routes((await this.runs())!)).sort();
  }

  /** The revision that the speaker runs. */
  async runs(): Promise<string | null> {
    return (await this.plane.speaker(this.#speakerId)).applied_revision_id;
  }

  apply(request: ApplyRequest, role: Role = 'operator'): Promise<Job> {
    return this.plane.run((tx) => requestApply(tx, { ...this.plane.context, role }, request));
  }

  /** Why the apply is refused. */
  refused(request: ApplyRequest, role?: Role): Promise<Problem> {
    return this.apply(request, role).then(
      () => Promise.reject(new Error('The apply was not refused.')),
      (error: unknown) => error as Problem,
    );
  }
}

/** Starts before the tests of the calling file, is reset before each and ends after them. */
export function useGuarded(): Guarded {
  const guarded = new Guarded();
  beforeAll(() => guarded.start());
  beforeEach(() => guarded.reset());
  afterAll(() => guarded.plane?.close());
  return guarded;
}

/** `count` scattered /24s from the `from`th on: no two of them halves of one. */
export function scattered(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, i) => {
    const at = (from + i) * 2;
    return `45.${at >> 8}.${at & 255}.0/24`;
  });
}

/** A module of one source at `/list`, refreshed, and what it brought applied. */
export async function applied(
  guarded: Guarded,
  prefixes: readonly string[],
): Promise<{ moduleId: string; sourceId: string }> {
  const moduleId = await guarded.addModule('list');
  const sourceId = await guarded.addSource(moduleId, '/list');
  guarded.answer('/list', prefixes);
  // What the test before left at the speaker goes, and nobody minds.
  const { guard_max_withdraw_percent: percent } = await guarded.settings();
  await guarded.set({ guard_max_withdraw_percent: 100 });
  const revision = await guarded.refresh(moduleId);
  await guarded.set({ guard_max_withdraw_percent: percent });
  if (revision.state !== 'ready') throw new Error(`Revision ${revision.number} is ${revision.state}`);
  // What a speaker runs already is not applied again, so only the content tells.
  const running = await guarded.plane.revision((await guarded.runs())!);
  if (running.content_hash !== revision.content_hash) throw new Error('The revision is not applied');
  return { moduleId, sourceId };
}
