/** Forms of resources, made from a table of their members. */
import { Control } from '../../design/controls/Control.tsx';
import { Field } from '../../design/controls/Field.tsx';
import { Prose } from '../../design/shown/Prose.tsx';
import { faultAt, type Members } from '../../service/writes.ts';
import { formText, inWordsOfForms } from '../../strings/forms.ts';

export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** One member of a resource, and how it is edited. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** `lines` is a list with a text in each line, `many` a list of `choices`, `time` a moment, `secret` what is written and never read. */
  readonly kind?: 'text' | 'number' | 'secret' | 'long' | 'lines' | 'choice' | 'many' | 'toggle' | 'time';
  readonly choices?: readonly Choice[];
  /** Of a new one. */
  readonly initial?: unknown;
  /** An empty one is refused; else it is null. */
  readonly isRequired?: boolean;
  /** What an empty one is stored as instead, where it is always something. */
  readonly whenEmpty?: unknown;
  /** What an empty one means, such as all of them. */
  readonly none?: string;
  /** Only a new one has a say in it. */
  readonly isFixed?: boolean;
  /** Something that machines read. */
  readonly isMono?: boolean;
  /** Without it, for all; else only for some, by what the other members say. */
  readonly isFor?: (draft: Members) => boolean;
}

/** Those that a resource as it is drafted has. */
export function fieldsFor(fields: readonly FormField[], draft: Members): readonly FormField[] {
  return fields.filter(({ isFor }) => isFor === undefined || isFor(draft));
}

interface FieldsProps {
  readonly fields: readonly FormField[];
  readonly draft: Members;
  readonly onChange: (draft: Members) => void;
  /** It is planned, asked about or saved: nothing in it changes meanwhile, and yet nothing is disabled, which would lose the focus. */
  readonly isSent?: boolean;
  /** The answer to the last attempt. */
  readonly error: Error | null;
}

export function Fields({ fields, draft, onChange, isSent = false, error }: FieldsProps) {
  return fieldsFor(fields, draft).map((field) => (
    <OneField
      key={field.name}
      field={field}
      value={draft[field.name]}
      fault={inWordsOfForms(faultAt(error, `/${field.name}`))}
      isSent={isSent}
      onChange={(value) => {
        // A box and a choice cannot be read-only by themselves.
        if (!isSent) onChange({ ...draft, [field.name]: value });
      }}
    />
  ));
}

interface OneFieldProps {
  readonly field: FormField;
  readonly value: unknown;
  readonly fault: string | undefined;
  readonly isSent: boolean;
  readonly onChange: (value: unknown) => void;
}

function OneField({ field, value, fault, isSent, onChange }: OneFieldProps) {
  const { label, kind = 'text', isRequired = false, isMono = false, choices = [] } = field;
  const hint = field.hint ?? (kind === 'lines' ? formText.linesHint : undefined);
  const said = { label, hint, error: fault };
  const boxes = { ...said, isSent };
  const className = isMono ? 'input mono' : 'input';
  switch (kind) {
    case 'toggle':
      return <Toggle {...boxes} isOn={value === true} onChange={onChange} />;
    case 'many':
      return (
        <Many {...boxes} choices={choices} value={(value ?? []) as readonly string[]} onChange={onChange} />
      );
    case 'choice':
      return (
        <Control {...said}>
          {(tied) => (
            <select
              {...tied}
              className="input"
              required={isRequired}
              aria-readonly={isSent}
              value={typeof value === 'string' ? value : ''}
              onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
            >
              {(!isRequired || typeof value !== 'string') && <option value="">{formText.unset}</option>}
              {choices.map((choice) => (
                <option key={choice.value} value={choice.value}>
                  {choice.label}
                </option>
              ))}
            </select>
          )}
        </Control>
      );
    case 'long':
    case 'lines':
      return (
        <Control {...said}>
          {(tied) => (
            <textarea
              {...tied}
              className={className}
              rows={3}
              required={isRequired}
              readOnly={isSent}
              value={kind === 'lines' ? ((value ?? []) as readonly string[]).join('\n') : textOf(value)}
              onChange={({ target }) =>
                onChange(kind === 'lines' ? target.value.split('\n') : target.value || null)
              }
            />
          )}
        </Control>
      );
    default:
      return (
        <Field
          {...said}
          className={className}
          type={INPUT_TYPES[kind]}
          required={isRequired}
          readOnly={isSent}
          // Nothing that the browser keeps of the person belongs in it.
          autoComplete={kind === 'secret' ? 'new-password' : 'off'}
          spellCheck={!isMono}
          value={kind === 'time' ? localTime(value) : textOf(value)}
          onChange={({ target }) => onChange(readInput(kind, target.value))}
        />
      );
  }
}

