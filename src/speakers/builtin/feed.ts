/**
 * The routes on their way to one established peer. A feed knows what the peer has received (`sent`), what it is being sent (`target`) and
 * what comes next (`latest`); routes that arrive while it is busy replace `latest`, so a slow peer costs no more than these three. UPDATEs
 * are made when the socket has room.
 */
import { encodeRouteAttributes } from '../../bgp/attributes.ts';
import type { SenderContext } from '../../bgp/attributes.ts';
import type { Negotiated } from '../../bgp/negotiation.ts';
import { UpdateChunk } from '../../bgp/update-chunk.ts';
import type { Family } from '../../core/address.ts';
import { FamilyPlan } from '../exports/plan.ts';
import type { RoutesVersion } from '../routes-version.ts';
import { AdjRibOut } from '../exports/adj-rib-out.ts';
import type { ExportSettings } from '../exports/adj-rib-out.ts';
import { stillAnnounced } from './still-announced.ts';

export interface FeedSettings {
  readonly exports: ExportSettings;
  /** More routes than this are not sent; null: any number. */
  readonly maxPrefixes: number | null;
}

/** `yield` asks for a chunk, and returns one with room for a message. */
type Emission = Generator<undefined, void, UpdateChunk>;

export class Feed {
  readonly #negotiated: Negotiated;
  readonly #sender: SenderContext;
  #settings: FeedSettings;
  #latest: RoutesVersion;
  #sent: AdjRibOut | null = null;
  #target: AdjRibOut | null = null;
  #emission: Emission | null = null;
  /** Routes that exceed the peer's limit, and how many they are. */
  #refused: { readonly routes: RoutesVersion; readonly count: number } | null = null;
  #fallback: RoutesVersion | null;
  readonly #refresh = new Set<Family>();
  readonly #ended = new Set<Family>();
  /** Why some routes of the target can't be sent. */
  #problems: string[] = [];
  /** Number of the routes that the peer has been sent, or of those that were refused, all that follows from it done. */
  #reached = 0;
  exported = 0;
  updates = 0;

  /** `fallback`: {@link kept} of the peer's last session. Where the latest routes exceed its limit, it is sent what these still have of it. */
  constructor(
    negotiated: Negotiated,
    localAsn: number,
    settings: FeedSettings,
    latest: RoutesVersion,
    fallback: RoutesVersion | null = null,
  ) {
    this.#negotiated = negotiated;
    this.#sender = { localAsn, external: negotiated.external, fourOctetAs: negotiated.fourOctetAs };
    this.#settings = settings;
    this.#latest = latest;
    this.#fallback = fallback;
  }

  /** New routes replace those that wait. */
  offer(latest: RoutesVersion): void {
    this.#latest = latest;
  }

  reconfigure(settings: FeedSettings): void {
    this.#settings = settings;
    this.#refused = null;
  }

  /** The peer sent a ROUTE-REFRESH for the family (RFC 2918). */
  refresh(family: Family): void {
    this.#refresh.add(family);
  }

