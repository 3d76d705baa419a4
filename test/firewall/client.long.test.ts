/** The client as a process of its own, on a host in a namespace, with the real service behind a line that can be cut, held or tampered with. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { daemonDirectory } from '../daemons/process.ts';
import { waitFor } from '../daemons/wait.ts';
import { makeTenant, startService, type TestService, type TestTenant } from '../http/service.ts';
import { times } from '../fuzz.ts';
import { testProgram } from '../program.ts';
import { Line } from './line.ts';
import { slowNft } from './nft-on.ts';
import {
  CONTROL,
  CONTROL_PORT,
  HOST,
  OTHER,
  PORT,
  THIRD,
  makeSpace,
  requireNft,
  type Space,
} from './space.ts';

const nft = requireNft();
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });
const WITHIN = { timeoutMs: 60_000 };
const CONFIRM_SECONDS = 3;

describe.skipIf(nft === null)('the firewall client', () => {
  let service: TestService;
  let tenant: TestTenant;
  let space: Space;
  let line: Line;
  let directory: string;
  let clients: ChildProcess[] = [];
  let log = '';
  let ruleId: string;
  let clientId: string;

  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service?.close());

  /** A host with one rule in force, which blocks OTHER. */
  beforeEach(async () => {
    tenant = await makeTenant(service.database);
    space = await makeSpace();
    directory = daemonDirectory('fw');
    const path = join(directory, 'line');
    line = new Line(path, service.url);
    await space.outside.ask('forward', { host: CONTROL, port: CONTROL_PORT, path });
    // Before there is anything that tracks connections.
    await space.outside.ask('open', { name: 'kept', host: HOST.ipv4, port: PORT });
    const made = await post('/v1/firewall/rules', { name: 'bad', cidrs: [OTHER.ipv4, OTHER.ipv6] });
    ruleId = String(made.id);
    const { token } = await post('/v1/firewall/enrollment-tokens', {});
    log = '';
    await start(['enroll', '--name', 'web'], { APP_FIREWALL_TOKEN: String(token) }, true);
    const { body } = await service.call('GET', '/v1/firewall/clients', { key: tenant.keys.operator });
    clientId = String((body.items as { id: string }[])[0]!.id);
    await start(['run']);
    await reported({ status: 'applied', applied: true });
    expect(await blocks(OTHER)).toBe(true);
  });
  afterEach(async () => {
    for (const client of clients) await kill(client);
    clients = [];
    line.close();
    space.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function post(path: string, body: unknown): Promise<Record<string, unknown>> {
    const made = await service.call('POST', path, { key: tenant.keys.operator, body });
    expect(made.status, made.text).toBe(201);
    return made.body;
  }

  const change = (body: unknown) =>
    service.call('PATCH', `/v1/firewall/rules/${ruleId}`, { key: tenant.keys.operator, body });

  async function start(
    args: string[],
    env: Record<string, string> = {},
    /** How it is to end, when it is waited for. */
    toEnd: boolean | number = false,
  ): Promise<ChildProcess> {
    const [ip, ...rest] = space.onHost;
    const client = spawn(ip!, [...rest, process.execPath, testProgram(), 'firewall', ...args], {
      env: {
        ...process.env,
        APP_FIREWALL_CONTROL_URL: `http://${CONTROL}:${CONTROL_PORT}`,
        APP_FIREWALL_ALLOW_HTTP: 'true',
        APP_FIREWALL_DATA_DIR: join(directory, 'state'),
        APP_FIREWALL_CONFIRM_SECONDS: String(CONFIRM_SECONDS),
        APP_FIREWALL_LOOK_SECONDS: '3',
        APP_FIREWALL_NFT: nft!,
        APP_LOG_FORMAT: 'json',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [client.stdout, client.stderr]) stream.on('data', (text) => (log += String(text)));
    if (toEnd === false) {
      clients.push(client);
      return client;
    }
    const [code] = (await once(client, 'exit')) as [number];
    expect(code, log).toBe(toEnd === true ? 0 : toEnd);
    return client;
  }

  async function kill(client: ChildProcess): Promise<void> {
    if (client.exitCode !== null || client.signalCode !== null) return;
    client.kill('SIGKILL');
    await once(client, 'exit');
  }

  const blocks = async ({ ipv4 }: { ipv4: string }): Promise<boolean> =>
    !(await space.outside.ask('tcp', { host: HOST.ipv4, port: PORT, from: ipv4 }));

  async function untilBlocked(other: { ipv4: string }, isBlocked: boolean): Promise<void> {
    await waitFor(async () => (await blocks(other)) === isBlocked, {
      ...WITHIN,
      what: `${other.ipv4} to be ${isBlocked ? 'blocked' : 'let in'}`,
      details: () => log.slice(-3_000),
    });
  }

  async function reported(wanted: { status: string; applied?: boolean; error?: RegExp }): Promise<void> {
    await waitFor(
      async () => {
        const { body } = await service.call('GET', `/v1/firewall/clients/${clientId}`, {
          key: tenant.keys.viewer,
        });
        return (
          body.status === wanted.status &&
          (wanted.applied !== true ||
            (body.ruleset_hash !== null && body.applied_ruleset_hash === body.ruleset_hash)) &&
          (wanted.error === undefined || wanted.error.test(String(body.last_error)))
        );
      },
      { ...WITHIN, what: `the client to report ${wanted.status}`, details: () => log.slice(-3_000) },
    );
  }

  test('follows changes within seconds, and is taken out by remove', async () => {
    const change1 = await change({ cidrs: [THIRD.ipv4] });
    expect(change1.status).toBe(200);
    await untilBlocked(THIRD, true);
    expect(await blocks(OTHER)).toBe(false);
    await reported({ status: 'applied', applied: true });
    await change({ enabled: false });
    await untilBlocked(THIRD, false);
    await start(['remove'], {}, 8); // one that runs would put them back
    await start(['run'], {}, 1); // as would a second one
    expect(log).toMatch(/put the rules back: stop it first.*or set APP_FIREWALL_DATA_DIR/s);
    expect(space.nft('list', 'tables')).toContain('prefixcast');
    await kill(clients[0]!);
    await start(['remove'], {}, true);
    expect(space.nft('list', 'tables')).toBe('');
    expect(readdirSync(join(directory, 'state'))).toEqual([]);
  });

  test('keeps connections that were there before it, also where nothing else may pass', async () => {
    expect(await space.outside.ask('say', { name: 'kept', wait: 5_000 })).toBe(true);
    await change({ action: 'accept', cidrs: ['192.0.2.0/24'] });
    const path = `/v1/firewall/clients/${clientId}`;
    await service.call('PATCH', path, { key: tenant.keys.operator, body: { policy: 'accept' } });
    await untilBlocked(THIRD, true);
    expect(await space.outside.ask('say', { name: 'kept', wait: 5_000 })).toBe(true);
    expect(await blocks(OTHER)).toBe(true);
    await reported({ status: 'applied', applied: true });
  });

  test('goes back when the control plane is lost, and tries again when it is there', async () => {
    line.mode = 'held';
    await change({ cidrs: [THIRD.ipv4] });
    await untilBlocked(THIRD, true);
    line.cut();
    // Not confirmed in time.
    await untilBlocked(THIRD, false);
    expect(await blocks(OTHER)).toBe(true);
    line.mode = 'open';
    await reported({ status: 'applied', applied: true });
    expect(log).toContain('not_confirmed');
    expect(await blocks(THIRD)).toBe(true);
  });

  test('killed before it has confirmed, goes back at the next start, also without the control plane', async () => {
    line.mode = 'held';
    await change({ cidrs: [THIRD.ipv4] });
    await untilBlocked(THIRD, true);
    await kill(clients[0]!);
    expect(await blocks(THIRD)).toBe(true);
    line.cut();
    await start(['run']);
    await untilBlocked(THIRD, false);
    expect(await blocks(OTHER)).toBe(true);
    line.mode = 'open';
    await untilBlocked(THIRD, true);
  });

  // Checked, given, read back: the last when the kernel has it already.
  test.each(['-c', '-f', '-t'])(
    'killed while nft %s runs, ends with what was confirmed or what is assigned',
    async (phase) => {
      await kill(clients[0]!);
      const when = `[ "$1" = ${phase} ] && grep -q ${THIRD.ipv4} "${directory}/state/transaction.nft"`;
      const { slow, mark } = slowNft(directory, when);
      await change({ cidrs: [THIRD.ipv4] });
      const client = await start(['run'], { APP_FIREWALL_NFT: slow });
      await waitFor(() => existsSync(mark), {
        ...WITHIN,
        what: 'nft to begin',
        details: () => log.slice(-3_000),
      });
      await kill(client);
      // For what the killed one may have left running.
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      // Whole transactions only: one of the two is in force.
      expect([await blocks(OTHER), await blocks(THIRD)].filter(Boolean)).toHaveLength(1);
      line.cut();
      await start(['run']);
      await untilBlocked(OTHER, true);
      expect(await blocks(THIRD)).toBe(false);
    },
  );

  test('killed at any moment, again and again: one whole ruleset is in force, and what is assigned in the end', async () => {
    const moments = fc.sample(fc.integer({ min: 0, max: 1_500 }), { numRuns: times(8) });
    for (const [round, moment] of moments.entries()) {
      const wanted = round % 2 === 0 ? THIRD : OTHER;
      await change({ cidrs: [wanted.ipv4] });
      await new Promise((resolve) => setTimeout(resolve, moment)); // the moment of the kill
      await kill(clients.at(-1)!);
      // What nft had begun ends.
      await waitFor(() => !space.runsOnHost('nft'), { what: 'nft to end' });
      const blocked = [await blocks(OTHER), await blocks(THIRD)];
      expect(blocked.filter(Boolean), `killed after ${moment} ms: ${JSON.stringify(blocked)}`).toHaveLength(
        1,
      );
      await start(['run']);
      await untilBlocked(wanted, true);
      await untilBlocked(wanted === THIRD ? OTHER : THIRD, false);
    }
    await reported({ status: 'applied', applied: true });
  });

  test('killed while it brings back what was in force, and while it takes everything out, does so at the next try', async () => {
    await kill(clients[0]!);
    line.cut();
    const killedAt = async (command: string, when: string): Promise<void> => {
      const { slow, mark } = slowNft(directory, when);
      const client = await start([command], { APP_FIREWALL_NFT: slow });
      await waitFor(() => existsSync(mark), { ...WITHIN, what: 'nft to begin', details: () => log });
      await kill(client);
      await waitFor(() => !space.runsOnHost('nft'), { what: 'nft to end' });
    };
    space.nft('flush ruleset');
    await killedAt('restore', '[ "$1" = -c ]');
    expect(await blocks(OTHER)).toBe(false);
    await start(['restore'], {}, true);
    expect(await blocks(OTHER)).toBe(true);
    await killedAt('remove', 'echo "$1" | grep -q ^add');
    await start(['remove'], {}, true);
    expect(await blocks(OTHER)).toBe(false);
    expect(space.nft('list', 'tables')).toBe('');
    expect(readdirSync(join(directory, 'state'))).toEqual([]);
  });

  test('reports how many packets each rule has matched', async () => {
    for (let n = 0; n < 3; n++) await blocks(OTHER);
    await waitFor(
      async () => {
        const { body } = await service.call('GET', `/v1/firewall/clients/${clientId}`, {
          key: tenant.keys.viewer,
        });
        const counters = body.counters as { rule_id: string; packets: number; bytes: number }[];
        return counters.some(({ rule_id: id, packets, bytes }) => id === ruleId && packets >= 3 && bytes > 0);
      },
      { ...WITHIN, what: 'the counters' },
    );
    await start(['status'], {}, true);
    expect(log).toMatch(/\n {2}bad {2}[1-9]\d* packets/);
  });

  test('after a reboot brings back what was in force, without a network and before anything else', async () => {
    await kill(clients[0]!);
    line.cut();
    space.close();
    space = await makeSpace();
    expect(await blocks(OTHER)).toBe(false);
    await start(['restore'], {}, true);
    expect(await blocks(OTHER)).toBe(true);
    expect(await blocks(THIRD)).toBe(false);
  });

  test('refuses what was tampered with on its way, or on its disk', async () => {
    line.tamper = [`${THIRD.ipv4}/32`, '10.77.0.4/32'];
    await change({ cidrs: [THIRD.ipv4] });
    await reported({ status: 'failed', error: /bundle_corrupt/ });
    expect(await blocks(OTHER)).toBe(true);
    line.tamper = ['\\"block\\"', '\\"evils\\"'];
    await waitFor(() => log.includes('signature_invalid'), {
      ...WITHIN,
      what: 'the refusal',
      details: () => log,
    });
    expect(await blocks(OTHER)).toBe(true);
    await kill(clients[0]!);
    line.cut();
    const kept = join(directory, 'state/ruleset.json');
    writeFileSync(kept, readFileSync(kept, 'utf8').replaceAll(`${OTHER.ipv4}/32`, '10.77.0.4/32'));
    await start(['run']);
    await waitFor(() => log.includes('bundle_corrupt: The bundle is damaged'), {
      ...WITHIN,
      what: 'the refusal',
    });
    // The kernel keeps what it holds.
    expect(await blocks(OTHER)).toBe(true);
  });

  test('whose disk is damaged keeps what its kernel holds, also when what comes next cannot be confirmed', async () => {
    await kill(clients[0]!);
    writeFileSync(join(directory, 'state/ruleset.json'), '{');
    await start(['restore'], {}, 1);
    line.mode = 'held';
    await change({ cidrs: [THIRD.ipv4] });
    await start(['run']);
    await untilBlocked(THIRD, true);
    await untilBlocked(THIRD, false);
    // It says so once it has taken the rules back.
    await waitFor(() => log.includes('not_confirmed'), {
      ...WITHIN,
      what: 'the refusal',
      details: () => log,
    });
    expect(await blocks(OTHER)).toBe(true);
    line.mode = 'open';
    await untilBlocked(THIRD, true);
    await reported({ status: 'applied', applied: true });
  });

  test('after a reboot with a full disk brings back what was in force nevertheless', async () => {
    await kill(clients[0]!);
    line.cut();
    space.close();
    space = await makeSpace();
    const script = join(directory, 'state/transaction.nft');
    rmSync(script);
    mkdirSync(script); // which cannot be written, even by root
    await start(['restore'], {}, true);
    expect(await blocks(OTHER)).toBe(true);
    expect(await blocks(THIRD)).toBe(false);
  });

  test('follows a service whose database was restored to what it was before', async () => {
    const { database } = service;
    const [before] = await database.admin<{ sequence: string; hash: Buffer }>(
      'SELECT ruleset_sequence AS sequence, ruleset_hash AS hash FROM firewall_client WHERE id = $1',
      [clientId],
    );
    await change({ cidrs: [THIRD.ipv4] });
    await untilBlocked(THIRD, true);
    await reported({ status: 'applied', applied: true });
    await database.admin(
      'UPDATE firewall_client SET ruleset_sequence = $2, ruleset_hash = $3 WHERE id = $1',
      [...[clientId, before!.sequence, before!.hash]],
    );
    await database.admin('UPDATE firewall_rule SET cidrs = $2 WHERE id = $1', [
      ruleId,
      [`${OTHER.ipv4}/32`, `${OTHER.ipv6}/128`],
    ]);
    await untilBlocked(OTHER, true);
    expect(await blocks(THIRD)).toBe(false);
    expect(log).toContain('bundle_replayed');
    await reported({ status: 'applied', applied: true });
  });

  test('repairs what somebody else took away, and reports its state to whoever asks on the host', async () => {
    const [ip, ...rest] = space.onHost;
    const words = [testProgram(), 'firewall', 'status', '--data-dir', join(directory, 'state')];
    const status = spawn(ip!, [...rest, process.execPath, ...words]);
    let text = '';
    status.stdout.on('data', (chunk) => (text += String(chunk)));
    const [code] = (await once(status, 'close')) as [number];
    expect({ code, text }).toEqual({
      code: 0,
      text: expect.stringContaining('in force   1 rules with 2 prefixes') as unknown,
    });
    space.nft('flush ruleset');
    expect(await blocks(OTHER)).toBe(false);
    await untilBlocked(OTHER, true);
  });
});
