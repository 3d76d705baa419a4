/**
 * The world of a node: the real service in a process of its own, a speaker of mode `agent`, one BIRD that is its only peer, and as
 * many agents, each a process as well, as the test starts.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopProcess } from '../../demo/program.ts';
import { Service } from '../../demo/service.ts';
import { type Bird, startBird } from '../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../daemons/machine/ports.ts';
import { waitFor } from '../daemons/wait.ts';
import { testProgram } from '../program.ts';
import { seedData } from '../seed.ts';

const command = testProgram();

export interface LogLine {
  readonly level: number;
  readonly msg: string;
}

export interface AgentProcess {
  readonly dataDir: string;
  readonly child: ChildProcess;
  readonly log: readonly LogLine[];
  /** What the log says, as one text. */
  readonly said: () => string;
  /** Waits until the log says it. */
  hears(text: string | RegExp): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface AgentSetup {
  /** Its state; a directory of its own where nothing is said. */
  readonly dataDir?: string;
  readonly token?: string;
  /** Where it finds the control plane; the service itself where nothing is said. */
  readonly url?: string;
  /** Lines that somebody in between broke, for who waits in vain. */
  readonly broken?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Of `prefixcast agent`; none: it runs. */
  readonly args?: readonly string[];
  /** What comes before the program, such as `unshare --mount`. */
  readonly wrapper?: readonly string[];
  /** User and group id that it runs as. */
  readonly user?: number;
}

export interface NodeWorld {
  service: Service;
  readonly bird: Bird;
  readonly speakerId: string;
  readonly directory: string;
  /** An enrollment token for the speaker, or for another one. */
  token(speakerId?: string): Promise<string>;
  addSpeaker(name: string): Promise<string>;
  start(setup?: AgentSetup): Promise<AgentProcess>;
  /** Starts an agent that enrolls, and waits until the control plane knows of it. */
  enrolled(setup?: AgentSetup): Promise<AgentProcess>;
  /** Has the lists say exactly these prefixes; answers the job that applies them, which has not ended yet. */
  ask(prefixes: readonly string[]): Promise<{ readonly id: string }>;
  /** {@link ask}, until all of it is announced. */
  announce(prefixes: readonly string[]): Promise<void>;
  /** Waits until BIRD has exactly these. */
  received(prefixes: readonly string[]): Promise<void>;
  speaker(): Promise<SpeakerNow>;
  /** Ends the service and keeps its state. */
  stopService(signal?: NodeJS.Signals): Promise<void>;
  startService(): Promise<void>;
  close(): Promise<void>;
}

export interface SpeakerNow {
  readonly applied_revision_id: string | null;
  readonly agent: { readonly hostname: string; readonly last_seen_at: string } | null;
  readonly last_apply: { readonly status: string; readonly error: string | null } | null;
  readonly live: {
    readonly reachable: boolean;
    readonly error: string | null;
    readonly sessions: readonly {
      readonly state: string;
      readonly since: string;
      readonly routes_exported: number;
    }[];
  };
}

