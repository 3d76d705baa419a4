/** A service of a test file's own, and an operator who types commands at it. */
import { afterAll, beforeAll, expect } from 'vitest';
import { startCasting, type Casting } from '../../e2e/casting.ts';
import { terminal, type Screen } from './terminal.ts';
import { typist, type Typed } from './typing.ts';

/** Words of a command: one line, or each by itself. */
type Words = readonly string[];

class Desk {
  #casting: Casting | null = null;
  #env: Readonly<Record<string, string>> = {};

  async open(env: Readonly<Record<string, string>>): Promise<void> {
    this.#casting = await startCasting(env);
    const { url, key } = this.#casting.service;
    this.#env = { PREFIXCAST_URL: url, PREFIXCAST_KEY: key };
  }

  async close(): Promise<void> {
    await this.#casting?.close();
  }

  get casting(): Casting {
    return this.#casting!;
  }

  readonly type = (...words: Words): Promise<Typed> => typist(this.#env)(...split(words));

  /** Types what has to end with 0. @returns what it prints */
  readonly mustType = async (...words: Words): Promise<string> => {
    const { code, out, err } = await this.type(...words);
    expect(code, `${words.join(' ')}\n${out}${err}`).toBe(0);
    return out;
  };

  /** Types at a terminal, and `answer` to the question. */
  readonly typeAtTerminal = (answer: string, ...words: Words): Promise<Screen> =>
    terminal(this.#env)(answer, ...split(words));
}

function split(words: Words): Words {
  return words.length === 1 ? words[0]!.split(' ') : words;
}

/**
 * Opens it before the tests of this file, or of this `describe`, and closes it after them.
 * @param prepare what its service is to find first. @returns what that is to have in its environment
 */
export function useDesk(
  prepare: () => Promise<Readonly<Record<string, string>>> = () => Promise.resolve({}),
): Desk {
  const desk = new Desk();
  beforeAll(async () => desk.open(await prepare()));
  afterAll(() => desk.close());
  return desk;
}
