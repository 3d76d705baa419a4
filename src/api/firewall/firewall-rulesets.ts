import { Type, type Static } from 'typebox';
import { RulesetHash } from './firewall-clients.ts';
import { Id, Nullable, Strict } from '../shapes/page.ts';

const Elements = Type.Array(Type.String(), { description: 'Prefixes, in address order' });

/** A set of prefixes of one family, whole or as what changed. */
export const RulesetElements = Strict({
  hash: Type.String({ description: 'SHA-256 of its prefixes, one a line, as the manifest names it' }),
  base: Nullable(Type.String(), 'Hash of the set that this is the difference to; null: it is whole'),
  added: Elements,
  removed: Elements,
});
export type RulesetElements = Static<typeof RulesetElements>;

export const FirewallRuleset = Strict({
  client_id: Id,
  ruleset_hash: RulesetHash,
  sequence: Type.Integer({ minimum: 1, description: 'Rises with every change' }),
  revision_id: Nullable(Id, 'The revision that the sets are drawn from; null: there is none yet'),
  manifest: Type.String({
    description: 'What is signed, as canonical JSON (RFC 8785): policy, rules in order, hashes of their sets',
  }),
  signature: Type.String({ description: 'Ed25519 over the bytes of `manifest`, base64' }),
  sets: Type.Array(RulesetElements, { description: 'Each set that the manifest names, once' }),
});
export type FirewallRuleset = Static<typeof FirewallRuleset>;

export const RulesetQuery = Strict({
  format: Type.Optional(
    Type.Enum(['json', 'nft'], {
      default: 'json',
      description: '`nft`: a script for `nft -f` as text, for a look at it and for hosts without the client',
    }),
  ),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 60,
      default: 0,
      description: 'Seconds to wait while the ruleset is the one that `If-None-Match` names',
    }),
  ),
  from: Type.Optional(
    Type.String({
      format: 'uuid',
      description:
        'A revision: sets come as the difference to those of the same rules at this revision. Of the format `json`',
    }),
  ),
});
export type RulesetQuery = Static<typeof RulesetQuery>;
