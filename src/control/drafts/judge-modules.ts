import { LRUCache } from 'lru-cache';
import { SUPER_GUARDRAILS } from '../../api/revisions/guardrail-codes.ts';
import type { Finding } from '../../api/revisions/revisions.ts';
import type { PrefixSet } from '../../core/sets/prefix-set.ts';
import type { Contribution } from '../../core/tables/revision-table.ts';
import { isCountedAtOnce, type SnapshotCount } from '../../store/modules/modules.ts';
import type { JudgedModule } from '../../store/revisions/held-modules.ts';
import type { RevisionInput } from '../../store/revisions/revision-history.ts';
import { limitContributions } from '../../policy/limit-routes.ts';
import {
  type AcceptedDraft,
  type ChangeDraft,
  type ModuleDraft,
  type ShareDraft,
  changeVerdicts,
  contributionCache,
} from './draft-module.ts';
import type { DraftReader } from './draft-reader.ts';
import type { Contributed } from '../tables/build-revision.ts';
import { contributionsOfModules, judgeShares } from '../tables/table-threads.ts';
import type { JudgedShare } from '../tables/table-tasks.ts';
import { isRolledBack, rolledBackFinding } from '../guards/guard-rollback.ts';
import { type Against, judgeMeasured } from './guard-revision.ts';
import { isAsRunning } from './running-shares.ts';
import { type Guardrails, hashOfGuardrails } from '../guards/guardrails.ts';

/** A module, as findings name it. */
interface Named {
  readonly id: string;
  readonly name: string;
}

/** A module that stays in the revision as it was, although it was edited, disabled or deleted since. */
export interface KeptModule extends Named {
  /** Null: it was not there. */
  readonly share: ShareDraft | null;
}

/** What is decided about modules whatever guardrails say. */
export interface Decided {
  readonly kept: readonly KeptModule[];
  /** The one that is in the revision with its latest snapshot, as if somebody had let it through; null: none. */
  readonly openId: string | null;
}

/** What a module is in the revision with, and why not with its latest snapshot. */
export interface ModuleVerdict {
  /** Null: it is not in the revision. */
  readonly used: ShareDraft | null;
  readonly contributions: readonly Contribution[];
  /** How many rows of its latest snapshot count, whatever it is in the revision with; null: it is not asked, see {@link isCountedAtOnce}. */
  readonly counted: SnapshotCount | null;
  /** Null: it is not held for what was collected. */
  readonly held: JudgedModule | null;
  /** Whether routes left that the tenant's policy does not allow any more. */
  readonly isLimited?: boolean;
  /** The guardrails that what is used breaks; nobody let that through. */
  readonly findings: readonly Finding[];
}

/** A module that is judged, without its count. */
type Decision = Omit<ModuleVerdict, 'counted'>;

/** What the guardrails about routes said of a module's share. */
const verdicts = new LRUCache<string, readonly Finding[]>({ max: 10_000 });

/**
 * Judges each module by itself. One that breaks a guardrail is held: the last accepted snapshot takes the place of its latest. Where
 * `guard_scope` is `revision`, the latest goes into the revision with its findings. Modules that take addresses out come first, since
 * the others are judged by what is left of them.
 */
export async function judgeModules(
  drafts: readonly ModuleDraft[],
  decided: Decided,
  against: Against,
  reader: DraftReader,
  signal?: AbortSignal,
): Promise<ModuleVerdict[]> {
  const keptShares = decided.kept.flatMap(({ share }) => share ?? []);
  const shares = drafts.map(({ latest }) => latest);
  const known = await contributionsOf([...shares, ...keptShares], signal);
  const judge = new Judge(known, decided, against, reader, signal);
  const judged = candidatesOf(drafts, decided);
  const excluding = judged.filter(({ purpose }) => purpose === 'exclude');
  const exclusions = await judge.judge(excluding, { sets: [], key: '', inputs: [] });
  const announcing = judged.filter(({ purpose }) => purpose === 'announce');
  const sets = exclusions.flatMap(({ contributions }) => contributions.map(({ set }) => set));
  const key = exclusions.map(({ used }) => used?.key ?? '').join();
  const announcements = await judge.judge(announcing, {
    sets,
    key,
    inputs: exclusions.flatMap(({ used }) => used?.input ?? []),
  });
  const all = new Map([
    ...excluding.map((candidate, i) => [candidate, exclusions[i]!] as const),
    ...announcing.map((candidate, i) => [candidate, announcements[i]!] as const),
  ]);
  return judged.map((candidate) => all.get(candidate)!);
}

/** A module that may be in the revision. */
interface Candidate {
  readonly module: Named;
  /** Of what it would be in the revision with. */
  readonly purpose: 'announce' | 'exclude';
  /** Null: it is disabled, or gone. */
  readonly draft: ModuleDraft | null;
  /** Null: it does not stay as it was. */
  readonly kept: KeptModule | null;
}

