import { join } from 'node:path';
import { AgentFault } from '../agent/agent-fault.ts';
import { nextTransaction, wholeTransaction, type Layout, type Transaction } from '../nftables/layout.ts';
import {
  changedRulesFault,
  countersOf,
  elementsFault,
  hasTable,
  rulesOf,
  structureFault,
  type Listing,
  type RuleCounter,
} from '../nftables/listing.ts';
import { FAMILY, TABLE } from '../nftables/names.ts';
import type { Script } from '../nftables/script.ts';
import type { Nft } from './nft.ts';
import { withScriptFile } from './script-file.ts';

/** The last transaction, for users who want to inspect it. */
export const SCRIPT_FILE = 'transaction.nft';
/** Up to this many prefixes are read back: the kernel needs a minute and a half to list a million. */
const READ_BACK = 250_000;
/** Up to this many are read at each look: a tenth of a second of processor time. */
const LOOKED_AT = 25_000;
/** More sets than this are read back with the whole table. */
const SETS_ONE_BY_ONE = 16;

/** Our table in the kernel, and what it was last given. Every change is a transaction; nothing outside the table is touched. */
export class Kernel {
  readonly #nft: Nft;
  readonly #file: string;
  #layout: Layout | null = null;
  /** What the kernel listed after the last transaction. */
  #rules: ReturnType<typeof rulesOf> | null = null;

  /** @param directory where scripts are written; only this user may access it */
  constructor(nft: Nft, directory: string) {
    this.#nft = nft;
    this.#file = join(directory, SCRIPT_FILE);
  }

  /** What it was last given; null: nothing, or unknown. */
  get script(): Script | null {
    return this.#layout?.script ?? null;
  }

  /**
   * Has nft check the script, gives it to the kernel as one transaction, and reads back what the kernel holds.
   * @throws {AgentFault} `kernel_refused`: then the kernel holds what it held before, unless reading back found a difference
   */
  async apply(script: Script, { whole = false } = {}): Promise<void> {
    const before = whole ? null : this.#layout;
    const transaction = before === null ? wholeTransaction(script) : nextTransaction(before, script);
    await withScriptFile(this.#file, transaction.write, async (file) => {
      await this.#nft.run(['-c', '-f', file]);
      this.#layout = null;
      try {
        await this.#nft.run(['-f', file]);
      } catch (error) {
        this.#layout = before;
        throw error;
      }
    });
    const fault = await this.#readBack(transaction);
    if (fault !== null)
      throw new AgentFault('kernel_refused', `The kernel holds something else than it was given: ${fault}.`);
    this.#layout = transaction.layout;
  }

  /** Removes our table. */
  async remove(): Promise<void> {
    this.#layout = null;
    // Adding it first avoids an error if it does not exist.
    await this.#nft.run([`add table ${FAMILY} ${TABLE}; delete table ${FAMILY} ${TABLE}`]);
  }

  async isEmpty(): Promise<boolean> {
    return !hasTable(await this.#list());
  }

  /** Everything in our table, as a script; null: there is no table. The kernel needs more than a minute for a million prefixes. */
  async dump(): Promise<string | null> {
    return (await this.isEmpty()) ? null : this.#nft.run(['list', 'table', FAMILY, TABLE]);
  }

  /** Restores what {@link dump} read. @throws {AgentFault} `kernel_refused`: then the kernel holds what it held before */
  async putBack(dumped: string): Promise<void> {
    const lines = (): string[] => [`add table ${FAMILY} ${TABLE}\ndelete table ${FAMILY} ${TABLE}\n`, dumped];
    this.#layout = null;
    await withScriptFile(this.#file, lines, async (file) => {
      await this.#nft.run(['-f', file]);
    });
  }

  /**
   * The kernel's counters, and how its table differs from what it was given; null: it does not. Prefixes are compared where there are few
   * enough.
   */
  async look(): Promise<{ readonly counters: readonly RuleCounter[]; readonly fault: string | null }> {
    const listing = await this.#list();
    return { counters: countersOf(listing), fault: await this.#fault(listing) };
  }

  async #fault(listing: Listing): Promise<string | null> {
    const layout = this.#layout;
    if (layout === null) return null;
    const fault = structureFault(listing, layout);
    if (fault !== null) return fault;
    if (this.#rules !== null) {
      const changed = changedRulesFault(this.#rules, rulesOf(listing));
      if (changed !== null) return changed;
    }
    return sizeOf(layout) <= LOOKED_AT ? elementsFault(await this.#listAll(), layout.sets) : null;
  }

  /** Without prefixes: `list table` would read them all. */
  async #list(): Promise<Listing> {
    return JSON.parse(await this.#nft.run(['-t', '-j', 'list', 'ruleset', FAMILY])) as Listing;
  }

  /** With all prefixes. */
  async #listAll(): Promise<Listing> {
    return JSON.parse(await this.#nft.run(['-j', 'list', 'table', FAMILY, TABLE])) as Listing;
  }

  async #readBack({ layout, made }: Transaction): Promise<string | null> {
    const listing = await this.#list();
    const fault = structureFault(listing, layout);
    if (fault !== null) return fault;
    this.#rules = rulesOf(listing);
    const named = new Map(
      made.flatMap((name) => {
        const set = layout.sets.get(name)!;
        return set.size <= READ_BACK ? [[name, set] as const] : [];
      }),
    );
    if (named.size > SETS_ONE_BY_ONE && sizeOf(layout) <= READ_BACK)
      return elementsFault(await this.#listAll(), layout.sets);
    for (const name of named.keys()) {
      const text = await this.#nft.run(['-j', 'list', 'set', FAMILY, TABLE, name]);
      const found = elementsFault(JSON.parse(text) as Listing, named);
      if (found !== null) return found;
    }
    return null;
  }
}

/** Prefixes of all sets. */
function sizeOf({ sets }: Layout): number {
  return [...sets.values()].reduce((sum, { size }) => sum + size, 0);
}
