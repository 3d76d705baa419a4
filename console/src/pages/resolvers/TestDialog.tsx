import type { Schemas } from '@prefixcast/client';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Badge } from '../../design/shown/Badge.tsx';
import { Button } from '../../design/controls/Button.tsx';
import { Field } from '../../design/controls/Field.tsx';
import { Dialog } from '../../design/messages/Dialog.tsx';
import { client } from '../../service/client.ts';
import { faultAt } from '../../service/writes.ts';
import { text } from '../../strings/english.ts';
import { formatDuration } from '../../strings/format.ts';
import { inWordsOfThePages } from '../../strings/remedies.ts';
import { resolversText as words } from '../../strings/resolvers.ts';
import { Problem } from '../../views/faults/Problem.tsx';

type Answer = Schemas['DohTest']['answers'][number];

interface TestDialogProps {
  readonly resolver: Schemas['DohProfile'];
  readonly onClose: () => void;
}

/** Asks a resolver for a name, as a refresh would, and says what it answers or why it does not. */
export function TestDialog({ resolver: { id, name }, onClose }: TestDialogProps) {
  const field = useRef<HTMLInputElement>(null);
  const [domain, setDomain] = useState<string>(words.testName);
  const testing = useMutation({
    mutationFn: (wanted: string) =>
      client.post('/v1/doh-profiles/{id}/test', { params: { path: { id } }, body: { domain: wanted } }),
  });
  const fault = faultAt(testing.error, '/domain');
  return (
    <Dialog title={words.testTitle(name)} isOpen onClose={onClose} initialFocus={field}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          testing.mutate(domain.trim());
        }}
      >
        <Field
          ref={field}
          label={words.domain}
          className="input mono"
          required
          spellCheck={false}
          autoComplete="off"
          error={fault}
          value={domain}
          onFocus={({ target }) => target.select()}
          onChange={({ target }) => setDomain(target.value)}
        />
        <div role="status">
          {testing.data !== undefined && (
            <>
              <p>
                <strong className="name">{testing.data.domain}</strong>: {verdictOf(testing.data.answers)}
              </p>
              <ul>
                {testing.data.answers.map((answer) => (
                  <li key={answer.family}>
                    {text.families[answer.family]} <Verdict answer={answer} />{' '}
                    {answer.error === null ? (
                      <code>{answer.addresses.map(({ address }) => address).join(' ')}</code>
                    ) : (
                      inWordsOfThePages(answer.error)
                    )}{' '}
                    <span className="muted">{formatDuration(answer.milliseconds / 1_000)}</span>
                  </li>
                ))}
              </ul>
            </>
          )}
        </div>
        {testing.error !== null && fault === undefined && (
          <Problem error={testing.error} onRetry={() => testing.mutate(domain.trim())} />
        )}
        <div className="dialog-actions">
          <Button onClick={onClose}>{text.close}</Button>
          <Button type="submit" look="primary" isBusy={testing.isPending}>
            {words.ask}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Many names have no addresses of one family: that is an answer as good as another. */
function verdictOf(answers: readonly Answer[]): string {
  if (answers.every(({ error }) => error !== null)) return words.verdicts.fails;
  if (answers.some(({ error }) => error !== null)) return words.verdicts.partly;
  return answers.some(({ addresses }) => addresses.length > 0) ? words.verdicts.works : words.verdicts.empty;
}

function Verdict({ answer: { error, addresses } }: { answer: Answer }) {
  if (error !== null) return <Badge tone="bad">{words.failed}</Badge>;
  return (
    <Badge tone={addresses.length > 0 ? 'good' : 'plain'}>
      {addresses.length > 0 ? words.addresses(addresses.length) : words.noAddresses}
    </Badge>
  );
}
