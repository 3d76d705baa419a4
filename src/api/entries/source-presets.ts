import { Type, type Static } from 'typebox';
import { CdnSource } from './cdn-sources.ts';
import { SearchText } from '../shapes/members.ts';
import { Nullable, Strict } from '../shapes/page.ts';

const { format, json_path, csv_column } = CdnSource.properties;

const url = Nullable(
  Type.String(),
  'For a CDN source; null if the publisher changes it, and `documentation` names the current one',
);

/** A part of a preset's list. */
export const SourcePresetVariant = Strict({
  id: Type.String({ description: 'Unique in the preset, such as `service:S3`' }),
  name: Type.String(),
  url,
  format,
  json_path,
});
export type SourcePresetVariant = Static<typeof SourcePresetVariant>;

/** A list that its publisher keeps at one place: what a CDN source needs to read it. */
export const SourcePreset = Strict({
  id: Type.String({ description: 'Stays the same from version to version' }),
  name: Type.String(),
  provider: Type.String(),
  category: Type.Enum(['cloud', 'cdn', 'service', 'crawler', 'country', 'blocklist']),
  description: Type.String({
    description: 'What the list contains, and what to know before you announce it',
  }),
  url,
  format,
  json_path,
  csv_column,
  variants: Type.Array(SourcePresetVariant, {
    description: 'Parts of the list, to be used in place of the whole',
  }),
  documentation: Type.String({ description: 'URL where the publisher describes the list' }),
});
export type SourcePreset = Static<typeof SourcePreset>;

export const SourcePresetQuery = Strict({
  category: Type.Optional(SourcePreset.properties.category),
  q: Type.Optional(SearchText),
});
export type SourcePresetQuery = Static<typeof SourcePresetQuery>;

export const SourcePresets = Strict({ items: Type.Array(SourcePreset) });
