/** What nobody expects of a change, before it is made. */
import type { Schemas } from '#client';
import { acceptingRules } from '../../api/firewall/accepting-rules.ts';
import type { Item } from '../nouns/noun.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { requireYes, say } from '../process/ask.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { counted } from '../render/counted.ts';
import { shellWord } from '../render/shell-word.ts';
import type { CautionOptions } from '../session/consequences.ts';
import type { Session } from '../session/run-remote.ts';

/**
 * A host of the policy `accept` drops what no rule accepts, which its name does not say.
 * @throws {CommandError} where the answer is no
 */
export async function beforeClient(
  { client }: Session,
  item: Item,
  { policy }: Readonly<Record<string, unknown>>,
  options: CautionOptions,
): Promise<void> {
  if (policy !== 'accept' || item.policy === 'accept') return;
  const rules = await client.list('/v1/firewall/rules', { params: { query: { limit: 500 } } }).toArray();
  const accepting = acceptingRules(rules, String(item.id));
  const name = String(item.name);
  const passing =
    accepting.length === 0 ? 'no rule accepts anything of it' : counted(accepting.length, 'rule');
  say(
    `${name} drops every packet that no rule accepts from then on, in both directions: ${passing}${accepting.length === 0 ? ', and nothing passes but what always does' : ' of the action accept'} (docs/firewall.md)`,
  );
  await requireYes(`Change ${name}?`, options.yes === true || options['dry-run'] === true);
}

/** Two that open the service under one name: whoever has to revoke one would not know which. @throws {CommandError} */
export async function beforeKey({ names, contextWords }: Session, name: string): Promise<void> {
  const keys = (await names.all('key')) as unknown as readonly Schemas['ApiKey'][];
  const isValid = ({ revoked_at: revoked, expires_at: end }: Schemas['ApiKey']): boolean =>
    revoked === null && (end === null || Date.parse(end) > Date.now());
  if (!keys.some((one) => one.name === name && isValid(one))) return;
  throw new CommandError(
    `A key that is called ${name} is in use. Give this one another name, or that one another secret: prefixcast${contextWords} ${NOUNS.key.words} rotate ${shellWord(name)}`,
    EXIT.conflict,
  );
}
