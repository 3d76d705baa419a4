import { Dialog } from '../design/messages/Dialog.tsx';
import { useShortcutList, type Shortcut } from '../design/behaviour/shortcuts.tsx';
import { useEffect } from 'react';
import { Button } from '../design/controls/Button.tsx';
import { text } from '../strings/english.ts';
import './keyboard-help.css';

export function KeyboardHelp({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const all = useShortcutList();
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
    <Dialog title={text.help.title} isOpen={isOpen} onClose={onClose}>
      {here.length > 0 && <Keys title={text.help.here} shortcuts={here} />}
      <Keys
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

function Keys({
  title,
  shortcuts,
}: {
  title: string;
  shortcuts: readonly Pick<Shortcut, 'keys' | 'does'>[];
}) {
  return (
    <section>
      <h3>{title}</h3>
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
