/** Deeds that are made of others, beside those of deed.ts. */
import { type AnyCommand, conclude, inOneStep } from './deed.ts';
import type { Expected } from './expected.ts';
import type { Walk } from './walk.ts';

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
  return { ...together, begin, run: async (_, walk) => conclude(walk, await begin(walk)) };
}

/** The first of these that makes sense when its turn comes, from the one on that the number picks: of what seldom does, most is passed over. */
export function whichever(commands: readonly AnyCommand[], number: number): AnyCommand {
  const from = number % commands.length;
  const inTurn = [...commands.slice(from), ...commands.slice(0, from)];
  const begin = async (walk: Walk): Promise<Expected> => {
    const command = inTurn.find((one) => one.check(walk.life));
    return command === undefined ? {} : command.begin(walk);
  };
  return {
    begin,
    check: (life) => inTurn.some((one) => one.check(life)),
    run: async (_, walk) => conclude(walk, await begin(walk)),
    toString: () => `first of [${inTurn.map(String).join()}]`,
  };
}
