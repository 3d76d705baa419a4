/** A range of our own is protected although it is announced: the command says what that holds, and a blackhole in another list comes and goes. */
import { expect, test } from 'vitest';
import { requireDaemon } from '../../daemons/programs.ts';
import { useDesk } from '../desk/desk.ts';

test.skipIf(requireDaemon('bird') === null)(
  'a guardrail that holds announced lists is told from one that holds all, and each blackhole ends',
  async () => {
    const { type, mustType, casting } = desk;
    const bird = await casting.addBird();
    await mustType('settings unset auto_revision');
    await mustType('community create 64500:1 --title Ours');
    await mustType('community create 64500:666 --title Drop');
    await mustType('module create ours --type IP_RANGES --community Ours');
    await mustType('module create attacked --type IP_RANGES --community Drop');
    await mustType('entry add ours 45.80.0.0/22 --wait');
    await mustType('entry add attacked 45.80.0.30/32 --wait');
    await mustType('entry add attacked 45.80.0.90/32 --for 12s --wait');
    const has = async (prefix: string): Promise<boolean> =>
      (await bird.routes()).some((route) => route.prefix === prefix);
    await expect.poll(() => has('45.80.0.30/32')).toBe(true);

    const set = await type('settings', 'set', 'guard_protected_prefixes', '45.80.0.0/22');
    expect(set).toMatchObject({ code: 5, out: 'guard_protected_prefixes is \'["45.80.0.0/22"]\'\n' });
    expect(set.err).toContain('The module ours is held, and routers keep what they have');
    expect(set.err).toContain('The module attacked is held, and routers keep what they have');
    await expect
      .poll(() => type('status'))
      .toMatchObject({ code: 1, out: expect.stringMatching(/module attacked.*protected_prefix/) as string });
    await mustType('module create other --type IP_RANGES --community Drop');
    await mustType('entry add other 45.90.0.1/32 --wait');
    await expect.poll(() => has('45.90.0.1/32')).toBe(true);
    // The blackhole is over by itself, which may be sooner on a busy machine.
    await bird.waitRoutes(3);
    expect((await type('why', '45.80.0.90')).out).not.toContain('by builtin, with Drop');

    await mustType('settings unset guard_protected_prefixes --wait');
    expect(await type('status')).toMatchObject({ code: 0 });
  },
);

const desk = useDesk();
