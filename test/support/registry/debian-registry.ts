import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { KeyPair } from '#shared/ports.ts';
import { type Breakable, breakable } from '../breakable.ts';
import { makeCa, makeLeaf } from '../tls.ts';

export type DebianRegistry = {
  /** `localhost:41234` */
  readonly host: string;
  /** PEM */
  readonly ca: string;
  /** For skopeo: a folder with the CA alone. */
  readonly certificates: string;
  readonly server: Breakable;
  stop(): Promise<void>;
};

export type Login =
  | { readonly kind: 'none' }
  /** The user `alice` with the password `wörd:x`. */
  | { readonly kind: 'password' }
  | { readonly kind: 'token'; readonly realm: string; readonly issuer: KeyPair };

// What bcrypt made of the password, once.
const passwords = 'alice:$2b$04$b0c7w5AV/b6hfMA/Hsj1jetbeDCWEOEWK425VKsVBG5vWoaDIpQPW\n';

/** Debian's `docker-registry` over TLS on loopback, with its data in a folder that goes with it. */
export async function startDebianRegistry(login: Login): Promise<DebianRegistry> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-registry-'));
  const file = (name: string) => join(folder, name);
  const ca = await makeCa();
  const leaf = await makeLeaf(ca, 'localhost');
  writeFileSync(file('leaf.crt'), leaf.certificate);
  writeFileSync(file('leaf.key'), leaf.key);
  writeFileSync(file('passwords'), passwords);
  if (login.kind === 'token') writeFileSync(file('issuer.crt'), login.issuer.certificate);

  const at = { port: '0' };
  const server = await breakable(async () => {
    writeFileSync(file('registry.json'), JSON.stringify(configuration(login, at.port, file)));
    const started = await startedBy(file('registry.json'));
    at.port = started.port;
    return started;
  });
  const certificates = mkdtempSync(join(folder, 'trust-'));
  writeFileSync(join(certificates, 'ca.crt'), ca.certificate);
  return {
    ...{ host: `localhost:${at.port}`, ca: ca.certificate, certificates, server },
    stop: async () => {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startedBy(configured: string) {
  // The kernel's promise that nothing is left behind, whatever kills the tests.
  const command = ['--pdeathsig', 'KILL', '--', 'docker-registry', 'serve', configured];
  const child = spawn('setpriv', command, { stdio: 'pipe' });
  const ended = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { pid: child.pid, port: await portOf(child), kill };
}

/** JSON is YAML. */
function configuration(login: Login, port: string, file: (name: string) => string) {
  return {
    version: 0.1,
    log: { level: 'info', formatter: 'json' },
    storage: { filesystem: { rootdirectory: file('data') } },
    http: {
      addr: `127.0.0.1:${port}`,
      tls: { certificate: file('leaf.crt'), key: file('leaf.key') },
    },
    ...(login.kind === 'none' ? {} : { auth: authentication(login, file) }),
  };
}

function authentication(login: Exclude<Login, { kind: 'none' }>, file: (name: string) => string) {
  if (login.kind === 'password') return { htpasswd: { realm: 'test', path: file('passwords') } };
  const { realm } = login;
  const names = { realm, service: 'test-registry', issuer: 'test-issuer' };
  return { token: { ...names, rootcertbundle: file('issuer.crt') } };
}

/** It takes a port that is free, and says which. */
async function portOf(child: ChildProcess): Promise<string> {
  if (child.stderr === null) throw new Error('docker-registry has no output');
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line);
    const [, port] = /listening on 127\.0\.0\.1:(\d+)/.exec(line) ?? [];
    if (port === undefined) continue;
    child.stderr.resume();
    return port;
  }
  throw new Error(`docker-registry did not start: ${said.join('\n')}`);
}
