/** Modules that stay in a revision as they were: their edits would take too much away from a speaker, or a rollback brought them back. */
import type { Finding } from '../../api/revisions/revisions.ts';
import type { StoredGroup } from '../../store/columns/column-shapes.ts';
import { loadStored } from '../../store/contents/contents.ts';
import type { HeldRow, HeldWithdrawal, ReleasedWithdrawal } from '../../store/revisions/held-withdrawals.ts';
import { findPolicy } from '../../store/revisions/module-policies.ts';
import type { RevisionInput } from '../../store/revisions/revision-history.ts';
import type { ModuleMove } from '../guards/guard-withdrawal.ts';
import type { CommunityToBuild, ModulePolicy } from '../tables/build-revision.ts';
import { type ModuleDraft, type ShareDraft, contributionCache, keyOf } from './draft-module.ts';
import type { InTenant } from '../in-tenant.ts';
import { tableCache } from '../tables/table-cache.ts';
import { communitiesIn, hasCommunities, policyOfInput } from './kept-policy.ts';
import { type Withdrawals, isSameInput } from './large-withdrawal.ts';
import type { Decided, KeptModule } from './judge-modules.ts';
import { type Absence, type ModuleState, hashesOf, stateHashOf } from './module-state.ts';
import { isBroughtBack, stuckFinding } from '../guards/guard-rollback.ts';

/** What modules were, and what was said about them. */
export interface Past {
  /** What the latest ready revision was built from. */
  readonly inputs: readonly RevisionInput[];
  readonly held: readonly HeldRow[];
  readonly released: readonly ReleasedWithdrawal[];
  /** Of those, what revisions had of the module once it was let through; null: nothing. */
  readonly releasedInputs: ReadonlyMap<string, RevisionInput | null>;
  readonly communities: readonly CommunityToBuild[];
  /** Entries that have left by themselves. */
  readonly goneIds: readonly string[];
  /** Of what vanishes from a speaker, percent. */
  readonly limit: number;
  /** Of every module, enabled or not. */
  readonly names: ReadonlyMap<string, string>;
}

/** A module of {@link Keeper}, with why it stays. */
interface Kept extends KeptModule {
  readonly finding: Finding;
}

/** Decides which modules stay as they were while a revision is built. */
export class Keeper {
  readonly #past: Past;
  readonly #openId: string | null;
  readonly #latest: ReadonlyMap<string, ShareDraft>;
  readonly #inTenant: InTenant;
  readonly #kept = new Map<string, Kept>();
  /** Modules that cannot stay as they were. */
  readonly #unable = new Set<string>();
  /** Those of them that a rollback brought back, with what the revision is held for. */
  readonly #stuck = new Map<string, Omit<Kept, 'share'>>();

  /** @param openId the module that is not kept, whatever it takes away; null: none */
  constructor(drafts: readonly ModuleDraft[], past: Past, openId: string | null, inTenant: InTenant) {
    this.#past = past;
    this.#openId = openId;
    this.#latest = new Map(drafts.map(({ module, latest }) => [module.id, latest]));
    this.#inTenant = inTenant;
  }

  get decided(): Decided {
    return { kept: [...this.#kept.values()], openId: this.#openId };
  }

  /** Modules that somebody has let through, as they are or as they were before later edits. */
  get releasedIds(): string[] {
    const { released, releasedInputs } = this.#past;
    return released.flatMap(({ module_id: id }) =>
      this.#isReleased(id) || releasedInputs.has(id) ? [id] : [],
    );
  }

  /** What somebody let through of a module that was edited since; null: that it is away; undefined: nothing. */
  releasedOf(id: string): RevisionInput | null | undefined {
    return this.#isReleased(id) ? undefined : this.#past.releasedInputs.get(id);
  }

  /** What is held, to be written down. */
  get held(): HeldWithdrawal[] {
    return [...this.#kept.values(), ...this.#stuck.values()].map(({ id, name, finding }) => ({
      ...{ module_id: id, name, findings: [finding] },
      ...this.hashesOf(id),
    }));
  }

