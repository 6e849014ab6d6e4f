import type { FieldError } from '../parts.ts';
import { badRequest, invalidOptions, type Refusal } from '../refusal.ts';
import { yesOrNo } from './yes-or-no.ts';

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
  const limit = query.get('limit') ?? '0';
  // Parts of a second are more than the real one takes: tests wait less.
  const seconds = (query.get('timeoutSeconds') ?? '0').replace(/^\d+\.\d+$/, '0');
  const unread = [seconds, limit].find((each) => !/^-?\d+$/.test(each));
  if (unread !== undefined)
    return badRequest(`strconv.ParseInt: parsing "${unread}": invalid syntax`);
  const huge = [seconds, limit].find((each) => BigInt(each) !== BigInt.asIntN(64, BigInt(each)));
  if (huge !== undefined) {
    return badRequest(`strconv.ParseInt: parsing "${huge}": value out of range`);
  }
  const errors = [...matchErrors(query), ...initialErrors(query)];
  if (errors.length > 0) return invalidOptions('ListOptions', errors);
  const version = query.get('resourceVersion') ?? '';
  if (!/^\d*$/.test(version)) return badRequest(`invalid resource version: ${unparsed(version)}`);
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
  const isWatch = yesOrNo(query, 'watch') === true;
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
  const isWatch = yesOrNo(query, 'watch') === true;
  if (!query.has('sendInitialEvents')) {
    const why = 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';
    if (!isWatch || match === '') return [];
    return [forbidden('resourceVersionMatch', why), ...otherMatches(query)];
  }
  if (!isWatch) {
    return [forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list')];
  }
  const why = 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
  const wrong = match === 'NotOlderThan' ? [] : [forbidden('resourceVersionMatch', why)];
  return [...wrong, ...(match === '' ? [] : otherMatches(query))];
}

function otherMatches(query: URLSearchParams): readonly FieldError[] {
  const why = 'resourceVersionMatch is forbidden when continue is provided';
  return [
    ...(query.get('resourceVersionMatch') === 'NotOlderThan'
      ? []
      : [unsupportedMatch(query.get('resourceVersionMatch') ?? '', ['NotOlderThan'])]),
    ...(query.get('continue') ? [forbidden('resourceVersionMatch', why)] : []),
  ];
}
