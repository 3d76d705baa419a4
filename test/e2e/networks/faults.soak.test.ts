import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AgentStatus } from '../../../src/agent/status-file.ts';
import { cutOff, isBundle, type Passing, withBitTurned } from '../../agent/proxy.ts';
import { requireNetns } from '../../daemons/machine/netns.ts';
import { requireOpenbgpd } from '../../daemons/openbgpd/openbgpd.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { HOST_NAMES, type Host } from './daemons.ts';
import { NetworkFaults } from './faults.ts';
import { GOOD, Story, Watch, WITHIN } from './watch.ts';
import { type Heard, type Network, startNetwork } from './network.ts';

const programs = ['bird', 'frr-bgpd', 'vtysh', 'gobgpd', 'libfaketimeMT.so.1'] as const;
const lacks =
  requireNetns() === null ||
  requireOpenbgpd() === null ||
  programs.some((name) => requireDaemon(name) === null);

interface ApplyResult {
  readonly speakers: readonly { readonly status: string }[];
}

describe.skipIf(lacks)('faults of disks, lines and clocks on a network', { timeout: 400_000 }, () => {
  let network: Network;
  let story: Story;
  let watch: Watch;
  const faults = new NetworkFaults();
  beforeAll(async () => {
    network = await startNetwork(faults);
    story = new Story(network);
    await network.ask(GOOD);
    await network.converged(GOOD);
    await story.changed();
  }, 300_000);
  afterAll(() => network?.close());
  beforeEach(() => {
    watch = new Watch(network, GOOD, 'every');
  });
  afterEach(async () => {
    faults.mend();
    expect(await watch.end()).toEqual([]);
  });

  const everyHost = (prefixes: readonly string[]): Heard => {
    const sorted = [...prefixes].sort();
    return { builtin: sorted, bird: sorted, frr: sorted };
  };

  test.each([
    ['frr', "the agent's own", /^state_unwritable: The disk that holds .* is full\. Make room/],
    ['bird', 'that of what BIRD reads', /^disk_full: there is no room for BIRD's configuration/],
  ] as const)(
    'a full disk at the host of %s, %s: it keeps its routes, and goes on',
    async (host, _, words) => {
      const before = everyHost(story.asked);
      faults.fillDisk(host);
      const wanted = await story.ask();
      await story.failed(host, words);
      const received = { ...everyHost(wanted), [host]: before[host] };
      await waitFor(async () => isDeepStrictEqual(await story.received(), received), {
        ...{ ...WITHIN, what: 'the other hosts to announce it' },
      });
      expect(await story.isUp(host)).toBe(true);
      faults.mend();
      await network.converged(wanted);
      await story.allWell();
    },
  );

  test('a full disk of the control plane: it says so, routers keep everything, and it goes on', async () => {
    faults.fillDisk('service');
    const refusal = await untilRefused();
    expect(refusal).toContain('answered 503');
    expect(refusal).toContain('"code":"database_unavailable"');
    expect(refusal).toContain('no room left on its disk. Nothing was changed.');
    expect(await story.received()).toEqual(everyHost(story.asked));
    faults.mend();
    await story.changed();
    await story.allWell();
  });

  /** Writes what matters to nobody, for which the database has some room still at first. @returns how it was refused */
  const untilRefused = async (): Promise<string> => {
    for (let number = 1; number <= 1_000; number++) {
      const community = { community: `64999:${number}`, title: 'x'.repeat(200) };
      const refusal = await network.call('POST', '/v1/communities', community).then(
        () => null,
        (error: unknown) => String(error),
      );
      if (refusal !== null) return refusal;
    }
    return 'nothing was refused';
  };

  /** Whose bundle a path names. */
  const speakerOf = (path: string): string => path.split('/')[3]!;

  /** Every node is sent the altered bundle, refuses it and goes on announcing; then it is sent the right one. */
  const refused = async (code: string, alter: (answer: Passing, path: string) => Passing): Promise<void> => {
    const before = everyHost(story.asked);
    faults.tamper = (path, answer) => (isBundle(path) ? alter(answer, path) : answer);
    const wanted = await story.ask();
    for (const host of HOST_NAMES) await story.failed(host, new RegExp(`^${code}: `));
    expect(await story.received()).toEqual(before);
    faults.mend();
    await network.converged(wanted);
    await story.allWell();
  };

  test('bundles with a bit turned are refused everywhere', () => refused('bundle_corrupt', withBitTurned));

  test('bundles that break off are refused everywhere', () => refused('bundle_corrupt', cutOff));

  test('bundles of before, and those of other hosts, are refused everywhere', async () => {
    const seen = new Map<string, Passing>();
    faults.tamper = (path, answer) => {
      if (isBundle(path)) seen.set(speakerOf(path), answer);
      return answer;
    };
    await story.changed();
    faults.mend();
    await story.changed();
    expect(seen.size).toBe(HOST_NAMES.length);
    await refused('bundle_replayed', (_answer, path) => seen.get(speakerOf(path))!);
    await refused(
      'bundle_foreign',
      (_answer, path) => [...seen].find(([speaker]) => speaker !== speakerOf(path))![1],
    );
  });

  const HOURS = { builtin: 6, bird: -6 } as const;
  const SHIFTED = Object.keys(HOURS) as (keyof typeof HOURS)[];
  /** Sessions and configurations are younger than the test. */
  const begun = Date.now();
  /** Clocks are compared by whole seconds, on a machine that is busy. */
  const SLACK = 30_000;

  /** Waits until the API tells no time that is in the future, or before all this. */
  const timesAreTrue = async (): Promise<void> => {
    for (const host of HOST_NAMES) {
      let reported: string[] = [];
      await waitFor(
        async () => {
          const { agent, live } = await story.speaker(host);
          const sessions = live.sessions.map(({ since }) => since);
          reported = [agent!.last_seen_at, live.last_reconfigured_at!, ...sessions];
          return reported.every(
            (time) => Date.parse(time) > begun - SLACK && Date.parse(time) < Date.now() + SLACK,
          );
        },
        { ...WITHIN, what: `the API to tell when it was at ${host}`, details: () => reported.join(' ') },
      );
    }
  };

  /** Waits until the agent knows that its clock is so many hours ahead of the service's. */
  const knows = async (host: Host, hours: number): Promise<void> => {
    const { child, dataDir } = network.agents[host];
    const path = join(`/proc/${child.pid}/root`, dataDir, 'status.json');
    await waitFor(
      async () => {
        const { control } = JSON.parse(await readFile(path, 'utf8')) as AgentStatus;
        return Math.abs(control.clock_skew_seconds! - hours * 3_600) < SLACK / 1_000;
      },
      { ...WITHIN, what: `the agent of ${host} to know how wrong its clock is` },
    );
  };

  test('clocks are set hours ahead and behind: bundles that are good for one hour arrive', async () => {
    await network.call('PATCH', '/v1/settings', { bundle_valid_hours: 1 });
    for (const host of SHIFTED) faults.setClock(host, HOURS[host]);
    for (const host of SHIFTED) await knows(host, HOURS[host]);
    await story.changed();
    await story.allWell();
    await timesAreTrue();
  });

  test('a host whose clock is ahead starts again while nobody answers: it announces what it had', async () => {
    expect(await watch.end()).toEqual([]);
    // OpenBGPD does not keep routes meanwhile; others tell them.
    watch = new Watch(network, GOOD, 'some');
    const { id } = await story.speaker('builtin');
    faults.tamper = (path, answer) => {
      if (path.includes(id)) throw new Error('nobody answers');
      return answer;
    };
    await network.agents.builtin.stop('SIGKILL');
    await network.startAgent('builtin');
    await network.converged(story.asked);
    await network.agents.builtin.hears('What is announced stays as it is. control_unreachable');
    expect(network.agents.builtin.said()).toContain('The daemon runs what it ran before');
    faults.mend();
    await knows('builtin', HOURS.builtin);
    await story.changed();
    await story.allWell();
    await timesAreTrue();
  });

  test('a bundle that has expired is refused by a host whose clock says that it is good', async () => {
    const before = everyHost(story.asked);
    const { id } = await story.speaker('bird');
    const later = new Date(Date.now() + 2 * 3_600_000).toUTCString();
    faults.tamper = (path, answer) =>
      path.includes(id) ? { ...answer, headers: { ...answer.headers, date: later } } : answer;
    const wanted = await story.ask();
    await story.failed('bird', /^bundle_expired: /);
    await waitFor(
      async () => isDeepStrictEqual(await story.received(), { ...everyHost(wanted), bird: before.bird }),
      { ...WITHIN, what: 'the other hosts to announce it' },
    );
    faults.mend();
    for (const host of SHIFTED) faults.setClock(host, 0);
    await network.converged(wanted);
    await story.allWell();
    await timesAreTrue();
  });

  test.each([6, -6])(
    'the clock of the control plane is %i hours ahead of its database: nobody notices',
    async (hours) => {
      faults.setClock('service', hours);
      const isAhead = async () =>
        Math.abs((await network.serviceTime()) - Date.now() - hours * 3_600_000) < SLACK;
      await waitFor(isAhead, { ...WITHIN, what: 'the service to look at its clock' });
      await story.changed();
      await story.allWell();
      await timesAreTrue();
      for (const host of HOST_NAMES) await knows(host, 0);
      faults.setClock('service', 0);
    },
  );

  test('what every speaker runs already is applied: no router is sent anything', async () => {
    const { applied_revision_id: running } = await story.speaker('frr');
    const capture = await network.capture();
    const rollback = `/v1/revisions/${running}/rollback`;
    const { apply_job_id: job } = await network.call<{ apply_job_id: string }>('POST', rollback);
    const speakers = await waitFor(
      async () => {
        const { result } = await network.get<{ result: ApplyResult | null }>(`/v1/jobs/${job}`);
        return result?.speakers;
      },
      { ...WITHIN, what: 'the apply to end' },
    );
    expect(speakers.map(({ status }) => status)).toEqual(HOST_NAMES.map(() => 'unchanged'));
    await story.allWell();
    const { messages } = await capture.stop();
    expect(messages.update).toBe(0);
    expect(messages.keepalive).toBeGreaterThan(0);
  });
});
