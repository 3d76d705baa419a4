/** What tenants have beside other nouns: they are suspended, stopped and started again, and deleted with a word more. */
import type { Item } from '../nouns/noun.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { requireYes } from '../process/ask.ts';
import { UsageError } from '../process/command-error.ts';
import { printAnswer } from '../render/formats.ts';
import type { Session } from '../session/run-remote.ts';

async function pathOf(session: Session, slug: string): Promise<string> {
  return pathTo(await session.names.findExactly(NOUNS.tenant, slug));
}

function pathTo({ id }: Item): string {
  return `${NOUNS.tenant.path}/${String(id)}`;
}

const DONE = {
  suspend: 'is suspended: its keys are refused, its routes stay',
  stop: 'is stopped: its sessions end',
  activate: 'is active',
} as const;

export type TenantVerb = keyof typeof DONE;

const QUESTIONS = {
  suspend: (slug: string) => `Suspend ${slug}? Its keys are refused from then on.`,
  stop: (slug: string) => `Stop ${slug}? All of its sessions end, and its routes are withdrawn.`,
  activate: null,
} as const;

export async function setStatus(
  session: Session,
  slug: string,
  verb: TenantVerb,
  { yes }: { readonly yes?: unknown },
): Promise<void> {
  const path = await pathOf(session, slug);
  const question = QUESTIONS[verb];
  if (question !== null) await requireYes(question(slug), yes);
  const status = verb === 'suspend' ? 'suspended' : 'active';
  const answer =
    verb === 'stop'
      ? await session.client.request('POST', `${path}/stop`)
      : await session.client.request('PATCH', path, { body: { status } });
  await printAnswer((await answer.json()) as object, `tenant ${slug} ${DONE[verb]}`, session.format);
}

export interface DeleteOptions {
  readonly confirm?: string | undefined;
  readonly 'abandon-nodes': boolean;
}

/** @throws {UsageError} where the slug is not there twice: a tenant is gone for good */
export async function remove(session: Session, slug: string, options: DeleteOptions): Promise<void> {
  if (options.confirm !== slug)
    throw new UsageError(
      `--confirm ${options.confirm === undefined ? 'is missing' : `${options.confirm} names another tenant`}: all that belongs to ${slug} would go for good; write --confirm ${slug}`,
    );
  const query = { confirm: slug, ...(options['abandon-nodes'] ? { abandon_nodes: true } : {}) };
  const tenant = await session.names.findExactly(NOUNS.tenant, slug);
  await session.client.request('DELETE', pathTo(tenant), { query });
  await printAnswer(tenant, `tenant ${slug} deleted`, session.format);
}
