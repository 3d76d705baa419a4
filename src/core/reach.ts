import type { OwnAddress } from './own-addresses.ts';
import type { Prefix } from './prefix.ts';

/** What bounds where this service connects to for a tenant. */
export interface Reach {
  /** Networks that the operator of the service lets tenants have it connect to, whatever they are. */
  readonly allow: readonly Prefix[];
  /** The addresses of this service and of its database, which take that permission. */
  readonly own: readonly OwnAddress[];
}
