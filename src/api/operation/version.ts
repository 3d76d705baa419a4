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

/** What of an OpenAPI document is there for certain. */
export const ApiDescription = Type.Object(
  {
    openapi: Type.String({ examples: ['3.1.0'] }),
    info: Type.Object({ title: Type.String({ examples: ['Prefixcast'] }), version: Type.String() }),
    servers: Type.Array(Type.Object({ url: Type.String({ examples: ['https://routes.example.net'] }) })),
    paths: Type.Record(Type.String(), Type.Unknown()),
    components: Type.Record(Type.String(), Type.Unknown()),
  },
  { description: 'An OpenAPI document' },
);

export const Health = Strict({ status: Type.Literal('ok') });

export const Readiness = Strict({
  status: Type.Literal('ready'),
  checks: Type.Record(Type.String(), Strict({ ok: Type.Boolean(), milliseconds: Type.Number() })),
});
export type Readiness = Static<typeof Readiness>;
