/** What is asked: a service that holds that much, and the ways to ask that stories share. */
import type { Asker } from './asking.ts';
import type { Scale } from './fill.ts';

export interface Subject {
  readonly asker: Asker;
  readonly scale: Scale;
  /** Of a built revision. */
  readonly revisionId: string;
  readonly tenantId: string;
}

export interface PageAnswer {
  readonly items: readonly { readonly id: string; readonly created_at?: string; readonly at?: string }[];
  readonly next_cursor: string | null;
}

/** A page of another size each time, so that no answer is kept. */
export async function lists(
  subject: Subject,
  round: number,
  title: string,
  path: string,
  middle?: (first: PageAnswer) => string,
): Promise<void> {
  const { asker } = subject;
  const size = `${path.includes('?') ? '&' : '?'}limit=${50 + (round % 40)}`;
  const first = await asker.ask<PageAnswer>(title, 'GET', path + size);
  if (middle === undefined || first.next_cursor === null) return;
  const cursor = middle(first);
  await asker.ask(`${title}, page in the middle`, 'GET', `${path}${size}&cursor=${cursor}`);
}

export async function resource(
  subject: Subject,
  one: string,
  path: string,
  { body, patch }: { readonly body: object; readonly patch: object },
  titles: { readonly remove?: string; readonly create?: string } = {},
): Promise<void> {
  const { asker } = subject;
  const made = await asker.ask(titles.create ?? `create${one}`, 'POST', path, body);
  await asker.ask(`get${one}`, 'GET', `${path}/${made.id}`);
  await asker.ask(`change${one}`, 'PATCH', `${path}/${made.id}`, patch);
  await asker.ask(titles.remove ?? `delete${one}`, 'DELETE', `${path}/${made.id}`);
}
