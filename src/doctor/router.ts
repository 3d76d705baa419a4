import { once } from 'node:events';
import { connect, type NetConnectOpts } from 'node:net';
import { join } from 'node:path';
import { readEndpoint } from '../config/environment.ts';
import type { RouterConfig } from '../config/router-config.ts';
import { readLocalDaemons } from '../store/postgres/examination.ts';
import { asSystem, type Check, fault, type Finding, ok, skipped } from './finding.ts';

const NAME = 'router';
const TIMEOUT_MS = 2_000;

export const ROUTER: Check = {
  name: NAME,
  async examine(patient) {
    const { router } = patient.config;
    return [
      ...(router === null
        ? [skipped(NAME, 'no routing daemon of this machine is configured')]
        : await socket(router)),
      ...(await orphans(patient, router?.daemon ?? null)),
    ];
  },
};

async function socket(router: RouterConfig): Promise<Finding[]> {
  const place = placeOf(router);
  const where = 'path' in place ? place.path : `${place.host} port ${place.port}`;
  const code = await connectOnce(place);
  if (code === null) return [ok(NAME, `${router.daemon} takes calls at ${where}`)];
  return [
    fault(
      NAME,
      `${router.daemon} cannot be called at ${where} (${code})`,
      remedyOf(code, router.daemon, where),
    ),
  ];
}

function remedyOf(code: string, daemon: string, where: string): string {
  if (code === 'ENOENT') return `Start ${daemon}, or set APP_ROUTER_SOCKET to where its socket is.`;
  if (code === 'EACCES')
    return `Let the user of the service use ${where}: by the group of ${daemon}, for one.`;
  if (code === 'ECONNREFUSED') return `Start ${daemon}: its socket is there, and nobody listens.`;
  return `See whether ${daemon} runs, and what its log says.`;
}

type Place = { readonly path: string } | { readonly host: string; readonly port: number };

function placeOf(router: RouterConfig): Place {
  switch (router.daemon) {
    case 'bird':
    case 'openbgpd':
      return { path: router.socket };
    case 'frr':
      return { path: join(router.socketDir, 'bgpd.vty') };
    case 'gobgp':
      return readEndpoint(router.api) ?? { path: router.api.replace(/^unix:/, '') };
  }
}

/** The system's code for why not; null: somebody took the call. */
async function connectOnce(place: Place): Promise<string | null> {
  const called = connect(place as NetConnectOpts);
  try {
    await once(called, 'connect', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  } finally {
    called.on('error', () => undefined).destroy();
  }
}

/** Enabled speakers whose daemon no process of this machine drives. */
function orphans(
  patient: Parameters<Check['examine']>[0],
  driven: string | null,
): Promise<readonly Finding[]> {
  return asSystem(NAME, patient, async (client) =>
    (await readLocalDaemons(client))
      .filter((daemon) => daemon !== 'builtin' && daemon !== driven)
      .map((daemon) =>
        fault(
          NAME,
          `an enabled speaker lives in ${daemon} of this machine, which the configuration does not name`,
          `Set APP_ROUTER_DAEMON=${daemon} and its socket (docs/routers/${daemon}.md), or disable the speaker.`,
        ),
      ),
  );
}
