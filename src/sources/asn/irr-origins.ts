import { parseAsn } from '../../core/asn.ts';
import type { Prefix } from '../../core/prefix.ts';
import { haveCommon, type Origin } from './origins.ts';

/** The origins of route objects (RFC 2622, section 4; RFC 4012, section 3) that have addresses in common with the prefix. */
export function readRouteObjects(text: string, asked: Prefix): Origin[] {
  return text.split(/\n[ \t\r]*\n/).flatMap((object) => {
    const attributes = new Map<string, string>();
    for (const line of object.split('\n')) {
      const [, name, value] = /^([a-z0-9-]+):[ \t]*([^#]*)/i.exec(line) ?? [];
      if (name !== undefined && !attributes.has(name.toLowerCase()))
        attributes.set(name.toLowerCase(), value!.trim());
    }
    const range = attributes.get('route') ?? attributes.get('route6');
    const origin = parseAsn(attributes.get('origin') ?? '');
    if (range === undefined || !origin.ok || !haveCommon(range, asked)) return [];
    return [{ asn: origin.value, name: attributes.get('descr') || null, range }];
  });
}
