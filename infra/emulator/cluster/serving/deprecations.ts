import { idOf, type ServedKind } from '../served-kinds.ts';
import type { Answer } from './world.ts';

const builtIn: Readonly<Record<string, string>> = {
  endpoints: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  componentstatuses: 'v1 ComponentStatus is deprecated in v1.19+',
};

export function deprecationOf(kind: ServedKind): string | undefined {
  return kind.isCustom ? undefined : builtIn[idOf(kind)];
}

export function warningOf(text: string): string {
  return `299 - ${JSON.stringify(text)}`;
}

/** What every answer about such a kind says beside. */
export function withDeprecation<T extends Answer>(answer: T, text: string | undefined): T {
  if (text === undefined) return answer;
  const stated = answer.headers?.['warning'] ?? [];
  const warning = [warningOf(text), ...(typeof stated === 'string' ? [stated] : stated)];
  // A write of such an object may have said so already.
  return { ...answer, headers: { ...answer.headers, warning: [...new Set(warning)] } };
}