  /** Versions of the routes that this feed keeps in memory because its peer is slow. A peer over its limit is not: it has what it may have. */
  get versions(): RoutesVersion[] {
    if (this.#refused !== null) return [];
    return [this.#sent?.routes, this.#target?.routes].flatMap((version) => version ?? []);
  }

  /** What the peer holds, where the latest routes exceed its limit; otherwise null. */
  get kept(): RoutesVersion | null {
    if (!this.#exceeds(this.#ribOut(this.#latest))) return null;
    return (this.#target ?? this.#sent)?.routes ?? this.#fallback;
  }

  /** True when the peer has been sent the routes of this number or later ones, or those that it may keep where they were refused. */
  settled(number: number): boolean {
    return this.#emission === null && this.#reached >= number;
  }

  /** Why the peer is not sent all it should be, or null. */
  get problem(): string | null {
    if (this.#refused !== null) {
      const { count } = this.#refused;
      return (
        `${count} routes are more than max_prefixes_out ${this.#settings.maxPrefixes}: the peer keeps the ${this.exported} it has that are still announced; ` +
        'raise max_prefixes_out, or send the peer fewer communities'
      );
    }
    return this.#problems.length === 0 ? null : this.#problems.join('; ');
  }

  /** The next chunk to write, maybe empty while a plan is being made; null when nothing is left to send. */
  next(): UpdateChunk | null {
    this.#emission ??= this.#begin();
    if (this.#emission === null) return null;
    const chunk = new UpdateChunk(this.#negotiated.maxMessage);
    if (this.#emission.next(chunk).done === true) this.#emission = null;
    this.updates += chunk.messages;
    return chunk;
  }

  #begin(): Emission | null {
    const after = this.#ribOut(this.#latest);
    if (this.#refused?.routes !== this.#latest) this.#refused = null;
    if (this.#sent !== after && this.#refused === null) {
      if (!this.#exceeds(after)) {
        this.#fallback = null;
        return prime(this.#transition(this.#sent, after, this.#latest.number));
      }
      this.#refused = { routes: this.#latest, count: after.count(this.#negotiated.families) };
      const rest = this.#stillAnnounced();
      if (rest !== null) return prime(this.#transition(this.#sent, rest, this.#latest.number));
      this.#reached = this.#latest.number;
    }
    const [family] = this.#refresh;
    if (family === undefined || this.#sent === null) return null;
    this.#refresh.delete(family);
    return prime(this.#resend(family, this.#sent));
  }

  /** Shared between peers of any message size, except for routes with more communities than fit. */
  #ribOut(routes: RoutesVersion): AdjRibOut {
    const { exports: settings } = this.#settings;
    const octets = this.#negotiated.maxMessage;
    const ribOut = AdjRibOut.of(routes, settings);
    if (ribOut.communityOctets + OTHER_OCTETS <= octets) return ribOut;
    return AdjRibOut.of(routes, { ...settings, message: { octets, sender: this.#sender } });
  }

  /** What the peer holds of the latest routes, or held in its last session; null: nothing, or more than it takes. */
  #stillAnnounced(): AdjRibOut | null {
    const held = this.#sent ?? (this.#fallback === null ? null : this.#ribOut(this.#fallback));
    this.#fallback = null;
    if (held === null) return null;
    const rest = this.#ribOut(stillAnnounced(held, this.#latest));
    return this.#sent === null && this.#exceeds(rest) ? null : rest;
  }

  /** Above the peer's limit nothing new is sent: it keeps those of its routes that are still announced. */
  #exceeds(ribOut: AdjRibOut): boolean {
    const { maxPrefixes } = this.#settings;
    return maxPrefixes !== null && ribOut.count(this.#negotiated.families) > maxPrefixes;
  }

  /**
   * Announcements first, then withdrawals, so that the peer is never without a route that is in both versions. Only where it would briefly
   * hold more than its limit, which may cost the session, as many withdrawals as necessary go first.
   */
  *#transition(before: AdjRibOut | null, after: AdjRibOut, number: number): Emission {
    const { maxPrefixes } = this.#settings;
    this.#target = after;
    this.#problems = this.#problemsOf(after);
    const plans = this.#negotiated.families.map((family) => FamilyPlan.of(family, before, after));
    let chunk = yield;
    const withdrawn = plans.map(() => 0);
    if (maxPrefixes !== null) {
      for (const plan of plans) for (; !plan.done; plan.step()) chunk = yield;
      let excess = this.exported + plans.reduce((sum, { fresh }) => sum + fresh, 0) - maxPrefixes;
      for (const [i, plan] of plans.entries()) {
        const to = Math.min(plan.withdraw.length, Math.max(0, excess));
        chunk = yield* this.#withdraw(plan, 0, to, chunk);
        withdrawn[i] = to;
        excess -= to;
      }
    }
    for (const plan of plans) {
      chunk = yield* this.#announce(plan, chunk);
      if (this.#ended.has(plan.family) || after.routes.model.isUnfinished === true) continue;
      if (!chunk.hasRoom) chunk = yield;
      chunk.endOfRib(plan.family);
      this.#ended.add(plan.family);
    }
    for (const [i, plan] of plans.entries()) {
      chunk = yield* this.#withdraw(plan, withdrawn[i]!, plan.withdraw.length, chunk);
    }
    this.#sent = after;
    this.#reached = number;
    this.#target = null;
  }

  *#resend(family: Family, ribOut: AdjRibOut): Emission {
    const exported = this.exported;
    yield* this.#announce(FamilyPlan.of(family, null, ribOut), yield);
    this.exported = exported;
  }

  /** Withdraws what the plan has at these positions. */
  *#withdraw(
    plan: FamilyPlan,
    from: number,
    to: number,
    first: UpdateChunk,
  ): Generator<undefined, UpdateChunk, UpdateChunk> {
    let chunk = first;
    const rows = plan.before?.routes.table[plan.family] ?? NO_ROWS;
    for (let at = from; at < to;) {
      const next = chunk.withdraw(plan.family, { rows, order: plan.withdraw, to }, at);
      this.exported -= next - at;
      at = next;
      if (at < to) chunk = yield;
    }
    return chunk;
  }

  *#announce(plan: FamilyPlan, first: UpdateChunk): Generator<undefined, UpdateChunk, UpdateChunk> {
    let chunk = first;
    for (; !plan.done; plan.step()) chunk = yield;
    const { groups } = plan.after.families[plan.family];
    const rows = plan.after.routes.table[plan.family];
    const exact = plan.fresh === plan.size;
    let at = 0;
    for (let group = 0; group < groups.length; group++) {
      const to = plan.ends[group]!;
      if (at === to) continue;
      const attributes = encodeRouteAttributes(plan.family, groups[group]!, this.#sender);
      for (;;) {
        const next = chunk.announce(attributes, { rows, order: plan.order, to }, at);
        if (exact) this.exported += next - at;
        at = next;
        if (at === to) break;
        chunk = yield;
      }
    }
    if (!exact) this.exported += plan.fresh;
    return chunk;
  }

  #problemsOf(ribOut: AdjRibOut): string[] {
    return this.#negotiated.families.flatMap((family) => {
      const { withoutNextHop, tooLarge } = ribOut.families[family];
      const name = family === 'ipv4' ? 'IPv4' : 'IPv6';
      const problems: string[] = [];
      if (withoutNextHop > 0)
        problems.push(
          `${unsent(withoutNextHop, name)} because ${withoutNextHop === 1 ? 'it has' : 'they have'} no ${name} next hop: ` +
            `set next_hop_${family} of the peer or local_${family} of the speaker`,
        );
      if (tooLarge > 0)
        problems.push(
          `${unsent(tooLarge, name)}: ${tooLarge === 1 ? 'its' : 'their'} communities fill more than a message of ` +
            `${this.#negotiated.maxMessage} octets; send the peer fewer communities`,
        );
      return problems;
    });
  }
}

/** Octets of a message beside its communities and one prefix: at most this. */
const OTHER_OCTETS = 256;

const NO_ROWS = { words: new Uint32Array(0), lengths: new Uint8Array(0) };

/** Runs a generator to its first `yield`, where it waits for a chunk. */
function prime(emission: Emission): Emission {
  emission.next();
  return emission;
}

/** `1 IPv6 route is not sent`. */
function unsent(count: number, family: string): string {
  return count === 1 ? `1 ${family} route is not sent` : `${count} ${family} routes are not sent`;
}
