import { openFunctionsInWork } from '#infra/emulator/dev/functions-in-work.ts';

/** A process of its own, since only there Node itself reads modules: tells what its one function says after each save. */
const functions = await openFunctionsInWork(
  JSON.parse(process.argv[2] ?? ''),
  (definition) => definition,
);

async function said(): Promise<unknown> {
  const definition = functions.registry.definitions.find(({ name }) => name === 'greet');
  const handler = definition?.handler as (() => Promise<{ readonly why: string }>) | undefined;
  return (await handler?.())?.why;
}

// As long as somebody listens.
process.on('disconnect', () => process.exit());
functions.follow((reloaded) => {
  void said().then((words) => process.send?.({ ...reloaded, said: words }));
});
process.send?.({ kind: 'begun', said: await said() });
