import { LRUCache } from 'lru-cache';
import type { Finding } from '../../api/revisions/revisions.ts';
import type { PrefixSet } from '../../core/sets/prefix-set.ts';
import type { Contribution } from '../../core/tables/revision-table.ts';
import type { StoredContent } from '../../store/contents/contents.ts';
import type { JudgedModule } from '../../store/revisions/held-modules.ts';
import { limitContributions } from '../../policy/limit-routes.ts';
import {
  type ChangeDraft,
  type ModuleDraft,
  type ShareDraft,
  changeVerdicts,
  contributionCache,
} from './draft-module.ts';
import { contributionsOfModules, judgeShares } from '../tables/table-threads.ts';
import type { JudgedShare } from '../tables/table-work.ts';
import { isRolledBack, rolledBackFinding } from '../guards/guard-rollback.ts';
import { judgeMeasured } from './guard-revision.ts';
import { type Guardrails, hashOfGuardrails } from '../guards/guardrails.ts';

/** Reads a stored content, in whatever transaction there is. */
export type ReadContent = (contentHash: string) => Promise<StoredContent>;

/** What a module is in the revision with, and why not with its latest snapshot. */
export interface ModuleVerdict {
  readonly draft: ModuleDraft;
  /** Null: nothing of it was ever accepted. */
  readonly used: ShareDraft | null;
  readonly contributions: readonly Contribution[];
  /** Null: it is not held. */
  readonly held: JudgedModule | null;
  /** Whether routes left that the tenant's policy does not allow any more. */
  readonly isLimited?: boolean;
  /** The guardrails that what is used breaks; nobody let that through. */
  readonly findings: readonly Finding[];
}

/** What the guardrails about routes said of a module's share. */
const verdicts = new LRUCache<string, readonly Finding[]>({ max: 10_000 });

/**
 * Judges each module by itself. One that breaks a guardrail is held: the last accepted snapshot takes the place of its latest. Where
 * `guard_scope` is `revision`, the latest goes into the revision with its findings. Modules that take addresses out come first, since
 * the others are judged by what is left of them.
 */
export async function judgeModules(
  drafts: readonly ModuleDraft[],
  guardrails: Guardrails,
  read: ReadContent,
  signal?: AbortSignal,
): Promise<ModuleVerdict[]> {
  const known = await contributionsOf(drafts, signal);
  const judge = new Judge(known, guardrails, read, signal);
  const excluding = drafts.filter(({ module }) => module.purpose === 'exclude');
  const exclusions = await judge.judge(excluding, { sets: [], key: '' });
  const announcing = drafts.filter(({ module }) => module.purpose === 'announce');
  const sets = exclusions.flatMap(({ contributions }) => contributions.map(({ set }) => set));
  const key = exclusions.map(({ used }) => used?.key ?? '').join();
  const announcements = await judge.judge(announcing, { sets, key });
  const all = new Map([...exclusions, ...announcements].map((verdict) => [verdict.draft, verdict]));
  return drafts.map((draft) => all.get(draft)!);
}

type Known = ReadonlyMap<string, readonly Contribution[]>;

