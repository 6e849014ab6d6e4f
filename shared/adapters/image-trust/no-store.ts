import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';

/** Of a process that has no database: as if it were away for good. */
export function noStore(): VerdictStore {
  const away = () => Promise.reject(new Error('no database is named'));
  return {
    find: away,
    list: away,
    keep: away,
    findAnchor: away,
    keepAnchor: away,
    claim: away,
    release: away,
    findTag: away,
    keepTag: away,
    findFacts: away,
    keepFacts: away,
    onChange: () => undefined,
    onRelease: () => undefined,
  };
}
