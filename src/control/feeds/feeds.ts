import type { FeedCreate, FeedPatch, Feed, FeedWithToken } from '../../api/feeds/feeds.ts';
import { FAMILIES } from '../../core/address.ts';
import type { TenantTx, Versioned } from '../../store/database/database.ts';
import { insertFeed, updateFeed, type FeedToken } from '../../store/feeds/feeds.ts';
import { mintApiKey } from '../../store/keys/api-key-secret.ts';
import { refuseFaults } from '../body-faults.ts';
import { readNetworks } from '../networks.ts';
import { readReferences } from '../references.ts';

const DEFAULTS = {
  ...{ description: null, community_ids: [], module_ids: [], families: [...FAMILIES], format: 'text' },
  ...{ max_prefixes: null, when_too_many: 'fail', allowed_networks: [], enabled: true },
} as const;

/** The answer has the token, which is shown once. */
export async function createFeed(tx: TenantTx, body: FeedCreate): Promise<Versioned<FeedWithToken>> {
  const { token, ...stored } = mintToken();
  const feed = { ...DEFAULTS, ...(await checkFeed(tx, body)) } as Required<FeedPatch>;
  return withToken(await insertFeed(tx, { ...feed, name: body.name, ...stored }), token);
}

export async function changeFeed(
  tx: TenantTx,
  id: string,
  patch: FeedPatch,
  version: number | null,
): Promise<Versioned<Feed>> {
  return updateFeed(tx, id, await checkFeed(tx, patch), version);
}

/** Gives the feed another token; the old one stops working within a second. */
export async function rotateFeed(
  tx: TenantTx,
  id: string,
  version: number | null,
): Promise<Versioned<FeedWithToken>> {
  const { token, ...stored } = mintToken();
  return withToken(await updateFeed(tx, id, stored, version), token);
}

function mintToken(): FeedToken & { readonly token: string } {
  const { secret: token, prefix: token_prefix, secret_hash: token_hash } = mintApiKey('feed');
  return { token, token_prefix, token_hash };
}

function withToken({ resource, ...rest }: Versioned<Feed>, token: string): Versioned<FeedWithToken> {
  return { ...rest, resource: { ...resource, token } };
}

/** What was written, in canonical form. @throws {Problem} `validation_failed` */
async function checkFeed<Written extends FeedPatch>(tx: TenantTx, written: Written): Promise<Written> {
  const { networks, faults } = readNetworks('allowed_networks', written.allowed_networks);
  refuseFaults(faults);
  const canonical = written.allowed_networks === undefined ? {} : { allowed_networks: networks };
  return { ...written, ...(await readReferences(tx, written)), ...canonical };
}