function candidatesOf(drafts: readonly ModuleDraft[], { kept }: Decided): Candidate[] {
  const keptById = new Map(kept.map((module) => [module.id, module]));
  const there = drafts.map((draft): Candidate => {
    const { module } = draft;
    const own = keptById.get(module.id) ?? null;
    return { module, purpose: own?.share?.policy.purpose ?? module.purpose, draft, kept: own };
  });
  const known = new Set(drafts.map(({ module }) => module.id));
  const gone = kept.flatMap((module): Candidate[] =>
    known.has(module.id) || module.share === null
      ? []
      : [{ module, purpose: module.share.policy.purpose, draft: null, kept: module }],
  );
  return [...there, ...gone];
}

/** What each share contributes, by its key. */
export async function contributionsOf(
  shares: readonly ShareDraft[],
  signal?: AbortSignal,
): Promise<Map<string, Contributed>> {
  const known = new Map<string, Contributed>();
  const unknown = new Map<string, ShareDraft>();
  for (const share of shares) {
    const made = share.known ?? contributionCache.get(share.key);
    if (made !== undefined) known.set(share.key, made);
    else unknown.set(share.key, share);
  }
  const some = [...unknown.values()];
  const made = await contributionsOfModules(
    some.map(({ policy, table, content }) => ({ policy, snapshot: table ?? content!.stored })),
    some.reduce((sum, { rows }) => sum + rows, 0),
    signal,
  );
  some.forEach(({ key }, i) => {
    known.set(key, made[i]!);
    contributionCache.put(key, made[i]!);
  });
  return known;
}

interface Exclusions {
  readonly sets: readonly PrefixSet[];
  readonly key: string;
  readonly inputs: readonly RevisionInput[];
}

class Judge {
  readonly #known: Map<string, Contributed>;
  readonly #openId: string | null;
  readonly #guardrails: Guardrails;
  readonly #applied: Against['applied'];
  readonly #guardrailsHash: string;
  readonly #reader: DraftReader;
  readonly #signal: AbortSignal | undefined;

  constructor(
    known: Map<string, Contributed>,
    { openId }: Decided,
    { guardrails, applied }: Against,
    reader: DraftReader,
    signal: AbortSignal | undefined,
  ) {
    this.#known = known;
    this.#openId = openId;
    this.#guardrails = guardrails;
    this.#applied = applied;
    this.#guardrailsHash = hashOfGuardrails(guardrails);
    this.#reader = reader;
    this.#signal = signal;
  }

