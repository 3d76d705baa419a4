import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { Dialog } from '../../design/messages/Dialog.tsx';
import { useToast } from '../../design/messages/Toasts.tsx';
import { Badge, type Tone } from '../../design/shown/Badge.tsx';
import { Moment } from '../../design/shown/Time.tsx';
import { client } from '../../service/client.ts';
import { deliveriesQuery, type WebhookDelivery } from '../../service/outlets.ts';
import { useMay } from '../../service/permissions.ts';
import { text } from '../../strings/english.ts';
import { formatDateTime } from '../../strings/format.ts';
import { webhooksText as words } from '../../strings/webhooks.ts';
import { Lines } from '../../design/shown/Lines.tsx';
import { Section } from '../../views/page/Page.tsx';
import type { Column } from '../../views/tables/DataTable.tsx';
import { RowAction } from '../../views/tables/RowAction.tsx';
import { PagedList } from '../../views/records/List.tsx';

const TONES: Readonly<Record<WebhookDelivery['state'], Tone>> = {
  ...{ pending: 'accent', delivered: 'good', refused: 'bad', skipped: 'plain' },
};

const COLUMNS: readonly Column<WebhookDelivery>[] = [
  { name: words.at, value: ({ created_at }) => created_at, cell: (one) => <Moment at={one.created_at} /> },
  {
    name: words.state,
    value: ({ state }) => words.deliveryStates[state],
    cell: ({ state }) => <Badge tone={TONES[state]}>{words.deliveryStates[state]}</Badge>,
  },
  {
    name: words.event,
    value: ({ event }) => words.kinds[event],
    cell: ({ event }) => words.kinds[event],
  },
  {
    ...{ name: words.attempts, isNumber: true },
    value: ({ attempts }) => attempts,
    cell: ({ attempts }) => attempts,
  },
  {
    ...{ name: words.answer, isNumber: true },
    value: ({ status }) => status ?? '',
    cell: ({ status }) => status,
  },
  {
    name: words.error,
    value: ({ error }) => error ?? '',
    cell: ({ error }) => <span className="whole-text">{error}</span>,
  },
];

/** What it was sent and what waits, with the content of each, and the way to send it once more. */
export function Deliveries({ webhookId }: { webhookId: string }) {
  const [shown, setShown] = useState<WebhookDelivery | null>(null);
  const may = useMay();
  const toast = useToast();
  const queries = useQueryClient();
  const resending = useMutation({
    mutationFn: (deliveryId: string) =>
      client.post('/v1/webhooks/{id}/deliveries/{delivery_id}/resend', {
        params: { path: { id: webhookId, delivery_id: deliveryId } },
      }),
    onSuccess: () => toast(words.resent),
    onError: (error) => toast(error.message),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['webhooks'] }),
  });
  const actions: Column<WebhookDelivery> = {
    ...{ name: words.actions, isActions: true, value: () => '' },
    cell: (delivery) => (
      <>
        <RowAction data-opens="" onClick={() => setShown(delivery)}>
          {words.show}
        </RowAction>
        {may('bgp:webhooks:write') && delivery.state !== 'pending' && (
          <RowAction onClick={() => resending.mutate(delivery.id)}>{words.resend}</RowAction>
        )}
      </>
    ),
  };
  return (
    <Section title={words.deliveries}>
      <PagedList
        query={useInfiniteQuery(deliveriesQuery(webhookId))}
        caption={words.deliveries}
        columns={[...COLUMNS, actions]}
        keyOf={({ id }) => id}
        nameOf={({ event, created_at: at }) => `${words.kinds[event]}, ${formatDateTime(at)}`}
        file="deliveries"
        empty={<p className="muted">{words.noDeliveries}</p>}
      />
      {shown !== null && (
        <Dialog
          title={words.contentTitle(words.kinds[shown.event])}
          isOpen
          className="wide"
          onClose={() => setShown(null)}
        >
          <Lines label={words.actions} text={JSON.stringify(shown.data, null, 2)} />
          <div className="dialog-actions">
            <Button onClick={() => setShown(null)}>{text.close}</Button>
          </div>
        </Dialog>
      )}
    </Section>
  );
}
