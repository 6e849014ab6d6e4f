import type { Entry, Ledger } from '#infra/emulator/cluster/ledger.ts';

export type EtcdLedger = Ledger & {
  upTo(): number;
  close(): void;
};

type Key = {
  readonly key: string;
  readonly mod_revision: string;
  readonly create_revision: string;
};
type Event = {
  readonly type?: 'DELETE';
  readonly kv: Key & { readonly value?: string };
  readonly prev_kv?: { readonly value: string };
};
type Line = { readonly result?: { readonly events?: readonly Event[] } };

/** What stands in etcd is what happened: it is read past the API server, which may break. */
export async function openEtcdLedger(etcdUrl: string): Promise<EtcdLedger> {
  const ending = new AbortController();
  const create_request = {
    ...{ key: base64('/registry/'), range_end: base64('/registry0') },
    ...{ start_revision: '1', prev_kv: true },
  };
  const response = await fetch(`${etcdUrl}/v3/watch`, {
    method: 'POST',
    body: JSON.stringify({ create_request }),
    signal: ending.signal,
  });
  let entries: Entry[] = [];
  let upTo = 0;
  const read = async () => {
    for await (const text of linesOf(response)) {
      const { result } = JSON.parse(text) as Line;
      for (const event of result?.events ?? []) {
        const entry = entryOf(event);
        if (entry !== undefined) entries.push(entry);
        upTo = Number(event.kv.mod_revision);
      }
    }
  };
  read().catch((cause: unknown) => {
    if (!ending.signal.aborted) throw cause;
  });
  return {
    entries: () => entries,
    forget: () => {
      entries = [];
    },
    upTo: () => upTo,
    close: () => ending.abort(),
  };
}

async function* linesOf({ body }: Response): AsyncGenerator<string> {
  if (body === null) return;
  let rest = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
}

const places = [
  ['/registry/pods/', 'pods'],
  ['/registry/configmaps/', 'configmaps'],
  ['/registry/namespaces/', 'namespaces'],
  ['/registry/chaos.example/widgets/', 'widgets.chaos.example'],
] as const;

/** Of the kinds that somebody follows. */
function entryOf({ type, kv, prev_kv }: Event): Entry | undefined {
  const key = text(kv.key);
  const [, resource] = places.find(([prefix]) => key.startsWith(prefix)) ?? [];
  const value = type === 'DELETE' ? prev_kv?.value : kv.value;
  if (resource === undefined || value === undefined) return undefined;
  // The API server is told to keep everything as JSON.
  const { uid, namespace = '', name, labels = {} } = JSON.parse(text(value)).metadata;
  const isNew = kv.create_revision === kv.mod_revision;
  return {
    type: type === 'DELETE' ? 'DELETED' : isNew ? 'ADDED' : 'MODIFIED',
    version: Number(kv.mod_revision),
    ...{ resource, uid, namespace, name, labels },
    at: performance.timeOrigin + performance.now(),
    epoch: 1,
  };
}

/** etcd's newest, through its JSON gateway. */
export async function revisionOf(etcdUrl: string): Promise<number> {
  const { header } = await asked(etcdUrl, '/v3/kv/range', { key: base64('x') });
  return Number(header.revision);
}

/** Nobody can read what was before that. */
export async function compact(etcdUrl: string, revision: number): Promise<void> {
  await asked(etcdUrl, '/v3/kv/compaction', { revision: String(revision), physical: true });
}

async function asked(etcdUrl: string, path: string, body: object) {
  const response = await fetch(`${etcdUrl}${path}`, { method: 'POST', body: JSON.stringify(body) });
  return (await response.json()) as { readonly header: { readonly revision: string } };
}

function base64(plain: string): string {
  return Buffer.from(plain).toString('base64');
}

function text(encoded: string): string {
  return Buffer.from(encoded, 'base64').toString();
}
