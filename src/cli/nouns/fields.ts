/** Fields that several nouns have. */
import type { Field } from './noun.ts';

export const DESCRIPTION: Field = { member: 'description', kind: 'text', value: 'TEXT', about: 'for people' };
export const ENABLED: Field = { member: 'enabled', kind: 'flag', about: 'whether it counts' };
export const FAMILIES: Field = {
  member: 'families',
  kind: 'list',
  value: 'FAMILIES',
  about: 'ipv4, ipv6, or both with a comma',
};
