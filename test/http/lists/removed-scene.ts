/** Lists that something is removed from, and how it is put back. */
import type { Answered, Body, TestService } from '../service.ts';

let made = 0;

export function aName(): string {
  return `list ${++made}`;
}

/** What tests of removed lists do again and again, as the operator of the first tenant. */
export function listsOf(service: () => TestService) {
  const call: TestService['call'] = (...asked) => service().call(...asked);
  const add = (id: string, cidrs: readonly string[], more: object = {}): Promise<Answered> =>
    call('POST', `/v1/modules/${id}/ip-range-entries`, {
      body: { items: cidrs.map((cidr) => ({ cidr, ...more })) },
    });
  const entriesOf = async (id: string): Promise<Body[]> =>
    (await call('GET', `/v1/modules/${id}/ip-range-entries`)).body.items as Body[];
  const batches = async (id: string): Promise<Body[]> =>
    (await call('GET', `/v1/modules/${id}/removed-entries`)).body.items as Body[];
  return {
    add,
    entriesOf,
    batches,
    ranges: async (cidrs: readonly string[], more: object = {}): Promise<Body & { id: string }> => {
      const module = await service().make('/v1/modules', { name: aName(), type: 'IP_RANGES', ...more });
      if (cidrs.length > 0) await add(module.id, cidrs);
      return module;
    },
    cidrsOf: async (id: string): Promise<unknown[]> => (await entriesOf(id)).map(({ cidr }) => cidr),
    empty: (id: string): Promise<Answered> =>
      call('DELETE', `/v1/modules/${id}/ip-range-entries`, { body: { filter: { enabled: true } } }),
    remove: (id: string): Promise<Answered> => call('DELETE', `/v1/modules/${id}`),
    restore: (id: string, body?: object, more: object = {}): Promise<Answered> =>
      call('POST', `/v1/modules/${id}/restore`, { body, ...more }),
    putBack: (id: string, batch: unknown, more: object = {}): Promise<Answered> =>
      call('POST', `/v1/modules/${id}/entries/restore`, { body: { batch, ...more } }),
    lastBatch: async (id: string): Promise<unknown> => (await batches(id))[0]?.id,
  };
}
