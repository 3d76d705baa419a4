/** Somebody in between (test/agent/proxy.ts) where this process is, such as in a network namespace; what is altered, the parent says. */
import { type Passing, startProxy } from '../../agent/proxy.ts';

/** Sent once, when it listens. */
export interface Listening {
  readonly url: string;
}

/** An answer on its way to a node, which waits for an {@link Altered} of the same number. */
export interface Passed {
  readonly id: number;
  readonly path: string;
  readonly answer: Passing;
}

/** Null: the line breaks. */
export interface Altered {
  readonly id: number;
  readonly answer: Passing | null;
}

const [target, address] = process.argv.slice(2);
const waiting = new Map<number, (altered: Altered) => void>();
let passed = 0;

process.once('disconnect', () => process.exit());
process.on('message', (altered: Altered) => {
  waiting.get(altered.id)?.(altered);
  waiting.delete(altered.id);
});

const proxy = await startProxy(target!, address);
proxy.tamper = async (path, answer) => {
  const id = passed++;
  const { answer: altered } = await new Promise<Altered>((resolve) => {
    waiting.set(id, resolve);
    process.send!({ id, path, answer } satisfies Passed);
  });
  if (altered === null) throw new Error('the line breaks');
  return altered;
};
process.send!({ url: proxy.url } satisfies Listening);
