/** What `prefixcast doctor` does: looks at the service of this machine, whether it runs or not, and changes nothing. */
import pg from 'pg';
import { EXIT } from './cli/process/command-error.ts';
import { print } from './cli/render/formats.ts';
import { type Colour, coloured } from './cli/render/terminal.ts';
import { type Config, currentPlatform, parseConfig } from './config/config.ts';
import { ConfigError } from './config/environment.ts';
import { bootstrapKeyPath, readBootstrapKey } from './config/bootstrap-key.ts';
import { isOwnUrl, ownUrl } from './config/own-url.ts';
import { examine } from './doctor/examine.ts';
import { fault, type Finding, ok, skipped, type Verdict, warning } from './doctor/finding.ts';
import { hasEmbeddedDatabase, withDatabase } from './own-database.ts';
import { explainStartFault } from './start-fault.ts';
import type { DatabaseAddress } from './store/database/database-address.ts';
import { isDiskFull } from './store/database/database-problem.ts';
import { placesOf } from './store/embedded/places.ts';

export async function doctor({ json }: { readonly json: boolean }): Promise<number> {
  const findings = await findAll();
  print(json ? `${JSON.stringify(findings, null, 2)}\n` : findings.map(textOf).join(''));
  return findings.some(({ verdict }) => verdict === 'fault') ? EXIT.failed : EXIT.ok;
}

async function findAll(): Promise<Finding[]> {
  let config: Config;
  try {
    config = parseConfig(process.env, currentPlatform());
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [fault('environment', error.message, 'Set it right in the environment of the service.')];
  }
  const warnings = config.warnings.map((text) =>
    warning('environment', text, 'Set it right in the environment of the service.'),
  );
  const { api, warnings: ofUrl } = apiOf(config);
  const service = await lookAtService(config, api);
  const patient = {
    config: { ...config, databaseWaitSeconds: 0 },
    api: service.api,
    isDown: service.api === null && service.finding.verdict === 'fault',
    apiKey: process.env.PREFIXCAST_KEY || readBootstrapKey(bootstrapKeyPath(config.dataDir)),
  };
  const rest = await withClient(patient.config, service.api, (database) => examine({ ...patient, database }));
  return [...warnings, ...ofUrl, service.finding, ...rest];
}

const READY_MS = 3_000;
const START = 'Start it as docs/operating/install.md says. If it ends again, its log says why.';

/** Roles whose processes serve no API. */
const WITHOUT_API: ReadonlySet<Config['service']> = new Set([
  'app-worker',
  'app-scheduler',
  'app-speaker',
  'app-agent',
]);

/** Where the service of this machine answers: by the options of commands, or by its environment. */
function apiOf({ http }: Config): { readonly api: string; readonly warnings: readonly Finding[] } {
  const api = ownUrl(http.host, http.port);
  const given = process.env.PREFIXCAST_URL?.replace(/\/+$/, '') ?? '';
  if (given === '') return { api, warnings: [] };
  if (isOwnUrl(given)) return { api: given, warnings: [] };
  const found = `PREFIXCAST_URL names ${given}, which is not this machine: what follows is of the service here`;
  const remedy = 'Run doctor on that machine, or unset PREFIXCAST_URL.';
  return { api, warnings: [warning('environment', found, remedy)] };
}

async function lookAtService(
  { service }: Config,
  api: string,
): Promise<{ readonly api: string | null; readonly finding: Finding }> {
  try {
    const answer = await fetch(`${api}/v1/ready`, { signal: AbortSignal.timeout(READY_MS) });
    if (!(await isOurs(answer))) return { api: null, finding: ofAnother(service, api, answer.status) };
    if (answer.ok) return { api, finding: ok('service', `it runs and is ready at ${api}`) };
    return {
      api,
      finding: fault(
        'service',
        `it runs at ${api} and is not ready (${answer.status})`,
        'See the findings below, and its log.',
      ),
    };
  } catch {
    const found = `it does not answer at ${api}: what follows is found without it`;
    return {
      api: null,
      finding: WITHOUT_API.has(service)
        ? skipped('service', `${service} of this environment serves no API`)
        : fault('service', found, START),
    };
  }
}

/** Whether the service itself says that it is ready, or why it is not: any program may have its port. */
async function isOurs(answer: Response): Promise<boolean> {
  const body = (await answer.json().catch(() => null)) as { status?: unknown; code?: unknown } | null;
  return answer.ok ? body?.status === 'ready' : typeof body?.code === 'string';
}

function ofAnother(service: Config['service'], api: string, status: number): Finding {
  if (WITHOUT_API.has(service)) return skipped('service', `${service} of this environment serves no API`);
  const found = `another program answers at ${api} (${status}), and not the service: what follows is found without it`;
  return fault('service', found, `Find it with ss -ltnp and stop it, or set APP_PORT. ${START}`);
}

/**
 * Runs `work` with a connection, or with null, and what was in the way as a finding more.
 * @param api where a service answers, whose database there has to be; null: none does
 */
async function withClient(
  config: Config,
  api: string | null,
  work: (database: pg.Client | null) => Promise<Finding[]>,
): Promise<Finding[]> {
  if (config.databaseUrl === null && !hasEmbeddedDatabase(config.dataDir))
    return [withoutData(config, api), ...(await work(null))];
  let isBegun = false;
  try {
    return await withDatabase(config, { mustExist: true }, async (address) => {
      const client = await connectTo(address);
      isBegun = true;
      try {
        return await work(client);
      } finally {
        await client.end().catch(() => undefined);
      }
    });
  } catch (error) {
    if (isBegun) throw error;
    const said = explainStartFault(error, config) ?? (error as Error).message;
    return [fault('database', said, remedyOf(config, error as Error)), ...(await work(null))];
  }
}

/** A service that runs has a database: nobody is to read that all is well where none of it was looked at. */
function withoutData({ dataDir }: Config, api: string | null): Finding {
  if (api === null) return skipped('database', `there is none in ${dataDir} yet`);
  return warning(
    'database',
    `the service at ${api} keeps its data elsewhere than in ${dataDir}, so that most is not tried`,
    'Run doctor as the user of the service, with its environment: APP_DATA_DIR or DATABASE_URL.',
  );
}

/** The service's own PostgreSQL is started by the service, and no variable names it. */
function remedyOf({ databaseUrl, dataDir }: Config, error: Error): string {
  if (databaseUrl !== null) return 'Start PostgreSQL, and compare DATABASE_URL with what the service has.';
  if (isDiskFull(error) || /ENOSPC|No space left on device/.test(error.message))
    return `Make room on the disk that holds ${dataDir}, then start the service.`;
  return `Start the service, which starts its PostgreSQL; the log of that is ${placesOf(dataDir).log}.`;
}

async function connectTo(address: DatabaseAddress): Promise<pg.Client> {
  const client = new pg.Client({
    ...address,
    application_name: 'prefixcast-doctor',
    connectionTimeoutMillis: 10_000,
    statement_timeout: 20_000,
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

const COLOURS: Readonly<Record<Verdict, Colour>> = { ok: 'green', warning: 'yellow', fault: 'red' };

function textOf({ check, verdict, found, remedy }: Finding): string {
  const line = `${coloured(verdict.padEnd(8), COLOURS[verdict])} ${check.padEnd(11)} ${found}\n`;
  return remedy === null ? line : `${line}${' '.repeat(21)}→ ${remedy}\n`;
}
