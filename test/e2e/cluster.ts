import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopProcess } from '../../demo/program.ts';
import { Service } from '../../demo/service.ts';
import { type Bird, startBird } from '../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../daemons/machine/ports.ts';
import { PEER_ALLOW_TEXT } from '../peer-allow.ts';
import { testProgram } from '../program.ts';

const command = testProgram();

/** Several processes of the service on one embedded database, one list, and one BIRD peer. */
export interface Cluster {
  readonly dataDir: string;
  readonly bird: Bird;
  /** What the list server answers, */
  list: string;
  /** and where it answers with something else, by path. */
  readonly lists: Map<string, string>;
  readonly listUrl: string;
  /** Starts a process that serves the API. */
  serve(role: 'app-all' | 'app-api'): Promise<Service>;
  /** Starts a process that does not. */
  run(
    role: 'app-worker' | 'app-speaker' | 'app-scheduler',
    more?: Readonly<Record<string, string>>,
  ): ChildProcess;
  /** Makes BIRD a peer, and a module of the list; answers the module's id. */
  prepare(service: Service): Promise<string>;
  /** Pid and socket directory of the database server, as its own file tells them. */
  server(): { readonly pid: number; readonly socketDir: string };
  close(): Promise<void>;
}

/** @param env further environment variables of every process */
export async function startCluster(env: Readonly<Record<string, string>> = {}): Promise<Cluster> {
  const dataDir = mkdtempSync(join(tmpdir(), 'prefixcast-cluster-'));
  const lists = createServer((request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/plain' })
      .end(cluster.lists.get(request.url!) ?? cluster.list),
  );
  await new Promise<void>((resolve) => lists.listen(0, '127.0.0.1', resolve));
  const address = loopbackAddress();
  const bird = await startBird({
    listen: { address, port: await freePort(address) },
    routerId: address,
    localAsn: 64496,
    neighbors: [
      {
        address: '127.0.0.1',
        port: 1,
        asn: 64512,
        passive: true,
        families: ['ipv4', 'ipv6'],
        gracefulRestart: true,
      },
    ],
  });
  const services: Service[] = [];
  const children: ChildProcess[] = [];
  const cluster: Cluster = {
    dataDir,
    bird,
    list: '',
    lists: new Map(),
    listUrl: `http://127.0.0.1:${(lists.address() as AddressInfo).port}`,
    async serve(role) {
      const bgpListen = `127.0.0.1:${await freePort()}`;
      const options = { dataDir, port: await freePort(), bgpListen, command };
      const environment = { APP_PEER_ALLOW: PEER_ALLOW_TEXT, ...env, APP_SERVICE: role };
      const service = await Service.start({ ...options, env: environment });
      services.push(service);
      return service;
    },
    run(role, more = {}) {
      const environment = {
        ...process.env,
        APP_SERVICE: role,
        APP_DATA_DIR: dataDir,
        APP_BGP_LISTEN: '127.0.0.1:0',
        APP_FETCH_ALLOW: '127.0.0.1/32',
        APP_PEER_ALLOW: PEER_ALLOW_TEXT,
        APP_LOG_LEVEL: 'silent',
        DATABASE_URL: '',
        ...env,
        ...more,
      };
      const child = spawn(process.execPath, [command, 'start'], { env: environment, stdio: 'ignore' });
      children.push(child);
      return child;
    },
    async prepare(service) {
      // Tests refresh when it suits them.
      await service.call('PATCH', '/v1/settings', { auto_revision: false });
      const peer = { name: 'bird', address, port: bird.port, remote_asn: 64496 };
      await service.post('/v1/peers', peer);
      const module = { name: 'list', type: 'CDN_SOURCES' };
      const { id } = await service.post<{ id: string }>('/v1/modules', module);
      const source = { name: 'list', url: `${cluster.listUrl}/` };
      await service.post(`/v1/modules/${id}/cdn-sources`, source);
      return id;
    },
    server() {
      const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
      const file = files.find((path) => path.endsWith('postmaster.pid'))!;
      const lines = readFileSync(join(dataDir, file), 'utf8').split('\n');
      return { pid: Number(lines[0]), socketDir: lines[4]! };
    },
    async close() {
      for (const child of children) await stopProcess(child);
      for (const service of services) await service.stop();
      endServer(cluster);
      await bird.stop();
      lists.closeAllConnections();
      lists.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return cluster;
}

/** The last service stops the database server; one that died left it running. */
function endServer(cluster: Cluster): void {
  try {
    process.kill(cluster.server().pid, 'SIGQUIT');
  } catch {
    // It has stopped, as it should.
  }
}

/** `count` prefixes that do not merge. */
export function listOf(count: number): string {
  return Array.from({ length: count }, (_, i) => `45.${i >> 7}.${(i & 127) * 2}.0/24`).join('\n');
}

/** Refreshes the module and waits for the apply that follows. */
export async function cast(service: Service, moduleId: string): Promise<void> {
  const result = await service.succeeded(await service.post(`/v1/modules/${moduleId}/refresh`));
  await service.succeeded({ id: String(result.apply_job_id) });
}
