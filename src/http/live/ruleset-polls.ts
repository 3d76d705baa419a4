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
import { noteFirewallClients } from '../../store/firewall/firewall-clients.ts';
import type { SecretBox } from '../../store/secrets.ts';
import { LongPolls, type LongPoll } from './long-polls.ts';

/** Firewall clients that wait for another ruleset. */
export class RulesetPolls extends LongPolls<IssuedRuleset> {
  readonly tools: RulesetTools;
  /** Clients that have asked, and of whom that is not recorded yet. */
  readonly #asking: Set<string>;

  constructor(db: Database, secrets: SecretBox, log: FastifyBaseLogger) {
    const tools = { db, secrets, contents: new RuleContents(db) };
    const asking = new Set<string>();
    super(db, log, {
      channel: FIREWALL_CHANNEL,
      look: async function* (tenantId, ids) {
        const seen = ids.filter((id) => asking.delete(id));
        if (seen.length > 0) await db.inTenant(tenantId, (tx) => noteFirewallClients(tx, seen));
        yield { ids, found: await latestRulesets(tools, tenantId, ids) };
      },
      tagOf: rulesetTag,
      failure: 'Rulesets for firewall clients could not be prepared',
    });
    this.tools = tools;
    this.#asking = asking;
  }

  /** As `wait`, for the client itself: one that asks is online. */
  waitAsClient(poll: LongPoll): Promise<IssuedRuleset | null> {
    this.#asking.add(poll.id);
    return this.wait(poll);
  }
}