  /** What the revision is held for, because modules cannot stay as a rollback brought them back. */
  get findings(): Finding[] {
    return Array.from(this.#stuck.values(), ({ finding }) => finding);
  }

  /** Whether modules are held that have to stay so, be it too much or not that they would take away now. */
  get isBound(): boolean {
    return this.#past.held.some((one) => this.#isBound(one));
  }

  /** Held modules that stay so where nothing shows what they would take away, such as a tenant without an enabled speaker. */
  get boundSlips(): Withdrawals['slips'] {
    return this.#past.held.flatMap((one) => {
      const { module_id: id, name, findings } = one;
      const isDecided =
        id === this.#openId || this.#kept.has(id) || this.#unable.has(id) || this.#isReleased(id);
      return isDecided || !this.#isBound(one) ? [] : [{ moduleId: id, name, finding: findings[0]! }];
    });
  }

  /** Names what the module would be, and what an operator has made of it. */
  hashesOf(id: string): Pick<HeldWithdrawal, 'hash' | 'state_hash'> {
    return hashesOf(id, this.#stateOf(id));
  }

  /**
   * Keeps what a rollback brought back until an operator edits or releases it, whatever speakers run: nobody takes away at a speaker what
   * another list covers, or what it has not received yet, and the lists still lack it. Where all that the list lacks has left by itself, such as a range
   * whose end has come, nothing is left to keep.
   */
  async keepBroughtBack(): Promise<void> {
    for (const row of this.#past.held) {
      const { module_id: id, name } = row;
      const finding = row.findings.find(isBroughtBack);
      const before = this.#past.inputs.find(({ module_id }) => module_id === id);
      if (finding === undefined || before === undefined || !this.#isAsRolledBack(row)) continue;
      const share = await this.#share(before);
      if (share !== null && (await this.#hasAllOf(share))) continue;
      if (share !== null) {
        this.#kept.set(id, { id, name, share, finding });
        continue;
      }
      this.#unable.add(id);
      this.#stuck.set(id, { id, name, finding: stuckFinding({ id, name }) });
    }
  }

  /** What the module that is open is in the latest ready revision with; null: nothing, or its routes would not be what they were. */
  async shareOfOpen(): Promise<ShareDraft | null> {
    const before = this.#past.inputs.find(({ module_id }) => module_id === this.#openId);
    return before === undefined ? null : this.#share(before);
  }

  /** What sources bring, and what leaves by itself, is no edit. */
  #isAsRolledBack({ module_id: id, state_hash: then, is_edited: isEdited }: HeldRow): boolean {
    if (id === this.#openId || this.#isReleased(id)) return false;
    return then === this.#stateHashOf(id) || (this.#latest.has(id) && !isEdited);
  }

  /**
   * Whether the list brings just what is left of what stays, with the same communities. What left by itself is why it may. An entry that did not
   * count then, and would now, is no such list.
   */
  async #hasAllOf({ policy, input }: ShareDraft): Promise<boolean> {
    const { goneIds } = this.#past;
    if (goneIds.length === 0) return false;
    const { labelSets } = await this.#inTenant((tx) => tableCache.load(tx, input.content_hash));
    const gone = new Set(goneIds);
    const ids = [...new Set(labelSets.flat())].filter((id) => !gone.has(id));
    const then = communitiesIn(policy);
    const latest = this.#latest.get(input.module_id);
    if (latest === undefined) return ids.every((id) => then(id) === undefined);
    if (!isUsedAlike(latest.policy, policy)) return false;
    const now = communitiesIn(latest.policy);
    return ids.every((id) => then(id) === now(id));
  }

  /** What a module did with its snapshot; null: it was not written down. */
  async policyOf(input: RevisionInput): Promise<ModulePolicy | null> {
    const { communities, goneIds } = this.#past;
    const groups = await this.#groupsOf(input);
    return groups === null ? null : policyOfInput(input, groups, communities, goneIds);
  }

  /** @param running what the module is at a speaker @param next what it would be */
  wayOf(id: string, running: RevisionInput | null, next: RevisionInput | null): ModuleMove['way'] {
    if (this.#isReleased(id)) return 'released';
    if (this.#kept.has(id) || this.#unable.has(id) || this.#before(id, running, next) === undefined)
      return null;
    return this.#past.held.some((one) => one.module_id === id && this.#isBound(one)) ? 'held' : 'holdable';
  }

  /**
   * Keeps these as they were.
   * @param running what modules are at speakers
   * @param next what they would be
   */
  async keep(
    slips: Withdrawals['slips'],
    running: readonly (readonly RevisionInput[])[],
    next: readonly RevisionInput[],
  ): Promise<void> {
    for (const { moduleId: id, name, finding } of slips) {
      const at = running.flatMap((inputs) => inputs.find(({ module_id }) => module_id === id) ?? []);
      const before = this.#before(id, at[0] ?? null, next.find(({ module_id }) => module_id === id) ?? null);
      const share = before === undefined || before === null ? null : await this.#share(before);
      if (before !== null && share === null) this.#unable.add(id);
      else this.#kept.set(id, { id, name, share, finding: this.#boundFinding(id) ?? finding });
    }
  }

  /** What the module is to stay, as the latest ready revision has it; null: away; undefined: it has not changed since, or nobody knows. */
  #before(
    id: string,
    running: RevisionInput | null,
    next: RevisionInput | null,
  ): RevisionInput | null | undefined {
    const ready = this.#past.inputs.find(({ module_id }) => module_id === id) ?? null;
    // What a speaker still has of a module that left it in an earlier revision is no reason to bring it back to the others.
    if (ready === null) return next === null || running !== null ? undefined : null;
    return isSameInput(ready, next) || ready.policy_hash === null ? undefined : ready;
  }

  /** Null: its routes would not be what they were. */
  async #share(input: RevisionInput): Promise<ShareDraft | null> {
    const { communities } = this.#past;
    const groups = await this.#groupsOf(input);
    const carries = input.purpose === 'announce';
    if (groups === null || (carries && !hasCommunities(groups, communities))) return null;
    const gone = await this.#goneOf(input);
    const policy = policyOfInput(input, groups, communities, gone);
    const content = await this.#inTenant((tx) => loadStored(tx, input.content_hash));
    const key = keyOf(policy, input.content_hash);
    const { ipv4, ipv6 } = content.prefixCount;
    return {
      ...{ key, rows: ipv4 + ipv6, policy, content, known: contributionCache.get(key) ?? null },
      input: { ...input, left_out: [...new Set([...input.left_out, ...gone])].sort() },
      ...{ table: null, entries: null, groups: null },
    };
  }

  /** Entries of the module that have left by themselves: those of others would be written down with every revision. */
  async #goneOf({ content_hash: contentHash }: RevisionInput): Promise<readonly string[]> {
    const { goneIds } = this.#past;
    if (goneIds.length === 0) return [];
    const { labelSets } = await this.#inTenant((tx) => tableCache.load(tx, contentHash));
    const own = new Set(labelSets.flat());
    return goneIds.filter((id) => own.has(id));
  }

  async #groupsOf({ policy_hash: policyHash }: RevisionInput): Promise<readonly StoredGroup[] | null> {
    return policyHash === null ? null : this.#inTenant((tx) => findPolicy(tx, policyHash));
  }

  #isReleased(id: string): boolean {
    return this.#past.released.some(
      ({ module_id, state_hash }) => module_id === id && state_hash === this.#stateHashOf(id),
    );
  }

  /** Whether it stays held until somebody edits or releases it: what others add meanwhile is no reason to let it go. */
  #isBound({ module_id: id, state_hash: state, findings }: HeldWithdrawal): boolean {
    const isAsThen = findings.every(({ limit }) => limit !== null && this.#past.limit <= limit);
    return isAsThen && state === this.#stateHashOf(id);
  }

  #boundFinding(id: string): Finding | null {
    const bound = this.#past.held.find((one) => one.module_id === id && this.#isBound(one));
    return bound?.findings[0] ?? null;
  }

  #stateHashOf(id: string): string {
    return stateHashOf(id, this.#stateOf(id));
  }

  #stateOf(id: string): ModuleState | Absence {
    const latest = this.#latest.get(id);
    if (latest === undefined) return this.#past.names.has(id) ? 'disabled' : 'gone';
    return { input: latest.input, entryIds: latest.policy.groups.map(({ entryIds }) => entryIds) };
  }
}

function isUsedAlike(one: ModulePolicy, other: ModulePolicy): boolean {
  return one.purpose === other.purpose && one.families.join() === other.families.join();
}
