/** What nobody expects of a change, before it is made. */
import type { Schemas } from '#client';
import { acceptingRules } from '../../api/firewall/accepting-rules.ts';
import type { Item } from '../nouns/noun.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { requireYes, say } from '../process/ask.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { counted, named } from '../render/counted.ts';
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

/**
 * Lists that ask no other resolver: nothing fails at once, and they keep what they have until somebody wonders why it never changes.
 * @throws {CommandError} where the answer is no
 */
export async function beforeResolver(
  { names }: Session,
  item: Item,
  { enabled }: Readonly<Record<string, unknown>>,
  options: CautionOptions,
): Promise<void> {
  if (enabled !== false || item.enabled !== true) return;
  const [resolvers, modules] = await Promise.all([names.all('doh'), names.all('module')]);
  const others = new Set(
    resolvers.filter((one) => one.enabled === true && one.id !== item.id).map(({ id }) => id),
  );
  const left = (modules as unknown as readonly Schemas['Module'][]).filter(
    ({ enabled: isOn, doh_profile_ids: ids }) =>
      isOn && ids.includes(String(item.id)) && !ids.some((id) => others.has(id)),
  );
  if (left.length === 0) return;
  const { count, names: lists } = named(
    'list',
    left.map(({ name }) => name),
  );
  const name = String(item.name);
  say(
    `This takes the last resolver from ${count}: ${lists}. The domains keep the addresses that they have, and nobody learns of others, until one is enabled or named with --doh`,
  );
  await requireYes(`Disable ${name}?`, options.yes === true || options['dry-run'] === true);
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
