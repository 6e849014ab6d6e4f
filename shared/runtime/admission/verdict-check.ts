import type { Change, Verdict } from '#shared/domain/verdict.ts';

/** A user's own function may be plain JavaScript: what it says is looked at before it is answered. */
export function isVerdict(verdict: Verdict | undefined): verdict is Verdict {
  return hasAnswer(verdict) && areTexts(verdict.warnings) && areTexts(values(verdict.audit));
}

function hasAnswer(verdict: Verdict | undefined): verdict is Verdict {
  switch (verdict?.kind) {
    case 'allow':
      return true;
    case 'patch':
      return Array.isArray(verdict.changes) && areChanges(verdict.changes);
    case 'deny':
      return areTexts(verdict.reasons) && isRefusal(verdict.code);
    default:
      return false;
  }
}

/** Below 400 the API server would take it for no refusal. */
function isRefusal(code: number): boolean {
  return Number.isInteger(code) && code >= 400 && code < 600;
}

function values(audit: Verdict['audit']): readonly unknown[] {
  return audit === undefined ? [] : Object.values(audit);
}

function areTexts(list: readonly unknown[] | undefined): boolean {
  return (
    list === undefined || (Array.isArray(list) && list.every((item) => typeof item === 'string'))
  );
}

/** A value that stands in many of them (a mount, a variable) is looked at once. */
function areChanges(changes: readonly Change[]): boolean {
  const seen = new Set<unknown>();
  return changes.every((change) => isChange(change, seen));
}

function isChange(change: Change, seen: Set<unknown>): boolean {
  if (typeof change.path !== 'string' || !change.path.startsWith('/')) return false;
  switch (change.op) {
    case 'remove':
      return true;
    case 'add':
    case 'replace':
      if (seen.has(change.value)) return true;
      seen.add(change.value);
      return isJson(change.value, 0);
    default:
      return false;
  }
}

/** Deeper than any object of Kubernetes, and shallow enough that a circle is found at once. */
const deepest = 64;

function isJson(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      return value === null || (depth < deepest && holdsJson(value, depth + 1));
    default:
      return false;
  }
}

/** By keys, since a list of the values would be made for each object that every answer holds. */
function holdsJson(value: object, depth: number): boolean {
  if (Array.isArray(value)) return value.every((each) => isJson(each, depth));
  for (const key in value) {
    if (Object.hasOwn(value, key) && !isJson(Reflect.get(value, key), depth)) return false;
  }
  return true;
}