/** What each share contributes, by its key. */
async function contributionsOf(drafts: readonly ModuleDraft[], signal?: AbortSignal): Promise<Known> {
  const shares = drafts.flatMap(({ latest, accepted }) => [latest, ...(accepted === null ? [] : [accepted])]);
  const known = new Map<string, readonly Contribution[]>();
  const unknown = new Map<string, ShareDraft>();
  for (const share of shares) {
    if (share.known !== null) known.set(share.key, share.known);
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
}

class Judge {
  readonly #known: Known;
  readonly #guardrails: Guardrails;
  readonly #guardrailsHash: string;
  readonly #read: ReadContent;
  readonly #signal: AbortSignal | undefined;

  constructor(known: Known, guardrails: Guardrails, read: ReadContent, signal: AbortSignal | undefined) {
    this.#known = known;
    this.#guardrails = guardrails;
    this.#guardrailsHash = hashOfGuardrails(guardrails);
    this.#read = read;
    this.#signal = signal;
  }

  async judge(drafts: readonly ModuleDraft[], exclusions: Exclusions): Promise<ModuleVerdict[]> {
    const ofLatest = await this.#findings(
      drafts.map((draft) => ({ draft, share: draft.latest })),
      exclusions,
    );
    const verdicts: ModuleVerdict[] = [];
    for (const [i, draft] of drafts.entries()) {
      const ofChange = [...(await this.#changes(draft.change)), ...this.#rolledBack(draft)];
      const findings = [...ofLatest[i]!, ...withoutReleased(ofChange, draft.latest)];
      verdicts.push(await this.#decide(draft, findings, ofLatest[i]!, exclusions));
    }
    return verdicts;
  }

  async #decide(
    draft: ModuleDraft,
    findings: readonly Finding[],
    ofRoutes: readonly Finding[],
    exclusions: Exclusions,
  ): Promise<ModuleVerdict> {
    const { latest, accepted, module } = draft;
    if (findings.length === 0 || this.#guardrails.scope === 'revision')
      return { draft, used: latest, contributions: this.#contributions(latest), held: null, findings };
    const held = { module_id: module.id, findings, snapshot: latest.input.content_hash };
    if (accepted === null) return { draft, used: null, contributions: [], held, findings: [] };
    const ofAccepted =
      accepted === latest ? ofRoutes : (await this.#findings([{ draft, share: accepted }], exclusions))[0]!;
    // A policy that was tightened takes away what it does not allow any more, and nothing waits for that.
    const isOutside = ofAccepted.some(({ code }) => code === 'tenant_policy');
    const whole = this.#contributions(accepted);
    return {
      ...{ draft, used: accepted, held, isLimited: isOutside },
      contributions: isOutside ? limitContributions(whole, this.#guardrails.policy) : whole,
      findings: ofAccepted.filter(({ code }) => code !== 'tenant_policy'),
    };
  }

  #contributions({ key }: ShareDraft): readonly Contribution[] {
    return this.#known.get(key)!;
  }

  /** The guardrails about routes that each share breaks and that nobody let it through for; from memory, where nothing has changed. */
  async #findings(
    asked: readonly { readonly draft: ModuleDraft; readonly share: ShareDraft }[],
    exclusions: Exclusions,
  ): Promise<(readonly Finding[])[]> {
    const names = asked.map(({ draft: { module }, share }) =>
      JSON.stringify([
        module.id,
        module.name,
        module.purpose,
        share.key,
        exclusions.key,
        this.#guardrailsHash,
      ]),
    );
    const unknown = asked.flatMap((one, i) => (verdicts.get(names[i]!) === undefined ? [{ ...one, i }] : []));
    const shares = unknown.map(({ draft, share }) => this.#toJudge(draft, share));
    const rest = { exclusions: exclusions.sets, guardrails: this.#guardrails };
    const found = await judgeShares(shares, rest, this.#signal);
    for (const [at, { share, i }] of unknown.entries()) {
      const named = found[at]!.length === 0 ? found[at]! : await this.#named(shares[at]!, share, rest);
      verdicts.set(names[i]!, named);
    }
    const fresh = new Map(unknown.map(({ i }) => [i, verdicts.get(names[i]!)!]));
    return asked.map(({ share }, i) => withoutReleased(fresh.get(i) ?? verdicts.get(names[i]!)!, share));
  }

  #toJudge({ module }: ModuleDraft, share: ShareDraft): JudgedShare {
    const { id, name, purpose } = module;
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
    const { stored } = content ?? (await this.#read(input.content_hash));
    const entryIds = policy.groups.flatMap((group) => group.entryIds.split(','));
    const [found] = await judgeShares([{ module, snapshot: { stored, entryIds } }], rest, this.#signal);
    return found!;
  }

  /** What a rollback took back stays back, however often it is read again. */
  #rolledBack({ module, latest, accepted }: ModuleDraft): readonly Finding[] {
    const judged = { ...latest.input, rolled_back_hash: module.rolled_back_hash };
    const kept = accepted === null || accepted.rows === 0 ? null : accepted.input.content_hash;
    const isBack = isRolledBack(judged, kept);
    return isBack && this.#guardrails.scope === 'module' ? [rolledBackFinding(module)] : [];
  }

  async #changes(change: ChangeDraft | null): Promise<readonly Finding[]> {
    if (change === null) return [];
    if (change.toMeasure === null) return change.known!;
    const findings = await judgeMeasured(change.toMeasure, this.#guardrails, this.#signal);
    changeVerdicts.set(change.key, findings);
    return findings;
  }
}

function withoutReleased(findings: readonly Finding[], { input }: ShareDraft): readonly Finding[] {
  return findings.filter(({ code }) => !input.released.includes(code));
}
