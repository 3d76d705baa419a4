import type { FeedCreate, FeedPatch, Feed, FeedWithToken } from '../../api/lists/feeds.ts';
import type { FieldFault } from '../../api/problems/problem.ts';
import { formatPrefix, parsePrefix } from '../../core/prefix.ts';
import { FAMILIES } from '../../core/address.ts';
import { unknownReference } from '../../store/database/constraint-problem.ts';
import type { TenantTx, Versioned } from '../../store/database/database.ts';
import { insertFeed, updateFeed, type FeedToken } from '../../store/feeds/feeds.ts';
import { findUnknownReferences } from '../../store/firewall/firewall-rules.ts';
import { mintApiKey } from '../../store/keys/api-key-secret.ts';
import { refuseFaults } from '../body-faults.ts';

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
  const networks = readNetworks(written.allowed_networks ?? []);
  refuseFaults(networks.faults);
  const references: Partial<Record<'module_ids' | 'community_ids', string[]>> = {};
  for (const [column, noun] of [
    ['module_ids', 'module_id'],
    ['community_ids', 'community_id'],
  ] as const) {
    const ids = written[column]?.map((id) => id.toLowerCase());
    if (ids === undefined) continue;
    const [unknown] = await findUnknownReferences(tx, column, ids);
    if (unknown !== undefined) throw unknownReference(noun, unknown, `/${column}/${ids.indexOf(unknown)}`);
    references[column] = [...new Set(ids)];
  }
  const canonical = written.allowed_networks === undefined ? {} : { allowed_networks: networks.texts };
  return { ...written, ...references, ...canonical };
}

function readNetworks(texts: readonly string[]): { readonly texts: string[]; readonly faults: FieldFault[] } {
  const faults: FieldFault[] = [];
  const read = texts.flatMap((text, index) => {
    const parsed = parsePrefix(text.trim());
    if (parsed.ok) return [formatPrefix(parsed.value)];
    faults.push({ pointer: `/allowed_networks/${index}`, detail: `${parsed.reason}.` });
    return [];
  });
  return { texts: [...new Set(read)], faults };
}
