import { text } from '../../strings/english.ts';
import { formatDateTime, formatList } from '../../strings/format.ts';
import type { FormField } from './RecordForm.tsx';

/** A value of a form, in the words of the form: what it names has its name. */
export function saidValue({ kind, choices = [], none = text.none }: FormField, value: unknown): string {
  if (value === null || value === undefined || value === '') return none;
  if (typeof value === 'boolean') return value ? text.yes : text.no;
  const labelOf = (one: unknown): string =>
    choices.find((choice) => choice.value === one)?.label ?? String(one);
  if (Array.isArray(value)) return value.length === 0 ? none : formatList(value.map(labelOf));
  return kind === 'time' && typeof value === 'string' ? formatDateTime(value) : labelOf(value);
}
