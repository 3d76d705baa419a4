import { mapInSlices } from '../../concurrency/slices.ts';
import { type PrefixChange, addressRange, changesAround } from '../../core/stored/change-list.ts';
import type { Prefix } from '../../core/prefix.ts';
import { loadStored } from '../../store/contents/contents.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { type PastRevision, listPastRevisions, listPiecesAround } from '../../store/revisions/history.ts';
import {
  type RevisionInput,
  listInputsOf,
  listRevisionInputs,
} from '../../store/revisions/revision-history.ts';
import { makeStep } from './make-step.ts';
import {
  NOTHING,
  type PastModule,
  type PastState,
  loadModule,
  loadRows,
  undo,
  usageOf,
} from './past-state.ts';

/** Steps that are read together. */
const BATCH = 250;
/** Tables that one walk reads on its way beside those that it begins with: of modules that are gone, and for steps that are missing. */
const MOST_LOADS = 24;

/** From one ready revision to the next. */
export interface PastStep {
  readonly revision: PastRevision;
  /** Null: the revision is the oldest that is kept. */
  readonly previous: PastRevision | null;
  readonly before: PastState;
  readonly after: PastState;
}

/** Changes by the module whose snapshot has them; null: of the revision. */
type ChangesBySource = ReadonlyMap<string | null, readonly PrefixChange[]>;

/**
 * Goes back from a revision, step by step, with what is around a prefix. What it costs follows from the changes there, not from how large
 * the revisions are: only the first is read, and what no step says. It ends early where it would have to read much more; the last
 * revision that it reported is where to go on.
 */
export class WalkBack {
  readonly #tx: TenantTx;
  readonly #around: Prefix;
  #loads = 0;

  constructor(tx: TenantTx, around: Prefix) {
    this.#tx = tx;
    this.#around = around;
  }

  /** @param upTo the number of the newest revision that counts; null: all count */
  async *steps(upTo: number | null): AsyncGenerator<PastStep> {
    let chain = await listPastRevisions(this.#tx, upTo, BATCH + 1);
    if (chain[0] === undefined) return;
    let after = await this.#stateOf(chain[0]);
    for (;;) {
      const batch = await this.#readBatch(chain);
      for (const [place, revision] of chain.slice(0, BATCH).entries()) {
        const previous = chain[place + 1] ?? null;
        const before =
          previous === null ? NOTHING : await this.#stateBefore(after, revision, previous, batch);
        yield { revision, previous, before, after };
        after = before;
        if (previous === null || this.#loads > MOST_LOADS) return;
      }
      chain = await listPastRevisions(this.#tx, chain.at(-1)!.number, BATCH + 1);
    }
  }

  async #stateOf({ id, content_hash: hash }: PastRevision): Promise<PastState> {
    const modules = new Map<string, PastModule>();
    for (const input of await listRevisionInputs(this.#tx, id))
      modules.set(input.module_id, await loadModule(this.#tx, input, this.#around));
    return { routes: await loadRows(this.#tx, hash, this.#around), modules };
  }

  /** What the steps to all but the last of these revisions say. */
  async #readBatch(chain: readonly PastRevision[]): Promise<Batch> {
    const steps = chain.slice(0, -1).filter((revision, place) => isStepBetween(chain[place + 1]!, revision));
    const changes = new Map<number, Map<string | null, PrefixChange[]>>();
    if (steps.length > 0) {
      const numbers = { from: steps.at(-1)!.number, to: steps[0]!.number };
      const range = { family: this.#around.family, ...addressRange(this.#around) };
      const pieces = await listPiecesAround(this.#tx, range, numbers);
      const read = await mapInSlices(pieces, ({ bytes }) => changesAround(bytes, this.#around));
      pieces.forEach(({ number, module_id: source }, place) => {
        const ofStep = changes.get(number) ?? new Map<string | null, PrefixChange[]>();
        changes.set(number, ofStep.set(source, [...(ofStep.get(source) ?? []), ...read[place]!]));
      });
    }
    const switches = steps.filter(({ step }) => step!.switched.length > 0);
    const inputs = await listInputsOf(
      this.#tx,
      switches.map(({ step }) => step!.previous_id),
      [...new Set(switches.flatMap(({ step }) => step!.switched))],
    );
    return { changes, inputs: Map.groupBy(inputs, ({ revision_id: id }) => id) };
  }

  async #stateBefore(
    after: PastState,
    revision: PastRevision,
    previous: PastRevision,
    batch: Batch,
  ): Promise<PastState> {
    const { changes, switched, inputs } = isStepBetween(previous, revision)
      ? {
          changes: batch.changes.get(revision.number) ?? new Map<string | null, PrefixChange[]>(),
          switched: revision.step!.switched,
          inputs: batch.inputs.get(previous.id) ?? [],
        }
      : await this.#makeStep(revision, previous);
    if (changes.size === 0 && switched.length === 0) return after;
    const modules = new Map(after.modules);
    for (const [id, module] of after.modules) {
      const ofModule = changes.get(id);
      if (ofModule !== undefined)
        modules.set(id, { ...module, rows: undo(module.rows, ofModule, this.#around) });
    }
    for (const id of switched) {
      const input = inputs.find(({ module_id: moduleId }) => moduleId === id);
      const later = modules.get(id);
      if (input === undefined) modules.delete(id);
      else if (later !== undefined) modules.set(id, { ...later, ...usageOf(input) });
      else {
        this.#loads++;
        modules.set(id, await loadModule(this.#tx, input, this.#around));
      }
    }
    return { routes: undo(after.routes, changes.get(null) ?? [], this.#around), modules };
  }

  /** For a revision that was made just now, or the neighbour of one that was pruned. */
  async #makeStep(
    revision: PastRevision,
    previous: PastRevision,
  ): Promise<{ changes: ChangesBySource; switched: readonly string[]; inputs: readonly RevisionInput[] }> {
    const inputsOf = (id: string): Promise<RevisionInput[]> => listRevisionInputs(this.#tx, id);
    const contentOf = (hash: string): ReturnType<typeof loadStored> => {
      this.#loads++;
      return loadStored(this.#tx, hash);
    };
    const { pieces, switched } = await makeStep({ inputsOf, contentOf }, { ...revision, previous });
    const changes = new Map<string | null, PrefixChange[]>();
    const own = pieces.filter(({ family }) => family === this.#around.family);
    const read = await mapInSlices(own, ({ bytes }) => changesAround(bytes, this.#around));
    own.forEach(({ moduleId }, place) => {
      changes.set(moduleId, [...(changes.get(moduleId) ?? []), ...read[place]!]);
    });
    return { changes, switched, inputs: await inputsOf(previous.id) };
  }
}

interface Batch {
  /** By the number of the later revision. */
  readonly changes: ReadonlyMap<number, ChangesBySource>;
  /** Of switched modules, by the id of the earlier revision. */
  readonly inputs: ReadonlyMap<string, readonly RevisionInput[]>;
}

function isStepBetween(previous: PastRevision, { step }: PastRevision): boolean {
  return step?.previous_id === previous.id;
}
