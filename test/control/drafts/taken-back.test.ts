/** What a rollback took back of a list, once something of it has left by itself. */
import { beforeAll, describe, expect, test } from 'vitest';
import { isAsGivenBack, isCorrected, takenBackHash } from '../../../src/control/drafts/taken-back.ts';
import type { ModuleInput } from '../../../src/store/revisions/revision-inputs.ts';
import { useTenant } from '../../tenant.ts';
import { storeSnapshot } from './stored.ts';

const tenant = useTenant();

/** Contents by what is in them: `same` has what `a` has, as other prefixes; `shared` has some that two entries bring. */
let content: Readonly<Record<'ab' | 'a' | 'ac' | 'b' | 'shared', string>>;
beforeAll(async () => {
  const [ab, a, ac, b, shared] = await Promise.all([
    storeSnapshot(tenant, { a: [0, 10], b: [10, 10] }),
    storeSnapshot(tenant, { a: [0, 10] }),
    storeSnapshot(tenant, { a: [0, 10], c: [20, 10] }),
    storeSnapshot(tenant, { b: [10, 10] }),
    storeSnapshot(tenant, { a: [0, 10], c: [5, 5] }),
  ]);
  content = { ab, a, ac, b, shared };
});

const moduleOf = (other: Partial<ModuleInput>): ModuleInput =>
  ({ accepted: null, rolled_back_left_out: null, ...other }) as ModuleInput;
const acceptedOf = (content_hash: string, left_out: readonly string[] = []) => ({
  ...{ content_hash, left_out, prefix_count: { ipv4: 1, ipv6: 0 }, entries_hash: null },
});

describe('what was taken back', () => {
  const taken = (now: string, other: Partial<ModuleInput> = {}, goneIds = ['b']) =>
    tenant.run((tx) =>
      takenBackHash(
        tx,
        moduleOf({ content_hash: now, rolled_back_hash: content.ab, ...other }),
        null,
        goneIds,
      ),
    );

  test('is what is left of it', async () => expect(await taken(content.a)).toBe(content.a));
  test('is as it was, where somebody else has left', async () =>
    expect(await taken(content.a, {}, ['c'])).toBe(content.ab));
  test('is as it was, where something came', async () => expect(await taken(content.ac)).toBe(content.ab));
  test('is as it was, where another entry brings some of it as well', async () =>
    expect(await taken(content.shared)).toBe(content.ab));
  test('is as it was, where the rest has been accepted', async () =>
    expect(await taken(content.a, { accepted: acceptedOf(content.a) })).toBe(content.ab));
  test('is nothing, where nothing was', async () =>
    expect(await taken(content.a, { rolled_back_hash: null })).toBeNull());
});

describe('a list that has just what is left of what a rollback gave back', () => {
  const isSo = (
    accepted: ModuleInput['accepted'],
    { notCounted = [] as string[], goneIds = ['b'], taken = content.a } = {},
  ) =>
    tenant.run((tx) =>
      isAsGivenBack(
        tx,
        moduleOf({ content_hash: content.a, accepted }),
        { taken, notCounted, goneIds },
        null,
      ),
    );

  test('has nothing to decide', async () => expect(await isSo(acceptedOf(content.ab))).toBe(true));
  test('has something to decide that came', async () =>
    expect(await isSo(acceptedOf(content.b))).toBe(false));
  test('has something to decide where nothing left', async () =>
    expect(await isSo(acceptedOf(content.ab), { goneIds: [] })).toBe(false));
  test('has something to decide where nothing was accepted', async () =>
    expect(await isSo(null)).toBe(false));
  test('has something to decide that was off then, and counts now', async () => {
    expect(await isSo(acceptedOf(content.ab, ['a']))).toBe(false);
    expect(await isSo(acceptedOf(content.ab, ['a']), { notCounted: ['a'] })).toBe(true);
    expect(await isSo(acceptedOf(content.ab, ['b']))).toBe(true);
  });
});

describe('a list is corrected', () => {
  const isSo = (notCounted: string[], before: string[] | null = [], goneIds: string[] = []) =>
    tenant.run((tx) =>
      isCorrected(tx, moduleOf({ content_hash: content.ab, rolled_back_left_out: before }), {
        taken: content.ab,
        notCounted,
        goneIds,
      }),
    );

  test('by who switches an entry of it off', async () => expect(await isSo(['b'])).toBe(true));
  test('by nobody', async () => expect(await isSo([])).toBe(false));
  test('by no entry that was off before', async () => expect(await isSo(['b'], ['b'])).toBe(false));
  test('by no entry that has left by itself', async () => expect(await isSo(['b'], [], ['b'])).toBe(false));
  test('by no entry that had nothing in it', async () => expect(await isSo(['idle'])).toBe(false));
  test('by nobody that is known, where an earlier version wrote it', async () =>
    expect(await isSo(['b'], null)).toBe(false));
});
