/** One walk: a tenant of its own in a place of the world, the model of it, and the story so far. */
import { randomBytes } from 'node:crypto';
import type { Job } from '../../src/api/jobs.ts';
import type { Revision, RevisionPrefix } from '../../src/api/revisions.ts';
import { OPEN_POLICY } from '../../src/api/tenant-policy.ts';
import { waitFor } from '../daemons/wait.ts';
import type { Life } from './model.ts';
import { type CommunityModel, type ModuleModel, type RevisionModel, type Routes } from './model.ts';
import type { Expected } from './deed.ts';
import { collect, isHopeless } from './oracle.ts';
import { COMMUNITIES } from './universe.ts';
import type { Place, World } from './world.ts';

/** What somebody finds who compares the service with the model. */
export class Contradiction extends Error {
  override readonly name = 'Contradiction';
}

/** An answer that is not good. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: string;

  constructor(request: string, status: number, text: string) {
    super(`${request} answered ${status}: ${text}`);
    this.status = status;
    this.code = (/"code":"(\w+)"/.exec(text) ?? ['', ''])[1]!;
  }
}

/** What has happened in the service since the step began. */
export interface Happened {
  /** Jobs that have ended. */
  readonly jobs: readonly Job[];
  /** Revisions that were made, the oldest first. */
  readonly revisions: readonly RevisionModel[];
}

export class Walk {
  readonly world: World;
  readonly place: Place;
  readonly life: Life;
  /** What was done, in sentences. */
  readonly story: string[] = [];
  readonly slug = `life-${randomBytes(5).toString('hex')}`;
  tenantId = '';
  #key = '';
  readonly #ended = new Set<string>();
  #lastNumber = 0;

  constructor(world: World, place: Place, life: Life) {
    this.world = world;
    this.place = place;
    this.life = life;
  }

