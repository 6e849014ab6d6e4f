type Paged = { readonly url: string; readonly headers: Readonly<Record<string, string>> };

export type NextPage =
  | { readonly kind: 'none' }
  | { readonly kind: 'page'; readonly path: string }
  | { readonly kind: 'elsewhere' };

/** Below the repository: a server cannot lead our credentials elsewhere by its `Link`. */
export function nextPage({ url, headers }: Paged, repository: string): NextPage {
  const link = headers['link'];
  if (link === undefined || !/rel="?next/i.test(link)) return { kind: 'none' };
  const [, target = ''] = /<([^<>]{1,4096})>\s*;\s*rel="?next"?/i.exec(link) ?? [];
  const next = target === '' ? null : URL.parse(target, url);
  if (!next?.href.startsWith(`${repository}/`)) return { kind: 'elsewhere' };
  return { kind: 'page', path: next.href.slice(repository.length) };
}
