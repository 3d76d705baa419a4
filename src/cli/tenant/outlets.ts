/** What leaves the service by other ways than BGP, looked at before it does. */
import type { Schemas } from '#client';
import { column } from '../nouns/noun.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { print, printObject } from '../render/formats.ts';
import { say } from '../process/ask.ts';
import type { Session } from '../session/run-remote.ts';

const COLUMNS = [
  column('REVISION', 'content.revision'),
  column('IPV4', 'content.prefix_count.ipv4'),
  column('IPV6', 'content.prefix_count.ipv6'),
  column('ERROR', 'error'),
  column('TEXT', 'text'),
];

/** @throws {CommandError} where its content cannot be made */
export async function previewFeed(session: Session, feed: string): Promise<void> {
  const id = await session.names.idOf('feed', feed);
  const answer = await session.client.request('GET', `${NOUNS.feed.path}/${id}/preview`);
  const preview = (await answer.json()) as Schemas['FeedPreview'];
  const { content, error, text } = preview;
  if (session.format !== 'table' && session.format !== 'wide')
    await printObject(preview, { columns: COLUMNS, name: 'content.revision' }, session.format);
  else {
    print(text === '' || text.endsWith('\n') ? text : `${text}\n`);
    if (content !== null) {
      const { ipv4, ipv6 } = content.prefix_count;
      say(`revision ${content.revision}: ${ipv4} IPv4 and ${ipv6} IPv6 prefixes`);
    }
  }
  if (error !== null) throw new CommandError(error, EXIT.failed);
}
