import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { Copy } from '../../design/messages/Copy.tsx';
import { Badge } from '../../design/shown/Badge.tsx';
import { Time } from '../../design/shown/Time.tsx';
import { client } from '../../service/client.ts';
import { webhookQuery, type Webhook, type WebhookDelivery } from '../../service/outlets.ts';
import { useMay } from '../../service/permissions.ts';
import { text } from '../../strings/english.ts';
import { formatList } from '../../strings/format.ts';
import { kinds, titleOf } from '../../strings/kinds.ts';
import { webhooksText as words } from '../../strings/webhooks.ts';
import { ConfirmDialog } from '../../views/questions/ConfirmDialog.tsx';
import { DeletablePage } from '../../views/forms/DeletablePage.tsx';
import { LongText } from '../../design/shown/LongText.tsx';
import { Page } from '../../views/page/Page.tsx';
import { Problem } from '../../views/faults/Problem.tsx';
import { ChangesLink } from '../../views/resources/ChangesLink.tsx';
import { EditAndDelete } from '../../views/forms/EditAndDelete.tsx';
import { SecretDialog } from '../../views/forms/SecretDialog.tsx';
import { Deliveries } from './Deliveries.tsx';
import { WEBHOOK_FIELDS, webhookState } from './webhook-parts.tsx';

const route = getRouteApi('/webhooks/$webhookId');

export function WebhookPage() {
  const { webhookId } = route.useParams();
  return (
    <DeletablePage
      query={useQuery(webhookQuery(webhookId))}
      path={`/v1/webhooks/${webhookId}`}
      title={kinds.webhook}
      list={{ to: '/webhooks', name: words.title }}
    >
      {(webhook) => <OneWebhook key={webhook.id} webhook={webhook} />}
    </DeletablePage>
  );
}

function OneWebhook({ webhook }: { webhook: Webhook }) {
  const { word, tone } = webhookState(webhook);
  const queries = useQueryClient();
  const testing = useMutation({
    // The address is what it was tried at; the service knows it.
    mutationFn: (_url: string) =>
      client.post('/v1/webhooks/{id}/test', { params: { path: { id: webhook.id } } }),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['webhooks'] }),
  });
  const { data: tested } = testing;
  // What was tried at another address, or before it worked, says nothing of how it is now.
  const isOld =
    testing.variables !== webhook.url || (tested !== undefined && hasWorkedSince(webhook, tested));
  return (
    <Page
      title={titleOf(webhook.name, 'webhook')}
      heading={
        <>
          <span className="name">{webhook.name}</span> <Badge tone={tone}>{word}</Badge>
        </>
      }
      actions={
        <Actions webhook={webhook} isTesting={testing.isPending} onTest={() => testing.mutate(webhook.url)} />
      }
    >
      {webhook.last_error !== null && (
        <p className="banner name">
          {webhook.last_error}
          {webhook.next_attempt_at !== null && (
            <>
              {' '}
              {words.next} <Time at={webhook.next_attempt_at} />.
            </>
          )}
        </p>
      )}
      <div role="status">{tested !== undefined && !isOld && <TestResult delivery={tested} />}</div>
      {testing.error !== null && (
        <Problem error={testing.error} onRetry={() => testing.mutate(webhook.url)} />
      )}
      <Facts webhook={webhook} />
      <Deliveries webhookId={webhook.id} />
    </Page>
  );
}

/** Of a test that failed. */
function hasWorkedSince({ last_delivered_at: last }: Webhook, tested: WebhookDelivery): boolean {
  return tested.state !== 'delivered' && last !== null && Date.parse(last) > Date.parse(tested.created_at);
}

function TestResult({ delivery: { state, status, error } }: { delivery: WebhookDelivery }) {
  const isDone = state === 'delivered';
  return (
    <p className={isDone ? 'name' : 'banner name'}>
      {isDone && <Badge tone="good">✓</Badge>} {words.testDone[isDone ? 'delivered' : 'failed']}{' '}
      {error ?? (status !== null && words.answered(status))}
    </p>
  );
}

interface ActionsProps {
  readonly webhook: Webhook;
  readonly isTesting: boolean;
  readonly onTest: () => void;
}

function Actions({ webhook, isTesting, onTest }: ActionsProps) {
  const may = useMay();
  const navigate = useNavigate();
  const [isRotating, setRotating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const path = `/v1/webhooks/${webhook.id}`;
  return (
    <>
      {may('bgp:webhooks:write') && (
        <>
          <Button look="primary" isBusy={isTesting} onClick={onTest}>
            {words.test}
          </Button>
          <Button onClick={() => setRotating(true)}>{words.rotate}</Button>
        </>
      )}
      <ChangesLink id={webhook.id} />
      <EditAndDelete
        name={webhook.name}
        path={path}
        fields={WEBHOOK_FIELDS}
        permission="bgp:webhooks:write"
        deleted={words.removed(webhook.name)}
        onDeleted={() => void navigate({ to: '/webhooks' })}
      />
      {isRotating && (
        <ConfirmDialog
          title={words.rotateTitle(webhook.name)}
          what={words.rotateWhat}
          back={words.rotateBack}
          action={words.rotate}
          write={{ method: 'POST', path: `${path}/rotate` }}
          onClose={() => setRotating(false)}
          onDone={(answer) => {
            setRotating(false);
            setSecret((answer as { secret: string }).secret);
          }}
        />
      )}
      {secret !== null && (
        <SecretDialog name={webhook.name} secret={secret} onClose={() => setSecret(null)} />
      )}
    </>
  );
}

function Facts({ webhook }: { webhook: Webhook }) {
  return (
    <dl className="facts columns">
      <dt>{words.url}</dt>
      <dd>
        <code className="name">{webhook.url}</code> <Copy value={webhook.url} />
      </dd>
      <dt>{words.events}</dt>
      <dd>{formatList(webhook.events.map((kind) => words.kinds[kind]))}</dd>
      <dt>{words.format}</dt>
      <dd>{webhook.format}</dd>
      <dt>{words.secretPrefix}</dt>
      <dd>
        <code>{webhook.secret_prefix}</code>
      </dd>
      <dt>{words.last}</dt>
      <dd>{webhook.last_delivered_at === null ? text.never : <Time at={webhook.last_delivered_at} />}</dd>
      {webhook.description !== null && (
        <>
          <dt>{words.description}</dt>
          <dd>
            <LongText text={webhook.description} label={words.description} />
          </dd>
        </>
      )}
    </dl>
  );
}
