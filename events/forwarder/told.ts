import type { Outgoing } from '../queue.ts';
import type { Unsent } from '../sendable.ts';
import type { Plan } from './plan.ts';

/** What the forwarder says of itself, for the log, the metrics and whoever looks on. */
export type Told =
  /** A loop: what the scope's functions are to be woken for may be other than before. */
  | { readonly kind: 'begun'; readonly scope: string }
  | { readonly kind: 'standing-by'; readonly scope: string }
  | { readonly kind: 'took-over'; readonly scope: string; readonly term: number }
  | { readonly kind: 'fenced'; readonly scope: string }
  | { readonly kind: 'listing'; readonly scope: string; readonly why: string }
  | {
      readonly kind: 'listed';
      readonly scope: string;
      readonly objects: number;
      readonly gone: number;
    }
  /** Between two pages: it is asked for once more, and those before it are kept. */
  | {
      readonly kind: 'refused-page';
      readonly scope: string;
      readonly why: string;
      readonly ms: number;
    }
  | {
      readonly kind: 'woke-existing';
      readonly scope: string;
      readonly function: string;
      readonly objects: number;
    }
  | { readonly kind: 'watching'; readonly scope: string }
  | {
      readonly kind: 'watch-ended';
      readonly scope: string;
      readonly how: string;
      readonly why: string;
    }
  /** Read, so long after they had arrived. */
  | {
      readonly kind: 'heard';
      readonly scope: string;
      readonly lines: number;
      readonly waitedMs: number;
    }
  | {
      readonly kind: 'committed';
      readonly scope: string;
      readonly plan: Plan;
      readonly sent: readonly Outgoing[];
    }
  | { readonly kind: 'refused-line'; readonly scope: string; readonly why: string }
  /** No queue takes it, and none ever will: this one wake-up is dropped, and nothing else. */
  | ({ readonly kind: 'unsent'; readonly scope: string } & Unsent)
  /** Our rights do not reach so far: nobody but a person mends that. It is waited for, as is told behind it. */
  | { readonly kind: 'forbidden'; readonly scope: string; readonly why: string }
  /** By the server's word or by our own backoff. */
  | { readonly kind: 'waiting'; readonly scope: string; readonly why: string; readonly ms: number }
  | {
      readonly kind: 'failed';
      readonly scope: string;
      readonly cause: unknown;
      readonly ms: number;
    }
  | { readonly kind: 'absent'; readonly scope: string; readonly why: string }
  /** The server was asked about one object, or whether it serves the kind by now: there may be hundreds of such looks. */
  | { readonly kind: 'looked'; readonly scope: string }
  | {
      readonly kind: 'new-epoch';
      readonly scope: string;
      readonly epoch: number;
      readonly why: string;
    }
  /** A self-audit was carried through: without any, nobody knows what is lost. */
  | { readonly kind: 'audited'; readonly scope: string }
  /** It was not, as little as those that follow until one is: the next one tries again. */
  | { readonly kind: 'unaudited'; readonly scope: string; readonly why: string }
  /** The self-audit's finding, which is healed: the one number that must stay 0. */
  | { readonly kind: 'lost'; readonly scope: string; readonly count: number };
