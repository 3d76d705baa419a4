import { changeOfMany, choiceOf } from './many-entries.ts';
import { Type, type Static } from 'typebox';
import { CdnSource, CdnSourceCreate, CdnSourcePatch } from './cdn-sources.ts';
import { CollectedQuery } from './collected-entries.ts';
import { catalogMembers, entryMembers, optionalEntryMembers } from './entry-members.ts';
import { Strict } from '../shapes/page.ts';

const { name, url } = CdnSource.properties;
const countries = Type.Array(Type.String({ minLength: 1, maxLength: 20 }), {
  minItems: 1,
  maxItems: 300,
  description: 'ISO 3166-1 alpha-2 codes such as `DE`, in any case; shown in upper case and in order',
});
const regions = Type.Array(Type.String({ minLength: 1, maxLength: 20 }), {
  maxItems: 1_000,
  description:
    'ISO 3166-2 codes such as `US-CA`. If a country has regions here, only these are taken; other countries are taken whole',
});
const writable = { name, url, countries, regions, ...entryMembers };

const { format: _, json_path: _path, csv_column: _column, ...common } = CdnSource.properties;

/** A feed as RFC 8805 has it, and what is taken from it. */
export const GeofeedEntry = Strict({ ...common, countries, regions });
export type GeofeedEntry = Static<typeof GeofeedEntry>;

const { headers } = CdnSourceCreate.properties;

export const GeofeedEntryCreate = Strict({
  name,
  url,
  countries,
  regions: Type.Optional(regions),
  headers,
  ...optionalEntryMembers,
});
export type GeofeedEntryCreate = Static<typeof GeofeedEntryCreate>;

export const GeofeedEntryPatch = Type.Partial(
  Strict({ ...writable, headers: CdnSourcePatch.properties.headers }),
  { additionalProperties: false, minProperties: 1 },
);
export type GeofeedEntryPatch = Static<typeof GeofeedEntryPatch>;

export const GeofeedEntryQuery = CollectedQuery;

export const GeofeedPreviewRequest = Strict({ url, countries, regions: Type.Optional(regions), headers });
export type GeofeedPreviewRequest = Static<typeof GeofeedPreviewRequest>;

/** In the catalog. */
export const CatalogGeofeed = Strict({
  ...catalogMembers,
  name: Type.String(),
  countries: Type.Array(Type.String()),
  regions: Type.Array(Type.String()),
});

export const GeofeedEntriesChoice = choiceOf(GeofeedEntryQuery);
export const GeofeedEntriesChange = changeOfMany(GeofeedEntryQuery, GeofeedEntryPatch);
