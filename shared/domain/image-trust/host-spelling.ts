const hubHosts: readonly string[] = [
  'docker.io',
  'index.docker.io',
  'registry-1.docker.io',
  'registry.hub.docker.com',
];

/** One host has many spellings, and the same content behind each: what is stricter must hold for all of them. */
export function hostOf(registry: string): string {
  // It drops the port that https has anyway, and writes addresses in one way.
  const host = URL.parse(`https://${registry}`)?.host ?? registry.toLowerCase();
  return hubHosts.includes(host) ? 'docker.io' : host;
}
