import type { Environment } from '@marcbachmann/cel-js';

export function registerUrls(to: Environment): void {
  to.registerType('kubernetes.URL', { ctor: URL, fields: {} });
  to.registerFunction('url(string): kubernetes.URL', (text: string) => {
    const url = parsed(text);
    if (url === undefined)
      throw new Error(`${problem} parse ${JSON.stringify(text)}: ${whyNot(text)}`);
    return url;
  });
  to.registerFunction('isURL(string): bool', (text: string) => parsed(text) !== undefined);
  to.registerFunction('kubernetes.URL.getScheme(): string', ({ protocol, host }: URL) =>
    host === placeholder ? '' : protocol.replace(':', ''),
  );
  to.registerFunction('kubernetes.URL.getHost(): string', ({ host }: URL) => stated(host));
  to.registerFunction('kubernetes.URL.getHostname(): string', ({ hostname }: URL) =>
    stated(hostname).replace(/^\[(.*)\]$/, '$1'),
  );
  to.registerFunction('kubernetes.URL.getPort(): string', ({ port }: URL) => port);
  to.registerFunction('kubernetes.URL.getEscapedPath(): string', ({ pathname }: URL) => pathname);
  to.registerFunction(
    'kubernetes.URL.getQuery(): map<string, list<string>>',
    ({ searchParams }: URL) =>
      new Map([...searchParams.keys()].map((key) => [key, searchParams.getAll(key)])),
  );
}

const problem = 'URL parse error during conversion from string:';

function whyNot(text: string): string {
  return text.startsWith(':') ? 'missing protocol scheme' : 'invalid URI for request';
}

/** Go takes a bare absolute path for a URL as well. */
const placeholder = 'no-host.invalid';

function parsed(text: string): URL | undefined {
  if (!/^(?:[a-zA-Z][a-zA-Z0-9+.-]*:|\/)\S*$/.test(text)) return undefined;
  return URL.parse(text, `x://${placeholder}`) ?? undefined;
}

function stated(host: string): string {
  return host === placeholder ? '' : host;
}
