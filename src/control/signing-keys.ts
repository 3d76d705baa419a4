import type { SigningKey, SigningKeyRotate, SigningKeys } from '../api/bundles.ts';
import { DEFAULT_ANNOUNCE_SECONDS } from '../api/bundles.ts';
import { Problem } from '../api/problem.ts';
import {
  endorsement,
  exportPrivateKey,
  generateSigningKey,
  importPrivateKey,
  publicKeyPem,
  signBytes,
  type SigningKeyPair,
} from '../bundle/signing-key.ts';
import { notify, type TenantTx } from '../store/database.ts';
import { lockTenant } from '../store/locks.ts';
import type { SecretBox } from '../store/secrets.ts';
import { getSetting } from '../store/settings.ts';
import {
  beginSigningKey,
  forgetPrivateKeys,
  insertSigningKey,
  listSigningKeys,
  openPrivateKey,
  retireSigningKey,
  type SigningKeyRow,
} from '../store/signing-keys.ts';
import { SPEAKERS_CHANNEL } from './apply-revision.ts';
import type { ControlContext } from './context.ts';

/** The keys of a tenant that sign bundles, the first of which is made when somebody asks for it. */
export async function signingKeys(tx: TenantTx, secrets: SecretBox): Promise<SigningKeyRow[]> {
  const known = await listSigningKeys(tx);
  if (known.length > 0) return known;
  await lockTenant(tx, 'keys');
  const made = await listSigningKeys(tx);
  if (made.length > 0) return made;
  await addKey(tx, secrets, 0, null);
  return listSigningKeys(tx);
}

/** The key that signs now. */
export async function activeSigningKey(
  tx: TenantTx,
  secrets: SecretBox,
  keys: readonly SigningKeyRow[],
): Promise<{ readonly pair: SigningKeyPair; readonly row: SigningKeyRow }> {
  const row = keys.find(({ active }) => active)!;
  return { pair: importPrivateKey(await openPrivateKey(tx, secrets, row.key_id)), row };
}

export async function readSigningKeys(tx: TenantTx, secrets: SecretBox): Promise<SigningKeys> {
  return { items: (await signingKeys(tx, secrets)).map(present) };
}

function present({ public_key: raw, endorsement: word, ...row }: SigningKeyRow): SigningKey {
  const publicKey = raw.toString('base64');
  return {
    ...row,
    algorithm: 'Ed25519',
    public_key_pem: publicKeyPem(publicKey)!,
    public_key: publicKey,
    endorsement: word?.toString('base64') ?? null,
  };
}

/**
 * Makes the key that signs next, and tells it to nodes in every bundle that the present one signs until then. An announced key that waits
 * for its time can be made to begin at once.
 * @throws {Problem} `conflict` when one is announced already
 */
export async function rotateSigningKey(
  tx: TenantTx,
  { secrets }: ControlContext,
  { announce_seconds: announceSeconds = DEFAULT_ANNOUNCE_SECONDS }: SigningKeyRotate,
): Promise<SigningKeys> {
  const keys = await signingKeys(tx, secrets);
  await lockTenant(tx, 'bundles');
  const { pair, row: active } = await activeSigningKey(tx, secrets, keys);
  const announced = keys.find(
    (key) => !key.active && Date.parse(key.not_before) > Date.parse(active.not_before),
  );
  const goodFor = announceSeconds + (await getSetting(tx, 'bundle_valid_hours')) * 3_600;
  if (announced !== undefined && announceSeconds > 0)
    throw new Problem(
      'conflict',
      `The key ${announced.key_id} is announced already and signs from ${announced.not_before}. Wait until then, or send {"announce_seconds": 0} to have it sign at once.`,
    );
  if (announced === undefined) await addKey(tx, secrets, announceSeconds, { tenantId: tx.tenantId, pair });
  else await beginSigningKey(tx, announced.key_id);
  await retireSigningKey(tx, active.key_id, goodFor);
  const told = await listSigningKeys(tx);
  const signing = told.filter((key) => key.active || key.not_after === null).map(({ key_id: id }) => id);
  await forgetPrivateKeys(tx, signing);
  await notify(tx, SPEAKERS_CHANNEL, tx.tenantId);
  return readSigningKeys(tx, secrets);
}

async function addKey(
  tx: TenantTx,
  secrets: SecretBox,
  beginsInSeconds: number,
  before: { readonly tenantId: string; readonly pair: SigningKeyPair } | null,
): Promise<void> {
  const key = generateSigningKey();
  const told = { key_id: key.keyId, public_key: key.publicKey.toString('base64'), not_after: null };
  await insertSigningKey(tx, secrets, {
    keyId: key.keyId,
    publicKey: key.publicKey,
    privateKey: exportPrivateKey(key),
    beginsInSeconds,
    endorsedBy: before?.pair.keyId ?? null,
    endorsement: before && signBytes(before.pair, endorsement(before.tenantId, before.pair.keyId, told)),
  });
}
