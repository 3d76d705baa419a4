/** What each list is in a revision with: its latest snapshot, what was accepted before, or what it stays as. */
import { describe, expect, test } from 'vitest';
import type { Finding } from '../../../src/api/revisions/revisions.ts';
import type { ModuleDraft, ShareDraft } from '../../../src/control/drafts/draft-module.ts';
import { type Decided, judgeModules } from '../../../src/control/drafts/judge-modules.ts';
import type { Guardrails } from '../../../src/control/guards/guardrails.ts';
import type { Against } from '../../../src/control/drafts/guard-revision.ts';
import { OPEN_POLICY } from '../../../src/policy/policy-guardrail.ts';
import type { RevisionInput } from '../../../src/store/revisions/revision-history.ts';
import { guardrailsOf } from '../guards/guardrails.ts';
import { draftOf, shareOf } from './shares.ts';

const unasked = () => Promise.reject(new Error('All that is asked for is at hand.'));

async function judge(
  drafts: readonly ModuleDraft[],
  guardrails: Partial<Guardrails> = {},
  { decided = {}, applied = [] }: { decided?: Partial<Decided>; applied?: Against['applied'] } = {},
) {
  const verdicts = await judgeModules(
    drafts,
    { kept: [], openId: null, ...decided },
    { guardrails: guardrailsOf(guardrails), applied },
    { read: unasked, inTenant: unasked },
  );
  return verdicts.map(({ used, held, findings, contributions, isLimited = false }) => ({
    used: used?.input.content_hash ?? null,
    released: used?.input.released ?? [],
    held: held?.findings.map(({ code }) => code) ?? null,
    findings: findings.map(({ code }) => code),
    rows: contributions.reduce((sum, { set }) => sum + set.size, 0),
    isLimited,
  }));
}

const GOOD = shareOf(['9.0.0.0/24', '9.2.0.0/24']);
const SHORT = shareOf(['9.0.0.0/24', '8.0.0.0/7']);
const WIDE = shareOf(['9.9.8.0/22']);
const hashOf = ({ input }: ShareDraft): string => input.content_hash;
const runs = (...inputs: RevisionInput[]) => [{ content_hash: 'running', inputs }];

describe('a list that breaks a guardrail', () => {
  test('is held, and is what was accepted of it', async () => {
    expect(await judge([draftOf(GOOD)])).toMatchObject([{ used: hashOf(GOOD), held: null, rows: 2 }]);
    expect(await judge([draftOf(SHORT, GOOD)])).toEqual([
      {
        ...{ used: hashOf(GOOD), released: [], held: ['prefix_too_short'], findings: [], rows: 2 },
        isLimited: false,
      },
    ]);
  });

  test('is nothing, where nothing was accepted', async () => {
    expect(await judge([draftOf(SHORT)])).toMatchObject([
      { used: null, held: ['prefix_too_short'], rows: 0 },
    ]);
  });

  test.each([
    ['where guardrails hold whole revisions', { scope: 'revision' as const }, {}],
    ['where it is to be shown with all that it breaks', {}, { openId: 'list' }],
  ])('is in the revision with its findings %s', async (_where, guardrails, decided) => {
    expect(await judge([draftOf(SHORT, GOOD)], guardrails, { decided })).toMatchObject([
      { used: hashOf(SHORT), held: null, findings: ['prefix_too_short'] },
    ]);
  });

  test('is not held for what somebody let through', async () => {
    const released = shareOf(['9.0.0.0/24', '8.0.0.0/7'], { released: ['prefix_too_short'] });
    expect(await judge([draftOf(released, GOOD)])).toMatchObject([
      { used: hashOf(SHORT), held: null, findings: [] },
    ]);
  });

  test('holds no other', async () => {
    const other = shareOf(['11.0.0.0/24'], { module_id: 'other' });
    expect(await judge([draftOf(SHORT, GOOD), draftOf(other)])).toMatchObject([
      { held: ['prefix_too_short'] },
      { used: hashOf(other), held: null },
    ]);
  });
});

describe('a list that changed too much by itself', () => {
  const finding = { code: 'max_change_exceeded', entry_id: null } as Finding;
  const changes = [{ key: 'change', known: [finding], toMeasure: null }];

  test('is held', async () => {
    expect(await judge([draftOf(WIDE, GOOD, { changes })])).toMatchObject([
      { used: hashOf(GOOD), held: ['max_change_exceeded'] },
    ]);
  });

  test('is not held once somebody has let that through', async () => {
    const released = shareOf(['9.9.8.0/22'], { released: ['max_change_exceeded'] });
    expect(await judge([draftOf(released, GOOD, { changes })])).toMatchObject([
      { used: hashOf(WIDE), held: null },
    ]);
  });
});

