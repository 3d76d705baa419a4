import type { SpeakerDocument } from '../../bundle/speaker-document.ts';
import { forbiddenPrefixes } from '../../core/fitting/forbidden-addresses.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { forbiddenBy, hasRoomOnNode, readFitRuling, type FitRuling } from '../peer-routes/fit-rules.ts';

/** What a node may make covers of for peers over their limit. */
export interface NodeFit {
  /** Equal as long as the bundle says the same, whichever process issues it. */
  readonly rules: Omit<FitRuling, 'own'>;
  /** As in `speaker.json`; read once, however many nodes run the revision. */
  readonly document: () => Promise<NonNullable<SpeakerDocument['fit']>>;
}

/** Null: a bundle has no room for what is excluded. */
export async function readNodeFit(tx: TenantTx, revisionId: string): Promise<NodeFit | null> {
  const ruling = await readFitRuling(tx, revisionId);
  if (!(await hasRoomOnNode(tx, ruling))) return null;
  const { own: _, ...rules } = ruling;
  const { maxAddedPercent, shortest } = rules;
  let made: ReturnType<NodeFit['document']> | null = null;
  const make = async (): ReturnType<NodeFit['document']> => ({
    ...{ maxAddedPercent, shortest: { ...shortest } },
    forbidden: forbiddenPrefixes(await forbiddenBy(tx, ruling)),
  });
  return { rules, document: () => (made ??= make()) };
}
