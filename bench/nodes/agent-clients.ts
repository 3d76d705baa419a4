/** A process of many light nodes: each asks, pulls, verifies and reports as the agent does, and has no daemon. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { v7 as uuidv7 } from 'uuid';
import { ControlClock } from '../../src/agent/control-clock.ts';
import { ControlPlane } from '../../src/agent/control-plane.ts';
import type { ApplyStatus, NodeEnrolled } from '../../src/api/nodes/nodes.ts';
import { openBundle } from '../../src/bundle/open-bundle.ts';

const WAIT_SECONDS = 50;
const REPORT_MILLISECONDS = 5_000;

export interface Orders {
  readonly url: string;
  readonly nodes: readonly NodeEnrolled[];
}

/** A node has verified the revision. */
export interface Taken {
  readonly revisionId: string;
  /** By the clock that all processes of a machine share, in milliseconds. */
  readonly at: number;
}

/** A question or a bundle failed, and was tried again. */
export interface Failed {
  readonly why: string;
}

/** Starts the process; it tells of everything that its nodes take, or do not get. */
export async function startClients(
  orders: Orders,
  onTaken: (taken: Taken) => void,
  onFailed: (failed: Failed) => void,
): Promise<ChildProcess> {
  const child = fork(fileURLToPath(import.meta.url), ['nodes']);
  child.on('message', (message: Taken | Failed | 'ready') => {
    if (message === 'ready') return;
    if ('why' in message) onFailed(message);
    else onTaken(message);
  });
  child.send(orders);
  await once(child, 'message');
  return child;
}

class LightNode {
  readonly #control: ControlPlane;
  readonly #node: NodeEnrolled;
  readonly #runId = uuidv7();
  #revisionId: string | null = null;
  #sequence: number | null = null;
  #base:
    | { readonly contentHash: string; readonly table: ReturnType<typeof openBundle>['routes']['table'] }
    | undefined;

  constructor(control: ControlPlane, node: NodeEnrolled) {
    this.#control = control;
    this.#node = node;
  }

  async follow(): Promise<void> {
    const { speaker_id: speakerId, api_key } = this.#node;
    const { signal } = new AbortController();
    let etag: string | null = null;
    for (;;) {
      try {
        const answer = await this.#control.latest(api_key.secret, speakerId, {
          wait: WAIT_SECONDS,
          etag,
          signal,
        });
        if (answer === null) continue;
        const { bundle } = answer.latest;
        this.#open(await this.#control.bundle(api_key.secret, bundle.url, this.#revisionId, signal));
        etag = answer.etag;
        process.send!({ revisionId: this.#revisionId!, at: Date.now() } satisfies Taken);
        await this.#report('applied');
      } catch (error) {
        process.send!({ why: String(error) } satisfies Failed);
        await sleep(1_000 + Math.random() * 1_000);
      }
    }
  }

  async report(): Promise<void> {
    await sleep(Math.random() * REPORT_MILLISECONDS);
    for (;;) {
      await this.#report('unchanged').catch(() => undefined);
      await sleep(REPORT_MILLISECONDS);
    }
  }

  #open(bytes: Buffer): void {
    const { tenant_id: tenantId, speaker_id: speakerId, signing_keys: trusted } = this.#node;
    const reader = {
      trusted,
      tenantId,
      speakerId,
      highestSequence: this.#sequence,
      now: new Date(),
      base: this.#base,
    };
    const { manifest, routes } = openBundle(bytes, reader);
    this.#base = { contentHash: manifest.content_hash, table: routes.table };
    this.#sequence = manifest.sequence;
    this.#revisionId = manifest.revision_id;
  }

  async #report(status: ApplyStatus['status']): Promise<void> {
    const { speaker_id: speakerId, api_key } = this.#node;
    const daemon = {
      reachable: true,
      version: null,
      router_id: null,
      uptime_seconds: 1,
      last_reconfigured_at: null,
    };
    const report: ApplyStatus = {
      ...{ sequence: this.#sequence, revision_id: this.#revisionId, status },
      ...{ announced: 0, withdrawn: 0, changed: 0, error: null },
      daemon: { ...daemon, error: null, sessions: [] },
      agent: { version: 'bench', hostname: 'bench', run_id: this.#runId },
    };
    await this.#control.report(api_key.secret, speakerId, report, new AbortController().signal);
  }
}

if (process.argv[2] === 'nodes') {
  process.once('disconnect', () => process.exit());
  process.once('message', ({ url, nodes }: Orders) => {
    const control = new ControlPlane({ url, ca: null, clock: new ControlClock() });
    for (const node of nodes) {
      const light = new LightNode(control, node);
      void light.follow();
      void light.report();
    }
    process.send!('ready');
  });
}
