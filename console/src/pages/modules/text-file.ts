import { useState } from 'react';
import { entriesText } from '../../strings/entries.ts';

/** Null: it is no text, such as a picture, or not in UTF-8. */
async function textOf(file: File): Promise<string | null> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    return text.includes('\0') ? null : text;
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** @returns why the last file could not be read, if so, and what reads one */
export function useTextFile(
  onText: (text: string) => void,
): readonly [string | null, (file: File | undefined) => Promise<void>] {
  const [fault, setFault] = useState<string | null>(null);
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    const text = await textOf(file);
    setFault(text === null ? entriesText.text.unreadable(file.name) : null);
    if (text !== null) onText(text);
  };
  return [fault, take];
}
