import { describe, expect, test } from 'vitest';
import { presentError, sessionError, SessionFault } from '../../src/speakers/session-fault.ts';
import type { SessionStatus } from '../../src/speakers/speaker.ts';

const cease = { direction: 'received', code: 6, subcode: 1, name: 'Cease', text: null } as const;
const closed = { text: 'the peer closed the connection', notification: null, endedSession: false };

describe('why a peer has no session', () => {
  test('stays the first cause, whatever later attempts fail by', () => {
    const fault = new SessionFault();
    fault.note({ text: 'the peer sent Cease', notification: cease, endedSession: true });
    fault.note(closed);
    fault.note({ text: 'connection refused', notification: null, endedSession: false });
    expect(fault.text).toBe('the peer sent Cease; since then: connection refused');
    expect(fault.notification).toBe(cease);
  });

  test('is a NOTIFICATION rather than a closed connection', () => {
    const fault = new SessionFault();
    fault.note(closed);
    fault.note({ text: 'the peer sent Bad Peer AS', notification: cease, endedSession: false });
    fault.note(closed);
    expect(fault.text).toBe('the peer sent Bad Peer AS; since then: the peer closed the connection');
  });

  test('is reported while the next session is up, when it ended the last one', () => {
    const fault = new SessionFault();
    fault.note(closed);
    fault.established();
    expect([fault.text, fault.notification]).toEqual([null, null]);
    fault.note({ text: 'hold timer expired', notification: null, endedSession: true });
    fault.note(closed);
    fault.established();
    expect(fault.text).toBe('hold timer expired');
    fault.note({ text: 'reset by the peer', notification: null, endedSession: true });
    expect(fault.text).toBe('reset by the peer');
  });
});

test('of a session that is up, what ended the one before is history, and what is wrong now is an error', () => {
  const base = { peerId: 'p', since: '', routesExported: 0, routesReceived: 0, updatesSent: 0 };
  const reported = (state: SessionStatus['state'], problem: string | null, past: string | null) =>
    presentError({ ...base, state, ...sessionError(state, problem, past) });
  expect(reported('established', null, 'hold timer expired')).toBeNull();
  expect(reported('established', 'reads slowly', 'hold timer expired')).toBe('reads slowly');
  expect(reported('active', null, 'hold timer expired')).toBe('hold timer expired');
  // The log has it all the same.
  expect(sessionError('established', null, 'hold timer expired').lastError).toBe('hold timer expired');
});
