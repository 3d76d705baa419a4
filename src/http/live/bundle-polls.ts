import type { FastifyBaseLogger } from 'fastify';
import { SPEAKERS_CHANNEL } from '../../store/speakers/speakers.ts';
import { bundleTag, latestBundles, type BundleTools } from '../../control/nodes/bundles.ts';
import { RoutesCache } from '../../control/nodes/routes-cache.ts';
import type { IssuedBundle } from '../../store/nodes/bundles.ts';
import type { Database } from '../../store/database/database.ts';
import type { SecretBox } from '../../store/secrets.ts';
import { LongPolls } from './long-polls.ts';

/** Nodes that wait for another bundle. */
export class BundlePolls extends LongPolls<IssuedBundle> {
  readonly tools: BundleTools;

  constructor(db: Database, secrets: SecretBox, log: FastifyBaseLogger) {
    const tools = { db, secrets, routes: new RoutesCache(db) };
    super(db, log, {
      channel: SPEAKERS_CHANNEL,
      look: async function* (tenantId, ids) {
        for await (const { speakerIds, bundles } of latestBundles(tools, tenantId, ids))
          yield { ids: speakerIds, found: bundles };
      },
      tagOf: bundleTag,
      failure: 'Bundles for nodes could not be prepared',
    });
    this.tools = tools;
  }
}
