/** One walk: a tenant of its own in a place of the world, the model of it, and the story so far. */
import { randomBytes } from 'node:crypto';
import type { EntryImport } from '../../src/api/entries/entry-csv.ts';
import type { Job } from '../../src/api/activity/jobs.ts';
import type { Plan } from '../../src/api/revisions/plan.ts';
import type { Revision, RevisionPrefix } from '../../src/api/revisions/revisions.ts';
import { OPEN_POLICY } from '../../src/api/access/tenant-policy.ts';
import { waitFor } from '../daemons/wait.ts';
import { NO_NEXT_HOP } from './model.ts';
import type { Life } from './life.ts';
import type { CommunityModel, ModuleModel, RevisionModel, Routes } from './model.ts';
import type { Expected } from './expected.ts';
import { isHopeless } from './collected.ts';
import { isPlanned, type Planned } from './plans.ts';
import { Refusal, Requests, TIMEOUT_MS } from './requests.ts';
import { COMMUNITIES, USED_COMMUNITIES } from './universe.ts';
import type { Place, World } from './world.ts';
import { settingsOf } from './guardrails.ts';

/** What somebody finds who compares the service with the model. */
export class Contradiction extends Error {
  override readonly name = 'Contradiction';
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
  dohProfileId = '';
  readonly #requests: Requests;
  #key = '';
  readonly #ended = new Set<string>();
  #lastNumber = 0;
  #planned: Planned | null = null;
  /** Of this step. */
  #writes = 0;
  /** Writes that are sent as one; null: each goes by itself. */
  #gathered: object[] | null = null;
  /** Modules of which nothing could be read, after each deed of this step. */
  #hopeless: ReadonlySet<ModuleModel>[] = [];

  constructor(world: World, place: Place, life: Life) {
    this.world = world;
    this.#requests = new Requests(world);
    this.place = place;
    this.life = life;
  }

