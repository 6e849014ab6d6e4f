import {
  type AddressKind,
  isWithin,
  kindOfAddress,
  parseAddress,
  parseRange,
} from './network-address.ts';

/** Whatever is read from outside of the cluster and of the API server is read through this: one guarded door. */
export type Outside = {
  /** It never throws for what a server can cause. */
  read(request: OutsideRequest): Promise<OutsideAnswer>;
  /** `https://host`; `http://host` where the configuration says so. */
  originOf(host: string): string;
  close(): void;
};

/** `internal`: private addresses too. The rest (loopback, link-local, metadata) is open to configured hosts alone. */
export type Reach = 'public' | 'internal';

export type OutsideRequest = {
  readonly url: string;
  readonly reach: Reach;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly accept?: string | undefined;
  /** For the host of the URL alone: a redirect to another is followed without. */
  readonly authorization?: string | undefined;
  /** Makes it a POST, which follows no redirect. */
  readonly form?: Readonly<Record<string, string>> | undefined;
};

export type OutsideAnswer =
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** By lowercase name; of a header that was sent twice, both. */
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
      /** Who answered, after all redirects. */
      readonly url: string;
    }
  | { readonly kind: 'refused'; readonly why: OutsideRefusal; readonly about: string }
  | { readonly kind: 'unavailable'; readonly why: Outage; readonly about: string };

/** What we do not do, or do not take. */
export type OutsideRefusal =
  | 'bad-url'
  | 'plain-http'
  | 'address'
  | 'redirect'
  | 'too-large'
  | 'encoded'
  | 'malformed';

export type Outage =
  | 'no-address'
  | 'no-connection'
  /** Also a certificate that is not trusted: who speaks there is unknown, so nobody has spoken. */
  | 'tls'
  | 'broken-off'
  | 'too-slow'
  | 'given-up';

/** What the operator says of one host. */
export type OutsideHost = {
  /** As it stands in a URL: `registry.example`, `registry.example:5000`. */
  readonly host: string;
  readonly plainHttp?: boolean | undefined;
  /** PEM; alone trusted there, in place of the well-known ones. */
  readonly ca?: string | undefined;
  /** Ranges that it may be found in beside those of the reach: `127.0.0.0/8`. */
  readonly addresses?: readonly string[] | undefined;
  /** Whether the ranges are open to reads of public reach too, whose URLs others choose. */
  readonly isForUsers?: boolean | undefined;
};

export type OutsideRefused = Extract<OutsideAnswer, { readonly kind: 'refused' }>;
export type OutsideUnavailable = Extract<OutsideAnswer, { readonly kind: 'unavailable' }>;

export function refused(why: OutsideRefusal, about: string): OutsideRefused {
  return { kind: 'refused', why, about };
}

export function unavailable(why: Outage, about: string): OutsideUnavailable {
  return { kind: 'unavailable', why, about };
}

const reached: Readonly<Record<Reach, readonly AddressKind[]>> = {
  public: ['public'],
  internal: ['public', 'private'],
};

/** Why this address is not connected to; nothing if it is. */
export function whyNotReached(
  address: string,
  reach: Reach,
  host: Pick<OutsideHost, 'addresses' | 'isForUsers'> | undefined,
): string | undefined {
  const parsed = parseAddress(address);
  if (parsed === undefined) return `${address} is no address`;
  const kind = kindOfAddress(parsed);
  if (reached[reach].includes(kind)) return undefined;
  // Else whoever may write an annotation, or answers for a public Notary, could have us ask inside.
  const isOpen = reach === 'internal' || host?.isForUsers === true;
  const isConfigured = (isOpen ? (host?.addresses ?? []) : []).some((text) => {
    const range = parseRange(text);
    return range !== undefined && isWithin(parsed, range);
  });
  return isConfigured ? undefined : `${address} is ${kind}`;
}
