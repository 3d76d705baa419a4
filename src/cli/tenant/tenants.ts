/** What tenants have beside other nouns: they are suspended, stopped and started again, and deleted with a word more. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Schemas } from '#client';
import type { Item } from '../nouns/noun.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { canAsk, requireYes, say } from '../process/ask.ts';
import { UsageError } from '../process/command-error.ts';
import { printAnswer } from '../render/formats.ts';
import { effectOf, isMeant, type CautionOptions, type Write } from '../session/consequences.ts';
import { counted } from '../render/counted.ts';
import type { Session } from '../session/run-remote.ts';
import { tenantLoss } from '../session/tenant-effect.ts';

async function pathOf(session: Session, slug: string): Promise<string> {
  return pathTo(await session.names.findExactly(NOUNS.tenant, slug));
}

function pathTo({ id }: Item): string {
  return `${NOUNS.tenant.path}/${String(id)}`;
}

const DONE = {
  suspend:
    'is suspended: its keys are refused, its routes stay, and those of entries whose time is over leave when it is active again',
  stop: 'is stopped: its sessions end',
  activate: 'is active',
} as const;

export type TenantVerb = keyof typeof DONE;

const QUESTIONS = {
  suspend: (slug: string) =>
    `Suspend ${slug}? Its keys are refused from then on, and its routes stay, also those of entries that are to leave by themselves.`,
  stop: (slug: string) => `Stop ${slug}? All of its sessions end, and its routes are withdrawn.`,
  activate: null,
} as const;

export async function setStatus(
  session: Session,
  slug: string,
  verb: TenantVerb,
  options: CautionOptions,
): Promise<void> {
  const path = await pathOf(session, slug);
  const status = verb === 'suspend' ? 'suspended' : 'active';
  const write: Write =
    verb === 'stop' ? { method: 'POST', path: `${path}/stop` } : { method: 'PATCH', path, body: { status } };
  if (options['dry-run'] === true) {
    await isMeant(session, write, null, options);
    return;
  }
  const question = QUESTIONS[verb];
  if (question !== null) {
    if (options.yes !== true && canAsk()) await sayLoss(session, write);
    await requireYes(question(slug), options.yes);
  }
  const answer = await session.client.request(write.method, write.path, { body: write.body });
  await printAnswer((await answer.json()) as object, `tenant ${slug} ${DONE[verb]}`, session.format);
  if (verb === 'stop') await sayNodes(session, slug, path);
}

/** Nodes in reach have ended their sessions by then. */
const NODES_MS = 5_000;
const LOOK_MS = 500;

/** A node that is out of reach hears nothing of it, and its routers have the routes still. */
async function sayNodes({ client, contextWords }: Session, slug: string, path: string): Promise<void> {
  for (const until = Date.now() + NODES_MS; ;) {
    const tenant = (await (await client.request('GET', path)).json()) as Schemas['Tenant'];
    const nodes = tenant.announcing_nodes ?? 0;
    if (nodes === 0) return;
    if (Date.now() > until)
      return say(
        `${counted(nodes, 'node')} of ${slug} ${nodes === 1 ? 'has' : 'have'} not said yet that the sessions have ended: one that is out of reach goes on announcing until it is back. prefixcast${contextWords} tenant get ${slug} shows when (announcing_nodes)`,
      );
    await sleep(LOOK_MS);
  }
}

async function sayLoss(session: Session, write: Write): Promise<void> {
  const loss = tenantLoss(await effectOf(session, write));
  if (loss !== null) say(loss);
}

export interface DeleteOptions extends CautionOptions {
  readonly confirm?: string | undefined;
  readonly 'abandon-nodes': boolean;
}

/** @throws {UsageError} where the slug is not there twice: a tenant is gone for good */
export async function remove(session: Session, slug: string, options: DeleteOptions): Promise<void> {
  if (options.confirm !== slug)
    throw new UsageError(
      `--confirm ${options.confirm === undefined ? 'is missing' : `${options.confirm} names another tenant`}: all that belongs to ${slug} would go for good; write --confirm ${slug}`,
    );
  const tenant = await session.names.findExactly(NOUNS.tenant, slug);
  const abandoning = options['abandon-nodes'] ? '&abandon_nodes=true' : '';
  const path = `${pathTo(tenant)}?confirm=${encodeURIComponent(slug)}${abandoning}`;
  if (!(await isMeant(session, { method: 'DELETE', path }, null, options))) return;
  await session.client.request('DELETE', path);
  await printAnswer(tenant, `tenant ${slug} deleted`, session.format);
}
