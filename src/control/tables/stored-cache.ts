import { loadStored, type StoredContent } from '../../store/contents/contents.ts';
import { ContentCache } from './content-cache.ts';

/** Of contents that are read again and again, the snapshots and the latest revision of tenants that refresh: some sixteen million prefixes. */
const CAPACITY_BYTES = 16 * 1024 * 1024;

/** The bytes of stored contents. */
export const storedCache = new ContentCache<StoredContent>(CAPACITY_BYTES, loadStored, ({ stored }) => {
  const { manifest, blocks } = stored.whole;
  const parts = [manifest, ...blocks.values(), ...stored.deltas.map(({ bytes }) => bytes)];
  return parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
});
