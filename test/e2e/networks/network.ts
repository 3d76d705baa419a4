/**
 * A network of namespaces on one bridge: the control plane, three hosts with a node agent each (its own speaker, BIRD, FRR), and four
 * routers of different make that peer with all three. Cables can be pulled.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stopProcess } from '../../../demo/program.ts';
import { type AgentProcess, startAgent } from '../../agent/world.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import type { Daemon } from '../../daemons/daemon.ts';
import type { Frr } from '../../daemons/frr/frr.ts';
import { createNetns, type Netns } from '../../daemons/machine/netns.ts';
import { programPath } from '../../daemons/programs.ts';
import { type Capture, startCapture } from '../../daemons/tshark.ts';
import { waitFor } from '../../daemons/wait.ts';
import { testProgram } from '../../program.ts';
import { seedData } from '../../seed.ts';
import type { Call, Called } from './fetching-child.ts';
import {
  type Attach,
  BGP_PORT,
  HOST_NAMES,
  HOSTS,
  type Host,
  SPEAKER_ASN,
  startLocalBird,
  startLocalFrr,
  startRouters,
} from './daemons.ts';
import type { NetworkFaults } from './faults.ts';

const command = testProgram();
const SERVICE = '10.77.0.1';
const URL = `http://${SERVICE}:8080`;

/** What a router receives, by the host that it receives it from. */
export type Heard = Readonly<Record<Host, readonly string[]>>;

