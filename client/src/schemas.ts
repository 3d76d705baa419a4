import type { components } from './generated/api.ts';

/** Every shape of the API by its name: `Schemas['Module']`. */
export type Schemas = components['schemas'];

/** Data of each kind of event. */
export interface EventData {
  readonly job: Schemas['JobEvent'];
  readonly revision: Schemas['RevisionEvent'];
  readonly session: Schemas['SessionEvent'];
  readonly apply: Schemas['ApplyEvent'];
  readonly module: Schemas['ModuleEvent'];
  readonly tenant: Schemas['TenantEvent'];
  /** Events were missed for good: read again what matters. */
  readonly reset: Schemas['ResetEvent'];
}

export type EventKind = keyof EventData;

/** One event; `id` is what a stream resumes from. */
export type ApiEvent = {
  readonly [Kind in EventKind]: { readonly id: string; readonly kind: Kind; readonly data: EventData[Kind] };
}[EventKind];
