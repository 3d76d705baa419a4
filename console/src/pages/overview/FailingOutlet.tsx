import { Link } from '@tanstack/react-router';
import type { Attention } from '../../../../src/api/activity/attention.ts';
import { overviewText } from '../../strings/overview.ts';
import { Remedy } from '../../views/faults/Remedy.tsx';
import { Line } from './Line.tsx';

interface FailingOutletProps {
  readonly item: Extract<Attention, { kind: 'webhook-failing' | 'feed-failing' }>;
}

/** What goes elsewhere than to routers, and does not arrive there. */
export function FailingOutlet({ item }: FailingOutletProps) {
  if (item.kind === 'feed-failing') {
    const { name, status, last_error: error } = item.feed;
    return (
      <Line
        tone={status === 'failed' ? 'bad' : 'warning'}
        word={status === 'failed' ? overviewText.feedFailed : overviewText.feedStale}
      >
        <Link className="name" to="/feeds" search={{ find: name }}>
          {name}
        </Link>
        <span className="muted">{error !== null && <Remedy text={error} />}</span>
      </Line>
    );
  }
  const { id, name, enabled, last_error: error, failing_since: since } = item.webhook;
  return (
    <Line
      tone="bad"
      word={enabled ? overviewText.webhookFailing : overviewText.webhookDisabled}
      since={since ?? undefined}
    >
      <Link className="name" to="/webhooks/$webhookId" params={{ webhookId: id }}>
        {name}
      </Link>
      <span className="muted">{error !== null && <Remedy text={error} />}</span>
    </Line>
  );
}
