import { describe, expect, test } from 'vitest';
import { readNotification as ofBird } from '../../src/speakers/bird/status/read-notification.ts';
import { readNeighbors } from '../../src/speakers/frr/read-status.ts';
import { readNotification as ofOpenbgpd } from '../../src/speakers/openbgpd/read-notification.ts';
import { readLastErrors } from '../../src/speakers/openbgpd/read-status.ts';
import { SessionCauses, type SeenSession } from '../../src/speakers/session-causes.ts';

const cease = { direction: 'received', code: 6, subcode: 1, name: 'Cease', text: null } as const;
const seen = (state: SeenSession['state'], since: string, error: string | null = null): SeenSession => ({
  ...{ peerId: 'p', state, since, error },
  notification: error === 'Cease' ? cease : null,
});

describe('why a session ended, of a daemon that reports the latest error only', () => {
  test('is what was reported first, until another session ends', () => {
    const causes = new SessionCauses();
    expect(causes.look(seen('established', '1')).lastError).toBeNull();
    expect(causes.look(seen('idle', '2', 'Cease'))).toEqual({ lastError: 'Cease', notification: cease });
    expect(causes.look(seen('active', '3', 'refused')).lastError).toBe('Cease; since then: refused');
    expect(causes.look(seen('active', '3', 'closed'))).toEqual({
      ...{ lastError: 'Cease; since then: closed', notification: cease },
    });
    expect(causes.look(seen('established', '4'))).toEqual({ lastError: 'Cease', notification: cease });
    expect(causes.look(seen('idle', '5', 'hold timer'))).toEqual({
      ...{ lastError: 'hold timer', notification: null },
    });
  });

  test('may be reported a moment after the end', () => {
    const causes = new SessionCauses();
    causes.look(seen('established', '1'));
    expect(causes.look(seen('idle', '2')).lastError).toBeNull();
    causes.look(seen('idle', '2', 'Cease'));
    expect(causes.look(seen('established', '3')).lastError).toBe('Cease');
  });

  test('is none that ended an earlier session, when one went and came between two looks', () => {
    const causes = new SessionCauses();
    causes.look(seen('established', '1'));
    causes.look(seen('idle', '2', 'Cease'));
    causes.look(seen('established', '3'));
    expect(causes.look(seen('established', '4'))).toEqual({ lastError: null, notification: null });
    // Where the daemon still tells of it.
    expect(causes.look(seen('established', '5', 'Cease')).notification).toBe(cease);
  });
});

describe('a NOTIFICATION in the words of a daemon', () => {
  test('of BIRD has its code and subcode', () => {
    expect(ofBird('Received: Administrative shutdown', 'bye')).toEqual({
      ...{ direction: 'received', code: 6, subcode: 2, name: 'Cease, Administrative Shutdown', text: 'bye' },
    });
    expect(ofBird('BGP Error: Hold timer expired', null)).toMatchObject({ direction: 'sent', code: 4 });
    expect(ofBird('Received: Invalid NEXT_HOP attribute', null)).toMatchObject({ code: 3, subcode: 8 });
    expect(ofBird('Received: Unknown error 6.42', null)).toMatchObject({ code: 6, subcode: 42 });
    expect(ofBird('Socket: Connection closed', null)).toBeNull();
    expect(ofBird('Received: something else', null)).toBeNull();
  });

  test('of FRR has its code and subcode, and reports which way it went', () => {
    const neighbor = (more: object): string =>
      JSON.stringify({ '192.0.2.1': { bgpState: 'Idle', lastErrorCodeSubcode: '0602', ...more } });
    const [received] = readNeighbors(
      neighbor({
        ...{ lastResetDueTo: 'BGP Notification received', lastShutdownDescription: 'bye' },
        lastNotificationReason: 'Cease/Administrative Shutdown',
      }),
    )!;
    expect(received).toMatchObject({
      lastError: 'BGP Notification received: Cease/Administrative Shutdown: "bye"',
      notification: { direction: 'received', code: 6, subcode: 2, text: 'bye' },
    });
    const [sent] = readNeighbors(neighbor({ lastResetDueTo: 'BGP Notification send' }))!;
    expect(sent!.notification).toMatchObject({ direction: 'sent', code: 6, subcode: 2, text: null });
    // We shut a new neighbour down until it has all of its settings, and nobody else did.
    const [begun] = readNeighbors(neighbor({ lastResetDueTo: 'Admin. shutdown' }))!;
    expect(begun!.lastError).toBeNull();
    const [shut] = readNeighbors(neighbor({ lastResetDueTo: 'Admin. shutdown', adminShutDown: true }))!;
    expect(shut!.lastError).toBe('Admin. shutdown');
    const [silent] = readNeighbors(neighbor({ lastResetDueTo: 'Peer closed the session' }))!;
    expect(silent!.notification).toBeNull();
  });

  test('of OpenBGPD has its code and subcode, with the words of the peer', () => {
    expect(ofOpenbgpd('received', 'error in UPDATE message, nexthop unacceptable', null)).toEqual({
      ...{ direction: 'received', code: 3, subcode: 8, text: null },
      name: 'UPDATE Message Error, Invalid NEXT_HOP Attribute',
    });
    expect(ofOpenbgpd('sent', 'HoldTimer expired', null)).toMatchObject({ code: 4, subcode: 0 });
    expect(ofOpenbgpd('received', 'Cease, unknown subcode 42', null)).toMatchObject({ code: 6, subcode: 42 });
    expect(ofOpenbgpd('received', 'unknown error code 99 subcode 1', null)).toBeNull();
    const errors = readLastErrors(
      'BGP neighbor is 192.0.2.1, remote AS 1\n  Last error received: Cease, administratively down\n' +
        '  Last received shutdown reason: "bye"\nBGP neighbor is 192.0.2.2, remote AS 2\n' +
        '  Last error sent: HoldTimer expired\n',
    );
    expect(errors.get('192.0.2.1')).toMatchObject({
      error: 'received: Cease, administratively down: "bye"',
      notification: { direction: 'received', code: 6, subcode: 2, text: 'bye' },
    });
    expect(errors.get('192.0.2.2')).toMatchObject({
      notification: { direction: 'sent', code: 4, subcode: 0 },
    });
  });
});