export async function startWorld(env: Readonly<Record<string, string>> = {}): Promise<NodeWorld> {
  const directory = await mkdtemp(join(tmpdir(), 'prefixcast-node-'));
  await chmod(directory, 0o711); // as root, database and agents run as other users and have to come through
  const dataDir = join(directory, 'service');
  await seedData(dataDir);
  const options = {
    dataDir,
    port: await freePort(),
    bgpListen: `127.0.0.1:${await freePort()}`,
    command,
    env,
  };
  const service = await Service.start(options);
  // Lists are refreshed when a test asks for that, and peers have not much time to be sick in.
  await service.call('PATCH', '/v1/settings', { auto_revision: false, deploy_calm_milliseconds: 100 });
  const bird = await startPeer();
  const agents: AgentProcess[] = [];
  const addSpeaker = async (name: string): Promise<string> => {
    const body = { name, mode: 'agent', local_asn: 64512 };
    return (await world.service.post<{ id: string }>('/v1/speakers', body)).id;
  };
  const world: NodeWorld = {
    ...{ service, bird, directory, addSpeaker, speakerId: '' },
    async token(speakerId = world.speakerId) {
      const path = `/v1/speakers/${speakerId}/enrollment-tokens`;
      return (await world.service.post<{ token: string }>(path)).token;
    },
    async start(setup = {}) {
      const agent = await startAgent({ url: world.service.url, ...setup }, directory);
      agents.push(agent);
      return agent;
    },
    async enrolled(setup = {}) {
      const agent = await world.start({ token: await world.token(), ...setup });
      await waitFor(async () => (await world.speaker()).live.reachable, {
        what: 'the agent to report',
        details: () => [agent.said(), ...(setup.broken ?? [])].join('\n'),
      });
      return agent;
    },
    async ask(prefixes) {
      const path = `/v1/modules/${moduleId}/entries.csv?mode=replace`;
      const csv = await fetch(world.service.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${world.service.key}`, 'content-type': 'text/csv' },
        body: ['cidr', ...prefixes, ''].join('\n'),
      });
      if (!csv.ok) throw new Error(await csv.text());
      const refresh = await world.service.post<{ id: string }>(`/v1/modules/${moduleId}/refresh`);
      const result = await world.service.succeeded(refresh);
      return { id: String(result.apply_job_id) };
    },
    async announce(prefixes) {
      await world.service.succeeded(await world.ask(prefixes));
      await world.received(prefixes);
    },
    async received(prefixes) {
      const wanted = [...prefixes].sort();
      await waitFor(async () => same(await prefixesOf(bird), wanted), {
        what: `BIRD to have exactly ${wanted.join(' ').slice(0, 200)}`,
        details: () => agents.map((agent) => agent.said()).join('\n'),
      });
    },
    speaker: () => world.service.get<SpeakerNow>(`/v1/speakers/${world.speakerId}?live=true`),
    async stopService(signal = 'SIGTERM') {
      await world.service.stop(signal);
    },
    async startService() {
      world.service = await Service.start(options);
    },
    async close() {
      for (const agent of agents) await agent.stop();
      await world.service.stop();
      await bird.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
  const speakerId = await addSpeaker('edge');
  Object.assign(world, { speakerId });
  await service.post('/v1/peers', {
    ...{ name: 'bird', address: bird.address, port: bird.port, remote_asn: 64496 },
    ...{ speaker_ids: [speakerId], next_hop_ipv6: '2001:db8::1' },
  });
  const module = { name: 'ours', type: 'IP_RANGES' };
  const { id: moduleId } = await service.post<{ id: string }>('/v1/modules', module);
  return world;
}

async function startPeer(): Promise<Bird> {
  const address = loopbackAddress();
  const families: ('ipv4' | 'ipv6')[] = ['ipv4', 'ipv6'];
  return startBird({
    listen: { address, port: await freePort(address) },
    routerId: address,
    localAsn: 64496,
    neighbors: [
      { address: '127.0.0.1', port: 1, asn: 64512, passive: true, families, gracefulRestart: true },
    ],
  });
}

let started = 0;

/** An agent in a process of its own; its state is below `directory` where nothing else is said. */
export async function startAgent(
  { token, url, env, dataDir, args = [], wrapper = [], user }: AgentSetup,
  directory: string,
): Promise<AgentProcess> {
  const state = dataDir ?? join(directory, `agent-${started++}`);
  const [program, ...rest] = [...wrapper, process.execPath, command, 'agent', ...args] as [
    string,
    ...string[],
  ];
  const child = spawn(program, rest, {
    env: {
      PATH: process.env.PATH,
      APP_AGENT_CONTROL_URL: url,
      APP_AGENT_DATA_DIR: state,
      APP_BGP_LISTEN: `127.0.0.1:${await freePort()}`,
      APP_LOG_FORMAT: 'json',
      ...(token === undefined ? {} : { APP_AGENT_TOKEN: token }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  const log: LogLine[] = [];
  let partial = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = (partial + chunk.toString()).split('\n');
    partial = lines.pop()!;
    log.push(...lines.map(readLine));
  });
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const said = (): string => [...log.map(({ msg }) => msg), errors].join('\n');
  return {
    ...{ dataDir: state, child, log, said },
    async hears(text) {
      const found = (): boolean => (typeof text === 'string' ? said().includes(text) : text.test(said()));
      await waitFor(found, { what: `the agent to say ${String(text)}`, details: said });
    },
    stop: (signal = 'SIGTERM') => stopProcess(child, signal),
  };
}

/** Commands that end say what they have to say without a log. */
function readLine(line: string): LogLine {
  return line.startsWith('{') ? (JSON.parse(line) as LogLine) : { level: 30, msg: line };
}

async function prefixesOf(bird: Bird): Promise<string[]> {
  return (await bird.routes()).map(({ prefix }) => prefix).sort();
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
