import type { components } from './generated/api.ts';

/** Every shape of the API by its name: `Schemas['Module']`. */
export type Schemas = components['schemas'];

type StreamEvent = Schemas['StreamEvent'];

/** Data of each kind of event. After a `reset` events were missed for good: read again what matters. */
export type EventData = { readonly [Event in StreamEvent as Event['event']]: Event['data'] };

export type EventKind = keyof EventData;

/** One event; `id` is what a stream resumes from. */
export type ApiEvent = {
  readonly [Kind in EventKind]: { readonly id: string; readonly kind: Kind; readonly data: EventData[Kind] };
}[EventKind];