  /** Makes the tenant with what nobody can do without: communities and a resolver. */
  async begin(): Promise<void> {
    await this.world.start();
    const body = { name: this.slug, slug: this.slug, policy: OPEN_POLICY };
    const tenant = await this.#asService<{ id: string; api_key: { secret: string } }>(
      'POST',
      '/v1/tenants',
      body,
    );
    this.tenantId = tenant.id;
    this.#key = tenant.api_key.secret;
    if (this.life.hasLargeLists) this.tell('a tenant of large lists');
    const communities = COMMUNITIES.slice(0, USED_COMMUNITIES).map(async (value, index) => {
      const name = `c${index + 1}`;
      const { id } = await this.post<{ id: string }>('/v1/communities', { community: value, title: name });
      return { id, name, value, nextHop: NO_NEXT_HOP };
    });
    this.life.communities.push(...(await Promise.all(communities)));
    const profile = { name: 'resolver', url: this.world.dohUrl, timeout_ms: 10_000 };
    this.dohProfileId = (await this.post<{ id: string }>('/v1/doh-profiles', profile)).id;
    await this.setting({
      // The peers here have no limits, which a router may be late to tell of.
      deploy_calm_milliseconds: 100,
      // Walks among large lists take whole lists away, which is what this guardrail holds.
      ...(this.life.hasLargeLists ? { guard_max_withdraw_percent: 100 } : {}),
      ...(this.life.hasSlips ? { guard_max_withdraw_percent: this.life.maxWithdraw } : {}),
      // Sources of walks answer with anything, and the oracle knows no change that is too large: that has tests of its own.
      guard_max_change_percent: 1_000_000,
      auto_revision: this.life.autoRevision,
      // Nearly every cover will do.
      fit_max_added_percent: 1_000,
      ...settingsOf(this.life.guardrails),
    });
  }

  /** Deletes the tenant, so that the place is free for another walk. */
  async end(): Promise<void> {
    if (this.tenantId === '') return;
    const path = `/v1/tenants/${this.tenantId}`;
    await this.#asService('PATCH', path, { status: 'suspended' });
    // Nobody who is at work on the tenant keeps it from being deleted.
    await this.#asService('DELETE', `${path}?confirm=${this.slug}`);
    this.world.forget(this.life.answers.keys());
    await this.silence();
  }

  /** Ends its sessions. */
  async stop(): Promise<void> {
    await this.#asService('POST', `/v1/tenants/${this.tenantId}/stop`);
  }

  /** Waits until nobody speaks with BIRD any more. */
  async silence(): Promise<void> {
    for (const [peer] of this.place.peers.entries())
      for (const [speaker] of this.place.speakers.entries())
        await waitFor(async () => (await this.world.session(this.place, peer, speaker)).state === 'passive', {
          what: `the sessions of the tenant ${this.slug} to end`,
          ...{ timeoutMs: TIMEOUT_MS, everyMs: 20 },
        });
  }

  async activate(): Promise<void> {
    await this.#asService('PATCH', `/v1/tenants/${this.tenantId}`, { status: 'active' });
  }

  tell(sentence: string): void {
    this.story.push(sentence);
  }

  get<T>(path: string): Promise<T> {
    return this.#requests.call(this.#key, 'GET', path);
  }

  post<T>(path: string, body?: object): Promise<T> {
    return this.#write('POST', path, body);
  }

  patch<T>(path: string, body: object): Promise<T> {
    return this.#write('PATCH', path, body);
  }

  delete(path: string, body?: object): Promise<void> {
    return this.#write('DELETE', path, body);
  }

  /** Every other edit is planned before it is made. */
  async #write<T>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<T> {
    const isOnly = this.#writes++ === 0;
    this.#planned = null;
    if (this.#gathered !== null) {
      this.#gathered.push({ method, path, ...(body === undefined ? {} : { body }) });
      return undefined as T;
    }
    if (this.story.length % 2 === 1 || !isPlanned(method, path, body))
      return this.#requests.call(this.#key, method, path, body);
    const before = this.life.latest;
    const changes = [{ method, path, ...(body === undefined ? {} : { body }) }];
    const plan = await this.#requests
      .call<Plan>(this.#key, 'POST', '/v1/revisions/plan', { changes })
      .catch((error: unknown) => {
        if (error instanceof Refusal) return error;
        throw error;
      });
    const answer = await this.#requests.call<T>(this.#key, method, path, body);
    if (plan instanceof Refusal)
      throw new Contradiction(`The write was made, and its plan was refused: ${plan.message}`);
    this.#planned = {
      request: `${method} ${path} ${JSON.stringify(body)}`,
      effect: plan.effect,
      before,
      isOnly,
    };
    return answer;
  }

  /** Sends what this writes as one, all or nothing. */
  async asOne(work: () => Promise<void>): Promise<void> {
    this.#gathered = [];
    await work();
    const changes = this.#gathered;
    this.#gathered = null;
    if (changes.length === 0) return;
    await this.#requests.call(this.#key, 'POST', '/v1/changes', { changes });
  }

  /** Of the last edit of this step, where that was planned and nothing came after it. */
  takePlan(): Planned | null {
    const planned = this.#planned;
    this.#planned = null;
    this.#writes = 0;
    return planned;
  }

  /** What is no JSON. */
  async text(path: string): Promise<string> {
    return this.#requests.send(this.#key, 'GET', path, {});
  }

  /** Brings a file of entries into the module. */
  async import({ id }: ModuleModel, file: string, mode: 'append' | 'replace'): Promise<EntryImport> {
    const path = `/v1/modules/${id}/entries.csv?mode=${mode}`;
    this.#writes++;
    this.#planned = null;
    const body = { body: file, type: 'text/csv' };
    return JSON.parse(await this.#requests.send(this.#key, 'POST', path, body)) as EntryImport;
  }

  async setting(values: object): Promise<void> {
    await this.patch('/v1/settings', values);
  }

  /** One statement past every policy, for what no API tells. */
  sql<T extends Record<string, unknown>>(text: string, values: readonly unknown[] = []): Promise<T[]> {
    return this.world.database.admin<T>(text, values);
  }

  #asService<T>(method: string, path: string, body?: object): Promise<T> {
    return this.#requests.call(this.world.service.key, method, path, body);
  }

  /** Asks for refreshes of those of the modules that are enabled, all at once. */
  async refresh(modules: readonly ModuleModel[]): Promise<Expected> {
    const enabled = modules.filter((module) => module.enabled);
    await Promise.all(enabled.map(({ id }) => this.post(`/v1/modules/${id}/refresh`)));
    const isGood = enabled.some((module) => !isHopeless(this.life, module));
    return { builds: isGood };
  }

  /** Notes what cannot be read now; {@link isHopeless} tells of it until the service has settled again. */
  noteHopeless(): void {
    this.#hopeless.push(new Set(this.life.modules.filter((module) => isHopeless(this.life, module))));
  }

  /** Whether nothing of the module could be read in this step. */
  isHopeless(module: ModuleModel | undefined): 'always' | 'sometimes' | 'never' {
    if (module === undefined) return 'sometimes';
    const hopeless = this.#hopeless.filter((modules) => modules.has(module)).length;
    if (hopeless === 0) return 'never';
    return hopeless === this.#hopeless.length && module.enabled ? 'always' : 'sometimes';
  }

  /** Waits until no job is under way and no edit waits for one; answers all jobs of the tenant. */
  async jobsEnd(): Promise<Job[]> {
    let jobs: Job[] = [];
    await waitFor(
      async () => {
        // Asking the service costs it what it would settle with.
        if (await this.#isBusy()) return false;
        if ((await this.#pendingChanges()) > 0) return false;
        ({ items: jobs } = await this.get<{ items: Job[] }>('/v1/jobs?limit=500'));
        return jobs.every(({ finished_at: end }) => end !== null);
      },
      {
        what: 'the service to settle',
        timeoutMs: TIMEOUT_MS,
        // It waits for more edits for that long.
        everyMs: 100,
        details: () => `open: ${JSON.stringify(jobs.filter(({ finished_at: end }) => end === null))}`,
      },
    );
    return jobs;
  }

  /** Whether the service has something to do for certain, by its tables. */
  async #isBusy(): Promise<boolean> {
    const [row] = await this.sql<{ busy: boolean }>(
      `SELECT EXISTS (SELECT FROM job WHERE tenant_id = $1 AND finished_at IS NULL)
           OR ($2 AND EXISTS (SELECT FROM pending_change WHERE tenant_id = $1 AND tries = 0)) AS busy`,
      [this.tenantId, this.life.autoRevision],
    );
    return row!.busy;
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

  /** The step is over. */
  conclude(): void {
    this.#hopeless = [];
  }

  async #pendingChanges(): Promise<number> {
    if (!this.life.autoRevision) return 0;
    const { pending_changes: pending } = await this.get<{ pending_changes: { count: number } }>(
      '/v1/auth/session',
    );
    return pending.count;
  }

  async #newRevisions(): Promise<RevisionModel[]> {
    const { items } = await this.get<{ items: Revision[] }>('/v1/revisions?limit=20');
    const fresh = items.filter(({ number }) => number > this.#lastNumber).sort((a, b) => a.number - b.number);
    const made: RevisionModel[] = [];
    for (const revision of fresh) {
      const { id, number, state, pinned, content_hash: contentHash } = revision;
      const routes = await this.routesOf(id);
      const { values: communities } = this.life;
      made.push({
        ...{ id, number, state, pinned, contentHash: contentHash!, routes, communities },
        ...{ inputs: new Map(), held: new Set(), findings: [], isRollback: false },
      });
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

  communityOf(pick: number): CommunityModel | null {
    const { communities } = this.life;
    return communities[pick % (communities.length + 1)] ?? null;
  }

  /** None, one, or, for every third number, two. */
  communitiesOf(pick: number): readonly CommunityModel[] {
    const { communities } = this.life;
    const first = this.communityOf(pick);
    if (first === null) return [];
    const second = communities[(pick + 1 + (pick % 2)) % communities.length]!;
    return pick % 3 === 2 && second !== first ? [first, second] : [first];
  }
}
