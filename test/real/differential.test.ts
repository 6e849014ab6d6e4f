import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type EmulatedCluster, emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { openCaller } from '#test/contracts/kube-api/calling.ts';
import { type Both, type Finding, prepare, probedAll } from './differential/probing.ts';
import { shrunk } from './differential/shrinking.ts';
import { told } from './differential/telling.ts';
import { type Kube, startKube } from './kube/start.ts';

// The same for everybody; other sequences are a change of this line.
const seeds = { first: 1, many: 300 };
/** So many are made small and told. */
const shown = 5;

type Known = { readonly what: string; readonly is: string };
const known = parse(
  readFileSync(new URL('differential/known.yaml', import.meta.url), 'utf8'),
) as readonly Known[];

let kube: Kube;
let cluster: EmulatedCluster;
let both: Both;

beforeAll(async () => {
  kube = await startKube({ serviceAccounts: true });
  cluster = await emulatedCluster();
  const { users } = JSON.parse(cluster.tokenKubeconfig);
  both = {
    ours: { caller: openCaller(cluster), token: users[0].user.token },
    theirs: { caller: openCaller(kube), token: kube.token },
  };
  await prepare(both);
});
afterAll(async () => {
  for (const { caller } of Object.values(both)) caller.close();
  await cluster.close();
  await kube.stop();
});

it('answers random requests as a real kube-apiserver does', { timeout: 600_000 }, async () => {
  const findings = await probedAll(both, seeds);
  const isKnown = (finding: Finding) =>
    known.some(({ is }) => new RegExp(is).test(told(finding.steps.at(-1), finding.difference)));
  const strange = findings.filter((finding) => !isKnown(finding));
  const small: Finding[] = [];
  for (const each of strange.slice(0, shown)) small.push(await shrunk(both, each));
  expect(
    strange.length,
    small
      .map(
        ({ seed, steps, difference }) =>
          `seed ${seed}\n${steps.map((step) => told(step)).join('\n')}\n${told(undefined, difference)}`,
      )
      .join('\n\n'),
  ).toBe(0);
  const idle = known.filter(
    ({ is }) =>
      !findings.some(({ steps, difference }) =>
        new RegExp(is).test(told(steps.at(-1), difference)),
      ),
  );
  expect(idle.map(({ what }) => what)).toEqual([]);
});
