import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Pki = {
  readonly token: string;
  /** The path of a file of the folder: `ca.crt`, `apiserver.key`, … */
  path(file: string): string;
  read(file: string): string;
};

const serverNames = [
  'IP:127.0.0.1,IP:10.0.0.1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default',
  'DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local',
].join(',');

/** Two authorities: with one, every client certificate of an allowed name could speak for others by header. */
export function issuePki(folder: string): Pki {
  mkdirSync(folder, { mode: 0o700 });
  const path = (file: string) => join(folder, file);
  const openssl = (...args: readonly string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });

  const issue = (name: string, subject: string, ...more: readonly string[]) =>
    openssl(
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
      ...['-days', '30', '-subj', subject, '-keyout', `${name}.key`, '-out', `${name}.crt`],
      ...more,
    );
  const authority = ['-addext', 'keyUsage=critical,keyCertSign,cRLSign'];
  const leafOf = (ca: string, use: string) => [
    ...['-CA', `${ca}.crt`, '-CAkey', `${ca}.key`, '-addext', 'basicConstraints=critical,CA:FALSE'],
    ...['-addext', `extendedKeyUsage=${use}`],
  ];

  issue('ca', '/CN=kube-test-ca', ...authority);
  issue('front-proxy-ca', '/CN=front-proxy-ca', ...authority);
  const names = ['-addext', `subjectAltName=${serverNames}`];
  issue('apiserver', '/CN=kube-apiserver', ...leafOf('ca', 'serverAuth'), ...names);
  issue('admin', '/O=system:masters/CN=admin', ...leafOf('ca', 'clientAuth'));
  issue('kcm', '/CN=system:kube-controller-manager', ...leafOf('ca', 'clientAuth'));
  issue('front-proxy-client', '/CN=front-proxy-client', ...leafOf('front-proxy-ca', 'clientAuth'));
  openssl('genrsa', '-out', 'sa.key', '2048');
  openssl('rsa', '-in', 'sa.key', '-pubout', '-out', 'sa.pub');

  const token = randomBytes(16).toString('hex');
  writeFileSync(path('tokens.csv'), `${token},admin-token,admin-token-uid,"system:masters"\n`);
  return { token, path, read: (file) => readFileSync(path(file), 'utf8') };
}
