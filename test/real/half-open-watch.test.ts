import { setInterval as every } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { namespaces } from '#shared/domain/kind.ts';
import { freshNamespace } from './kube/fresh-namespace.ts';
import { openStage, type Stage, untilTold } from './label-change/stage.ts';

/** Three quarters of it, and what is remembered counts as old; by default it is two minutes. */
const idleMs = 4_000;
/** That, a heartbeat, and how long a live answer is used; and as much for a slow machine. */
const knownWithinMs = 2 * (idleMs * 0.75 + 1_000 + 1_000);
const patiently = { timeout: 20_000, interval: 50 };

let stage: Stage;
const stopped = new AbortController();
let keeping: Promise<void>;

beforeAll(async () => {
  stage = await openStage(inject('kube'), { idleMs });
  keeping = keepSpeaking();
}, 60_000);

afterAll(async () => {
  stopped.abort();
  await keeping;
  await stage?.close();
});

/** The real one sends a bookmark a minute: another namespace's changes stand for them. */
async function keepSpeaking(): Promise<void> {
  const name = await freshNamespace(stage.cluster);
  let serial = 0;
  for await (const _ of every(500)) {
    if (stopped.signal.aborted) return;
    serial += 1;
    const body = { metadata: { annotations: { serial: `${serial}` } } };
    await stage.cluster.patch({ kind: namespaces, name }, { type: 'merge', body });
  }
}

function whenStaleIs(isStale: boolean): Promise<void> {
  return vi.waitFor(async () => expect(await stage.isStale()).toBe(isStale), patiently);
}

/** The connections stay, and nothing arrives on them any more: the forwarder is told of no error. */
describe('a forwarder whose connections to the API server are half open', () => {
  it('is as good as any before that', async () => {
    await whenStaleIs(false);
    await stage.relabel('before');
    await untilTold(stage, 'before', 5_000);
    expect(await stage.isStale()).toBe(false);
  }, 60_000);

  it('is not believed any more: admission asks the API server itself, and knows the change', async () => {
    stage.way.stall();
    await stage.relabel('meanwhile');
    await untilTold(stage, 'meanwhile', knownWithinMs);
    expect(await stage.isStale()).toBe(true);
    await stage.relabel('again');
    await untilTold(stage, 'again', 5_000);
    expect(await stage.isStale()).toBe(true);
  }, 60_000);

  it('is believed again when it is heard of', async () => {
    stage.way.mend();
    await whenStaleIs(false);
    await stage.relabel('after');
    await untilTold(stage, 'after', 5_000);
    expect(await stage.isStale()).toBe(false);
  }, 60_000);
});
