/** What an operator, a source or fate does, as a command of fast-check: do it, wait, compare everything. And deeds that are made of others. */
import fc from 'fast-check';
import type { Life } from './life.ts';
import type { Walk } from './walk.ts';
import type { Expected } from './expected.ts';
import { conclude } from './conclude.ts';

/** One kind of deed. `P` is what fast-check draws for it: mostly numbers that pick one of what there is when its turn comes. */
export interface Deed<P> {
  /** How often it is drawn, against the others. */
  readonly weight: number;
  readonly drawn: fc.Arbitrary<P>;
  /** Whether it makes sense now; a walk passes over what does not. */
  can(life: Life, drawn: P): boolean;
  /**
   * Does it to the service and to the model, and tells the story. Where it answers nothing it was an edit, which leads to a revision
   * by itself if it changes what is announced; in a tenant without `auto_revision` it waits.
   */
  run(walk: Walk, drawn: P): Promise<Expected | undefined>;
}

/** A command whose deed can be done together with others. */
export interface AnyCommand extends fc.AsyncCommand<Life, Walk> {
  /** Does it, and waits for nothing. */
  begin(walk: Walk): Promise<Expected>;
}

/** Makes the deed a command of fast-check. */
export function deed<P>(made: Deed<P>): {
  readonly weight: number;
  readonly arbitrary: fc.Arbitrary<AnyCommand>;
} {
  const arbitrary = made.drawn.map((drawn): AnyCommand => {
    const begin = async (walk: Walk): Promise<Expected> => {
      const expected = (await made.run(walk, drawn)) ?? {};
      walk.noteHopeless();
      return expected;
    };
    return {
      begin,
      check: (life) => made.can(life, drawn),
      run: async (_, walk) => conclude(walk, await begin(walk)),
      toString: () => JSON.stringify(drawn),
    };
  });
  return { weight: made.weight, arbitrary };
}

/** One command for these, of which some may make no sense when their turn comes. @param begin does them */
function madeOf(commands: readonly AnyCommand[], begin: AnyCommand['begin']): AnyCommand {
  return {
    begin,
    check: (life) => commands.some((command) => command.check(life)),
    run: async (_, walk) => conclude(walk, await begin(walk)),
    toString: () => `[${commands.map(String).join()}]`,
  };
}

/** One after the other, before anything has come of the first; of several, what the last brings about. */
export function inOneStep(commands: readonly AnyCommand[]): AnyCommand {
  const begin = async (walk: Walk): Promise<Expected> => {
    let expected: Expected = {};
    for (const command of commands) {
      if (!command.check(walk.life)) continue;
      if (command !== commands[0]) walk.tell('  and at once');
      const { makesNothing: _, ...rest } = await command.begin(walk);
      expected = { ...expected, ...rest };
    }
    return expected;
  };
  return madeOf(commands, begin);
}

/** One after the other, once all is as it should be after the one before. */
export function inSteps(commands: readonly AnyCommand[]): AnyCommand {
  const begin = async (walk: Walk): Promise<Expected> => {
    let expected: Expected = {};
    for (const [at, command] of commands.entries()) {
      if (at > 0) await conclude(walk, expected);
      expected = command.check(walk.life) ? await command.begin(walk) : {};
    }
    return expected;
  };
  return madeOf(commands, begin);
}

/** Numbers that pick one of several. */
export const pick = fc.nat(59);

export function chosen<T>(from: readonly T[], number: number): T {
  return from[number % from.length]!;
}

/** Several writes that are sent as one: of deeds that need no answer to them. */
export function inOneWrite(commands: readonly AnyCommand[]): AnyCommand {
  const together = inOneStep(commands);
  const begin = async (walk: Walk): Promise<Expected> => {
    let expected: Expected = {};
    walk.tell('all or nothing:');
    await walk.asOne(async () => {
      expected = await together.begin(walk);
    });
    return expected;
  };
  return madeOf(commands, begin);
}

/** The first of these that makes sense when its turn comes, from the one on that the number picks: of what seldom does, most is passed over. */
export function whichever(commands: readonly AnyCommand[], number: number): AnyCommand {
  const from = number % commands.length;
  const inTurn = [...commands.slice(from), ...commands.slice(0, from)];
  const begin = async (walk: Walk): Promise<Expected> => {
    const command = inTurn.find((one) => one.check(walk.life));
    return command === undefined ? {} : command.begin(walk);
  };
  return { ...madeOf(inTurn, begin), toString: () => `first of [${inTurn.map(String).join()}]` };
}
