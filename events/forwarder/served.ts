import type { Writer } from './writer.ts';

/** Its definition's own version first: by that one's shape it filters, and its handler reads. */
export function askServed({ world, followed, signal }: Writer) {
  return world.stream.served(followed.scope.kind, signal);
}

/** Whether what it went over to has given way again: whoever begins anew would go by the definition's own version. */
export async function isServedOtherwise(writer: Writer): Promise<boolean> {
  const { followed, memory } = writer;
  const { served: before } = memory;
  if (before === undefined || before.version === followed.scope.kind.version) return false;
  const served = await askServed(writer);
  if (served === undefined || served.version === before.version) return false;
  memory.served = served;
  return true;
}
