type Saying = {
  readonly say: (text: string) => void;
  readonly everyMs: number;
  readonly now?: () => number;
};

/** What is said again and again is heard once in so long. */
export function seldom({ say, everyMs, now = () => performance.now() }: Saying) {
  const saidAt = new Map<string, number>();
  return (text: string): void => {
    const last = saidAt.get(text);
    if (last !== undefined && now() - last < everyMs) return;
    saidAt.set(text, now());
    say(text);
  };
}
