/** How the console looks in this browser, until somebody chooses otherwise in it. The first of each is what it looks like where nobody has. */
import { useEffect, useState } from 'react';

export const THEMES = ['system', 'light', 'dark'] as const;
export const DENSITIES = ['compact', 'comfortable'] as const;

/** A choice that this browser keeps, as an attribute of the document; see tokens.css. */
function useKept<const T extends string>(
  name: 'theme' | 'density',
  choices: readonly T[],
): [T, (choice: T) => void] {
  const [choice, setChoice] = useState(() => {
    const stored = localStorage.getItem(`prefixcast-${name}`);
    return choices.find((one) => one === stored) ?? choices[0]!;
  });
  useEffect(() => {
    localStorage.setItem(`prefixcast-${name}`, choice);
    if (choice === choices[0]) delete document.documentElement.dataset[name];
    else document.documentElement.dataset[name] = choice;
  }, [name, choice, choices]);
  return [choice, setChoice];
}

export function useTheme() {
  return useKept('theme', THEMES);
}

export function useDensity() {
  return useKept('density', DENSITIES);
}
