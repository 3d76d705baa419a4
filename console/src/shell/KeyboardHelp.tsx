import { Dialog } from '../design/messages/Dialog.tsx';
import { useShortcutList, type Shortcut } from '../design/behaviour/shortcuts.tsx';
import { useEffect, useRef, type RefObject } from 'react';
import { Button } from '../design/controls/Button.tsx';
import { text } from '../strings/english.ts';
import './keyboard-help.css';

export function KeyboardHelp({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const all = useShortcutList().filter(({ keys }) => keys !== '');
  // The list is read from its beginning; the button that closes it is at its end.
  const list = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === '?') onClose();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isOpen, onClose]);
  const here = all.filter(({ isEverywhere }) => isEverywhere !== true);
  return (
    <Dialog title={text.help.title} isOpen={isOpen} onClose={onClose} initialFocus={list}>
      {here.length > 0 && <Keys heading={list} title={text.help.here} shortcuts={here} />}
      <Keys
        {...(here.length > 0 ? {} : { heading: list })}
        title={text.help.everywhere}
        shortcuts={[
          ...all.filter(({ isEverywhere }) => isEverywhere === true),
          { keys: 'Esc', does: text.help.escape },
        ]}
      />
      <div className="dialog-actions">
        <Button onClick={onClose}>{text.close}</Button>
      </div>
    </Dialog>
  );
}

interface KeysProps {
  /** Has the focus first. */
  readonly heading?: RefObject<HTMLHeadingElement | null>;
  readonly title: string;
  readonly shortcuts: readonly Pick<Shortcut, 'keys' | 'does'>[];
}

function Keys({ heading, title, shortcuts }: KeysProps) {
  return (
    <section>
      <h3 {...(heading === undefined ? {} : { ref: heading, tabIndex: -1 })}>{title}</h3>
      <dl className="keys">
        {shortcuts.map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
