import { Type, type Static } from 'typebox';
import { Nullable, Strict } from '../shapes/page.ts';

export const Version = Strict({
  name: Type.String(),
  version: Type.String(),
  commit: Nullable(Type.String()),
  built_at: Nullable(Type.String()),
  node: Type.String(),
  api: Type.Literal('v1'),
});
export type Version = Static<typeof Version>;

export const Health = Strict({ status: Type.Literal('ok') });

export const Readiness = Strict({
  status: Type.Literal('ready'),
  checks: Type.Record(Type.String(), Strict({ ok: Type.Boolean(), milliseconds: Type.Number() })),
});
export type Readiness = Static<typeof Readiness>;
