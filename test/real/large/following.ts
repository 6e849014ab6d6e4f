import { followedFrom } from '#events/forwarder/followed.ts';
import { openForwarder } from '#events/forwarder/forwarder.ts';
import type { Stream } from '#events/forwarder/ports.ts';
import { usualPace } from '#events/forwarder/world.ts';
import type { Outgoing } from '#events/queue.ts';
import { openSession } from '#shared/adapters/cluster/login.ts';
import { openStream } from '#shared/adapters/cluster/stream.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import { configMaps } from '#shared/domain/kind.ts';
import { streamLimits } from '#shared/runtime/forwarding/stream-limits.ts';
import { pause } from '#shared/runtime/pause.ts';

/** A forwarder as it is deployed, in a process of its own, which tells its parent what it does. */
const [url = '', kubeconfig = '', how = ''] = process.argv.slice(2);
const session = await openSession({ kind: 'kubeconfig-text', text: kubeconfig });
const stream = openStream({ session, ...streamLimits });
const byPages: Stream = {
  ...stream,
  async watch(scope, options) {
    if (options.resourceVersion !== undefined) return stream.watch(scope, options);
    return { kind: 'unsupported', why: 'older' };
  },
};
const sql = postgres(url, { max: 2, onnotice: () => undefined });
const send = async () => undefined;
const forwarder = openForwarder({
  cluster: 'main',
  stream: how === 'by pages' ? byPages : stream,
  store: storeOn<Outgoing>(sql, { cluster: 'main', sender: () => ({ send }) }),
  holder: 'one',
  pace: usualPace,
  now: Date.now,
  random: Math.random,
  pause,
  tell: ({ kind }) => void process.send?.(kind),
});
await forwarder.set(followedFrom([{ function: 'look', watch: { of: configMaps } }]));
