/** What tests of applies need: revisions that differ, and a plane with speakers that have one BIRD each as their peer. */
import type { Job } from '../../../src/api/activity/jobs.ts';
import type { ModuleCreate } from '../../../src/api/lists/modules.ts';
import type { SettingsPatch } from '../../../src/api/operation/settings.ts';
import type { SpeakerApplyResult } from '../../../src/api/revisions/apply.ts';
import type { Speaker } from '../../../src/api/speakers/speakers.ts';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { createPeer } from '../../../src/control/speakers/peers.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { startBird, type Bird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startPlane, type Plane } from '../plane.ts';

/** A module of ranges that is one range larger with every revision. */
export class GrowingModule {
  readonly id: string;
  readonly #plane: Plane;
  #size = 0;

  private constructor(plane: Plane, id: string) {
    this.#plane = plane;
    this.id = id;
  }

  static async create(plane: Plane, more: Partial<ModuleCreate> = {}): Promise<GrowingModule> {
    const body = { name: 'ranges', type: 'IP_RANGES', ...more } as const;
    return new GrowingModule(plane, (await plane.run((tx) => createModule(tx, body))).resource.id);
  }

  /** Ranges so far, each of which is a route of its own. */
  get size(): number {
    return this.#size;
  }

  async nextRevision(): Promise<string> {
    const cidr = `11.${this.#size++}.0.0/24`;
    await this.#plane.run((tx) => createIpRangeEntries(tx, this.id, [{ cidr }], () => ''));
    return String((await this.#plane.succeeded(await this.#plane.refresh(this.id))).revision_id);
  }
}

export interface Site {
  readonly speaker: Speaker;
  readonly peer: Bird;
}

export interface Rollout {
  readonly plane: Plane;
  /** Speakers whose session is up, in the order in which they are applied to. */
  readonly sites: readonly Site[];
  readonly set: (patch: SettingsPatch) => Promise<unknown>;
  /** A new revision, with one route more than the one before. */
  nextRevision(): Promise<string>;
  /** The revisions that the speakers run. */
  runs(): Promise<(string | null)[]>;
  /** Lets the peer take so many routes only; null: any number. */
  limit(site: Site, routes: number | null): Promise<void>;
  /** Waits until every session is up and holds what its speaker runs. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export async function startRollout(names: readonly string[]): Promise<Rollout> {
  const plane = await startPlane();
  const sites: Site[] = [];
  const routesOf = new Map<string, number>();
  await plane.hold();
  const set = (patch: SettingsPatch): Promise<unknown> => plane.run((tx) => changeSettings(tx, patch));
  await set({ auto_apply: false, deploy_confirm_timeout_seconds: 6 });
  const module = await GrowingModule.create(plane);
  for (const name of names) sites.push(await startSite(plane, name));
  const rollout: Rollout = {
    ...{ plane, sites, set },
    async nextRevision() {
      const id = await module.nextRevision();
      routesOf.set(id, module.size);
      return id;
    },
    runs: () =>
      Promise.all(sites.map(async ({ speaker }) => (await plane.speaker(speaker.id)).applied_revision_id)),
    limit: ({ peer }, routes) =>
      peer.configure({ neighbors: [neighbor(routes === null ? {} : { importLimit: routes })] }),
    async settled() {
      await plane.idle();
      for (const { speaker, peer } of sites) {
        const applied = (await plane.speaker(speaker.id)).applied_revision_id;
        await peer.waitRoutes(applied === null ? 0 : routesOf.get(applied)!);
        await waitFor(
          async () => (await plane.speaker(speaker.id)).live?.sessions[0]?.state === 'established',
          { what: 'the session to be reported' },
        );
      }
    },
    async close() {
      await plane.close();
      for (const { peer } of sites) await peer.stop();
    },
  };
  return rollout;
}

const neighbor = (more = {}) => ({ address: '127.0.0.1', port: 1, asn: 64512, passive: true, ...more });

async function startSite(plane: Plane, name: string): Promise<Site> {
  const address = loopbackAddress();
  const peer = await startBird({
    listen: { address, port: await freePort(address) },
    ...{ routerId: address, localAsn: 64496, neighbors: [neighbor()] },
  });
  const speaker = await plane.addSpeaker(name);
  const body = { name, address, port: peer.port, remote_asn: 64496, speaker_ids: [speaker.id] };
  await plane.run((tx) => createPeer(tx, plane.context, body));
  return { speaker, peer };
}

/** What the apply said of each speaker, canaries first. */
export function speakerResults(job: Job): SpeakerApplyResult[] {
  return (job.result?.speakers ?? []) as SpeakerApplyResult[];
}

/** Waits until the job is in the phase. */
export async function inPhase(plane: Plane, { id }: Job, phase: string): Promise<void> {
  let last: unknown;
  await waitFor(
    async () => {
      const job = await plane.job(id);
      last = job;
      if (job.finished_at !== null) throw new Error(`The job has ended: ${JSON.stringify(job)}`);
      return job.progress?.phase === phase;
    },
    { what: `the phase ${phase}`, details: () => JSON.stringify(last) },
  );
}
