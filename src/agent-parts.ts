/** The parts of a node agent, wired together: beside main.ts and parts.ts, which it does without, the place that may. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AgentFault, describeFault } from './agent/agent-fault.ts';
import { NodeAgent } from './agent/agent.ts';
import { Backoff } from './concurrency/backoff.ts';
import { ControlClock } from './agent/control-clock.ts';
import { ControlPlane } from './agent/control-plane.ts';
import { DataDirectory } from './agent/data-directory.ts';
import { enroll } from './agent/enroll.ts';
import { readIdentity, type Identity } from './agent/identity.ts';
import { AGENT_VARIABLES, type AgentConfig } from './config/agent-config.ts';
import { levelOf, type OperatorEvent } from './api/activity/operator-events.ts';
import type { Daemon } from './api/speakers/speakers.ts';
import type { Config } from './config/config.ts';
import { observeAgent } from './http/metrics/agent-metrics.ts';
import { OperatorMetrics } from './http/metrics/operator-metrics.ts';
import type { Closers } from './closers.ts';
import { controlPlaneOf, enrollmentTokenOf, type Program } from './control-plane-setup.ts';
import type { ProcessMetrics } from './http/metrics/scrapes.ts';
import { routerDrivers } from './router-drivers.ts';
import { BuiltinEngine } from './speakers/builtin/engine.ts';
import type { SpeakerDriver } from './speakers/speaker.ts';
import { version } from './version.ts';

const NODE: Program = {
  ...{ variables: AGENT_VARIABLES, what: 'node' },
  tokenRequest: 'POST /v1/speakers/{speaker_id}/enrollment-tokens',
};

/** Starts the agent, which enrolls first where it has not. @throws {AgentFault} */
export async function startAgent(
  config: Config,
  logger: Logger,
  closers: Closers,
  metrics: ProcessMetrics,
): Promise<void> {
  const directory = new DataDirectory(config.agent.dataDir);
  await directory.open();
  const claim = await directory.claim('An agent', (error) =>
    logger.warn({ err: error }, `Nothing keeps a second agent out of ${directory.path}: it has no locks`),
  );
  closers.push('the lock of the data directory', () => Promise.resolve(claim.release()));
  const clock = new ControlClock();
  const known = await readIdentity(directory);
  // The control plane may have moved; whom the node believes, its keys say.
  const url = config.agent.controlUrl ?? known?.control_url ?? null;
  const control = connect(config.agent, url, clock);
  closers.push('the control plane', () => control.close());
  const enrolled = known ?? (await enrollPatiently(config, directory, control, logger));
  const identity = { ...enrolled, control_url: url ?? enrolled.control_url };
  const driver = await driverOf(config, identity, logger, closers);
  const log = logger.child({ component: 'agent' });
  const counts = new OperatorMetrics(metrics.sums);
  const emit = (event: OperatorEvent): void => {
    counts.count(event);
    log[levelOf(event)]({ event: event.event, tenant_id: identity.tenant_id, ...event.fields }, event.text);
  };
  const agent = await NodeAgent.open({
    ...{ directory, identity, control, clock, driver, log },
    version: version.version,
    emit,
  });
  observeAgent(metrics.named, () => agent.seen);
  closers.push('the agent', () => agent.close());
  agent.start();
  logger.info(
    { speaker_id: identity.speaker_id, control_url: identity.control_url },
    `The agent of the speaker ${identity.speaker_name} runs`,
  );
}

/** Enrolls the node with its token, also when it was enrolled before. @throws {AgentFault} */
export async function enrollNow(config: Config): Promise<Identity> {
  const directory = new DataDirectory(config.agent.dataDir);
  await directory.open();
  const control = connect(config.agent, config.agent.controlUrl, new ControlClock());
  try {
    return await enrollOnce(config, directory, control);
  } finally {
    await control.close();
  }
}

/** A control plane that does not answer yet is waited for; one that refuses is not. */
async function enrollPatiently(
  config: Config,
  directory: DataDirectory,
  control: ControlPlane,
  logger: Logger,
): Promise<Identity> {
  const pauses = new Backoff(1_000, 60_000);
  for (;;) {
    try {
      return await enrollOnce(config, directory, control);
    } catch (error) {
      if (!(error instanceof AgentFault) || error.code !== 'control_unreachable') throw error;
      const pause = Math.max(pauses.next(), (error.retryAfter ?? 0) * 1000);
      logger.warn({ err: error }, `The node has not enrolled yet. ${describeFault(error)}`);
      await sleep(pause);
    }
  }
}

async function enrollOnce(
  { agent, router }: Config,
  directory: DataDirectory,
  control: ControlPlane,
): Promise<Identity> {
  const daemon: Daemon = router?.daemon ?? 'builtin';
  const setup = {
    directory,
    control,
    controlUrl: agent.controlUrl!,
    token: enrollmentTokenOf(NODE, agent),
    daemon,
  };
  return enroll({ ...setup, version: version.version });
}

function connect(agent: AgentConfig, url: string | null, clock: ControlClock): ControlPlane {
  return new ControlPlane({ ...controlPlaneOf(NODE, agent, url), clock });
}

/** The speaker's sessions run in a thread of this process, or in the routing daemon of this machine. */
async function driverOf(
  { router, bgpListen }: Config,
  { daemon, speaker_id: speakerId, speaker_name: name }: Identity,
  logger: Logger,
  closers: Closers,
): Promise<SpeakerDriver> {
  const log = logger.child({ component: 'speaker' });
  const engine = new BuiltinEngine({ listen: bgpListen, version: version.version, log });
  const builtin = (id: string): ReturnType<typeof engine.driver> => engine.driver(id);
  const local = router === null ? null : routerDrivers(router, builtin);
  if (daemon !== 'builtin' && daemon !== local?.daemon)
    throw new AgentFault(
      'wrong_setup',
      `The speaker ${name} is of the daemon ${daemon}, which is not set up here. Set APP_ROUTER_DAEMON=${daemon} and the other APP_ROUTER_ variables, as docs/routers/${daemon}.md says.`,
    );
  closers.push('the sessions', () => engine.close(true));
  await engine.start();
  return daemon === 'builtin' ? builtin(speakerId) : local!.driver(speakerId);
}
