import type { ImageTrustSettings } from './settings.ts';

type Named = Pick<
  ImageTrustSettings,
  'hosts' | 'userHosts' | 'mirrors' | 'tokenServers' | 'notary'
>;

/** The names that the operator says images will be asked of, each once. */
export function platformHosts(settings: Named): readonly string[] {
  const { hosts, userHosts, mirrors, tokenServers, notary } = settings;
  const stated = [
    ...hosts.map(({ host }) => host),
    ...mirrors.map(({ at }) => at),
    ...Object.entries(tokenServers).flatMap(([of, servers]) => [of, ...servers]),
    ...userHosts,
  ];
  const urls = [notary.URL, ...stated.map((host) => `https://${host}`)];
  const names = urls.flatMap((url) => URL.parse(url)?.hostname ?? []);
  return [...new Set(names)].filter((name) => name !== '' && !isAddress(name));
}

/** As a URL has it. */
function isAddress(name: string): boolean {
  return name.startsWith('[') || /^[0-9.]+$/.test(name);
}
