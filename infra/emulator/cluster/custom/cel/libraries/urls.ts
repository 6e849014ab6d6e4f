import type { Environment } from '@marcbachmann/cel-js';
import { type GoUrl, goUrl, hostname, port } from './go-url.ts';

/** A class, since the library tells types by their constructor. */
class CelUrl {
  readonly parts: GoUrl;
  readonly text: string;
  constructor(parts: GoUrl, text: string) {
    this.parts = parts;
    this.text = text;
  }
}

export function registerUrls(to: Environment): void {
  const type = 'kubernetes.URL';
  to.registerType(type, { ctor: CelUrl, fields: {} });
  to.registerFunction(`url(string): ${type}`, (text: string) => {
    const parts = goUrl(text);
    if (parts === undefined)
      throw new Error(`${problem} parse ${JSON.stringify(text)}: ${whyNot(text)}`);
    return new CelUrl(parts, text);
  });
  to.registerFunction('isURL(string): bool', (text: string) => goUrl(text) !== undefined);
  const part = (name: string, found: (url: GoUrl) => string) =>
    to.registerFunction(`${type}.${name}(): string`, ({ parts }: CelUrl) => found(parts));
  part('getScheme', ({ scheme }) => scheme);
  part('getHost', ({ host }) => host);
  part('getHostname', hostname);
  part('getPort', port);
  part('getEscapedPath', ({ path }) => path);
  to.registerFunction(`${type}.getQuery(): map<string, list<string>>`, ({ parts }: CelUrl) => {
    const query = new URLSearchParams(parts.query);
    return new Map([...query.keys()].map((key) => [key, query.getAll(key)]));
  });
  to.registerOperator(
    `${type} == ${type}`,
    ({ text }: CelUrl, { text: other }: CelUrl) => text === other,
  );
}

const problem = 'URL parse error during conversion from string:';

function whyNot(text: string): string {
  return text.startsWith(':') ? 'missing protocol scheme' : 'invalid URI for request';
}
