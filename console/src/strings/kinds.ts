/** What kind of thing a page is about: stands above it until its name is known, and behind the name in the title of its tab. */
export const kinds = {
  module: 'Module',
  revision: 'Revision',
  apply: 'Apply',
  job: 'Job',
  speaker: 'Speaker',
  peer: 'Peer',
  webhook: 'Webhook',
  host: 'Host',
} as const;

/** Things of two kinds may have one name. */
export const titleOf = (name: string, kind: keyof typeof kinds): string => `${name} · ${kinds[kind]}`;
