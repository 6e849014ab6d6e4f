import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { listenPlainly } from '#shared/runtime/listen.ts';
import { type Probed, probeListener, type Readiness } from '#shared/runtime/probes.ts';
import { startGatehouse } from '#test/support/gatehouse-process.ts';
import { freshDatabase } from '#test/support/postgres.ts';

const endings: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const ready: Readiness = { ready: true, degraded: [], waitingFor: [] };

async function probed(state: Partial<Probed>) {
  const failures: unknown[] = [];
  const listener = probeListener({
    readiness: async () => ready,
    still: () => [],
    metrics: async () => ({ text: 'up 1 # é\n', contentType: 'text/plain; version=0.0.4' }),
    failed: (...failure) => failures.push(failure),
    ...state,
  });
  const listening = await listenPlainly({ address: '127.0.0.1', port: 0, listener });
  endings.push(() => listening.close(1_000));
  const ask = async (path: string, method = 'GET') => {
    const answer = await fetch(`http://127.0.0.1:${listening.port}${path}`, { method });
    const { status, headers } = answer;
    return { status, type: headers.get('content-type'), text: await answer.text() };
  };
  return { ...listening, ask, failures };
}

const ownImports = join(import.meta.dirname, '../../../infra/own-imports.mjs');

const plain = 'text/plain; charset=utf-8';

describe('probes', () => {
  it('say that a process is well, ready, and what it counts', async () => {
    const { ask } = await probed({});
    expect(await ask('/healthz')).toEqual({ status: 200, type: plain, text: 'ok\n' });
    expect(await ask('/healthz?verbose')).toMatchObject({ status: 200 });
    const text = '{"status":"ok","ready":true,"degraded":[],"waitingFor":[]}';
    expect(await ask('/readyz')).toEqual({ status: 200, type: 'application/json', text });
    const type = 'text/plain; version=0.0.4';
    expect(await ask('/metrics')).toEqual({ status: 200, type, text: 'up 1 # é\n' });
  });

  it('say what stands still, and what is waited for', async () => {
    const { ask } = await probed({
      still: () => ['schedule', 'pods'],
      readiness: async () => ({ ...ready, ready: false, waitingFor: ['database'] }),
    });
    const still = { status: 503, text: 'stands still: schedule, pods\n' };
    expect(await ask('/healthz')).toMatchObject(still);
    const text = expect.stringContaining('"status":"not ready","ready":false');
    expect(await ask('/readyz')).toMatchObject({ status: 503, text });
  });

  it('say that something is wrong while it is ready all the same', async () => {
    const { ask } = await probed({ readiness: async () => ({ ...ready, degraded: ['x: y'] }) });
    const text = expect.stringContaining('"status":"degraded","ready":true');
    expect(await ask('/readyz')).toMatchObject({ status: 200, text });
  });

  it('answer a HEAD without a body, and nothing else', async () => {
    const { ask } = await probed({});
    expect(await ask('/healthz', 'HEAD')).toEqual({ status: 200, type: plain, text: '' });
    const text = 'it has /healthz, /readyz, /metrics\n';
    expect(await ask('/')).toEqual({ status: 404, type: plain, text });
    expect(await ask('/constructor')).toMatchObject({ status: 404 });
    expect(await ask('/healthz', 'POST')).toMatchObject({ status: 404 });
  });

  it('tell of what throws, and go on', async () => {
    const cause = new Error('no database');
    const { ask, failures } = await probed({ readiness: () => Promise.reject(cause) });
    const text = 'it could not be answered: the log says why\n';
    expect(await ask('/readyz')).toEqual({ status: 500, type: plain, text });
    expect(failures).toEqual([['/readyz', cause]]);
    expect(await ask('/healthz')).toMatchObject({ status: 200 });
  });

  it('give a connection back while the process drains', async () => {
    const { port, startClosing } = await probed({});
    const socket = connect(port, '127.0.0.1');
    endings.push(() => socket.destroy());
    await once(socket, 'connect');
    startClosing();
    socket.write('GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n');
    const [said] = await once(socket, 'data');
    expect(String(said)).toMatch(/^HTTP\/1.1 200 OK\r\n(.*\r\n)*connection: close\r\n/i);
  });

  it('do not make a forwarder load Node’s fetch, which is 15 MiB', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'));
    endings.push(() => rmSync(folder, { recursive: true, force: true }));
    const cluster = await fakeCluster();
    endings.push(cluster.close);
    const [loaded, kubeconfig] = [join(folder, 'loaded'), join(folder, 'kubeconfig')];
    writeFileSync(kubeconfig, cluster.kubeconfig);
    const noting = `import { writeFileSync } from 'node:fs';
      const note = () => writeFileSync(${JSON.stringify(loaded)}, process.moduleLoadList.join('\\n'));
      process.on('exit', note);`;
    const started = await startGatehouse({
      settings: {
        server: { address: '127.0.0.1', port: 0, probePort: 0 },
        certificates: { source: 'files', directory: folder },
      },
      kubeconfig,
      args: ['--role', 'forwarder'],
      env: {
        DATABASE_URL: (await freshDatabase()).url,
        // As a bundle has it: what our packages import of http is without fetch.
        NODE_OPTIONS: `--import ${ownImports} --import data:text/javascript,${encodeURIComponent(noting)}`,
      },
    });
    endings.push(() => started.stop());
    for (const path of ['healthz', 'readyz', 'metrics']) {
      await fetch(`http://127.0.0.1:${started.probePort}/${path}`);
    }
    expect(await started.stop()).toBe(0);
    const modules = readFileSync(loaded, 'utf8').split('\n');
    expect(modules).toContain('NativeModule _http_server');
    expect(modules.filter((name) => name.includes('undici'))).toEqual([]);
  });
});