  /** Makes the tenant with what nobody can do without: communities, a speaker and a peer. */
  async begin(): Promise<void> {
    const tenant = await this.#call<{ id: string; api_key: { secret: string } }>(
      this.world.service.key,
      ...(['POST', '/v1/tenants', { name: this.slug, slug: this.slug }] as const),
    );
    this.tenantId = tenant.id;
    this.#key = tenant.api_key.secret;
    await this.#call(this.world.service.key, 'PATCH', `/v1/tenants/${tenant.id}`, { policy: OPEN_POLICY });
    if (this.life.hasLargeLists) this.tell('a tenant of large lists');
    for (const [index, value] of COMMUNITIES.entries()) {
      const community = { community: value, title: `c${index + 1}` };
      const { id } = await this.post<{ id: string }>('/v1/communities', community);
      this.life.communities.push({ id, name: `c${index + 1}`, value });
    }
    // The peers here have no limits, which a router may be late to tell of.
    await this.setting({ deploy_calm_milliseconds: 200 });
    // Walks among large lists take whole lists away, which is what this guardrail holds.
    if (this.life.hasLargeLists) await this.setting({ guard_max_withdraw_percent: 100 });
    const { known } = await this.get<{ known: { key: string }[] }>('/v1/settings');
    if (!known.some(({ key }) => key === 'auto_revision')) this.life.autoRevision = false;
    else if (!this.life.autoRevision) await this.setting({ auto_revision: false });
    if (!this.life.autoApply) await this.setting({ auto_apply: false });
  }

  /** Deletes the tenant, so that the place is free for another walk. */
  async end(): Promise<void> {
    if (this.tenantId === '') return;
    const path = `/v1/tenants/${this.tenantId}`;
    await this.#call(this.world.service.key, 'PATCH', path, { status: 'suspended' });
    const deleted = async (): Promise<boolean> => {
      try {
        await this.#call(this.world.service.key, 'DELETE', `${path}?confirm=${this.slug}`);
        return true;
      } catch (error) {
        if (error instanceof Refusal && error.status === 503) return false;
        throw error;
      }
    };
    await waitFor(deleted, { what: `the tenant ${this.slug} to be deleted` });
    for (const path of this.life.answers.keys()) this.world.answers.delete(path);
    for (const [peer] of this.place.peers.entries())
      for (const [speaker] of this.place.speakers.entries())
        await waitFor(async () => (await this.world.session(this.place, peer, speaker)).state === 'passive', {
          what: `the sessions of the deleted tenant ${this.slug} to end`,
          timeoutMs: 15_000,
        });
  }

  tell(sentence: string): void {
    this.story.push(sentence);
  }

  get<T>(path: string): Promise<T> {
    return this.#call(this.#key, 'GET', path);
  }

  post<T>(path: string, body?: object): Promise<T> {
    return this.#call(this.#key, 'POST', path, body);
  }

  patch<T>(path: string, body: object): Promise<T> {
    return this.#call(this.#key, 'PATCH', path, body);
  }

  delete(path: string): Promise<void> {
    return this.#call(this.#key, 'DELETE', path);
  }

  async setting(values: object): Promise<void> {
    await this.patch('/v1/settings', values);
  }

  /** One statement past every policy, for what no API tells. */
  sql<T extends Record<string, unknown>>(text: string, values: readonly unknown[] = []): Promise<T[]> {
    return this.world.database.admin<T>(text, values);
  }

  async #call<T>(key: string, method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(this.world.service.url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Refusal(`${method} ${path} ${JSON.stringify(body) ?? ''}`, response.status, text);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  /** Asks for refreshes of those of the modules that are enabled, all at once. */
  async refresh(modules: readonly ModuleModel[]): Promise<Expected> {
    const enabled = modules.filter((module) => module.enabled);
    await Promise.all(enabled.map(({ id }) => this.post(`/v1/modules/${id}/refresh`)));
    const isGood = enabled.some((module) => !isHopeless(this.life, module));
    return { builds: isGood };
  }

  /** Waits until no job is under way and no edit waits for one; answers all jobs of the tenant. */
  async jobsEnd(): Promise<Job[]> {
    let jobs: Job[] = [];
    await waitFor(
      async () => {
        if ((await this.#pendingChanges()) > 0) return false;
        ({ items: jobs } = await this.get<{ items: Job[] }>('/v1/jobs?limit=500'));
        return jobs.every(({ finished_at: end }) => end !== null);
      },
      {
        what: 'the service to settle',
        timeoutMs: 60_000,
        everyMs: 20,
        details: () => `open: ${JSON.stringify(jobs.filter(({ finished_at: end }) => end === null))}`,
      },
    );
    return jobs;
  }

  /** Waits until nothing is under way any more; answers what has happened since it was asked last. */
  async settled(): Promise<Happened> {
    const jobs = await this.jobsEnd();
    const ended = jobs.filter(({ id }) => !this.#ended.has(id));
    for (const { id } of ended) this.#ended.add(id);
    const revisions = await this.#newRevisions();
    for (const job of ended) {
      // Queued again when nobody foresaw the fault: its end is the third of its kind, in words that tell people nothing.
      if (job.error?.code === 'internal_error')
        throw new Contradiction(`The job ${job.type} ended in internal_error: ${JSON.stringify(job)}`);
    }
    return { jobs: ended, revisions };
  }

  async #pendingChanges(): Promise<number> {
    if (!this.life.autoRevision) return 0;
    const { pending_changes: pending = 0 } = await this.get<{ pending_changes?: number | { count: number } }>(
      '/v1/auth/session',
    );
    return typeof pending === 'number' ? pending : pending.count;
  }

  async #newRevisions(): Promise<RevisionModel[]> {
    const { items } = await this.get<{ items: Revision[] }>('/v1/revisions?limit=500');
    const fresh = items.filter(({ number }) => number > this.#lastNumber).sort((a, b) => a.number - b.number);
    const made: RevisionModel[] = [];
    for (const revision of fresh) {
      const { id, number, state, pinned, content_hash: contentHash } = revision;
      const routes = await this.routesOf(id);
      made.push({ id, number, state, pinned, contentHash: contentHash!, routes });
      this.#lastNumber = number;
    }
    this.life.revisions.push(...made);
    return made;
  }

  /** Prefix to communities, as the service has them for this revision. */
  async routesOf(revisionId: string): Promise<Routes> {
    const routes = new Map<string, readonly string[]>();
    let cursor = '';
    do {
      const path = `/v1/revisions/${revisionId}/prefixes?limit=10000${cursor}`;
      const page = await this.get<{ items: RevisionPrefix[]; next_cursor: string | null }>(path);
      for (const { prefix, communities } of page.items) {
        if (routes.has(prefix)) throw new Contradiction(`Revision ${revisionId} tells ${prefix} twice`);
        routes.set(prefix, communities.map(({ community }) => community).sort());
      }
      cursor = page.next_cursor === null ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`;
    } while (cursor !== '');
    return routes;
  }

  /** Has the model collect what the service has. */
  replayRefreshes({ jobs }: Happened): void {
    for (const job of jobs.filter(({ type }) => type === 'module_refresh')) {
      const module = this.life.modules.find(({ id }) => id === job.resource?.id);
      if (module !== undefined) collect(this.life, module);
    }
  }

  communityOf(pick: number): CommunityModel | null {
    const { communities } = this.life;
    return communities[pick % (communities.length + 1)] ?? null;
  }

  path(module: { readonly id: string }, kind: 'cdn-sources' | 'ip-range-entries'): string {
    return `/v1/modules/${module.id}/${kind}`;
  }
}
