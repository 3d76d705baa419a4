import type { SigningKey, SigningKeyRotate, SigningKeys } from '../../api/nodes/bundles.ts';
import { DEFAULT_ANNOUNCE_SECONDS } from '../../api/nodes/bundles.ts';
import { Problem } from '../../api/problems/problem.ts';
import {
  endorsement,
  exportPrivateKey,
  generateSigningKey,
  importPrivateKey,
  publicKeyPem,
  signBytes,
  type SigningKeyPair,
} from '../../bundle/signing-key.ts';
import { databaseTime } from '../../store/database/database-clock.ts';
import { notify, type TenantTx } from '../../store/database/database.ts';
import { lockTenant } from '../../store/database/locks.ts';
import type { SecretBox } from '../../store/secrets.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import {
  beginSigningKey,
  forgetPrivateKeys,
  insertSigningKey,
  listSigningKeys,
  openPrivateKey,
  retireSigningKey,
  type SigningKeyRow,
} from '../../store/nodes/signing-keys.ts';
import type { ControlContext } from '../context.ts';
import { SPEAKERS_CHANNEL } from '../../store/speakers/speakers.ts';

/** Keys whose bundles are good at the same time; a manifest has room for more. */
const MOST_GOOD_KEYS = 50;

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

/**
 * The key that signs now.
 * @throws {Problem} `conflict` when it was sealed with another APP_SECRET_KEY, or forgotten
 */
export async function activeSigningKey(
  tx: TenantTx,
  secrets: SecretBox,
  keys: readonly SigningKeyRow[],
): Promise<SigningKeyPair> {
  const { key_id: keyId } = keys.find(({ active }) => active)!;
  const pair = await openPair(tx, secrets, keyId);
  if (pair !== null) return pair;
  throw new Problem(
    'conflict',
    `The key ${keyId}, which signs bundles, cannot be opened with this APP_SECRET_KEY, or was replaced while the clock of the database was ahead. ` +
      'Start with the previous one, or rotate it (POST /v1/bundles/signing-key/rotate with {"announce_seconds": 0}) and enroll the nodes again that refuse the next one.',
  );
}

/** Null when it was sealed with another APP_SECRET_KEY, or forgotten, since a clock said that the next one signs. */
async function openPair(tx: TenantTx, secrets: SecretBox, keyId: string): Promise<SigningKeyPair | null> {
  const found = await openPrivateKey(tx, secrets, keyId);
  return found && importPrivateKey(found);
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
 * Makes the key that signs next, and announces it to nodes in every bundle that the present one signs until then. An announced key that waits
 * for its time can be made to begin at once, and does where the present one cannot be opened any more. Where neither can, there is nobody
 * to vouch for the next: nodes have to enroll again.
 * @throws {Problem} `conflict` when one is announced already
 */
export async function rotateSigningKey(
  tx: TenantTx,
  { secrets }: ControlContext,
  { announce_seconds: announceSeconds = DEFAULT_ANNOUNCE_SECONDS }: SigningKeyRotate,
): Promise<SigningKeys> {
  await signingKeys(tx, secrets);
  await lockTenant(tx, 'bundles');
  const keys = await listSigningKeys(tx);
  await refuseTooMany(tx, keys);
  const active = keys.findLast((key) => key.active)!;
  const pending = keys.slice(keys.indexOf(active) + 1);
  const announced = pending.at(-1);
  const pair = await openPair(tx, secrets, active.key_id);
  const canBegin = async (key: SigningKeyRow): Promise<boolean> =>
    pair === null ? (await openPair(tx, secrets, key.key_id)) !== null : announceSeconds === 0;
  if (announced === undefined && pair !== null) await addKey(tx, secrets, announceSeconds, pair);
  else if (announced !== undefined && (await canBegin(announced)))
    for (const { key_id: keyId } of pending) await beginSigningKey(tx, keyId);
  else if (pair === null) await replaceLostKey(tx, secrets, pending);
  else
    throw new Problem(
      'conflict',
      `The key ${announced!.key_id} is announced already and signs from ${announced!.not_before}. Wait until then, or send {"announce_seconds": 0} to have it sign at once.`,
    );
  const validSeconds = (await getSetting(tx, 'bundle_valid_hours')) * 3_600;
  await retireSigningKey(tx, active.key_id, announceSeconds + validSeconds);
  const listed = await listSigningKeys(tx);
  const signing = listed.filter((key) => key.active || key.not_after === null).map(({ key_id: id }) => id);
  await forgetPrivateKeys(tx, signing);
  await notify(tx, SPEAKERS_CHANNEL, tx.tenantId);
  return readSigningKeys(tx, secrets);
}

/** Every bundle announces all keys whose bundles are still valid. */
async function refuseTooMany(tx: TenantTx, keys: readonly SigningKeyRow[]): Promise<void> {
  const now = await databaseTime(tx);
  const good = keys.filter(({ not_after: end }) => end === null || Date.parse(end) > now.getTime());
  if (good.length < MOST_GOOD_KEYS) return;
  throw new Problem(
    'conflict',
    `Bundles of ${good.length} keys are still valid, which is the maximum. Wait until one expires; GET /v1/bundles/signing-key shows when.`,
  );
}

/** Neither the active key nor the waiting ones can be opened, so a key without an endorsement replaces them all. */
async function replaceLostKey(
  tx: TenantTx,
  secrets: SecretBox,
  pending: readonly SigningKeyRow[],
): Promise<void> {
  for (const { key_id: keyId } of pending) {
    await beginSigningKey(tx, keyId);
    await retireSigningKey(tx, keyId, 0);
  }
  await addKey(tx, secrets, 0, null);
}

/** @param before the key that vouches for it */
async function addKey(
  tx: TenantTx,
  secrets: SecretBox,
  beginsInSeconds: number,
  before: SigningKeyPair | null,
): Promise<void> {
  const key = generateSigningKey();
  const announced = { key_id: key.keyId, public_key: key.publicKey.toString('base64'), not_after: null };
  await insertSigningKey(tx, secrets, {
    keyId: key.keyId,
    publicKey: key.publicKey,
    privateKey: exportPrivateKey(key),
    beginsInSeconds,
    endorsedBy: before?.keyId ?? null,
    endorsement: before && signBytes(before, endorsement(tx.tenantId, before.keyId, announced)),
  });
}
