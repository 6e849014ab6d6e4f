import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import preferPool from '#functions/node-affinity/prefer-pool.ts';
import { namespacesInMemory } from '#infra/emulator/testing/namespaces-in-memory.ts';
import type { AdmissionFunction } from '#shared/define.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { openEnvelope } from '#shared/runtime/admission/envelope.ts';
import { fuse } from '#shared/runtime/admission/fuse.ts';
import { reviewOf, stage } from '../../../support/admission.ts';
import addLandscape from '../../../support/functions/add-landscape.ts';
import mirrorRegistry from '../../../support/functions/mirror-registry.ts';
import stampImages from '../../../support/functions/stamp-images.ts';
import { randomPod } from '../../../support/random-pod.ts';

/** What the four functions mean to touch, and nothing else may be. */
const meant = [
  /^\/spec\/(initContainers|containers)\/\d+\/image$/,
  /^\/metadata(\/annotations(\/sample\.gatehouse\.io~1images)?)?$/,
  /^\/spec\/containers\/\d+\/env(\/\d+)?$/,
  /^\/spec\/affinity(\/nodeAffinity(\/preferredDuringSchedulingIgnoredDuringExecution(\/\d+)?)?)?$/,
];

const functions: readonly AdmissionFunction[] = [
  preferPool,
  addLandscape,
  mirrorRegistry,
  stampImages,
];

async function rounds() {
  const managed = { 'operator.kyma-project.io/managed-by': 'kyma', stamped: 'yes' };
  const { bound, host } = await stage({
    functions,
    settings: { nodeAffinity: { presence: 'assumed' } },
    namespaces: namespacesInMemory({ name: 'team-a', labels: managed }),
  });
  return (object: JsonObject) => {
    const opened = openEnvelope(JSON.stringify(reviewOf({ object })));
    if (!opened.ok) throw new Error(opened.unreadable.why);
    const until = performance.now() + 60_000;
    return fuse(bound, { asked: opened.asked, host, until, judge: 'cache' });
  };
}

describe('all pod mutations together', () => {
  it('change a pod once, and touch nothing that no function meant', async () => {
    const run = await rounds();
    let changed = 0;
    await fc.assert(
      fc.asyncProperty(randomPod, async (pod) => {
        const once = await run(pod as JsonObject);
        const again = await run(once.after());
        changed += once.verdict.kind === 'patch' ? 1 : 0;

        const paths = once.steps.flatMap((step) => step.changes.map(({ path }) => path));
        return (
          once.steps.every(({ answered }) => answered !== 'failed') &&
          again.verdict.kind === 'allow' &&
          paths.every((path) => meant.some((one) => one.test(path)))
        );
      }),
      { numRuns: 10_000 },
    );
    expect(changed).toBeGreaterThan(5_000);
  }, 60_000);
});
