import {
  GeofeedEntry,
  GeofeedEntryCreate,
  GeofeedEntryPatch,
  GeofeedEntryQuery,
  GeofeedEntriesChange,
  GeofeedEntriesChoice,
  GeofeedPreviewRequest,
} from '../../../api/entries/geofeed-entries.ts';
import {
  changeGeofeedEntry,
  createGeofeedEntries,
  previewGeofeed,
} from '../../../control/entries/geofeed-entries.ts';
import {
  deleteGeofeedEntry,
  getGeofeedEntry,
  listGeofeedEntries,
  manyGeofeedEntries,
} from '../../../store/entries/geofeed-entries.ts';
import { entryRoutes } from '../../entry-routes.ts';
import { previewRoute } from './cdn-preview.ts';

const tag = 'geofeeds';
const example = {
  url: 'https://network.example/geofeed.csv',
  countries: ['DE', 'US'],
  regions: ['US-CA'],
};

export const geofeedEntryRoutes = [
  ...entryRoutes({
    path: 'geofeed-entries',
    tag,
    noun: 'geofeed entry',
    plural: 'geofeeds',
    operation: { one: 'GeofeedEntry', many: 'GeofeedEntries' },
    summaries: {
      list: 'List the geofeeds of a module',
      create: 'Create one geofeed entry, or up to 10,000 at once',
      read: 'Read a geofeed entry',
      change: 'Change a geofeed entry',
      remove: 'Delete a geofeed entry',
    },
    createDescription:
      'A feed is CSV as RFC 8805 has it. Of an address the longest prefix in the feed says where it is.',
    schemas: {
      entry: GeofeedEntry,
      create: GeofeedEntryCreate,
      patch: GeofeedEntryPatch,
      query: GeofeedEntryQuery,
      choice: GeofeedEntriesChoice,
      change: GeofeedEntriesChange,
    },
    examples: { create: { name: 'network.example', ...example }, patch: { countries: ['DE'], regions: [] } },
    list: listGeofeedEntries,
    get: getGeofeedEntry,
    create: createGeofeedEntries,
    change: changeGeofeedEntry,
    remove: deleteGeofeedEntry,
    many: manyGeofeedEntries,
  }),
  previewRoute({
    path: '/v1/geofeed-entries/preview',
    operation: 'previewGeofeed',
    tag,
    summary: 'Read a geofeed as a refresh would, and store nothing',
    body: GeofeedPreviewRequest,
    example,
    preview: previewGeofeed,
  }),
];
