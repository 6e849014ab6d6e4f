import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type EmulatedCluster, emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { type Controllers, openControllers } from '#infra/emulator/controllers/open-controllers.ts';
import type { Stage } from '#test/contracts/kube-api/asking.ts';
import { openCaller } from '#test/contracts/kube-api/calling.ts';
import { type Loopback, openLoopback } from '#test/contracts/kube-api/loopback.ts';
import { logRecorded } from '#test/support/running.ts';
import { managers, withNodes } from './controlled/hands.ts';
import { type Both, played } from './controlled/playing.ts';
import { allStories } from './controlled/story.ts';
import { type Kube, startKube } from './kube/start.ts';

type Known = { readonly what: string; readonly is: string };
const known = parse(
  readFileSync(new URL('controlled/known.yaml', import.meta.url), 'utf8'),
) as readonly Known[];

let kube: Kube;
let cluster: EmulatedCluster;
let controllers: Controllers;
let loopback: Loopback;
let both: Both;

beforeAll(async () => {
  kube = await startKube({
    controllerManager: true,
    // Nobody renews the nodes.
    controllerManagerArgs: ['--node-monitor-grace-period=1h'],
  });
  cluster = await emulatedCluster();
  const login = { kind: 'kubeconfig-text', text: cluster.kubeconfig } as const;
  controllers = await openControllers({ login, log: logRecorded(), only: managers });
  loopback = await openLoopback();
  const { users } = JSON.parse(cluster.tokenKubeconfig);
  both = { ours: stageAt({ ...cluster, token: users[0].user.token }), theirs: stageAt(kube) };
  await Promise.all(Object.values(both).map(withNodes));
});
afterAll(async () => {
  for (const { caller } of Object.values(both)) caller.close();
  await loopback.close();
  controllers.close();
  await cluster.close();
  await kube.stop();
});

type At = { readonly url: string; readonly ca: string; readonly token: string };

function stageAt({ url, ca, token }: At): Stage {
  const place = { url, ca, token, patienceMs: 15_000 };
  return { place, caller: openCaller(place), loopback, isControlled: true };
}

const found: string[] = [];
const knows = ({ is }: Known, finding: string) => new RegExp(is).test(finding);
const isKnown = (finding: string) => known.some((each) => knows(each, finding));

describe('as with a real controller manager', { concurrent: true }, () => {
  it.each(allStories().map((one) => [one.title, one] as const))('%s', async (_, story) => {
    const findings = await played(both, story, { isKnown });
    found.push(...findings);
    expect(findings.filter((each) => !isKnown(each)).map(brief)).toEqual([]);
  });
});

it('still differs in all that is known', () => {
  const idle = known.filter((each) => !found.some((finding) => knows(each, finding)));
  expect(idle.map(({ what }) => what)).toEqual([]);
});

/** Of whole objects as much as tells which. */
function brief(finding: string): string {
  return finding.replace(/(?<=^.{400}).*$/gm, '…');
}
