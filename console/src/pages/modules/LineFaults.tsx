import { useState } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { entriesText } from '../../strings/entries.ts';
import { Remedy } from '../../views/faults/Remedy.tsx';
import { completeLines, withCommas, withHeader, withPrefixes } from './bare-lines.ts';
import type { LineFault } from './TextEditor.tsx';

const SHOWN_FAULTS = 50;

const { text: words } = entriesText;

interface LineFaultsProps extends CorrectionProps {
  readonly onOpen: (line: number) => void;
}

/** What the service refuses of a text, each fault with its line. What corrects many of them at once goes before them. */
export function LineFaults({ onOpen, ...correction }: LineFaultsProps) {
  const { faults } = correction;
  return (
    <div className="problem" role="alert">
      <h2>{words.faults(new Set(faults.map(({ line }) => line)).size)}</h2>
      <Correction {...correction} />
      <ul className="line-faults">
        {faults.slice(0, SHOWN_FAULTS).map(({ line, detail }, at) => (
          <li key={at}>
            <Button look="quiet" onClick={() => onOpen(line)}>
              {words.line(line)}
            </Button>
            <span>
              <Remedy text={detail} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface CorrectionProps {
  readonly faults: readonly LineFault[];
  readonly text: () => string;
  /** The columns that these entries have. */
  readonly header: string;
  readonly onCorrect: (text: string) => void;
}

/** Offered where cells are separated by something else, the header is missing, lines are values alone, or values are ranges of addresses. */
function Correction({ faults, text, header, onCorrect }: CorrectionProps) {
  const corrected = (): { readonly text: string; readonly label: string } | null => {
    const separated = withCommas(text());
    if (separated !== null) return { text: separated, label: words.putCommas };
    const headed = withHeader(text(), header);
    const whole = completeLines(headed ?? text());
    if (headed !== null) return { text: whole?.text ?? headed, label: words.putHeader };
    if (whole !== null) return { text: whole.text, label: words.complete(whole.completed) };
    const split = withPrefixes(text(), faults);
    return split === null ? null : { text: split.text, label: words.putPrefixes(split.ranges) };
  };
  const [offered] = useState(corrected);
  if (offered === null) return null;
  return (
    <p>
      <Button onClick={() => onCorrect(corrected()?.text ?? text())}>{offered.label}</Button>
    </p>
  );
}