  async judge(candidates: readonly Candidate[], exclusions: Exclusions): Promise<ModuleVerdict[]> {
    const there = candidates.flatMap(({ draft }) => draft ?? []);
    const found = await this.#findings(
      there.map(({ module, latest }) => ({ module, share: latest })),
      exclusions,
    );
    const ofLatest = new Map(there.map((draft, i) => [draft, found[i]!]));
    const verdicts: ModuleVerdict[] = [];
    for (const { module, draft, kept } of candidates) {
      const ofRoutes = draft === null ? [] : ofLatest.get(draft)!;
      const verdict = draft === null ? null : await this.#decide(draft, ofRoutes, exclusions);
      const decision =
        kept === null ? verdict! : await this.#instead(module, kept.share, verdict?.held ?? null, exclusions);
      verdicts.push({ ...decision, counted: draft === null ? null : this.#counted(draft) });
    }
    return verdicts;
  }

  async #decide(draft: ModuleDraft, ofRoutes: readonly Finding[], exclusions: Exclusions): Promise<Decision> {
    const { latest, accepted, module } = draft;
    const ofChange = [...(await this.#changes(draft.changes)), ...this.#rolledBack(draft)];
    const findings = [...ofRoutes, ...withoutReleased(ofChange, latest)];
    const isOpen = this.#guardrails.scope === 'revision' || module.id === this.#openId;
    if (findings.length === 0 || isOpen)
      return { used: latest, contributions: this.#contributions(latest), held: null, findings };
    const held = { module_id: module.id, findings, snapshot: latest.input.content_hash };
    const before = accepted === null ? null : await this.#accepted(accepted);
    return this.#instead(module, before, held, exclusions, before === latest ? ofRoutes : null);
  }

  async #accepted(accepted: AcceptedDraft): Promise<ShareDraft> {
    const share = await accepted.share(this.#reader.inTenant);
    const made = await contributionsOf(this.#known.has(share.key) ? [] : [share], this.#signal);
    for (const [key, contributed] of made) this.#known.set(key, contributed);
    return share;
  }

  /** What the module was before takes the place of its latest snapshot. @param known what is found of that; null: not known yet */
  async #instead(
    module: Named,
    share: ShareDraft | null,
    held: JudgedModule | null,
    exclusions: Exclusions,
    known: readonly Finding[] | null = null,
  ): Promise<Decision> {
    if (share === null) return { used: null, contributions: [], held, findings: [] };
    const findings = known ?? (await this.#findings([{ module, share }], exclusions))[0]!;
    // A policy that was tightened takes away what it does not allow any more, and nothing waits for that.
    const isOutside = findings.some(({ code }) => code === 'tenant_policy');
    const whole = this.#contributions(share);
    const others = findings.filter(({ code }) => code !== 'tenant_policy');
    const isRunning = others.length > 0 && isAsRunning(share.input, exclusions.inputs, this.#applied);
    const stays = isRunning && others.every(({ code }) => !SUPER_GUARDRAILS.includes(code));
    return {
      ...{ used: stays ? letThrough(share, others) : share, held, isLimited: isOutside },
      contributions: isOutside ? limitContributions(whole, this.#guardrails.policy) : whole,
      findings: stays ? [] : others,
    };
  }

  #contributions({ key }: ShareDraft): readonly Contribution[] {
    return this.#known.get(key)!.contributions;
  }

  #counted({ module, latest: { key, input, rows: all } }: ModuleDraft): SnapshotCount | null {
    if (isCountedAtOnce(all)) return null;
    const { rows } = this.#known.get(key)!;
    return { module_id: module.id, content_hash: input.content_hash, rows };
  }

  /** The guardrails about routes that each share breaks and that nobody let it through for; from memory, where nothing has changed. */
  async #findings(
    asked: readonly { readonly module: Named; readonly share: ShareDraft }[],
    exclusions: Exclusions,
  ): Promise<(readonly Finding[])[]> {
    const names = asked.map(({ module: { id, name }, share: { policy, key } }) =>
      JSON.stringify([id, name, policy.purpose, key, exclusions.key, this.#guardrailsHash]),
    );
    const unknown = asked.flatMap((one, i) => (verdicts.get(names[i]!) === undefined ? [{ ...one, i }] : []));
    const shares = unknown.map(({ module, share }) => this.#toJudge(module, share));
    const rest = { exclusions: exclusions.sets, guardrails: this.#guardrails };
    const found = await judgeShares(shares, rest, this.#signal);
    for (const [at, { share, i }] of unknown.entries()) {
      const named = found[at]!.length === 0 ? found[at]! : await this.#named(shares[at]!, share, rest);
      verdicts.set(names[i]!, named);
    }
    const fresh = new Map(unknown.map(({ i }) => [i, verdicts.get(names[i]!)!]));
    return asked.map(({ share }, i) => withoutReleased(fresh.get(i) ?? verdicts.get(names[i]!)!, share));
  }

  #toJudge({ id, name }: Named, share: ShareDraft): JudgedShare {
    const { purpose } = share.policy;
    const isCollected = share.input.entries_hash !== null;
    return {
      module: { id, name, purpose, isCollected, contributions: this.#contributions(share) },
      snapshot: null,
    };
  }

  /** The findings again, with the entries that they come from: only these need the snapshot itself. */
  async #named(
    { module }: JudgedShare,
    { input, content, policy }: ShareDraft,
    rest: Parameters<typeof judgeShares>[1],
  ): Promise<readonly Finding[]> {
    const { stored } = content ?? (await this.#reader.read(input.content_hash));
    const entryIds = policy.groups.flatMap((group) => group.entryIds.split(','));
    const [found] = await judgeShares([{ module, snapshot: { stored, entryIds } }], rest, this.#signal);
    return found!;
  }

  /** What a rollback took back stays back, however often it is read again, until an entry of it is disabled or deleted. */
  #rolledBack(draft: ModuleDraft): readonly Finding[] {
    const { module, latest, accepted, takenBack, isCorrected, isAsGivenBack } = draft;
    if (isCorrected || isAsGivenBack) return [];
    const judged = { ...latest.input, rolled_back_hash: takenBack };
    const kept = accepted === null || accepted.rows === 0 ? null : accepted.contentHash;
    // All of it has left by itself, and nothing of a written list comes by itself: there is nothing to decide.
    if (kept === null && latest.rows === 0 && latest.input.entries_hash === null) return [];
    const isBack = isRolledBack(judged, kept);
    return isBack && this.#guardrails.scope === 'module' ? [rolledBackFinding(module)] : [];
  }

  async #changes(changes: readonly ChangeDraft[]): Promise<readonly Finding[]> {
    const all: Finding[] = [];
    for (const { key, known, toMeasure } of changes) {
      const findings =
        toMeasure === null ? known! : await judgeMeasured(toMeasure, this.#guardrails, this.#signal);
      changeVerdicts.set(key, findings);
      all.push(...findings);
    }
    return all;
  }
}

function withoutReleased(findings: readonly Finding[], { input }: ShareDraft): readonly Finding[] {
  return findings.filter(({ code }) => !input.released.includes(code));
}

/** What it breaks is written down with the revision, so that an apply does not ask for an override of what routers have. */
function letThrough(share: ShareDraft, findings: readonly Finding[]): ShareDraft {
  const released = [...new Set([...share.input.released, ...findings.map(({ code }) => code)])].sort();
  return { ...share, input: { ...share.input, released } };
}
