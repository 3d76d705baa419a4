/** A list as the next revision may have it: which of its entries count, and what has to be measured of it. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type Drafting, draftModule } from '../../../src/control/drafts/draft-module.ts';
import { judgeMeasured } from '../../../src/control/drafts/guard-revision.ts';
import { hashOfGroups } from '../../../src/store/revisions/module-policies.ts';
import type { ModuleInput } from '../../../src/store/revisions/revision-inputs.ts';
import { storeEntries } from '../../../src/store/modules/snapshots.ts';
import { useTenant } from '../../tenant.ts';
import { storeSnapshot } from './stored.ts';

const tenant = useTenant();

let content: Readonly<Record<'ab' | 'abc' | 'few' | 'none', string>>;
/** The lists of entries behind contents: in versions. */
let lists: Readonly<Record<'ab' | 'abc', string>>;
beforeAll(async () => {
  const [ab, abc, few, none] = await Promise.all([
    storeSnapshot(tenant, { a: [0, 120], b: [200, 120] }),
    storeSnapshot(tenant, { a: [0, 120], b: [200, 120], c: [400, 120] }),
    storeSnapshot(tenant, { a: [0, 10], b: [200, 120] }),
    storeSnapshot(tenant, {}),
  ]);
  content = { ab, abc, few, none };
  lists = {
    ab: await tenant.run((tx) => storeEntries(tx, 'a 1,b 1')),
    abc: await tenant.run((tx) => storeEntries(tx, 'a 1,b 1,c 1')),
  };
});

const collected = (
  content_hash: string,
  entries_hash: string | null = lists.ab,
  left_out: string[] = [],
) => ({
  ...{ content_hash, entries_hash, left_out, prefix_count: { ipv4: 1, ipv6: 0 } },
});

function draft(
  module: Partial<ModuleInput>,
  enabled: readonly string[] = ['a', 'b'],
  drafting: Partial<Drafting> = {},
) {
  const whole: ModuleInput = {
    ...{ id: 'list', name: 'list', type: 'CDN_SOURCES', purpose: 'announce', families: ['ipv4'] },
    ...{ community_id: null, accepted: null, released: null, held_entries: [] },
    ...{ rolled_back_hash: null, rolled_back_left_out: null },
    ...collected(content.ab),
    ...module,
  };
  const { purpose, families } = whole;
  const ids = enabled.join();
  const configured = {
    policy: { purpose, families, groups: ids === '' ? [] : [{ communities: ['65000:1'], entryIds: ids }] },
    groups: [{ communities: ['red'], entries: ids }],
  };
  return tenant.run((tx) =>
    draftModule(tx, whole, configured, { own: null, maxChangePercent: 30, goneIds: [], ...drafting }),
  );
}

describe('entries that the snapshot holds and that do not count', () => {
  test('are named, of what is collected', async () => {
    const { latest } = await draft(collected(content.abc, lists.abc), ['b']);
    expect(latest.input.left_out).toEqual(['a', 'c']);
    expect((await draft({}, ['a', 'b'])).latest.input.left_out).toEqual([]);
  });

  test('are named, of what is written', async () => {
    const { latest } = await draft(collected(content.abc, null), ['b']);
    expect(latest.input).toMatchObject({ left_out: ['a', 'c'], entries_hash: null });
    expect((await draft(collected(content.abc, null), [])).latest.input.left_out).toEqual(['a', 'b', 'c']);
  });
});

test('what somebody let through counts for that content, and for no other', async () => {
  const codes = ['prefix_too_short'];
  const of = async (content_hash: string) =>
    (await draft({ released: { content_hash, codes } })).latest.input.released;
  expect(await of(content.ab)).toEqual(codes);
  expect(await of(content.abc)).toEqual([]);
});

test('the ids of the largest group are not written down with it', async () => {
  const { latest } = await draft({});
  expect(latest.groups).toEqual([{ communities: ['red'], entries: null }]);
  expect(latest.input.policy_hash).toBe(hashOfGroups(latest.groups!));
});

describe('what was accepted', () => {
  const shareOf = async (...asked: Parameters<typeof draft>) => {
    const { latest, accepted } = await draft(...asked);
    return { latest, share: (await accepted?.share((work) => tenant.run(work))) ?? null };
  };

  test('is the latest itself, where nothing differs', async () => {
    const { latest, share } = await shareOf({ accepted: collected(content.ab) });
    expect(share).toBe(latest);
    expect(await shareOf({})).toMatchObject({ share: null });
  });

  test('is without what was off then, and without what is off or gone now', async () => {
    const { share } = await shareOf({ accepted: collected(content.abc, lists.abc, ['a']) }, ['a', 'b']);
    expect(share!.input).toMatchObject({ content_hash: content.abc, left_out: ['a', 'c'] });
    expect(share!.policy.groups).toEqual([{ communities: ['65000:1'], entryIds: 'b' }]);
  });
});

describe('what is measured', () => {
  const held = async (...asked: Parameters<typeof draft>) => {
    const { changes } = await draft(...asked);
    const measured = changes.map(async ({ toMeasure }) =>
      judgeMeasured(toMeasure!, { maxChangePercent: 30 }),
    );
    return (await Promise.all(measured)).flat().map(({ code }) => code);
  };

  test('is how what was accepted changed by itself, over the entries that count in both', async () => {
    const now = collected(content.few);
    expect(await held({ ...now, accepted: collected(content.ab) })).toEqual(['max_change_exceeded']);
    expect(await held({ ...now, accepted: collected(content.ab) }, ['b'])).toEqual([]);
    expect(await held({ ...now, accepted: collected(content.ab, lists.ab, ['a']) })).toEqual([]);
  });

  test('is nothing of what is the same, is written, or is new', async () => {
    expect((await draft({ accepted: collected(content.ab) })).changes).toEqual([]);
    const written = { ...collected(content.few, null), accepted: collected(content.ab, null) };
    expect((await draft(written)).changes).toEqual([]);
    expect((await draft({})).changes).toEqual([]);
  });

  test('is what is back after it was off while the list was held, from what was accepted of it', async () => {
    const back = [{ entry: 'a 1', content_hash: content.ab }];
    expect(await held({ ...collected(content.few), held_entries: back })).toEqual(['max_change_exceeded']);
    expect(await held({ ...collected(content.few), held_entries: back }, ['b'])).toEqual([]);
    const edited = [{ entry: 'a 2', content_hash: content.ab }];
    expect(await held({ ...collected(content.few), held_entries: edited })).toEqual([]);
    expect((await draft({ held_entries: back })).changes).toEqual([]);
  });

  test('of names is no change while they are few: they lead elsewhere from one hour to the next', async () => {
    const few = await storeSnapshot(tenant, { a: [0, 50] });
    const others = await storeSnapshot(tenant, { a: [600, 50] });
    const of = (type: ModuleInput['type']) => held({ ...collected(others), accepted: collected(few), type });
    expect(await of('CDN_SOURCES')).toEqual(['max_change_exceeded']);
    expect(await of('DOMAINS')).toEqual([]);
  });
});

test('a list is corrected by who has edited it, and by no snapshot that is just being made', async () => {
  const back = { rolled_back_hash: content.ab, rolled_back_left_out: [] };
  expect((await draft(back, ['a'])).isCorrected).toBe(true);
  const { latest } = await draft({});
  const own = { ...latest, entries: 'a 1,b 1', moduleId: 'list' } as unknown as Drafting['own'];
  expect((await draft(back, ['a'], { own })).isCorrected).toBe(false);
});
