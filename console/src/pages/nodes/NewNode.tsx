import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Badge } from '../../design/shown/Badge.tsx';
import { Button } from '../../design/controls/Button.tsx';
import { Control } from '../../design/controls/Control.tsx';
import { Copy } from '../../design/messages/Copy.tsx';
import { client } from '../../service/client.ts';
import { useMay } from '../../service/permissions.ts';
import { speakerQuery, speakersQuery, type Speaker } from '../../service/queries.ts';
import { nodeText, speakersText } from '../../strings/speakers.ts';
import { Loaded } from '../../views/page/Loaded.tsx';
import { Page, Section } from '../../views/page/Page.tsx';
import { Problem } from '../../views/faults/Problem.tsx';
import { CreateForm } from '../../views/forms/RecordDialog.tsx';
import type { FormField } from '../../views/forms/RecordForm.tsx';
import './new-node.css';

const route = getRouteApi('/nodes/new');

/** No event reports that a node has enrolled. */
const LOOK_MILLISECONDS = 2_000;

const FIELDS: readonly FormField[] = [
  { name: 'name', label: nodeText.name, isRequired: true },
  { name: 'local_asn', label: nodeText.asn, kind: 'number', isRequired: true },
  {
    ...{ name: 'daemon', label: nodeText.daemon, kind: 'choice', isRequired: true, initial: 'builtin' },
    choices: ['builtin', 'bird', 'frr', 'gobgp', 'openbgpd'].map((value) => ({ value, label: value })),
  },
];

export function NewNode() {
  const { speaker } = route.useSearch();
  const navigate = useNavigate();
  const may = useMay();
  const choose = (id: string): void =>
    void navigate({ to: '/nodes/new', search: id === '' ? {} : { speaker: id }, replace: true });
  return (
    <Page title={nodeText.title}>
      <p className="muted">{nodeText.what}</p>
      <Loaded query={useQuery(speakersQuery)}>
        {(speakers) => (
          <div className="new-node">
            <Choice
              speakers={speakers.filter(({ mode }) => mode === 'agent')}
              chosen={speaker}
              onChoose={choose}
            />
            {speaker === undefined ? (
              may('bgp:speakers:write') ? (
                <NewSpeaker onMade={choose} />
              ) : (
                <p className="banner">
                  {nodeText.mayNot} <Link to="/speakers">{speakersText.title}</Link>
                </p>
              )
            ) : (
              <Enrolling key={speaker} speakerId={speaker} />
            )}
          </div>
        )}
      </Loaded>
    </Page>
  );
}

interface ChoiceProps {
  readonly speakers: readonly Speaker[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
}

function Choice({ speakers, chosen, onChoose }: ChoiceProps) {
  if (speakers.length === 0) return null;
  return (
    <Control label={nodeText.choose}>
      {(tied) => (
        <select
          {...tied}
          className="input"
          value={chosen ?? ''}
          onChange={({ target }) => onChoose(target.value)}
        >
          <option value="">{nodeText.fresh}</option>
          {speakers.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Control>
  );
}

function NewSpeaker({ onMade }: { onMade: (id: string) => void }) {
  return (
    <Section title={nodeText.create}>
      <CreateForm
        path="/v1/speakers"
        fields={FIELDS}
        fixed={{ mode: 'agent' }}
        action={nodeText.create}
        onDone={({ id }) => onMade(String(id))}
      />
    </Section>
  );
}

/** The command to paste, and then each thing that has to happen until routes are there. */
function Enrolling({ speakerId }: { speakerId: string }) {
  const queries = useQueryClient();
  const may = useMay();
  const [began] = useState(Date.now);
  const speaker = useQuery({ ...speakerQuery(speakerId), refetchInterval: LOOK_MILLISECONDS });
  const token = useMutation({
    mutationFn: () =>
      client.post('/v1/speakers/{speaker_id}/enrollment-tokens', {
        params: { path: { speaker_id: speakerId } },
      }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['api-keys'] }),
  });
  return (
    <Loaded query={speaker}>
      {(now) => (
        <>
          {token.data === undefined ? (
            <Section title={now.name}>
              <p className="muted">{nodeText.tokenWhat}</p>
              {token.error !== null && <Problem error={token.error} onRetry={() => token.mutate()} />}
              <p>
                {may('bgp:keys:write') ? (
                  <Button look="primary" isBusy={token.isPending} onClick={() => token.mutate()}>
                    {nodeText.token}
                  </Button>
                ) : (
                  <span className="muted">{nodeText.mayNot}</span>
                )}
              </p>
            </Section>
          ) : (
            <Section title={nodeText.command}>
              <p className="command" ref={focusCopy}>
                <code>{commandOf(token.data.token)}</code>
                <Copy value={commandOf(token.data.token)} name={nodeText.itself} />
              </p>
              {isLoopback(location.hostname) && <p className="banner">{nodeText.loopback}</p>}
              <p className="muted">
                {nodeText.tokenWhat} {nodeText.commandWhat} {nodeText.allPeers}
              </p>
            </Section>
          )}
          <Steps speaker={now} since={token.data === undefined ? 0 : began} />
        </>
      )}
    </Loaded>
  );
}

/** The button that made the command is gone; what is done next is to copy it. */
function focusCopy(command: HTMLElement | null): void {
  command?.querySelector('button')?.focus();
}

/** Whether the address of the page means this machine wherever it is used. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.');
}

function commandOf(token: string): string {
  return `APP_AGENT_CONTROL_URL=${location.origin} APP_AGENT_TOKEN=${token} prefixcast agent`;
}

function Steps({ speaker, since }: { speaker: Speaker; since: number }) {
  const { agent, live } = speaker;
  const seen = agent?.last_seen_at;
  const hasEnrolled = typeof seen === 'string' && Date.parse(seen) >= since;
  const isReachable = hasEnrolled && live?.reachable === true;
  const up = (isReachable ? live.sessions : []).filter(({ state }) => state === 'established');
  const steps = [
    ['enrolled', hasEnrolled],
    ['reachable', isReachable],
    ['sessions', up.length > 0],
    ['routes', up.some(({ routes_exported }) => routes_exported > 0)],
  ] as const;
  const isDone = steps.every(([, is]) => is);
  return (
    <div role="status">
      <ol className="steps">
        {steps.map(([name, is]) => (
          <li key={name}>
            <Badge tone={is ? 'good' : 'plain'}>{is ? '✓' : <span aria-hidden="true">…</span>}</Badge>{' '}
            {nodeText.steps[name]}
            {!is && <span className="visually-hidden">: {nodeText.notYet}</span>}
          </li>
        ))}
      </ol>
      {isReachable && live.sessions.length === 0 && (
        <p className="muted">
          {nodeText.addPeer} <Link to="/sessions">{nodeText.steps.sessions}</Link>
        </p>
      )}
      <p>
        {isDone ? nodeText.done : <span className="muted">{nodeText.waiting}</span>}{' '}
        <Link to="/speakers/$speakerId" params={{ speakerId: speaker.id }}>
          {nodeText.open}
        </Link>
      </p>
    </div>
  );
}
