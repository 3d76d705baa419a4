import { useState } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { CloseGuard } from '../../design/messages/close-guard.ts';
import { Copy } from '../../design/messages/Copy.tsx';
import { Dialog } from '../../design/messages/Dialog.tsx';
import { secretText } from '../../strings/operations.ts';
import { Unsaved } from '../questions/Unsaved.tsx';

interface SecretDialogProps {
  readonly name: string;
  readonly secret: string;
  /** A command with the secret in it, where one is what it is for. */
  readonly command?: string;
  readonly onClose: () => void;
}

/** A secret, once: the window stays until somebody says that it is stored, also when the page is left or the session ends. */
export function SecretDialog({ name, secret, command, onClose }: SecretDialogProps) {
  const [isStored, setStored] = useState(false);
  return (
    <Dialog
      title={secretText.title(name)}
      isOpen
      onClose={() => {
        if (isStored) onClose();
      }}
    >
      <p>{secretText.what}</p>
      <p className="command">
        <code>{secret}</code>
        <Copy value={secret} name={secretText.itself} />
      </p>
      {command !== undefined && (
        <>
          <p>{secretText.used}</p>
          <p className="command">
            <code>{command}</code>
            <Copy value={command} name={secretText.command} />
          </p>
        </>
      )}
      <label className="check">
        <input type="checkbox" checked={isStored} onChange={({ target }) => setStored(target.checked)} />
        <span>{secretText.stored}</span>
      </label>
      {/* Escape closes nothing here, so there is nothing to ask about it. */}
      <CloseGuard value={null}>
        <Unsaved isDirty={!isStored} what={secretText.lost} />
      </CloseGuard>
      <div className="dialog-actions">
        <Button look="primary" disabled={!isStored} onClick={onClose}>
          {secretText.close}
        </Button>
      </div>
    </Dialog>
  );
}
