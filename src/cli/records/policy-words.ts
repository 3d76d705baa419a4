/** What a tenant's policy allows, for people: of its lists, one that is empty allows nothing and one that is null all, and tables show neither. */
import type { Item, Noun } from '../nouns/noun.ts';

/** The item with words in place of such lists. */
export function withPolicyWords({ name }: Noun, item: Item): Item {
  if (name !== 'tenant') return item;
  const policy = Object.entries(item.policy as Item).map(([member, allowed]) => [member, wordOf(allowed)]);
  return { ...item, policy: Object.fromEntries(policy) as Item };
}

function wordOf(allowed: unknown): unknown {
  if (allowed === null) return 'any';
  return Array.isArray(allowed) && allowed.length === 0 ? 'none' : allowed;
}

/** Whether it allows nothing, as that of a new tenant of which nothing else was said. */
export function isClosed({ policy }: Item): boolean {
  return Object.values(policy as Item).every(
    (allowed) => allowed !== null && (!Array.isArray(allowed) || allowed.length === 0),
  );
}
