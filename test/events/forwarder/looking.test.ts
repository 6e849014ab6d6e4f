import { afterEach, describe, expect, it } from 'vitest';
import type { Stream } from '#events/forwarder/ports.ts';
import { pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Refused, Watching } from '#shared/domain/watched.ts';
import { type Forwarding, forwarding, subscribed, until } from '#test/support/forwarding.ts';

const at = { namespace: 'default', name: 'a' };
const web = subscribed({ of: pods, labels: { matchLabels: { app: 'web' } }, atServer: true });

let world: Forwarding | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

function labelled(app: string) {
  return { metadata: { ...at, labels: { app } } };
}

type Found = Awaited<ReturnType<Stream['find']>>;

/** On a server that says so of each object, for as long as it has something to say. */
async function begin(says: { look: Found | undefined }, over = (stream: Stream) => stream) {
  const opened = await forwarding({
    streamOver: (stream) => ({
      ...over(stream),
      find: async (...asked) => says.look ?? stream.find(...asked),
    }),
  });
  world = opened;
  opened.cluster.objects.create(pods, { apiVersion: 'v1', kind: 'Pod', ...labelled('web') });
  return opened;
}

const relabel = ({ cluster }: Forwarding) => cluster.objects.patch(pods, at, labelled('other'));

/** A list that shows it, and then that it left the selector's sight, before its end. */
function leavingInList(stream: Stream, leave: () => void): Stream {
  const list = async (before: KubeObject): Promise<Watching> => {
    leave();
    const object = { ...before, metadata: { ...before.metadata, resourceVersion: '1' } };
    const said = [
      [{ kind: 'change', type: 'ADDED', object }],
      [{ kind: 'change', type: 'DELETED', object }],
    ] as const;
    const left = [...said];
    const end = { kind: 'cut', why: 'reset' } as const;
    return { kind: 'open', next: async () => left.shift() ?? end, close: () => undefined };
  };
  return {
    ...stream,
    async watch(scope, options) {
      if (options.resourceVersion !== undefined) return stream.watch(scope, options);
      const found = await stream.find(scope, at, options.signal);
      return found.kind === 'found' ? list(found.object) : { kind: 'cut', why: 'reset' };
    },
  };
}

/** Lost rights, and a server in need, never look like deletions. */
describe.each<[string, Refused]>([
  ['HTTP 403', { kind: 'forbidden', why: 'HTTP 403' }],
  ['HTTP 429', { kind: 'busy', why: 'HTTP 429', afterSeconds: 0.01 }],
  ['HTTP 404, of the kind', { kind: 'absent', why: 'HTTP 404' }],
])('who is to be looked at, which ends with %s', (_, refused) => {
  it('is not deleted where a watch with a selector says so, and is asked for again', async () => {
    const says: { look: Found | undefined } = { look: undefined };
    const here = await begin(says);
    const one = await here.start([web]);
    await until('it watches', () => one.kinds().includes('watching'));
    await here.messages();
    says.look = refused;
    relabel(here);
    await until('it waits', () => one.kinds().includes('waiting'));
    expect(here.rows()).toMatchObject([{ name: 'a', isDeleted: false }]);
    expect(await here.messages()).toEqual([]);

    says.look = undefined;
    await until('it knows', () => here.rows().length === 0);
    const told = (await here.messages()).map(({ body }) => JSON.parse(body).deleted);
    expect(told).toEqual([false]);
  });

  it('is not deleted where a streaming list says so before its end', async () => {
    const says: { look: Found | undefined } = { look: refused };
    const here = await begin(says, (stream) => leavingInList(stream, () => relabel(here)));
    const one = await here.start([web]);
    await until('it waits', () => one.kinds().includes('waiting'));
    expect(one.told).toContainEqual(
      expect.objectContaining({ kind: 'waiting', why: expect.stringContaining('one object') }),
    );
    expect(here.rows()).toMatchObject([{ name: 'a', isDeleted: false }]);
    const told = (await here.messages()).map(({ body }) => JSON.parse(body).deleted);
    expect(told).toEqual([false]);
  });
});
