/** What it holds of the keys with a prefix, as its bytes. */
export async function keptUnder(etcdUrl: string, prefix: string): Promise<readonly Kept[]> {
  const { kvs = [] } = await asked<{ readonly kvs?: readonly Kept[] }>(etcdUrl, 'range', {
    key: base64(prefix),
    // The first key behind them: they go on with a slash.
    range_end: base64(`${prefix.slice(0, -1)}0`),
  });
  return kvs.map(({ key, value }) => ({ key, value }));
}

export type Kept = { readonly key: string; readonly value: string };

/** As they are: each is a change to whoever watches, and costs the API server no request. */
export async function writeAgain(etcdUrl: string, kept: readonly Kept[]): Promise<void> {
  await asked(etcdUrl, 'txn', { success: kept.map((each) => ({ request_put: each })) });
}

async function asked<T>(etcdUrl: string, what: string, body: object): Promise<T> {
  const answer = await fetch(`${etcdUrl}/v3/kv/${what}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`etcd says ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
