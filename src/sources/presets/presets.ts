/** Lists that publishers keep at one place, so that nobody types their URLs and paths. presets-*.ts hold them by category. */
import type { SourcePreset, SourcePresetQuery } from '../../api/lists/source-presets.ts';
import { BLOCKLIST_PRESETS } from './blocklists.ts';
import { CLOUD_PRESETS } from './clouds.ts';
import { COUNTRY_PRESETS } from './countries.ts';
import { SERVICE_PRESETS } from './services.ts';

export const PRESETS: readonly SourcePreset[] = [
  ...CLOUD_PRESETS,
  ...SERVICE_PRESETS,
  ...COUNTRY_PRESETS,
  ...BLOCKLIST_PRESETS,
];

/** The presets of the category that say `q` anywhere, in any case. Where the name does not but variants do, the other variants are left out. */
export function findPresets({ category, q }: SourcePresetQuery): SourcePreset[] {
  const wanted = q?.toLowerCase() ?? '';
  const says = (...texts: readonly string[]): boolean =>
    texts.some((text) => text.toLowerCase().includes(wanted));
  return PRESETS.flatMap((preset) => {
    if (category !== undefined && preset.category !== category) return [];
    const { id, name, provider, description } = preset;
    if (says(id, name, provider)) return [preset];
    const variants = preset.variants.filter((variant) => says(variant.id, variant.name));
    if (variants.length > 0) return [{ ...preset, variants }];
    return says(description) ? [preset] : [];
  });
}
