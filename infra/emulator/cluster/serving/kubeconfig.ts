export type Login = {
  readonly server: string;
  /** PEM; without one the server speaks plainly. */
  readonly ca?: string;
  readonly user:
    | { readonly token: string }
    | { readonly certificate: string; readonly key: string };
  readonly name: string;
};

/** JSON is YAML. */
export function kubeconfigFor({ server, ca, user, name }: Login): string {
  const cluster =
    ca === undefined
      ? // The client library speaks plain HTTP only to a server whose certificate it would not look at.
        { server, 'insecure-skip-tls-verify': true }
      : { server, 'certificate-authority-data': base64(ca) };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name: 'admin', user: userOf(user) }],
    contexts: [{ name, context: { cluster: name, user: 'admin' } }],
    'current-context': name,
  });
}

function userOf(user: Login['user']) {
  if ('token' in user) return user;
  const { certificate, key } = user;
  return { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
