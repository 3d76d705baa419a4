/**
 * A host in a namespace that the firewall client guards, as a process of its own, with the real service behind a line that can be cut, held or
 * tampered with. Each test begins with one rule in force, which blocks OTHER.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { daemonDirectory } from '../daemons/process.ts';
import { waitFor } from '../daemons/wait.ts';
import {
  makeTenant,
  startService,
  type Answered,
  type TestService,
  type TestTenant,
} from '../http/service.ts';
import { testProgram } from '../program.ts';
import { Line } from './line.ts';
import { CONTROL, CONTROL_PORT, HOST, OTHER, PORT, makeSpace, type Space } from './space.ts';

const CONFIRM_SECONDS = 3;

class GuardedHost {
  readonly #nft: string;
  #service: TestService | null = null;
  #tenant: TestTenant | null = null;
  #space: Space | null = null;
  #line: Line | null = null;
  directory = '';
  /** Those that run. */
  clients: ChildProcess[] = [];
  /** What all of them have written. */
  log = '';
  ruleId = '';
  clientId = '';

  constructor(nft: string) {
    this.#nft = nft;
  }

  async open(): Promise<void> {
    this.#service = await startService();
  }

  async close(): Promise<void> {
    await this.#service?.close();
  }

  async begin(): Promise<void> {
    this.#tenant = await makeTenant(this.service.database);
    this.#space = await makeSpace();
    this.directory = daemonDirectory('fw');
    const path = join(this.directory, 'line');
    this.#line = new Line(path, this.service.url);
    await this.space.outside.ask('forward', { host: CONTROL, port: CONTROL_PORT, path });
    // Before there is anything that tracks connections.
    await this.space.outside.ask('open', { name: 'kept', host: HOST.ipv4, port: PORT });
    const made = await this.#post('/v1/firewall/rules', { name: 'bad', cidrs: [OTHER.ipv4, OTHER.ipv6] });
    this.ruleId = String(made.id);
    const { token } = await this.#post('/v1/firewall/enrollment-tokens', {});
    this.log = '';
    await this.start(['enroll', '--name', 'web'], { APP_FIREWALL_TOKEN: String(token) }, true);
    const { body } = await this.service.call('GET', '/v1/firewall/clients', {
      key: this.tenant.keys.operator,
    });
    this.clientId = String((body.items as { id: string }[])[0]!.id);
    await this.start(['run']);
    await this.reported({ status: 'applied', applied: true });
    expect(await this.blocks(OTHER)).toBe(true);
  }

  async end(): Promise<void> {
    for (const client of this.clients.splice(0)) await this.kill(client);
    this.#line?.close();
    this.#space?.close();
    rmSync(this.directory, { recursive: true, force: true });
  }

  get service(): TestService {
    return this.#service!;
  }

  get tenant(): TestTenant {
    return this.#tenant!;
  }

  get space(): Space {
    return this.#space!;
  }

  get line(): Line {
    return this.#line!;
  }

  /** Nothing is left of what ran on the host or was in its kernel, and nobody forwards the line. */
  async reboot(): Promise<void> {
    this.space.close();
    this.#space = await makeSpace();
  }

  async #post(path: string, body: unknown): Promise<Record<string, unknown>> {
    const made = await this.service.call('POST', path, { key: this.tenant.keys.operator, body });
    expect(made.status, made.text).toBe(201);
    return made.body;
  }

  /** Changes the rule. */
  readonly change = (body: unknown): Promise<Answered> =>
    this.service.call('PATCH', `/v1/firewall/rules/${this.ruleId}`, { key: this.tenant.keys.operator, body });

  readonly start = async (
    args: string[],
    env: Record<string, string> = {},
    /** How it is to end, when it is waited for. */
    toEnd: boolean | number = false,
  ): Promise<ChildProcess> => {
    const [ip, ...rest] = this.space.onHost;
    const client = spawn(ip!, [...rest, process.execPath, testProgram(), 'firewall', ...args], {
      env: {
        ...process.env,
        APP_FIREWALL_CONTROL_URL: `http://${CONTROL}:${CONTROL_PORT}`,
        APP_FIREWALL_ALLOW_HTTP: 'true',
        APP_FIREWALL_DATA_DIR: join(this.directory, 'state'),
        APP_FIREWALL_CONFIRM_SECONDS: String(CONFIRM_SECONDS),
        APP_FIREWALL_LOOK_SECONDS: '3',
        APP_FIREWALL_NFT: this.#nft,
        APP_LOG_FORMAT: 'json',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [client.stdout, client.stderr])
      stream.on('data', (text) => (this.log += String(text)));
    if (toEnd === false) {
      this.clients.push(client);
      return client;
    }
    const [code] = (await once(client, 'exit')) as [number];
    expect(code, this.log).toBe(toEnd === true ? 0 : toEnd);
    return client;
  };

  readonly kill = async (client: ChildProcess): Promise<void> => {
    if (client.exitCode !== null || client.signalCode !== null) return;
    client.kill('SIGKILL');
    await once(client, 'exit');
  };

  readonly blocks = async ({ ipv4 }: { ipv4: string }): Promise<boolean> =>
    !(await this.space.outside.ask('tcp', { host: HOST.ipv4, port: PORT, from: ipv4 }));

  readonly untilBlocked = (other: { ipv4: string }, isBlocked: boolean): Promise<unknown> =>
    waitFor(async () => (await this.blocks(other)) === isBlocked, {
      what: `${other.ipv4} to be ${isBlocked ? 'blocked' : 'let in'}`,
      details: () => this.log.slice(-3_000),
    });

  readonly reported = (wanted: { status: string; applied?: boolean; error?: RegExp }): Promise<unknown> =>
    waitFor(
      async () => {
        const { body } = await this.service.call('GET', `/v1/firewall/clients/${this.clientId}`, {
          key: this.tenant.keys.viewer,
        });
        return (
          body.status === wanted.status &&
          (wanted.applied !== true ||
            (body.ruleset_hash !== null && body.applied_ruleset_hash === body.ruleset_hash)) &&
          (wanted.error === undefined || wanted.error.test(String(body.last_error)))
        );
      },
      { what: `the client to report ${wanted.status}`, details: () => this.log.slice(-3_000) },
    );
}

/** It is there in each test. @param nft the program */
export function useGuardedHost(nft: string): GuardedHost {
  const host = new GuardedHost(nft);
  beforeAll(() => host.open());
  afterAll(() => host.close());
  beforeEach(() => host.begin());
  afterEach(() => host.end());
  return host;
}
