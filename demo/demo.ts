/**
 * `npm run demo`: starts the service on embedded defaults, casts the lists of demo/lists to a real BGP peer, and shows what arrived.
 * On a terminal, or with `npm run demo -- --keep`, it stays up until Ctrl-C, so that the API can be tried; elsewhere, or with
 * `--exit`, it ends with exit code 0. A signal that ends it ends what it has started too.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { Listr } from 'listr2';
import { COMMUNITIES, LISTS, createModules, serveLists } from './catalog.ts';
import { type Resolver, startResolver } from './resolver.ts';
import { startRouter } from './router.ts';
import type { Router } from './peer.ts';
import { Service } from './service.ts';

const SPEAKER_ASN = 64512;
const ROUTER_ASN = 64496;

interface Demo {
  directory: string;
  lists: Server;
  resolver: Resolver;
  service: Service;
  router: Router;
}

/** Aborts when somebody ends the demo: Ctrl-C, a supervisor, or a terminal that is closed. */
const interruption = new AbortController();

async function main(): Promise<void> {
  const demo: Partial<Demo> = {};
  let stopping: Promise<void> | undefined;
  // Once: a second signal would cut its end short.
  const stopService = (): Promise<void> | undefined => (stopping ??= demo.service?.stop());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      interruption.abort();
      // Steps that are under way ask it, and end with it.
      void stopService();
    });
  try {
    await steps.run(demo as Demo);
    await summary(demo as Demo);
    if (staysUp()) await untilInterrupted(demo as Demo);
  } catch {
    process.exitCode = 1; // listr2 has shown what went wrong
  } finally {
    await stopService();
    await demo.router?.stop();
    demo.lists?.close();
    demo.resolver?.close();
    if (demo.directory !== undefined) await rm(demo.directory, { recursive: true, force: true });
  }
}

const steps = new Listr<Demo>(
  [
    {
      title: 'Start the service with its embedded PostgreSQL',
      task: async (demo, task) => {
        const started = performance.now();
        demo.directory = await mkdtemp(join(tmpdir(), 'prefixcast-demo-'));
        demo.resolver = await startResolver(demo.directory);
        demo.service = await Service.start({
          dataDir: demo.directory,
          port: await servicePort(),
          bgpListen: `127.0.0.1:${await freePort(1790)}`,
          signal: interruption.signal,
          env: {
            APP_ASN_SOURCE: 'table',
            APP_ASN_SOURCE_URL: pathToFileURL(join(LISTS, 'networks.tsv')).href,
            NODE_EXTRA_CA_CERTS: demo.resolver.certificateFile,
          },
        });
        task.title = `Service ready at ${demo.service.url} after ${seconds(started)}`;
      },
    },
    {
      title: 'Start a BGP router',
      task: async (demo, task) => {
        const options = {
          directory: demo.directory,
          port: await freePort(1179),
          asn: ROUTER_ASN,
          speakerAsn: SPEAKER_ASN,
        };
        demo.router = await startRouter(options);
        await demo.service.post('/v1/peers', {
          name: 'demo-router',
          address: demo.router.address,
          port: demo.router.port,
          remote_asn: demo.router.asn,
          multihop: 2,
          next_hop_ipv6: '2600:77::1', // the session runs over IPv4, so IPv6 routes need a next hop of their own
        });
        task.title = `${demo.router.title} peers with the speaker at ${demo.router.address} port ${demo.router.port}`;
      },
    },
    {
      title: 'Create communities and modules from the lists in demo/lists',
      task: async (demo, task) => {
        demo.lists = await serveLists();
        const { modules, entries } = await createModules(demo.service, demo.lists, demo.resolver);
        task.title = `Created ${COMMUNITIES.length} communities and ${modules} modules of every type with ${entries} entries`;
      },
    },
    {
      title: 'Refresh the modules',
      task: async (demo, task) => {
        const started = performance.now();
        const { items } = await demo.service.get<{ items: { id: string; name: string }[] }>('/v1/modules');
        for (const [index, module] of items.entries()) {
          task.output = `${module.name} (${index + 1} of ${items.length})`;
          const result = await demo.service.succeeded(
            await demo.service.post(`/v1/modules/${module.id}/refresh`),
          );
          if (result.status !== 'ok')
            throw new Error(`The refresh of ${module.name} is ${String(result.status)}: see its entries.`);
        }
        task.title = `Refreshed ${items.length} modules in ${seconds(started)}`;
      },
    },
    {
      title: 'Apply, and wait for the routes at the peer',
      task: async (demo, task) => {
        const started = performance.now();
        // Refreshes at the same time, and edits that are followed by themselves, share a revision: this one holds them all.
        const built = await demo.service.succeeded(await demo.service.post('/v1/revisions', {}));
        const revision = await demo.service.get<RevisionSummary>(
          `/v1/revisions/${String(built.revision_id)}`,
        );
        const expected = revision.prefix_count.ipv4 + revision.prefix_count.ipv6;
        for (let arrived = -1; arrived !== expected; await sleep(100)) {
          arrived = await demo.router.count(null);
          task.output = `${arrived} of ${expected} routes`;
          if (performance.now() - started > 60_000)
            throw new Error(`Only ${arrived} of ${expected} routes arrived within a minute.`);
        }
        task.title = `Revision ${revision.number}: all ${expected} routes arrived after ${seconds(started)}`;
      },
    },
  ],
  { rendererOptions: { collapseSubtasks: false } },
);