const INPUT_TYPES = { text: 'text', number: 'number', time: 'datetime-local', secret: 'password' } as const;

function readInput(kind: keyof typeof INPUT_TYPES, typed: string): unknown {
  if (typed === '') return null;
  if (kind === 'number') return Number(typed);
  return kind === 'time' ? new Date(typed).toISOString() : typed;
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** As `datetime-local` wants it: by the clock of this place, without seconds. */
function localTime(value: unknown): string {
  if (typeof value !== 'string') return '';
  const time = new Date(value);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

interface Said {
  readonly label: string;
  readonly hint: string | undefined;
  readonly error: string | undefined;
}

interface Box extends Said {
  readonly isSent: boolean;
}

interface ToggleProps extends Box {
  readonly isOn: boolean;
  readonly onChange: (value: boolean) => void;
}

function Toggle({ label, hint, error, isSent, isOn, onChange }: ToggleProps) {
  return (
    <div className="field">
      <label className="check">
        <input
          type="checkbox"
          checked={isOn}
          aria-invalid={error !== undefined}
          aria-readonly={isSent}
          onChange={({ target }) => onChange(target.checked)}
        />
        <span>{label}</span>
      </label>
      {hint !== undefined && (
        <p className="muted">
          <Prose text={hint} />
        </p>
      )}
      {error !== undefined && <p className="field-error">{error}</p>}
    </div>
  );
}

interface ManyProps extends Box {
  readonly choices: readonly Choice[];
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
}

function Many({ label, hint, error, isSent, choices, value, onChange }: ManyProps) {
  return (
    <fieldset className="field">
      <legend className="legend">{label}</legend>
      <div className="checks">
        {choices.map((choice) => (
          <label key={choice.value} className="check">
            <input
              type="checkbox"
              checked={value.includes(choice.value)}
              aria-readonly={isSent}
              onChange={({ target }) =>
                onChange(
                  choices
                    .map((one) => one.value)
                    .filter((one) => (one === choice.value ? target.checked : value.includes(one))),
                )
              }
            />
            <span>{choice.label}</span>
          </label>
        ))}
      </div>
      {hint !== undefined && (
        <p className="muted">
          <Prose text={hint} />
        </p>
      )}
      {error !== undefined && <p className="field-error">{error}</p>}
    </fieldset>
  );
}

/** What a new one begins with. */
export function newDraft(fields: readonly FormField[]): Members {
  return Object.fromEntries(fields.map(({ name, initial = null }) => [name, initial]));
}

/** Members as the API takes them: of lists of lines, those with something in them; of a new one, what says something. */
export function bodyOf(fields: readonly FormField[], draft: Members): Members {
  return Object.fromEntries(
    fieldsFor(fields, draft).map(({ name, kind, whenEmpty }) => {
      const value = draft[name] ?? whenEmpty;
      if (kind !== 'lines') return [name, value];
      return [
        name,
        ((value ?? []) as readonly string[]).map((line) => line.trim()).filter((line) => line !== ''),
      ];
    }),
  );
}

/** The members of a draft that are not as in `before`. */
export function changesOf(before: Members, after: Members): Members {
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => !isSame(value, before[name])));
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

/** What makes a record that was deleted once more, under another id. @param also members that no field writes */
export function bodyAgain(
  record: object,
  fields: readonly FormField[],
  also: readonly string[] = [],
): Members {
  const written = new Set([...fields.map(({ name }) => name), ...also]);
  return Object.fromEntries(Object.entries(record).filter(([name]) => written.has(name)));
}
