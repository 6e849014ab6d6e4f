export type Pace = {
  begin(now: number): void;
  /** How many requests should have been sent by now. */
  due(now: number): number;
  /** When the request of that index was meant to be sent. */
  dueAt(index: number, now: number): number;
  isOver(now: number, sent: number): boolean;
};

export type Paced = {
  readonly requests: number;
  readonly seconds: number;
  readonly perSecond?: number;
};

/** Ends at so many requests or after so many seconds, whichever comes first. */
export function paceOf({ requests, seconds, perSecond }: Paced): Pace {
  let began = 0;
  const isLate = (now: number) => now - began >= seconds * 1000;
  return {
    begin(now) {
      began = now;
    },
    due(now) {
      if (isLate(now)) return 0;
      if (perSecond === undefined) return requests;
      return Math.min(requests, Math.floor(((now - began) * perSecond) / 1000) + 1);
    },
    dueAt: (index, now) => (perSecond === undefined ? now : began + (index * 1000) / perSecond),
    isOver: (now, sent) => sent >= requests || isLate(now),
  };
}
