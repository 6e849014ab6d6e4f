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

/** What it asks for that the emulated cluster does not serve: claims of devices, and the marks of tokens of old. */
const known =
  /resourceclaim|legacy-service-account-token|has been deleted|not found|context canceled/;

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
  expect(errors.filter((line) => !known.test(line))).toEqual([]);
}, 120_000);
