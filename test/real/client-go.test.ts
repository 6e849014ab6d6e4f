import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { playerOf } from '#test/contracts/kubectl/playing.ts';
import { builtKube } from './kube/build.ts';
import { controllerManagerFlags } from './kube/flags.ts';
import { issuePki } from './kube/pki.ts';

/** Claims of devices, which the emulated cluster does not serve. */
const claims = ['ResourceClaim', 'ResourceClaimTemplate'].map((kind) => {
  const resource = `${kind.toLowerCase()}s.resource.k8s.io`;
  return `"Failed to watch" err="failed to list *v1.${kind}: the server could not find the requested resource (get ${resource})"`;
});

/** Since when the tokens of old are looked for. */
const tracking = String.raw`"Getting lastest possible tracked_since time" err="configmaps \"kube-apiserver-legacy-service-account-token-tracking\" not found"`;

/** A set that goes with its deployment while its controller is at it, in whose words that is an error. */
const goneMeanwhile =
  /sync \\"worked\/(web-[0-9a-z]+)\\" failed with replicasets\.apps \\"\1\\" not found"/;

function isExpected(line: string): boolean {
  return [...claims, tracking].some((each) => line.includes(each)) || goneMeanwhile.test(line);
}

/** The largest Go client that there is: informers, protobuf and leases of client-go, on the emulated API. */
it('carries the controllers of the real kube-controller-manager', async () => {
  const programs = builtKube();
  const directory = mkdtempSync(join(tmpdir(), 'client-go-'));
  const cluster = await emulatedCluster();
  const kubeconfig = join(directory, 'kubeconfig');
  writeFileSync(kubeconfig, cluster.kubeconfig, { mode: 0o600 });
  const flags = controllerManagerFlags(issuePki(join(directory, 'pki')), kubeconfig).filter(
    // It would log in as accounts whose tokens another key has signed.
    (flag) => !flag.startsWith('--use-service-account-credentials'),
  );
  const log = join(directory, 'log');
  const out = openSync(log, 'w');
  const manager = spawn(join(programs, 'kube-controller-manager'), flags, {
    stdio: ['ignore', out, out],
  });
  onTestFinished(async () => {
    manager.kill();
    if (manager.exitCode === null && manager.signalCode === null) await once(manager, 'exit');
    await cluster.close();
    rmSync(directory, { recursive: true });
  });

  const play = playerOf({ program: join(programs, 'kubectl'), namespace: 'worked', kubeconfig });
  const says = async (run: string, until: string) => {
    expect((await play({ run, until })).out).toContain(until);
  };
  await says('create namespace worked', 'created');
  await says('get serviceaccounts -o name', 'default');
  await says('create deployment web --image=nginx --replicas=2', 'created');
  await says('get deployment web --no-headers', '0/2  2');
  await says('create job once --image=busybox', 'created');
  await says('get pods -l job-name=once -o name', 'pod/once-');
  await says('create namespace ending', 'created');
  await says('delete namespace ending --timeout=30s', 'deleted');
  await says('delete deployment web --cascade=foreground --timeout=30s', 'deleted');
  expect((await play({ run: 'get replicasets' })).error).toContain('No resources found');

  const errors = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => /^[EF]\d{4} /.test(line));
  // Else it has not got as far as to ask for anything, or says it in other words by now.
  for (const each of [...claims, tracking]) expect(errors.join('\n')).toContain(each);
  expect(errors.filter((line) => !isExpected(line))).toEqual([]);
}, 120_000);
