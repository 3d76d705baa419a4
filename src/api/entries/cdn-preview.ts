import { Type, type Static } from 'typebox';
import { CdnSourceCreate } from './cdn-sources.ts';
import { RejectedLine } from './rejected-lines.ts';
import { Nullable, Strict } from '../shapes/page.ts';

/** Prefixes or lines that a preview shows of each kind. */
export const PREVIEW_LENGTH = 100;

const { url, format, json_path, csv_column, headers } = CdnSourceCreate.properties;

export const CdnPreviewRequest = Strict({ url, format, json_path, csv_column, headers });
export type CdnPreviewRequest = Static<typeof CdnPreviewRequest>;

const count = Type.Integer({ minimum: 0 });
const byFamily = (description: string) =>
  Type.Object({ ipv4: count, ipv6: count }, { additionalProperties: false, description });

/** What a refresh would make of a source now. */
export const CdnPreview = Strict({
  http_status: Type.Integer({ minimum: 100, maximum: 599 }),
  content_type: Nullable(Type.String(), 'As the source says'),
  bytes: Type.Integer({ minimum: 0, description: 'Of the body, unpacked' }),
  milliseconds: Type.Integer({ minimum: 0, description: 'For fetching and reading' }),
  format: Type.Enum(['text', 'json', 'csv'], {
    description: 'The format in which the list was read, chosen by `auto` if that is set',
  }),
  accepted_count: Type.Integer({
    minimum: 0,
    description: 'Lines or values that hold prefixes; a range may give many',
  }),
  collected: byFamily('Prefixes as the list has them, without special-purpose ones'),
  aggregated: byFamily('Prefixes that cover exactly the same addresses: what a refresh announces'),
  prefixes: Type.Array(Type.String(), {
    maxItems: PREVIEW_LENGTH,
    description: 'The first of those collected, in the order of the list',
  }),
  rejected_count: count,
  rejected: Type.Array(RejectedLine, {
    maxItems: PREVIEW_LENGTH,
    description: 'The first lines or values that cannot be read',
  }),
  bogon_count: Type.Integer({
    minimum: 0,
    description: 'Special-purpose prefixes that were dropped or cut, see the setting `guard_bogons`',
  }),
  bogons: Type.Array(
    Strict({ prefix: Type.String(), within: Type.String({ description: 'What is registered there' }) }),
    { maxItems: PREVIEW_LENGTH },
  ),
});
export type CdnPreview = Static<typeof CdnPreview>;
