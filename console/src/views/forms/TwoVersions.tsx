import type { ReactNode } from 'react';
import { formText } from '../../strings/forms.ts';
import './two-versions.css';

interface Difference {
  /** Of the member. */
  readonly name: string;
  readonly label: ReactNode;
  readonly one: ReactNode;
  readonly other: ReactNode;
}

interface TwoVersionsProps {
  readonly caption: string;
  readonly differences: readonly Difference[];
  readonly one?: string;
  readonly other?: string;
  /** Colours what was, and what is. */
  readonly isHistory?: boolean;
}

/** Two versions of a thing beside each other, a row for each member that differs: few enough that nobody sorts them. */
export function TwoVersions({
  caption,
  differences,
  one = formText.theirs,
  other = formText.yours,
  isHistory = false,
}: TwoVersionsProps) {
  const [was, is] = isHistory ? ['change-withdrawn', 'change-announced'] : [undefined, undefined];
  return (
    <div className="table-scroll two-versions" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{formText.field}</th>
            <th scope="col">{one}</th>
            <th scope="col">{other}</th>
          </tr>
        </thead>
        <tbody>
          {differences.map((difference) => (
            <tr key={difference.name}>
              <th scope="row">{difference.label}</th>
              <td className={was}>{difference.one}</td>
              <td className={is}>{difference.other}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
