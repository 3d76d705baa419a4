/** Secrets and tokens, which the service shows once: other ones for those that have leaked, and new ones for machines. */
import { printMade } from '../records/made.ts';
import { column, type Item, type Noun } from '../nouns/noun.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { memberOf, print, printObject } from '../render/formats.ts';
import { say } from '../process/ask.ts';
import { findTarget } from '../session/connect.ts';
import type { Session } from '../session/run-remote.ts';

interface Printed {
  readonly output?: string | undefined;
}

/** Replaces what opens it by another, and prints that as `create` does. */
export async function rotate(
  session: Session,
  noun: Noun,
  given: string,
  options: Printed & { readonly grace?: unknown; readonly context?: string | undefined },
): Promise<void> {
  const item = await session.names.findExactly(noun, given);
  const body = options.grace === undefined ? {} : { body: { grace_seconds: options.grace } };
  const path = `${noun.path}/${String(item.id)}/rotate`;
  const made = (await (await session.client.request('POST', path, body)).json()) as Item;
  const done = `${String(memberOf(made, noun.names[0]))} rotated`;
  const listed = { columns: noun.columns, name: noun.names[0], names: new Map<string, string>() };
  await printMade(session, noun, { item: made, done }, options, () => Promise.resolve(listed));
  if (noun.name === 'key') await sayWhereItIsKept(options.context, String(item.prefix));
}

/** The key that this very command was sent with: the next one would be refused, and so would whatever else goes by the same file. */
async function sayWhereItIsKept(context: string | undefined, prefix: string): Promise<void> {
  const { key, source } = await findTarget(context);
  if (key.startsWith(prefix))
    say(`This was the key of ${source}, which has the old one still: put the new one there`);
}

export async function enrollNode(
  session: Session,
  speaker: string,
  options: Printed & { readonly valid?: number | undefined },
): Promise<void> {
  const id = await session.names.idOf('speaker', speaker);
  const path = `${NOUNS.speaker.path}/${id}/enrollment-tokens`;
  await printToken(
    session,
    path,
    options.valid === undefined ? {} : { valid_seconds: options.valid },
    options,
  );
}

/** @param options with the name of a client whose machine is set up again */
export async function enrollClient(
  session: Session,
  options: Printed & {
    readonly valid?: number | undefined;
    readonly policy?: string | undefined;
    readonly again?: string | undefined;
  },
): Promise<void> {
  const { valid, policy, again } = options;
  const body = {
    ...(valid === undefined ? {} : { valid_seconds: valid }),
    ...(policy === undefined ? {} : { policy }),
    ...(again === undefined ? {} : { client_id: await session.names.idOf('client', again) }),
  };
  await printToken(session, '/v1/firewall/enrollment-tokens', body, options);
}

async function printToken(session: Session, path: string, body: object, { output }: Printed): Promise<void> {
  const made = (await (await session.client.request('POST', path, { body })).json()) as Item;
  const columns = [column('TOKEN', 'token'), column('EXPIRES', 'expires_at')];
  if (output !== undefined) return printObject(made, { columns, name: 'token' }, session.format);
  print(`${String(made.token)}\n`);
}
