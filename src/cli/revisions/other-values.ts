/** Communities that have another value by now than in a revision that comes back. They are no part of lists: nothing holds them back. */
import type { Schemas } from '#client';
import { say } from '../process/ask.ts';
import { shellWord } from '../render/shell-word.ts';
import type { Session } from '../session/run-remote.ts';

type Revision = Pick<Schemas['Revision'], 'communities'>;

/** Says which these are, and how to keep the old value. */
export async function sayOtherValues(session: Session, { communities: then }: Revision): Promise<void> {
  const communities = (await session.names.all('community')) as unknown as readonly Schemas['Community'][];
  const lines = then.flatMap(({ community_id: id, community: value }) => {
    const now = communities.find((one) => one.id === id);
    if (now === undefined || now.community === value) return [];
    const keep = `prefixcast${session.contextWords} community edit ${shellWord(now.community)} --rename ${shellWord(value)}`;
    return [`  ${value} is ${now.community} now; to keep the old value: ${keep}`];
  });
  if (lines.length === 0) return;
  say('These communities have another value now, and the next edit gives it to the routes again:');
  for (const line of lines) say(line);
}
