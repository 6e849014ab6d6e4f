import type { JsonObject } from '#shared/domain/json.ts';
import { apiVersion } from '#shared/domain/kind.ts';
import type { Refusal } from '../refusal.ts';
import type { ServedKind } from '../served-kinds.ts';
import { healthAt } from './health.ts';
import type { Answer } from './world.ts';

const version: JsonObject = {
  ...{ major: '1', minor: '35', emulationMajor: '1', emulationMinor: '35' },
  ...{ minCompatibilityMajor: '1', minCompatibilityMinor: '34', gitVersion: 'v1.35.4' },
  ...{ gitCommit: 'v1.35.4', gitTreeState: 'clean', buildDate: '1970-01-01T00:00:00Z' },
  ...{ goVersion: 'go1.26.8', compiler: 'gc', platform: 'linux/amd64' },
};

/** What is no object of the API: `/version`, `/readyz`, and the like. */
export function pageAt(
  path: string,
  query: URLSearchParams,
  kinds: readonly ServedKind[],
): Answer | Refusal {
  if (path === '/version' || path === '/version/') return inLines(version);
  if (path === '/') return inLines({ paths: [...pathsOf(kinds)] });
  return healthAt(path, query);
}

/** As it is, whoever asks. */
function inLines(page: JsonObject): Answer {
  const headers = { 'content-type': 'application/json' };
  return { code: 200, body: JSON.stringify(page, null, 2), headers };
}

function pathsOf(kinds: readonly ServedKind[]): readonly string[] {
  const groups = kinds.flatMap(({ group, versions }) =>
    group === ''
      ? ['/api', '/api/v1']
      : [
          `/apis/${group}`,
          ...versions.map((each) => `/apis/${apiVersion({ group, version: each })}`),
        ],
  );
  const pages = ['/healthz', '/livez', '/openapi/v2', '/openapi/v3', '/readyz', '/version'];
  return [...new Set(['/apis', '/apis/', ...groups, ...pages])].toSorted();
}
