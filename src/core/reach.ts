import type { OwnAddress } from './own-addresses.ts';
import type { Prefix } from './prefix.ts';

/** Limits where this service connects to for a tenant. */
export interface Reach {
  /** Networks that the operator allows for every tenant, whatever they contain. */
  readonly allow: readonly Prefix[];
  /** The addresses of this service and of its database; they are never reachable, not even within {@link allow}. */
  readonly own: readonly OwnAddress[];
}
