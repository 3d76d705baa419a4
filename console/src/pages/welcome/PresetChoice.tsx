import { useState } from 'react';
import { Control } from '../../design/controls/Control.tsx';
import { Field } from '../../design/controls/Field.tsx';
import type { Preset, SourceReading } from '../../service/first-run.ts';
import { welcomeText } from '../../strings/welcome.ts';

/** A list that a publisher keeps, or a part of it. */
export interface ChosenPreset {
  readonly id: string;
  readonly variantId: string;
  readonly name: string;
  /** Its address is empty where the publisher moves it, and nobody has said where it is now. */
  readonly reading: SourceReading;
}

interface PresetChoiceProps {
  readonly presets: readonly Preset[];
  readonly chosen: ChosenPreset | null;
  /** It is being taken: another choice comes too late. */
  readonly isSent: boolean;
  readonly onChoose: (chosen: ChosenPreset | null) => void;
}

export function PresetChoice({ presets, chosen, isSent, onChoose }: PresetChoiceProps) {
  const choose = (one: ChosenPreset): void => {
    if (!isSent) onChoose(one);
  };
  const [wanted, setWanted] = useState('');
  const found = presets.filter((preset) => has(preset, wanted.trim().toLowerCase()));
  const preset = presets.find(({ id }) => id === chosen?.id);
  return (
    <>
      <Field
        {...{ label: welcomeText.search, type: 'search', className: 'input', value: wanted, autoFocus: true }}
        onChange={({ target }) => setWanted(target.value)}
        onKeyDown={(event) => {
          // The form is sent by its button: here, Enter takes the first that was found.
          if (event.key !== 'Enter') return;
          event.preventDefault();
          if (found[0] !== undefined) choose(choiceOf(found[0]));
        }}
      />
      <div className="welcome-presets" role="radiogroup" aria-label={welcomeText.lists} tabIndex={-1}>
        {found.map((one) => (
          <label key={one.id} className="check">
            <input
              type="radio"
              name="preset"
              checked={one.id === chosen?.id}
              onChange={() => choose(choiceOf(one))}
            />
            <span>
              <strong>{one.name}</strong> <span className="muted">{one.description}</span>
            </span>
          </label>
        ))}
        {found.length === 0 && <p className="muted">{welcomeText.noList(wanted)}</p>}
      </div>
      {preset !== undefined && chosen !== null && (
        <>
          {preset.variants.length > 0 && (
            <Control label={welcomeText.part}>
              {(tied) => (
                <select
                  {...tied}
                  className="input"
                  aria-readonly={isSent}
                  value={chosen.variantId}
                  onChange={({ target }) => choose(choiceOf(preset, target.value))}
                >
                  <option value="">{welcomeText.whole}</option>
                  {preset.variants.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {name}
                    </option>
                  ))}
                </select>
              )}
            </Control>
          )}
          {preset.url === null && chosen.variantId === '' && (
            <Field
              {...{ label: welcomeText.url, hint: welcomeText.moving, type: 'url', required: true }}
              {...{ className: 'input mono', value: chosen.reading.url, readOnly: isSent }}
              onChange={({ target }) =>
                choose({ ...chosen, reading: { ...chosen.reading, url: target.value } })
              }
            />
          )}
          <p>
            <a href={preset.documentation} target="_blank" rel="noreferrer">
              {welcomeText.documentation}
            </a>
          </p>
        </>
      )}
    </>
  );
}

function has({ id, name, provider, category, description }: Preset, wanted: string): boolean {
  return [id, name, provider, category, description].some((said) => said.toLowerCase().includes(wanted));
}

function choiceOf(preset: Preset, variantId = ''): ChosenPreset {
  const variant = preset.variants.find(({ id }) => id === variantId);
  const { url, format, json_path } = variant ?? preset;
  const { csv_column } = preset;
  return {
    ...{ id: preset.id, variantId: variant?.id ?? '' },
    name: variant === undefined ? preset.name : `${preset.name} ${variant.name}`,
    reading: {
      ...{ url: url ?? '', format },
      ...(json_path === null ? {} : { json_path }),
      ...(csv_column === null || variant !== undefined ? {} : { csv_column }),
    },
  };
}
