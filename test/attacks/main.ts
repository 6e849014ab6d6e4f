import { readFileSync } from 'node:fs';
import { present } from '#test/support/tuf/present.ts';
import { argumentsFrom, type Told, usage } from './arguments.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

process.exitCode = await main();

async function main(): Promise<number> {
  const given = argumentsFrom(process.argv.slice(2));
  switch (given.kind) {
    case 'help':
      process.stdout.write(usage);
      return 0;
    case 'wrong':
      process.stderr.write(`error: ${given.why}\n\n${usage}`);
      return 2;
    case 'told':
      return attack(given.told);
  }
}

async function attack(told: Told): Promise<number> {
  // Before any of the scenes is made: they are of 2030, and the target lives today.
  present.offsetMs = Date.now() - Date.parse('2030-01-01T00:00:00Z');
  const { playAgainst } = await import('./play-against.ts');
  await using opened = new AsyncDisposableStack();
  endWhenTold(opened);
  try {
    const ca = told.ca === undefined ? undefined : readFileSync(told.ca, 'utf8');
    return await playAgainst({ ...told, ca }, opened);
  } catch (cause) {
    process.stderr.write(`error: ${cause instanceof Error ? cause.message : String(cause)}\n`);
    return 3;
  }
}

/** Whoever ends it leaves nothing running, and no namespaces in a cluster of his; told again, it ends at once. */
function endWhenTold(opened: AsyncDisposableStack): void {
  const end = () => {
    for (const signal of signals) process.off(signal, end);
    process.stderr.write('\nit ends; what it has started and made is removed\n');
    void opened.disposeAsync().finally(() => process.exit(130));
  };
  for (const signal of signals) process.on(signal, end);
  opened.defer(() => {
    for (const signal of signals) process.off(signal, end);
  });
}
