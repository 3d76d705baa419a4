/** A plane with one speaker and a list server, for tests of what rails do: each test starts with no module and no setting. */
import type { ApplyRequest } from '../../../src/api/apply.ts';
import type { Role } from '../../../src/api/permissions.ts';
import type { Problem } from '../../../src/api/problem.ts';
import type { ModuleCreate } from '../../../src/api/modules.ts';
import type { Revision } from '../../../src/api/revisions.ts';
import { SETTING_KEYS, type SettingsPatch } from '../../../src/api/settings.ts';
import { requestApply } from '../../../src/control/rollout/apply-revision.ts';
import { createCdnSources } from '../../../src/control/entries/cdn-sources.ts';
import { createModule } from '../../../src/control/modules.ts';
import { changeSettings } from '../../../src/control/settings.ts';
import type { Job } from '../../../src/api/jobs.ts';
import { serves } from '../../sources/lists/list-server.ts';
import { startPlane, type Plane } from '../plane.ts';

export interface Guarded {
  readonly plane: Plane;
  reset(): Promise<void>;
  set(patch: SettingsPatch): Promise<unknown>;
  addModule(name: string, more?: Partial<ModuleCreate>): Promise<string>;
  addSource(moduleId: string, path: string): Promise<string>;
  /** What the list server answers from now on. */
  answer(path: string, prefixes: readonly string[]): void;
  /** Refreshes the module and waits for the apply, if one follows. */
  refresh(moduleId: string): Promise<Revision>;
  /** The revision that the speaker runs. */
  runs(): Promise<string | null>;
  apply(request: ApplyRequest, role?: Role): Promise<Job>;
  /** Why the apply is refused. */
  refused(request: ApplyRequest, role?: Role): Promise<Problem>;
}

export async function startGuarded(): Promise<Guarded> {
  const plane = await startPlane();
  await plane.hold();
  const { id: speakerId } = await plane.addSpeaker('one');
  const communityId = await plane.addCommunity('64500:1');
  const guarded: Guarded = {
    plane,
    async reset() {
      await plane.deleteModules();
      await guarded.set(Object.fromEntries(SETTING_KEYS.map((key) => [key, null])));
    },
    set: (patch) => plane.run((tx) => changeSettings(tx, patch)),
    async addModule(name, more = {}) {
      const body = { name, type: 'CDN_SOURCES', community_id: communityId, ...more } as const;
      return (await plane.run((tx) => createModule(tx, body))).resource.id;
    },
    async addSource(moduleId, path) {
      const body = { name: path, url: plane.lists.origin + path };
      const [made] = await plane.run((tx) => createCdnSources(tx, plane.context, moduleId, [body], () => ''));
      return made!.resource.id;
    },
    answer: (path, prefixes) => plane.answers.set(path, serves(prefixes.join('\n'))),
    async refresh(moduleId) {
      const result = await plane.succeeded(await plane.refresh(moduleId));
      return plane.revision(String(result.revision_id));
    },
    runs: async () => (await plane.speaker(speakerId)).applied_revision_id,
    apply: (request, role = 'operator') =>
      plane.run((tx) => requestApply(tx, { ...plane.context, role }, request)),
    refused: (request, role) =>
      guarded.apply(request, role).then(
        () => Promise.reject(new Error('The apply was not refused.')),
        (error: unknown) => error as Problem,
      ),
  };
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
  const revision = await guarded.refresh(moduleId);
  if (revision.state !== 'ready') throw new Error(`Revision ${revision.number} is ${revision.state}`);
  // What a speaker runs already is not applied again, so only the content tells.
  const running = await guarded.plane.revision((await guarded.runs())!);
  if (running.content_hash !== revision.content_hash) throw new Error('The revision is not applied');
  return { moduleId, sourceId };
}
