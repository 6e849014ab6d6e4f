import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openOutside } from '#shared/adapters/http/open-outside.ts';
import type { Outside } from '#shared/domain/outside.ts';
import { type Breakable, breakable } from '#test/support/breakable.ts';
import { freePort, type Running, run } from '../kube/program.ts';

export type RealNotary = {
  readonly url: string;
  /** Knows this server's authority, and that it may be on loopback. */
  readonly outside: Outside;
  readonly caPath: string;
  readonly directory: string;
  readonly server: Breakable;
  readonly signer: Breakable;
  stop(): Promise<void>;
};

/** Debian's notary-server and notary-signer, over TLS. What they know dies with them only without a database. */
export async function startNotary(databaseUrl?: string): Promise<RealNotary> {
  if (!existsSync('/usr/bin/notary-server')) throw new Error('apt-get install notary');
  const directory = mkdtempSync(join(tmpdir(), 'notary-'));
  issueCertificates(directory);
  const ca = readFileSync(join(directory, 'ca.crt'), 'utf8');
  const running: Running[] = [];
  const stop = async () => {
    for (const program of running) await program.kill();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const [signerPort, serverPort] = [await freePort(), await freePort()];
    const storage = storageOn(databaseUrl);
    writeConfigurations(directory, { signerPort, serverPort, storage });
    // A server that finds nobody there does not ask again for a second.
    const signer = await breakable(async () => {
      const one = startSigner(directory);
      running.unshift(one);
      await one.until('a signer that listens', () => listens(signerPort));
      return one;
    });
    const url = `https://localhost:${serverPort}`;
    const outside = outsideTo(`localhost:${serverPort}`, ca);
    const server = await breakable(async () => {
      const one = run('/usr/bin/notary-server', [config(directory, 'server')], logOf(directory));
      running.unshift(one);
      await one.until('a Notary that answers', () => answers(url, outside));
      return one;
    });
    return { url, outside, caPath: join(directory, 'ca.crt'), directory, server, signer, stop };
  } catch (cause: unknown) {
    await stop();
    throw cause;
  }
}

function startSigner(directory: string): Running {
  const environment = ['NOTARY_SIGNER_DEFAULT_ALIAS=k1', 'NOTARY_SIGNER_K1=signer-passphrase'];
  const args = [...environment, '/usr/bin/notary-signer', config(directory, 'signer')];
  return run('/usr/bin/env', args, join(directory, 'signer.log'));
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const found = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return found;
}

function config(directory: string, name: string): string {
  return `-config=${join(directory, `${name}.json`)}`;
}

function logOf(directory: string): string {
  return join(directory, 'server.log');
}

function outsideTo(host: string, ca: string): Outside {
  return openOutside({
    hosts: [{ host, ca, addresses: ['127.0.0.0/8', '::1/128'] }],
    userAgent: 'gatehouse-test',
    deadlineMs: 30_000,
    connectionsPerHost: 4,
  });
}

async function answers(url: string, outside: Outside): Promise<boolean> {
  const answer = await outside.read({
    url: `${url}/_notary_server/health`,
    reach: 'internal',
    maxBytes: 1 << 16,
    signal: AbortSignal.timeout(2_000),
  });
  return answer.kind === 'answer' && answer.status === 200;
}

type Storage = { readonly backend: string; readonly db_url?: string };

function storageOn(databaseUrl: string | undefined): Storage {
  if (databaseUrl === undefined) return { backend: 'memory' };
  return { backend: 'postgres', db_url: `${databaseUrl}?sslmode=disable` };
}

type Stated = {
  readonly signerPort: number;
  readonly serverPort: number;
  /** Of both. */
  readonly storage: Storage;
};

function writeConfigurations(directory: string, { signerPort, serverPort, storage }: Stated): void {
  const path = (file: string) => join(directory, file);
  const write = (name: string, content: object) =>
    writeFileSync(path(`${name}.json`), JSON.stringify(content));
  const logging = { level: 'info' };
  write('signer', {
    server: {
      grpc_addr: `127.0.0.1:${signerPort}`,
      tls_cert_file: path('signer.crt'),
      tls_key_file: path('signer.key'),
      client_ca_file: path('ca.crt'),
    },
    ...{ logging, storage },
  });
  write('server', {
    server: {
      http_addr: `127.0.0.1:${serverPort}`,
      tls_cert_file: path('server.crt'),
      tls_key_file: path('server.key'),
    },
    trust_service: {
      type: 'remote',
      hostname: '127.0.0.1',
      port: String(signerPort),
      tls_ca_file: path('ca.crt'),
      key_algorithm: 'ecdsa',
      tls_client_cert: path('server.crt'),
      tls_client_key: path('server.key'),
    },
    ...{ logging, storage },
  });
}

/** One authority; a server's certificate is also what it shows to the signer. */
function issueCertificates(directory: string): void {
  mkdirSync(directory, { recursive: true });
  const issue = (name: string, ...more: readonly string[]) =>
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
        ...['-days', '30', '-subj', `/CN=${name}`, '-keyout', `${name}.key`],
        ...['-out', `${name}.crt`, ...more],
      ],
      { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] },
    );
  issue('ca', '-addext', 'keyUsage=critical,keyCertSign,cRLSign');
  const leaf = [
    ...['-CA', 'ca.crt', '-CAkey', 'ca.key', '-addext', 'basicConstraints=critical,CA:FALSE'],
    ...['-addext', 'extendedKeyUsage=serverAuth,clientAuth'],
    ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
  ];
  issue('server', ...leaf);
  issue('signer', ...leaf);
}
