/** A program that a test breaks. */
export type Breakable = {
  /** It has gone, with all that it had in memory. */
  kill(): Promise<void>;
  /** Again, at the same address and on what it has kept. */
  start(): Promise<void>;
  /** It is there and does nothing: connections are made, and nobody answers. */
  freeze(): void;
  thaw(): void;
};

export type Process = { readonly pid: number | undefined; kill(): Promise<void> };

export async function breakable(start: () => Promise<Process>): Promise<Breakable> {
  let now = await start();
  const signal = (name: NodeJS.Signals) => {
    if (now.pid !== undefined) process.kill(now.pid, name);
  };
  return {
    kill: () => now.kill(),
    async start() {
      now = await start();
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
  };
}
