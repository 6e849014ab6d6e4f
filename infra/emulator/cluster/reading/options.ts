import type { FieldError } from '../parts.ts';
import { badRequest, invalidOptions, type Refusal } from '../refusal.ts';

/** What a list or watch asks of the past. */
export type Past =
  | { readonly kind: 'latest' }
  /** From memory is good enough; a limit means nothing then. */
  | { readonly kind: 'any' }
  | { readonly kind: 'not-older'; readonly version: number }
  | { readonly kind: 'exact'; readonly version: number };

export type ListOptions = {
  readonly past: Past;
  readonly limit: number;
  readonly continue: string | undefined;
};

export function listOptionsOf(query: URLSearchParams): ListOptions | Refusal {
  const limit = query.get('limit') ?? '';
  // Parts of a second are more than the real one takes: tests wait less.
  const seconds = (query.get('timeoutSeconds') ?? '').replace(/^\d+\.\d+$/, '');
  const unread = [seconds, limit].find((each) => !/^-?\d*$/.test(each));
  if (unread !== undefined)
    return badRequest(`strconv.ParseInt: parsing "${unread}": invalid syntax`);
  const errors = [...matchErrors(query), ...initialErrors(query)];
  if (errors.length > 0) return invalidOptions('ListOptions', errors);
  const version = query.get('resourceVersion') ?? '';
  if (!/^\d*$/.test(version)) return badRequest(`invalid resource version: ${unparsed(version)}`);
  if (query.get('continue') && version !== '' && version !== '0') {
    return badRequest('specifying resource version is not allowed when using continue');
  }
  return {
    past: pastOf(version, query),
    limit: Math.max(0, Number(limit)),
    continue: query.get('continue') || undefined,
  };
}

function pastOf(version: string, query: URLSearchParams): Past {
  if (version === '') return { kind: 'latest' };
  if (version === '0') return { kind: 'any' };
  const match = query.get('resourceVersionMatch') ?? '';
  const isExact = match === 'Exact' || (match === '' && Number(query.get('limit') ?? 0) > 0);
  return { kind: isExact ? 'exact' : 'not-older', version: Number(version) };
}

export function unparsed(version: string): string {
  return `resourceVersion: Invalid value: "${version}": strconv.ParseUint: parsing "${version}": invalid syntax`;
}

function forbidden(field: string, why: string): FieldError {
  return { field, reason: 'FieldValueForbidden', message: `Forbidden: ${why}` };
}

/** The real server's words, in its order. */
function matchErrors(query: URLSearchParams): readonly FieldError[] {
  const match = query.get('resourceVersionMatch') ?? '';
  const version = query.get('resourceVersion') ?? '';
  const isWatch = /^(1|true)$/.test(query.get('watch') ?? '');
  if (match === '' || isWatch) return [];
  const field = 'resourceVersionMatch';
  const no = (why: string) => forbidden(field, `resourceVersionMatch ${why}`);
  return [
    ...(query.get('continue') ? [no('is forbidden when continue is provided')] : []),
    ...(version === '' ? [no('is forbidden unless resourceVersion is provided')] : []),
    ...(match === 'Exact' && version === '0'
      ? [no('"exact" is forbidden for resourceVersion "0"')]
      : []),
    ...(['Exact', 'NotOlderThan'].includes(match)
      ? []
      : [unsupportedMatch(match, ['Exact', 'NotOlderThan', ''])]),
  ];
}

function unsupportedMatch(match: string, supported: readonly string[]): FieldError {
  const shown = supported.map((each) => `"${each}"`).join(', ');
  const message = `Unsupported value: "${match}": supported values: ${shown}`;
  return { field: 'resourceVersionMatch', reason: 'FieldValueNotSupported', message };
}

function initialErrors(query: URLSearchParams): readonly FieldError[] {
  const match = query.get('resourceVersionMatch') ?? '';
  const isWatch = /^(1|true)$/.test(query.get('watch') ?? '');
  if (!query.has('sendInitialEvents')) {
    const why = 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';
    if (!isWatch || match === '') return [];
    const others = match === 'NotOlderThan' ? [] : [unsupportedMatch(match, ['NotOlderThan'])];
    return [forbidden('resourceVersionMatch', why), ...others];
  }
  if (!isWatch) {
    return [forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list')];
  }
  const why = 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
  return match === 'NotOlderThan' ? [] : [forbidden('resourceVersionMatch', why)];
}
