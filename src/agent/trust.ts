import type { BundleManifest } from '../bundle/manifest.ts';
import { trustEndorsed, type EndorsedKey, type TrustedKey } from '../bundle/signing-key.ts';
import type { DataDirectory } from './data-directory.ts';
import type { Identity } from './identity.ts';
import { readTrust, writeTrust, type Trust } from './trust-file.ts';

/** The last keys that are no longer announced are kept: they verify what is on disk. */
const MAXIMUM_KEYS = 100;

/** Whose signatures the node trusts, and the highest sequence that it has seen; changes are on disk before they count. */
export class TrustStore {
  readonly #directory: DataDirectory;
  readonly #remedy: string;
  #trust: Trust;

  /** @param remedy for files that are damaged: how this machine enrolls again */
  constructor(directory: DataDirectory, trust: Trust, remedy: string) {
    this.#directory = directory;
    this.#trust = trust;
    this.#remedy = remedy;
  }

  /** Trusts what is on disk. @throws {AgentFault} `state_unreadable` */
  static async open(directory: DataDirectory, remedy: string): Promise<TrustStore> {
    return new TrustStore(directory, await readTrust(directory, remedy), remedy);
  }

  get keys(): readonly TrustedKey[] {
    return this.#trust.keys;
  }

  get highestSequence(): number | null {
    return this.#trust.highest_sequence;
  }

  /** Trusts what is on disk, which a new enrolment of the node may have written. @throws {AgentFault} `state_unreadable` */
  async reload(): Promise<void> {
    this.#trust = await readTrust(this.#directory, this.#remedy);
  }

  /**
   * A bundle was verified: the keys that it announces are trusted, no others sign any more, and no earlier bundle is accepted again. An
   * older issue of the last bundle says nothing about keys: an attacker may have kept it to make the node forget a key.
   */
  async verified({
    sequence,
    announced_keys: announced,
    issued_at: issuedAt,
  }: Pick<BundleManifest, 'sequence' | 'announced_keys' | 'issued_at'>): Promise<void> {
    const { highest_sequence: highest, issued_at: before } = this.#trust;
    if (sequence === highest && before !== undefined && Date.parse(issuedAt) < Date.parse(before)) return;
    const known = new Set(announced.map(({ key_id }) => key_id));
    const retired = this.keys
      .filter(({ key_id }) => !known.has(key_id))
      .map((key) => ({ ...key, not_after: key.not_after ?? issuedAt }));
    const current = announced.map(({ key_id, public_key, not_after }) => ({ key_id, public_key, not_after }));
    const keys = [...current, ...retired].slice(0, MAXIMUM_KEYS);
    await this.#keep({ keys, highest_sequence: Math.max(sequence, highest ?? 0), issued_at: issuedAt });
  }

  /** Trusts keys that a trusted key endorses. @returns whether there are more than before */
  async endorsed(
    { tenant_id }: Pick<Identity, 'tenant_id'>,
    published: readonly EndorsedKey[],
  ): Promise<boolean> {
    const keys = trustEndorsed(tenant_id, this.keys, published);
    if (keys.length === this.keys.length) return false;
    await this.#keep({ ...this.#trust, keys });
    return true;
  }

  async #keep(trust: Trust): Promise<void> {
    if (JSON.stringify(trust) === JSON.stringify(this.#trust)) return;
    await writeTrust(this.#directory, trust);
    this.#trust = trust;
  }
}
