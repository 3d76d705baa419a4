/** A control plane with a module of names, and resolvers that know what a test says. */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { DomainEntry } from '../../../src/api/entries/domain-entries.ts';
import type { DohResolverPolicy } from '../../../src/api/lists/modules.ts';
import { createDomainEntries } from '../../../src/control/entries/domain-entries.ts';
import { createDohProfile } from '../../../src/control/lists/doh-profiles.ts';
import { changeModule, createModule } from '../../../src/control/lists/modules.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { getDomainEntry } from '../../../src/store/entries/domain-entries.ts';
import { findLatestReadyRevision } from '../../../src/store/revisions/stored-revisions.ts';
import { a, type Asked, type DohServer, replyTo, startDohServer } from '../../sources/doh/server.ts';
import { startPlane, type Plane } from '../plane.ts';

export const SERVFAIL = 2;
export const NXDOMAIN = 3;

class NamesScene {
  #plane: Plane | null = null;
  readonly servers: DohServer[] = [];
  /** The ids of the profiles of these servers. */
  readonly profiles: string[] = [];
  /** What each server knows: name to addresses, or an RCODE; NXDOMAIN for every other name. */
  readonly known = Array.from({ length: 3 }, () => new Map<string, readonly string[] | number>());
  /** The id of 64500:1, the community of the module. */
  red = '';
  /** The id of 64500:2. */
  blue = '';
  /** A new one for each test, which asks the first server. */
  moduleId = '';

  async open(): Promise<void> {
    const plane = (this.#plane = await startPlane());
    for (const index of this.known.keys()) {
      const server = await startDohServer();
      this.servers.push(server);
      const body = { name: `resolver ${index}`, url: server.url, timeout_ms: 30_000 };
      const made = await plane.run((tx) => createDohProfile(tx, plane.context, body));
      this.profiles.push(made.resource.id);
    }
    this.red = await plane.addCommunity('64500:1');
    this.blue = await plane.addCommunity('64500:2');
  }

  async clear(): Promise<void> {
    await this.plane.deleteModules();
    await this.plane.run((tx) => changeSettings(tx, { guard_bogons: null }));
    const body = {
      name: 'names',
      type: 'DOMAINS',
      community_id: this.red,
      doh_profile_ids: this.profiles.slice(0, 1),
    } as const;
    this.moduleId = (await this.plane.run((tx) => createModule(tx, body))).resource.id;
    for (const [index, server] of this.servers.entries()) {
      this.known[index]!.clear();
      server.answer = this.#answerOf(index);
      server.asked.length = 0;
    }
  }

  async close(): Promise<void> {
    await this.#plane?.close();
    for (const server of this.servers) await server.close();
  }

  get plane(): Plane {
    return this.#plane!;
  }

  readonly add = async (domain: string, more: object = {}): Promise<string> => {
    const bodies = [{ domain, ...more }];
    const [made] = await this.plane.run((tx) => createDomainEntries(tx, this.moduleId, bodies, () => ''));
    return made!.resource.id;
  };

  readonly entry = async (id: string): Promise<DomainEntry> =>
    (await this.plane.run((tx) => getDomainEntry(tx, this.moduleId, id))).resource;

  readonly use = (policy: DohResolverPolicy | null, ids: readonly string[] = this.profiles) =>
    this.plane.run((tx) =>
      changeModule(tx, this.moduleId, { doh_resolver_policy: policy, doh_profile_ids: [...ids] }, null),
    );

  /** The routes of the latest revision after a refresh, and how it ended. */
  readonly refresh = async (): Promise<{ routes: Record<string, readonly string[]>; status: unknown }> => {
    const { state, result } = await this.plane.ended(await this.plane.refresh(this.moduleId));
    expect(state).toBe(result?.status === 'failed' ? 'failed' : 'succeeded');
    const latest = await this.plane.run(findLatestReadyRevision);
    return { routes: latest === null ? {} : await this.plane.routes(latest.id), status: result?.status };
  };

  #answerOf(index: number) {
    return (asked: Asked) => {
      const records = this.known[index]!.get(asked.name) ?? NXDOMAIN;
      if (typeof records === 'number') return replyTo(asked, [], { rcode: records });
      const wanted = records.filter((address) => address.includes(':') === (asked.type === 'AAAA'));
      return replyTo(
        asked,
        wanted.map((address) => a(asked.name, address)),
      );
    };
  }
}

/** It is there from `beforeAll` on. */
export function useNames(): NamesScene {
  const scene = new NamesScene();
  beforeAll(() => scene.open());
  beforeEach(() => scene.clear());
  afterAll(() => scene.close());
  return scene;
}

export const texts = ({ addresses }: DomainEntry): string[] => addresses.map(({ address }) => address).sort();
