// As much of AWS's runtime for Node as an event passes through.
import { pathToFileURL } from 'node:url';

const { handler } = await import(pathToFileURL(process.argv[2]).href);
const context = { functionName: 'test', getRemainingTimeInMillis: () => 10_000 };

process.on('message', async (event) => {
  try {
    process.send({ answer: await handler(event, context) });
  } catch (cause) {
    process.send({ failed: String(cause.stack) });
  }
});
