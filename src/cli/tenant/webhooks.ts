/** What was sent to a webhook, sending it again, and tests. */
import { column, wide, type Column, type Item } from '../nouns/noun.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { print, printAnswer, printList, printObject } from '../render/formats.ts';
import type { Session } from '../session/run-remote.ts';
import { type ListOptions, readList } from '../records/crud.ts';

const COLUMNS: readonly Column[] = [
  column('ID', 'id'),
  column('EVENT', 'event'),
  column('STATE', 'state'),
  column('ATTEMPTS', 'attempts'),
  column('LAST', 'attempted_at'),
  column('STATUS', 'status'),
  column('ERROR', 'error'),
  wide('CREATED', 'created_at'),
  wide('EVENT ID', 'event_id'),
  wide('DATA', ({ data }) => JSON.stringify(data)),
];

/** The newest first. */
export async function deliveries(
  session: Session,
  webhook: string,
  options: ListOptions & { readonly state?: string | undefined },
): Promise<void> {
  const path = `${await pathOf(session, webhook)}/deliveries`;
  const { items, more } = await readList(session, path, { state: options.state }, options);
  await printList({ items, columns: COLUMNS, name: 'id', more }, session.format);
}

export async function resend(session: Session, webhook: string, ids: readonly string[]): Promise<void> {
  const path = await pathOf(session, webhook);
  for (const id of ids) {
    const answer = await session.client.request('POST', `${path}/deliveries/${id}/resend`, { body: {} });
    await printAnswer((await answer.json()) as object, `${id} is sent again`, session.format);
  }
}

/** @throws CommandError when the receiver does not take it */
export async function testWebhook(
  session: Session,
  webhook: string,
  { output }: { readonly output?: string | undefined },
): Promise<void> {
  const answer = await session.client.request('POST', `${await pathOf(session, webhook)}/test`, { body: {} });
  const delivery = (await answer.json()) as Item;
  if (output !== undefined) await printObject(delivery, { columns: COLUMNS, name: 'id' }, session.format);
  else if (delivery.state === 'delivered') print(`taken, with ${String(delivery.status)}\n`);
  if (delivery.state !== 'delivered') throw new CommandError(String(delivery.error), EXIT.failed);
}

async function pathOf({ names }: Session, webhook: string): Promise<string> {
  return `${NOUNS.webhook.path}/${await names.idOf('webhook', webhook)}`;
}
