import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type NodeWorld } from '../../agent/world.ts';
import { freePort } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { cast, listOf, startCluster, type Cluster } from '../cluster.ts';

const lacks = requireDaemon('bird') === null;

async function scrape(endpoint: string): Promise<string> {
  const response = await fetch(`http://${endpoint}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  return response.text();
}

async function answersHealth(endpoint: string): Promise<boolean> {
  const response = await fetch(`http://${endpoint}/v1/health`).catch(() => null);
  return response !== null && response.ok && (await response.text()) === '{"status":"ok"}';
}

describe.skipIf(lacks)('roles without an API answer /metrics and /v1/health', () => {
  let cluster: Cluster;
  const endpoints = new Map<string, string>();
  beforeAll(async () => {
    cluster = await startCluster();
    const service = await cluster.serve('app-api');
    for (const role of ['app-worker', 'app-speaker', 'app-scheduler'] as const) {
      endpoints.set(role, `127.0.0.1:${await freePort()}`);
      cluster.run(role, { APP_METRICS_LISTEN: endpoints.get(role)! });
    }
    cluster.list = listOf(10);
    await cast(service, await cluster.prepare(service));
    await cluster.bird.waitRoutes(10);
  });
  afterAll(() => cluster?.close());

  test.each(['app-worker', 'app-speaker', 'app-scheduler'])('%s', async (role) => {
    const endpoint = endpoints.get(role)!;
    await waitFor(() => answersHealth(endpoint), { what: 'health' });
    const text = await scrape(endpoint);
    expect(text).toContain('process_cpu_user_seconds_total ');
    expect(text).toContain('prefixcast_events_total{event="job_failed"} 0\n');
  });

  test('each counts what it knows first-hand', async () => {
    const worker = await scrape(endpoints.get('app-worker')!);
    expect(worker).toMatch(/prefixcast_events_total\{event="revision_ready"\} 1\n/);
    expect(worker).toMatch(/prefixcast_events_total\{event="apply_ended"\} 0\n/);
    const speaker = await scrape(endpoints.get('app-speaker')!);
    expect(speaker).toMatch(/prefixcast_events_total\{event="revision_ready"\} 0\n/);
    expect(speaker).toMatch(/prefixcast_events_total\{event="apply_ended"\} 1\n/);
    expect(speaker).toContain('prefixcast_apply_duration_seconds_count{outcome="applied"} 1\n');
    expect(speaker).toContain('prefixcast_speakers_held 1\n');
  });

  test('and nothing else', async () => {
    const endpoint = endpoints.get('app-worker')!;
    const other = await fetch(`http://${endpoint}/v1/modules`);
    expect(other.status).toBe(404);
    expect(other.headers.get('content-type')).toBe('application/problem+json');
    expect(await other.json()).toMatchObject({ code: 'not_found', status: 404 });
    const written = await fetch(`http://${endpoint}/metrics`, { method: 'POST' });
    expect([written.status, written.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe.skipIf(lacks)('a node agent', () => {
  let world: NodeWorld;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.close());

  test('reports its speaker in metrics, and in its log', async () => {
    const endpoint = `127.0.0.1:${await freePort()}`;
    const agent = await world.enrolled({ env: { APP_METRICS_LISTEN: endpoint } });
    await world.announce(['198.51.101.0/24', '2600:1::/48']);
    await agent.hears(/begins with the bundle \d+/);
    await agent.hears(/runs revision \d+ after .*: 2 routes announced, 0 withdrawn/);
    await agent.hears(/The session with .* is up on the speaker /);
    expect(await answersHealth(endpoint)).toBe(true);
    const text = await scrape(endpoint);
    expect(text).toMatch(/prefixcast_speaker_routes\{speaker="[^"]+",family="ipv6"\} 1\n/);
    expect(text).toMatch(/prefixcast_speaker_applied_revision\{speaker="[^"]+"\} 1\n/);
    expect(text).toMatch(/prefixcast_peer_session_state\{speaker="[^"]+",peer="[^"]+"\} 6\n/);
    expect(text).toContain('prefixcast_events_total{event="apply_ended"} 1\n');
  });
});
