/** Lists that publishers keep at a fixed place, so that users need not type URLs and paths. The files beside this one contain them by category. */
import type { SourcePreset, SourcePresetQuery } from '../../api/entries/source-presets.ts';
import { lazily } from '../../core/lazily.ts';
import { BLOCKLIST_PRESETS } from './blocklists.ts';
import { CLOUD_PRESETS } from './clouds.ts';
import { countryPreset } from './countries.ts';
import { SERVICE_PRESETS } from './services.ts';

export const presets = lazily((): readonly SourcePreset[] => [
  ...CLOUD_PRESETS,
  ...SERVICE_PRESETS,
  countryPreset(),
  ...BLOCKLIST_PRESETS,
]);

/**
 * The presets of the category that contain `q`, in any case. If the name does not match but variants do, the other variants are left out.
 */
export function findPresets({ category, q }: SourcePresetQuery): SourcePreset[] {
  const wanted = q?.toLowerCase() ?? '';
  const says = (...texts: readonly string[]): boolean =>
    texts.some((text) => text.toLowerCase().includes(wanted));
  return presets().flatMap((preset) => {
    if (category !== undefined && preset.category !== category) return [];
    const { id, name, provider, description } = preset;
    if (says(id, name, provider)) return [preset];
    const variants = preset.variants.filter((variant) => says(variant.id, variant.name));
    if (variants.length > 0) return [{ ...preset, variants }];
    return says(description) ? [preset] : [];
  });
}
