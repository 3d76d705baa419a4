import type { FastifyBaseLogger } from 'fastify';
import { RuleContents } from '../../control/firewall/rule-contents.ts';
import {
  FIREWALL_CHANNEL,
  latestRulesets,
  rulesetTag,
  type IssuedRuleset,
  type RulesetTools,
} from '../../control/firewall/rulesets.ts';
import type { Database } from '../../store/database/database.ts';
import type { SecretBox } from '../../store/secrets.ts';
import { LongPolls } from './long-polls.ts';

/** Firewall clients that wait for another ruleset. */
export class RulesetPolls extends LongPolls<IssuedRuleset> {
  readonly tools: RulesetTools;

  constructor(db: Database, secrets: SecretBox, log: FastifyBaseLogger) {
    const tools = { db, secrets, contents: new RuleContents(db) };
    super(db, log, {
      channel: FIREWALL_CHANNEL,
      look: async function* (tenantId, ids) {
        yield { ids, found: await latestRulesets(tools, tenantId, ids) };
      },
      tagOf: rulesetTag,
      failure: 'Rulesets for firewall clients could not be prepared',
    });
    this.tools = tools;
  }
}
