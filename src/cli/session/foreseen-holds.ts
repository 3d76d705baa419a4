/** What guardrails would hold of a write, as a trial of it says: whoever reads that it is done must not believe that routes have gone. */
import type { Schemas } from '#client';
import { CommandError, EXIT } from '../process/command-error.ts';
import { shellWord } from '../render/shell-word.ts';
import { codesOf, reasonsOf, rollbackLines } from './held.ts';
import { releaseLine } from './release-line.ts';
import { freedText, readRolledBack, type RolledBack } from './rolled-back.ts';
import type { Session } from './run-remote.ts';

type Effect = Pick<Schemas['Effect'], 'revision' | 'summary' | 'items' | 'has_more'>;
type Findings = Schemas['Revision']['findings'];

interface Hold {
  /** Null: the revision as a whole. */
  readonly module: { readonly id: string; readonly name: string; readonly isDeleted: boolean } | null;
  readonly findings: Findings;
}

/** Of the writes of one command. Modules that are held already for the same are no matter of them. */
export class ForeseenHolds {
  readonly #session: Session;
  readonly #only: string | null;
  readonly #snapshots: ReadonlyMap<string, string | null>;
  readonly #names: ReadonlyMap<string, string>;
  readonly #rolledBack: readonly RolledBack[];
  readonly #deleted = new Set<string>();
  readonly #holds = new Map<string | null, Hold>();
  #freed: string | null = null;

  private constructor(
    session: Session,
    modules: readonly Schemas['Module'][],
    only: string | null,
    rolledBack: readonly RolledBack[],
  ) {
    this.#session = session;
    this.#only = only;
    this.#snapshots = new Map(modules.map(({ id, held }) => [id, held?.snapshot ?? null]));
    this.#names = new Map(modules.map(({ id, name }) => [id, name]));
    this.#rolledBack = rolledBack;
  }

  /**
   * To be read before the first write.
   * @param only the module that is written: what others are held for then is of edits that no revision has yet
   */
  static async read(session: Session, only: string | null = null): Promise<ForeseenHolds> {
    const modules = (await session.names.all('module')) as unknown as Schemas['Module'][];
    return new ForeseenHolds(session, modules, only, await readRolledBack(session, modules));
  }

  /** Ids of the modules that were held by nothing then. */
  get freeIds(): ReadonlySet<string> {
    return new Set([...this.#snapshots].filter(([, held]) => held === null).map(([id]) => id));
  }

  /** Whether a module is held for what a rollback took back of it, which a write may bring back. */
  get mayFree(): boolean {
    return this.#rolledBack.length > 0;
  }

  /** What comes back although a rollback took it back, since the write gives its module other content; null: nothing. */
  get freed(): string | null {
    return this.#freed;
  }

  /** The module is to be deleted: commands find it by its id from then on. */
  deletes(moduleId: string): void {
    this.#deleted.add(moduleId);
  }

  /** @returns what is held of the write, for people; null: nothing */
  note(effect: Effect): string | null {
    const { revision } = effect;
    if (revision === null) return null;
    const held = new Set(revision.quarantined.map((one) => one.module_id));
    const freed = this.#rolledBack.filter(({ id }) => !held.has(id));
    this.#freed = freedText(this.#session, freed, effect);
    const found: Hold[] = revision.quarantined
      .filter(({ module_id: id, snapshot }) => this.#isNew(id, snapshot))
      .map(({ module_id: id, findings }) => ({
        module: { id, name: this.#names.get(id)!, isDeleted: this.#deleted.has(id) },
        findings,
      }));
    if (revision.state === 'held') found.push({ module: null, findings: revision.findings });
    for (const hold of found) this.#holds.set(hold.module?.id ?? null, hold);
    if (found.length === 0) return this.#freed;
    return `Held: nothing of it goes until it is released${reasonsOf(found.flatMap((one) => one.findings))}`;
  }

  /** @throws {CommandError} where guardrails hold what was done */
  async requireNone(): Promise<void> {
    if (this.#holds.size === 0) return;
    const texts = await Promise.all([...this.#holds.values()].map((hold) => this.#textOf(hold)));
    throw new CommandError(texts.join('\n'), EXIT.held);
  }

  #isNew(id: string, snapshot: string): boolean {
    if (this.#only !== null && id !== this.#only) return false;
    const before = this.#snapshots.get(id);
    return before !== undefined && before !== snapshot;
  }

  async #textOf({ module, findings }: Hold): Promise<string> {
    const codes = codesOf(findings);
    const override = `--override ${codes.join(',')} --reason TEXT`;
    if (module === null) {
      const title = 'Announce it all the same, once it is built';
      const command = `revision apply latest ${override}`;
      return [
        `Its revision is held, and routers keep what they have:${reasonsOf(findings)}`,
        await releaseLine(this.#session, { title, command, codes }),
      ].join('\n');
    }
    const word = module.isDeleted ? module.id : shellWord(module.name);
    const command = `module release ${word} ${override}`;
    return [
      `The ${module.isDeleted ? 'deleted ' : ''}module ${module.name} is held, and routers keep what they have:${reasonsOf(findings)}`,
      `See the routes, once its revision is built: prefixcast${this.#session.contextWords} module held ${word}`,
      ...rollbackLines(this.#session, codes),
      await releaseLine(this.#session, { title: 'Release it', command, codes }),
    ].join('\n');
  }
}
