import type { EmulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import type { JsonObject } from '#shared/domain/json.ts';

/** A watch as it comes over HTTP, line by line. */
export async function linesOf(cluster: EmulatedCluster, path: string, accept = 'application/json') {
  const { users } = JSON.parse(cluster.tokenKubeconfig);
  const gone = new AbortController();
  const response = await fetch(`${cluster.plainUrl}${path}`, {
    headers: { authorization: `Bearer ${users[0].user.token}`, accept },
    signal: gone.signal,
  });
  const read = lines(response);
  return {
    async next(): Promise<JsonObject | undefined> {
      const { value } = await read.next();
      return value === undefined ? undefined : (JSON.parse(value) as JsonObject);
    },
    close: () => gone.abort(),
  };
}

async function* lines({ body }: Response): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const parts = `${rest}${chunk}`.split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
}
