/** A file of JSON in the data directory of a node or of a firewall client. */
import { AgentFault } from './agent-fault.ts';
import type { DataDirectory } from './data-directory.ts';

export class StateFile<T> {
  readonly name: string;
  readonly #isGood: (value: unknown) => value is T;

  /** @param isGood whether what stands there is what was written; an older version may have written less */
  constructor(name: string, isGood: (value: unknown) => value is T) {
    this.name = name;
    this.#isGood = isGood;
  }

  /** @returns null when there is no such file. @param remedy for one that is damaged. @throws {AgentFault} `state_unreadable` */
  async read(directory: DataDirectory, remedy: string): Promise<T | null> {
    const bytes = await directory.read(this.name);
    if (bytes === null) return null;
    const value = parse(bytes);
    if (!this.#isGood(value)) throw this.unusable(directory, remedy);
    return value;
  }

  /** @returns null for a file that is missing or damaged alike: what it says is not needed */
  async readIfGood(directory: DataDirectory): Promise<T | null> {
    const bytes = await directory.read(this.name);
    const value = bytes === null ? null : parse(bytes);
    return this.#isGood(value) ? value : null;
  }

  /** @throws {AgentFault} `state_unwritable` */
  async write(directory: DataDirectory, value: T): Promise<void> {
    await directory.write(this.name, `${JSON.stringify(value, null, 2)}\n`);
  }

  unusable({ path }: DataDirectory, remedy: string): AgentFault {
    return new AgentFault('state_unreadable', `${path}/${this.name} is missing or damaged. ${remedy}`);
  }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString()) as unknown;
  } catch {
    return undefined;
  }
}
