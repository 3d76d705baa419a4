/** What was made or given another secret: the answer is the only one that has it, so that no format may leave it out. */
import { column, type Item, type Noun } from '../nouns/noun.ts';
import { say } from '../process/ask.ts';
import { shellWord } from '../render/shell-word.ts';
import { isClosed } from './policy-words.ts';
import { memberOf, print, printObject, type Listed } from '../render/formats.ts';
import type { Session } from '../session/run-remote.ts';

interface Printed {
  readonly output?: string | undefined;
}

/**
 * People read what was done, beside the secret, which alone is standard output: `key create ci > file` has a key in it.
 * @param listed the columns of a format that was asked for
 */
export async function printMade(
  session: Session,
  noun: Noun,
  { item, done }: { readonly item: Item; readonly done: string },
  { output }: Printed,
  listed: () => Promise<Omit<Listed, 'items'>>,
): Promise<void> {
  const { secret } = noun;
  if (output === undefined) {
    const words = `${noun.words} ${done}`;
    if (secret === undefined) return print(`${words}\n`);
    say(words);
    print(`${String(memberOf(item, secret))}\n`);
    if (noun.name === 'feed')
      say(
        `Fetch it, with that in place of TOKEN: curl -u ${shellWord(`${String(item.name)}:TOKEN`)} ${session.client.baseUrl}${String(item.path)}`,
      );
    if (noun.name === 'tenant' && isClosed(item))
      say(
        `Nothing is allowed to it yet: prefixcast${session.contextWords} tenant edit ${shellWord(String(item.slug))} --policy JSON, such as '{"allowed_prefixes":["192.0.2.0/24"],"allowed_local_asns":[64500]}'`,
      );
    return;
  }
  const shown = await listed();
  if (secret === undefined) return printObject(item, shown, session.format);
  const title = secret.split('.').at(-1)!.toUpperCase();
  await printObject(item, { ...shown, columns: [...shown.columns, column(title, secret)] }, session.format);
  if (session.format === 'name') say(String(memberOf(item, secret)));
}
