/** Words for kinds of entries: how a list of each is called, and the fields of one. */
export const entryKindsText = {
  types: {
    CDN_SOURCES: 'Sources',
    AS_PREFIXES: 'AS numbers',
    DOMAINS: 'Domains',
    IP_RANGES: 'Ranges',
    GEOFEED: 'Geofeeds',
  } as Readonly<Record<string, string>>,
  /** By the name of the member. */
  fields: {
    cidr: { label: 'Prefix or address' },
    asn: { label: 'AS number' },
    domain: { label: 'Domain' },
    name: { label: 'Name' },
    note: { label: 'Note' },
    url: { label: 'Address of the list' },
    format: { label: 'Format' },
    json_path: {
      label: 'JSONPath to the prefixes',
      hint: 'Such as $.prefixes[*].ip_prefix. Empty: where publishers usually have them.',
    },
    csv_column: {
      label: 'Column of the CSV',
      hint: 'Its name, or its number from 1. Empty: the first.',
    },
    countries: { label: 'Countries', hint: 'One a line, such as DE.' },
    regions: {
      label: 'Regions',
      hint: 'One a line, such as US-CA. Empty: all of the countries.',
    },
  } as Readonly<Record<string, { readonly label: string; readonly hint?: string }>>,
};