interface RevisionSummary {
  readonly number: number;
  readonly prefix_count: { ipv4: number; ipv6: number };
}

async function summary({ service, router }: Demo): Promise<void> {
  const colours = process.stdout.isTTY ? {} : { head: [], border: [] };
  const table = new Table({
    head: ['community', 'title', `routes at ${router.title}`],
    colAligns: ['left', 'left', 'right'],
    style: { compact: true, ...colours },
  });
  for (const { community, title } of COMMUNITIES)
    table.push([community, title, await router.count(community)]);
  table.push(['', 'all', await router.count(null)]);
  // It signs in once, and is no key: what stands after # is sent to nobody, and the page takes it out of the address.
  const { path } = await service.post<{ path: string }>('/v1/auth/sign-in-links');
  const auth = `-H "Authorization: Bearer ${service.key}"`;
  const tried = [
    `API      ${service.url}`,
    `key      ${service.key}`,
    `console  ${service.url}${path}  (this link signs in once, within 10 minutes)`,
    '',
    'Try:',
    `  curl -s ${auth} ${service.url}/v1/revisions`,
    `  curl -s ${auth} "${service.url}/v1/speakers?live=true"`,
    `  curl -s ${auth} -H "Accept: text/plain" ${service.url}/v1/revisions/latest/prefixes`,
  ];
  const stops = [
    'The service stops now. `npm run demo -- --keep` leaves it up, with an API and a console to try.',
  ];
  process.stdout.write(`\n${table.toString()}\n\n${(staysUp() ? tried : stops).join('\n')}\n`);
}

/** APP_PORT where it is set, else 8080 or one that is free. Of the environment nothing else counts: the demo has a directory and a database of its own. */
async function servicePort(): Promise<number> {
  const given = process.env.APP_PORT ?? '';
  if (given === '') return freePort(8080);
  const port = Number(given);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`APP_PORT is ${given}, and has to be a port from 1 to 65535.`);
  // What answers there would be taken for the demo's own service.
  if ((await bind('127.0.0.1', port)) === null)
    throw new Error(`APP_PORT is ${given}, and something else listens there on 127.0.0.1.`);
  return port;
}

/** `wanted` when nothing listens there, else any port that is free at 127.0.0.1, and at 127.0.0.2 for the router. */
async function freePort(wanted: number): Promise<number> {
  for (const port of [wanted, 0, 0, 0]) {
    const bound = await bind('127.0.0.1', port);
    if (bound !== null && (await bind('127.0.0.2', bound)) !== null) return bound;
  }
  throw new Error('No free port on 127.0.0.1.');
}

/** The port that a socket could be bound to, and is no more; null: it is taken. An address that the machine lacks has all ports free. */
async function bind(address: string, port: number): Promise<number | null> {
  const server = createTcpServer();
  const bound = await new Promise<number | null>((resolve) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'EADDRINUSE' ? null : port));
    server.listen(port, address, () => resolve((server.address() as AddressInfo).port));
  });
  if (server.listening) await new Promise((resolve) => server.close(resolve));
  return bound;
}

function staysUp(): boolean {
  const options = { keep: { type: 'boolean' }, exit: { type: 'boolean' } } as const;
  const { keep = false, exit = false } = parseArgs({ options }).values;
  return keep || (!exit && process.stdin.isTTY && process.stdout.isTTY);
}

/** A service that ends by itself ends the demo: nothing that stands above would be true. */
async function untilInterrupted({ service, directory }: Demo): Promise<void> {
  process.stdout.write('\nThe service stays up until you press Ctrl-C.\n');
  const { signal } = interruption;
  if (signal.aborted) return;
  const cause = await Promise.race([service.whenGone(), once(signal, 'abort').then(() => null)]);
  if (cause === null || signal.aborted) return;
  process.stdout.write(`\nThe service has ended ${cause}, and so does the demo.\n`);
  process.exitCode = 1;
  await stopDatabase(directory);
}

/** One that was killed has left its PostgreSQL behind. */
async function stopDatabase(directory: string): Promise<void> {
  const file = join(directory, 'postgres/data/postmaster.pid');
  const pid = await readFile(file, 'utf8').then(
    (text) => Number(text.split('\n')[0]),
    () => null,
  );
  if (pid === null) return;
  process.kill(pid, 'SIGINT');
  for (let waited = 0; waited < DATABASE_ENDS_WITHIN_MS && existsSync(file); waited += LOOK_MS)
    await sleep(LOOK_MS);
}

const DATABASE_ENDS_WITHIN_MS = 10_000;
const LOOK_MS = 50;

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

await main();
