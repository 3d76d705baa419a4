import { setTimeout as sleep } from 'node:timers/promises';
import { AgentFault, describeFault } from '../agent/agent-fault.ts';
import type { AgentLog } from '../agent/agent-log.ts';
import type { DataDirectory } from '../agent/data-directory.ts';
import { openRuleset, type OpenedRuleset, type RulesetReader, type Signed } from '../bundle/ruleset.ts';
import { emptySet } from '../core/sets/prefix-set.ts';
import { SerialQueue } from '../concurrency/serial-queue.ts';
import type { RuleCounter } from '../nftables/listing.ts';
import type { LocalAddresses, Script } from '../nftables/script.ts';
import type { Host } from './host.ts';
import type { Kernel } from './kernel.ts';
import { readLastGood, stageRuleset } from './last-good.ts';

/** Between attempts to reach the control plane after an apply. */
const CONFIRM_PAUSE_MILLISECONDS = 500;

export interface EnforcerOptions {
  readonly directory: DataDirectory;
  readonly kernel: Kernel;
  readonly host: Host;
  readonly log: AgentLog;
  readonly confirmSeconds: number;
  /** For the stored ruleset: its age does not matter, it was valid when it was accepted. */
  readonly reader: () => Omit<RulesetReader, 'now' | 'highestSequence' | 'known'>;
}

/**
 * Brings rulesets into the kernel and keeps the last good one on disk. A ruleset is good once the control plane was reached with it in
 * force; until then the previous one stays on disk, so that however the program ends, the next start goes back to it.
 */
export class Enforcer {
  readonly #options: EnforcerOptions;
  readonly #turns = new SerialQueue();
  #running: OpenedRuleset | null = null;

  constructor(options: EnforcerOptions) {
    this.#options = options;
  }

  /** What is in force; null: nothing of ours. */
  get running(): OpenedRuleset | null {
    return this.#running;
  }

  /**
   * Restores what was in force, without the control plane. A ruleset that was applied but not confirmed is removed.
   * @returns whether something is in force now
   * @throws {BundleError}, {AgentFault} when the files are damaged: the kernel keeps what it holds
   */
  restore(): Promise<boolean> {
    return this.#turns.run(async () => {
      const { directory, kernel, reader } = this.#options;
      const kept = await readLastGood(directory);
      if (kept === null) {
        if (!(await kernel.isEmpty())) await kernel.remove();
        return false;
      }
      const opened = openRuleset(kept, { ...reader(), highestSequence: null, now: null, known: new Map() });
      await this.#give(opened, { whole: true });
      this.#running = opened;
      return true;
    });
  }

  /**
   * Applies a ruleset, and keeps it once `reaches` says that the control plane is reached.
   * @throws {AgentFault} `kernel_refused`, `state_unwritable`, `not_confirmed`: then what was in force before is restored
   */
  install(
    opened: OpenedRuleset,
    signed: Pick<Signed, 'manifest' | 'signature'>,
    reaches: () => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<void> {
    return this.#turns.run(async () => {
      const before = this.#running;
      // After a failed restore, the kernel may hold a table that this process can't read.
      const held = before === null ? await this.#options.kernel.dump() : null;
      // On disk before it is in force: what a restart would lose is not started.
      const staged = await stageRuleset(this.#options.directory, signed, opened);
      try {
        await this.#give(opened);
        await this.#confirm(reaches, signal);
        await staged.commit();
      } catch (error) {
        await staged.discard().catch(() => undefined);
        await this.#goBack(before ?? held, error);
        throw error;
      }
      this.#running = opened;
    });
  }

  /** The same ruleset, signed again: only the file changes. */
  renew(opened: OpenedRuleset, signed: Pick<Signed, 'manifest' | 'signature'>): Promise<void> {
    return this.#turns.run(async () => {
      const staged = await stageRuleset(this.#options.directory, signed, opened);
      await staged.commit();
      this.#running = opened;
    });
  }

  /**
   * Makes sure that the kernel holds what is in force, and that the addresses of administrators and the control plane are current.
   * @returns the counters of the rules
   */
  look(): Promise<readonly RuleCounter[]> {
    return this.#turns.run(async () => {
      const { kernel, host, log } = this.#options;
      if (this.#running === null) return [];
      const { counters, fault } = await kernel.look();
      if (fault !== null || kernel.script === null) {
        log.warn({ fault }, `The kernel does not hold the ruleset any more, and is given it again: ${fault}`);
        await this.#give(this.#running, { whole: true });
        return [];
      }
      if (!isSameLocal(await host.look(), kernel.script.local)) await this.#give(this.#running);
      return counters;
    });
  }

  async #give(opened: OpenedRuleset, how: { readonly whole?: boolean } = {}): Promise<void> {
    const { kernel, host } = this.#options;
    const isRebuilt = how.whole === true || kernel.script === null;
    await kernel.apply(scriptOf(opened, await host.look({ isRebuilt })), how);
  }

  async #confirm(reaches: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
    const { confirmSeconds } = this.#options;
    const until = performance.now() + confirmSeconds * 1_000;
    do {
      if (await reaches()) return;
      await sleep(CONFIRM_PAUSE_MILLISECONDS, undefined, { signal });
    } while (performance.now() < until);
    throw new AgentFault(
      'not_confirmed',
      `The control plane could not be reached within ${confirmSeconds} s with the new ruleset in force, so the one before is back.`,
    );
  }

  /** @param before a ruleset, what the kernel held, or null: nothing of ours */
  async #goBack(before: OpenedRuleset | string | null, cause: unknown): Promise<void> {
    const { kernel, log } = this.#options;
    try {
      if (before === null) await kernel.remove();
      else if (typeof before === 'string') await kernel.putBack(before);
      else await this.#give(before, { whole: kernel.script === null });
    } catch (error) {
      log.error(
        { err: error },
        `What was in force before could not be brought back: ${describeFault(error)}`,
      );
      throw cause;
    }
  }
}

/** The ruleset as a script for the kernel. */
function scriptOf({ manifest, hash, sets }: OpenedRuleset, local: LocalAddresses): Script {
  const { policy, protected: kept, rules } = manifest;
  return {
    ...{ hash, policy, local },
    protected: kept,
    sets: rules.map((rule) => ({
      rule,
      ipv4: sets.get(rule.ipv4.hash) ?? emptySet('ipv4'),
      ipv6: sets.get(rule.ipv6.hash) ?? emptySet('ipv6'),
    })),
  };
}

function isSameLocal(one: LocalAddresses, other: LocalAddresses): boolean {
  const text = ({ control, sessions, resolvers }: LocalAddresses): string =>
    JSON.stringify([
      control.map(({ address, port }) => `${address} ${port}`).sort(),
      [...sessions].sort(),
      resolvers,
    ]);
  return text(one) === text(other);
}