describe('what was accepted breaks a guardrail of today', () => {
  const TIGHT = { minLength: { ipv4: 24, ipv6: 48 } };

  test('and stays, where routers have it, as if somebody had let it through', async () => {
    const judged = await judge([draftOf(WIDE, WIDE)], TIGHT, { applied: runs(WIDE.input) });
    expect(judged).toMatchObject([
      {
        ...{ used: hashOf(WIDE), released: ['prefix_too_short'], held: ['prefix_too_short'] },
        findings: [],
      },
    ]);
  });

  test('and is reported, where routers have it not', async () => {
    expect(await judge([draftOf(WIDE, WIDE)], TIGHT)).toMatchObject([
      { used: hashOf(WIDE), released: [], findings: ['prefix_too_short'] },
    ]);
  });

  test('and is reported, where only super roles let it through', async () => {
    const all = shareOf(['0.0.0.0/0']);
    expect(await judge([draftOf(all, all)], {}, { applied: runs(all.input) })).toMatchObject([
      { used: hashOf(all), released: [], findings: ['default_route_forbidden'] },
    ]);
  });

  test('and stays, where the same is cut out as then', async () => {
    const holes = shareOf(['11.0.0.0/24'], { module_id: 'holes', purpose: 'exclude' });
    const judged = await judge([draftOf(WIDE, WIDE), draftOf(holes)], TIGHT, {
      applied: runs(WIDE.input, holes.input),
    });
    expect(judged).toMatchObject([{ used: hashOf(WIDE), findings: [] }, { used: hashOf(holes) }]);
  });

  test('of a policy: what it does not allow leaves, and is no finding', async () => {
    const policy = { ...OPEN_POLICY, prefixes: ['9.0.0.0/24'] };
    expect(await judge([draftOf(GOOD, GOOD)], { policy })).toMatchObject([
      { used: hashOf(GOOD), held: ['tenant_policy'], findings: [], rows: 1, isLimited: true },
    ]);
  });
});

describe('a list that stays as it was', () => {
  const PROTECTED = { protected: [{ prefix: '9.2.0.1', of: 'a peer' }] };
  const kept = (share: ShareDraft | null, id = 'list') => ({ decided: { kept: [{ id, name: id, share }] } });

  test('is in the revision in place of its latest snapshot', async () => {
    expect(await judge([draftOf(WIDE)], {}, kept(GOOD))).toMatchObject([{ used: hashOf(GOOD), rows: 2 }]);
    expect(await judge([draftOf(WIDE)], {}, kept(null))).toMatchObject([{ used: null, rows: 0 }]);
  });

  test('is there although it is disabled or gone', async () => {
    expect(await judge([], {}, kept(GOOD))).toMatchObject([{ used: hashOf(GOOD), rows: 2 }]);
    expect(await judge([], {}, kept(null))).toEqual([]);
  });

  test('is what it was then, not what it was turned into', async () => {
    const excluding = shareOf(['9.2.0.0/24'], { purpose: 'exclude' });
    const other = shareOf(['9.2.0.0/24'], { module_id: 'other' });
    const [, judged] = await judge(
      [draftOf(excluding), draftOf(other)],
      PROTECTED,
      kept(shareOf(['9.2.0.0/24'])),
    );
    expect(judged).toMatchObject({ held: ['protected_prefix'] });
    // It would take that out of every other list.
    const [, free] = await judge([draftOf(excluding), draftOf(other)], PROTECTED);
    expect(free).toMatchObject({ held: null });
  });
});

describe('what a rollback took back', () => {
  const back = (share: ShareDraft, other: Partial<ModuleDraft> = {}) => ({
    takenBack: hashOf(share),
    ...other,
  });

  test('stays back', async () => {
    expect(await judge([draftOf(WIDE, GOOD, back(WIDE))])).toMatchObject([
      { used: hashOf(GOOD), held: ['rolled_back'] },
    ]);
    expect(await judge([draftOf(WIDE, GOOD, back(SHORT))])).toMatchObject([
      { used: hashOf(WIDE), held: null },
    ]);
  });

  test.each<[string, Partial<ModuleDraft>]>([
    ['somebody has corrected it', { isCorrected: true }],
    ['the rest has left by itself', { isAsGivenBack: true }],
  ])('comes, once %s', async (_what, other) => {
    expect(await judge([draftOf(WIDE, GOOD, back(WIDE, other))])).toMatchObject([{ used: hashOf(WIDE) }]);
  });

  test('holds no list where guardrails hold whole revisions', async () => {
    expect(await judge([draftOf(WIDE, GOOD, back(WIDE))], { scope: 'revision' })).toMatchObject([
      { used: hashOf(WIDE), findings: [] },
    ]);
  });

  test('of a list of which nothing was accepted holds whatever its sources say', async () => {
    const empty = shareOf([]);
    expect(await judge([draftOf(WIDE, empty, back(SHORT))])).toMatchObject([{ held: ['rolled_back'] }]);
    expect(await judge([draftOf(WIDE, null, back(SHORT))])).toMatchObject([{ held: ['rolled_back'] }]);
  });

  test('is nothing to decide, where all of a written list has left by itself', async () => {
    const empty = shareOf([], { entries_hash: null });
    expect(await judge([draftOf(empty, null, back(empty))])).toMatchObject([{ held: null }]);
    const collected = shareOf([]);
    expect(await judge([draftOf(collected, null, back(collected))])).toMatchObject([
      { held: ['rolled_back'] },
    ]);
  });
});
