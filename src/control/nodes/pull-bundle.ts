import { Problem, notFound } from '../../api/problems/problem.ts';
import { packBundle, packDeltaBundle } from '../../bundle/bundle.ts';
import { findBundle, replaceBundle, type BundleText, type IssuedBundle } from '../../store/nodes/bundles.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { findRevision } from '../../store/revisions/stored-revisions.ts';
import type { SecretBox } from '../../store/secrets.ts';
import { bundleTag, type BundleTools } from './bundles.ts';

/** A bundle that a node asks for, found but not put together yet. */
export interface AskedBundle {
  readonly issued: IssuedBundle;
  readonly text: BundleText;
  /** Content that the node has; null: it wants the whole. */
  readonly baseHash: string | null;
}

/**
 * @param asked which one, as far as the node says
 * @returns null: it cannot be opened any more, and another one is issued to who asks for the latest
 * @throws {Problem} `not_found` when that is not the one that was issued last
 */
export async function findAskedBundle(
  tx: TenantTx,
  secrets: SecretBox,
  speakerId: string,
  revisionId: string,
  asked: { readonly sequence?: number; readonly issue?: number; readonly from?: string },
): Promise<AskedBundle | null> {
  const found = await findBundle(tx, secrets, speakerId);
  if (
    found?.issued.revision_id !== revisionId.toLowerCase() ||
    (asked.sequence ?? found.issued.sequence) !== found.issued.sequence ||
    (asked.issue ?? found.issued.issue) !== found.issued.issue
  )
    throw notFound('bundle', revisionId);
  const { issued, text } = found;
  if (text === null) {
    await replaceBundle(tx, speakerId);
    return null;
  }
  const base = asked.from === undefined ? null : await findRevision(tx, asked.from);
  return { issued, text, baseHash: base?.content_hash ?? null };
}

/** The entity tag of {@link piecesOf}: whether what changed is smaller than the whole always comes out the same. */
export function tagOfAsked({ issued, baseHash }: AskedBundle): string {
  const whole = bundleTag(issued);
  return baseHash === null ? whole : `"${whole.slice(1, -1)}-${baseHash.slice(0, 16)}"`;
}

/** The bundle in pieces: what changed since the content that the node has, where that is smaller, else the whole. */
export async function piecesOf(
  { routes }: BundleTools,
  tenantId: string,
  { issued, text, baseHash }: AskedBundle,
): Promise<readonly Uint8Array[]> {
  const delta =
    baseHash === null
      ? null
      : await routes.delta(tenantId, baseHash, issued.content_hash).catch(nullWhenPruned);
  const whole = await routes.whole(tenantId, issued.content_hash);
  return delta !== null && delta.length < whole.length
    ? packDeltaBundle(text, delta.bytes)
    : packBundle({ ...text, routes: whole.bytes });
}

function nullWhenPruned(error: unknown): null {
  if (error instanceof Problem && error.code === 'not_found') return null;
  throw error;
}