export interface Network {
  readonly peers: Readonly<Record<string, Daemon>>;
  readonly agents: Record<Host, AgentProcess>;
  /** The daemons of the hosts that have one. */
  readonly bird: Bird;
  readonly frr: Frr;
  call<T>(method: string, path: string, body?: object): Promise<T>;
  get<T>(path: string): Promise<T>;
  /** What time it is by the service's own clock, in milliseconds. */
  serviceTime(): Promise<number>;
  /** Looks at every BGP message between hosts and routers from now on. */
  capture(): Promise<Capture>;
  /** Pulls the cable of a host, of a router (`peer-bird`, …) or of the control plane (`service`), or puts it back. */
  cable(name: string, state: 'up' | 'down'): void;
  startAgent(host: Host): Promise<void>;
  killService(): Promise<void>;
  startService(): Promise<void>;
  /** Has the lists say exactly these, without waiting for any router. */
  ask(prefixes: readonly string[]): Promise<void>;
  receivedBy(peer: string): Promise<Heard>;
  /** Waits until every router receives exactly these from every host. */
  converged(prefixes: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** @param faults what can go wrong at the hosts, beside what this file does to them; none where nothing is said */
export async function startNetwork(faults: NetworkFaults | null = null): Promise<Network> {
  const directory = await mkdtemp(join(tmpdir(), 'prefixcast-network-'));
  await chmod(directory, 0o711);
  const hub = createNetns();
  hub.ip('link', 'add', 'br0', 'type', 'bridge');
  hub.ip('link', 'set', 'br0', 'up');
  const spaces = new Map<string, Netns>();
  const attach: Attach = (name, address) => {
    const space = createNetns();
    const end = `v${spaces.size}`;
    hub.ip('link', 'add', end, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space.name);
    hub.ip('link', 'set', end, 'master', 'br0', 'up');
    space.ip('address', 'add', `${address}/24`, 'dev', 'eth0');
    space.ip('link', 'set', 'eth0', 'up');
    spaces.set(name, space);
    return space.name;
  };
  const inside = (name: string): string[] => [
    ...[programPath('ip'), 'netns', 'exec', spaces.get(name)!.name],
  ];

  attach('service', SERVICE);
  for (const [host, address] of Object.entries(HOSTS)) attach(host, address);
  const routers = await startRouters(attach);
  const configDir = join(directory, 'bird');
  const bird = await startLocalBird(spaces.get('bird')!.name, configDir, faults?.env('bird') ?? {});
  faults?.started('bird', bird.pid);
  const frr = await startLocalFrr(spaces.get('frr')!.name);
  const agentUrl = (await faults?.begin({ service: inside('service'), address: SERVICE, url: URL })) ?? URL;
  const caller = new Caller(inside('service'));
  let service: ChildProcess | null = null;
  let key = '';
  let moduleId = '';
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const { status, text } = await caller.call({ method, url: URL + path, key, body });
    if (status < 200 || status > 299) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
  const agents = {} as Record<Host, AgentProcess>;
  const routerEnv: Readonly<Record<Host, Readonly<Record<string, string>>>> = {
    builtin: { APP_BGP_LISTEN: `${HOSTS.builtin}:${BGP_PORT}` },
    bird: {
      ...{ APP_ROUTER_DAEMON: 'bird', APP_ROUTER_SOCKET: bird.socketPath, APP_ROUTER_BIND: 'own' },
      ...{ APP_ROUTER_CONFIG_DIR: configDir, APP_ROUTER_BIN: programPath('bird') },
      APP_ROUTER_CONFIG: join(dirname(bird.socketPath), 'bird.conf'),
    },
    frr: {
      ...{ APP_ROUTER_DAEMON: 'frr', APP_ROUTER_SOCKET: frr.directory },
      ...{ APP_ROUTER_BIN: programPath('vtysh'), APP_BGP_LISTEN: '127.0.0.1:1790' },
    },
  };

  const network: Network = {
    ...{ peers: routers, agents, bird, frr },
    call,
    get: (path) => call('GET', path),
    async serviceTime() {
      const { date } = await caller.call({ method: 'GET', url: `${URL}/v1/health`, key });
      return Date.parse(date ?? '');
    },
    capture: () => startCapture({ ports: [BGP_PORT], interface: 'br0', netns: hub.name }),
    cable(name, state) {
      hub.ip('link', 'set', `v${[...spaces.keys()].indexOf(name)}`, state);
    },
    async startAgent(host) {
      const token = agents[host] === undefined ? await enrollmentToken(host) : undefined;
      const dataDir = join(directory, `agent-${host}`);
      const around = faults?.wrapper(host, host === 'bird' ? configDir : dataDir) ?? [];
      agents[host] = await startAgent(
        {
          ...{ url: agentUrl, wrapper: [...inside(host), ...around], dataDir },
          env: { APP_AGENT_ALLOW_HTTP: 'true', ...routerEnv[host], ...faults?.env(host) },
          ...(token === undefined ? {} : { token }),
        },
        directory,
      );
      faults?.started(host, agents[host].child.pid!);
    },
    async killService() {
      await stopProcess(service!, 'SIGKILL');
    },
    async startService() {
      const dataDir = join(directory, 'service');
      await mkdir(dataDir, { recursive: true });
      await seedData(dataDir);
      const env = { APP_HOST: SERVICE, APP_PORT: '8080', APP_DATA_DIR: dataDir, APP_LOG_FORMAT: 'json' };
      const around = faults?.wrapper('service', dataDir) ?? [];
      const line = [...inside('service'), ...around, process.execPath, command, 'start'];
      service = spawn(line[0]!, line.slice(1), {
        ...{ env: { PATH: process.env.PATH, ...env, ...faults?.env('service') }, stdio: 'ignore' },
      });
      faults?.started('service', service.pid!);
      await waitFor(
        async () => (await caller.call({ method: 'GET', url: `${URL}/v1/ready`, key })).status === 200,
        {
          what: 'the service to be ready',
        },
      );
      // As the service sees it, which may have a disk of its own.
      key = (await readFile(join(`/proc/${service.pid}/root`, dataDir, 'bootstrap-key'), 'utf8')).trim();
    },
    async ask(prefixes) {
      const path = `/v1/modules/${moduleId}/ip-range-entries`;
      const { items } = await call<{ items: { id: string; cidr: string }[] }>('GET', path);
      // What comes is added before what leaves is taken away: an edit leads to a revision by itself, also one half done.
      const added = prefixes.filter((prefix) => items.every(({ cidr }) => cidr !== prefix));
      if (added.length > 0) await call('POST', path, { items: added.map((cidr) => ({ cidr })) });
      for (const { id, cidr } of items) if (!prefixes.includes(cidr)) await call('DELETE', `${path}/${id}`);
      await call('POST', `/v1/modules/${moduleId}/refresh`);
    },
    async receivedBy(peer) {
      const heard = HOST_NAMES.map(async (host, index) => {
        const routes = await routers[peer]!.routes(`n${index + 1}`);
        return [host, routes.map(({ prefix }) => prefix).sort()] as const;
      });
      return Object.fromEntries(await Promise.all(heard)) as unknown as Heard;
    },
    async converged(prefixes) {
      const wanted = [...prefixes].sort().join(' ');
      let last = '';
      for (const peer of Object.keys(routers))
        await waitFor(
          async () => {
            const heard = await network.receivedBy(peer);
            last = JSON.stringify(heard);
            return Object.values(heard).every((routes) => routes.join(' ') === wanted);
          },
          {
            ...{ what: `${peer} to hear ${wanted} from every host`, timeoutMs: 180_000, everyMs: 200 },
            details: () =>
              `${last}\n${Object.values(agents)
                .map((agent) => agent.said().slice(-2_000))
                .join('\n')}`,
          },
        );
    },
    async close() {
      for (const agent of Object.values(agents)) await agent.stop();
      if (service !== null) await stopProcess(service, 'SIGTERM');
      caller.close();
      for (const daemon of [...Object.values(routers), bird, frr]) await daemon.stop();
      await faults?.close();
      for (const space of [...spaces.values(), hub]) space.remove();
      await rm(directory, { recursive: true, force: true });
    },
  };
  const enrollmentToken = async (host: Host): Promise<string> => {
    const { id } = await call<{ id: string }>('POST', '/v1/speakers', {
      ...{ name: host, mode: 'agent', daemon: host, local_asn: SPEAKER_ASN, local_ipv4: HOSTS[host] },
    });
    return (await call<{ token: string }>('POST', `/v1/speakers/${id}/enrollment-tokens`)).token;
  };
  const setUp = async (): Promise<void> => {
    await network.startService();
    const { items } = await call<{ items: { id: string }[] }>('GET', '/v1/speakers');
    for (const { id } of items) await call('PATCH', `/v1/speakers/${id}`, { enabled: false, name: 'unused' });
    ({ id: moduleId } = await call<{ id: string }>('POST', '/v1/modules', {
      name: 'ours',
      type: 'IP_RANGES',
    }));
    for (const [name, router] of Object.entries(routers))
      await call('POST', '/v1/peers', {
        ...{ name, address: router.address, port: BGP_PORT, remote_asn: router.localAsn, hold_time: 9 },
      });
    for (const host of HOST_NAMES) await network.startAgent(host);
  };
  try {
    await setUp();
  } catch (error) {
    await network.close();
    throw error;
  }
  return network;
}

/** Calls the API from where the service is. */
class Caller {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (called: Called) => void>();
  #calls = 0;

  constructor(wrapper: readonly string[]) {
    const script = join(import.meta.dirname, 'fetching-child.ts');
    const line = [...wrapper, process.execPath, script];
    this.#child = spawn(line[0]!, line.slice(1), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#child.on('message', (called: Called) => {
      this.#waiting.get(called.id)?.(called);
      this.#waiting.delete(called.id);
    });
  }

  call({
    body,
    ...call
  }: Omit<Call, 'id' | 'body'> & { readonly body?: object | undefined }): Promise<Called> {
    const id = this.#calls++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#child.send({
        id,
        ...call,
        body: body === undefined ? null : JSON.stringify(body),
      } satisfies Call);
    });
  }

  close(): void {
    this.#child.kill();
  }
}
