import type { Schemas } from '#client';

type Held = NonNullable<Schemas['Module']['held']>;

/** A module that is held. One that is deleted has no name any more by which commands would find it. */
export interface HeldModule {
  readonly id: string;
  readonly name: string;
  readonly isDeleted: boolean;
  readonly held: Pick<Held, 'snapshot' | 'findings'> & Partial<Pick<Held, 'since'>>;
}
