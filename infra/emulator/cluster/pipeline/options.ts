import type { JsonObject } from '#shared/domain/json.ts';
import type { FieldError, FieldValidation } from '../parts.ts';
import { yesOrNo } from '../reading/yes-or-no.ts';
import { invalidOptions, type Refusal } from '../refusal.ts';
import type { WriteOptions } from './write.ts';

type Asked = {
  readonly verb: 'create' | 'update' | 'patch';
  readonly query: URLSearchParams;
  readonly userAgent: string | undefined;
  readonly isApply: boolean;
};

const kinds = { create: 'CreateOptions', update: 'UpdateOptions', patch: 'PatchOptions' } as const;

/** What the query says of how to write. */
export function writeOptionsOf({ verb, query, userAgent, isApply }: Asked): WriteOptions | Refusal {
  const dryRun = query.getAll('dryRun');
  const fieldManager = query.get('fieldManager') ?? '';
  const validation = query.get('fieldValidation') ?? '';
  const force = yesOrNo(query, 'force');
  const errors = [
    ...(verb === 'patch' ? patchErrors({ isApply, force, fieldManager }) : []),
    ...managerErrors(fieldManager),
    ...dryRunErrors(dryRun),
    ...validationErrors(validation),
  ];
  if (errors.length > 0) return invalidOptions(kinds[verb], errors);
  return {
    dryRun: dryRun.length > 0,
    fieldValidation: (validation || 'Warn') as FieldValidation,
    fieldManager: fieldManager || managerOf(userAgent),
    force: force === true,
    stated: statedOptions(kinds[verb], { dryRun, fieldManager, validation, force }),
  };
}

type Stated = {
  readonly dryRun: readonly string[];
  readonly fieldManager: string;
  readonly validation: string;
  readonly force: boolean | undefined;
};

function statedOptions(
  kind: string,
  { dryRun, fieldManager, validation, force }: Stated,
): JsonObject {
  return {
    kind,
    apiVersion: 'meta.k8s.io/v1',
    ...(dryRun.length > 0 && { dryRun }),
    ...(force !== undefined && { force }),
    ...(fieldManager !== '' && { fieldManager }),
    ...(validation !== '' && { fieldValidation: validation }),
  };
}

/** `kubectl/v1.35.4 (linux/amd64)` is `kubectl`. */
export function managerOf(userAgent = ''): string {
  return (userAgent.split('/')[0] ?? '').slice(0, 128) || 'unknown';
}

type Patching = {
  readonly isApply: boolean;
  readonly force: boolean | undefined;
  readonly fieldManager: string;
};

function patchErrors({ isApply, force, fieldManager }: Patching): readonly FieldError[] {
  if (!isApply) {
    const message = 'Forbidden: may not be specified for non-apply patch';
    return force === undefined ? [] : [{ field: 'force', reason: 'FieldValueForbidden', message }];
  }
  const message = 'Required value: is required for apply patch';
  return fieldManager === ''
    ? [{ field: 'fieldManager', reason: 'FieldValueRequired', message }]
    : [];
}

function managerErrors(manager: string): readonly FieldError[] {
  const field = 'fieldManager';
  if (manager.length > 128) {
    const message = 'Too long: may not be more than 128 bytes';
    return [{ field, reason: 'FieldValueTooLong', message }];
  }
  const at = [...manager].findIndex((letter) => /\p{C}/u.test(letter));
  if (at < 0) return [];
  const code = manager.charCodeAt(at).toString(16);
  const shown = JSON.stringify(manager).replace(/\\u00/g, '\\x');
  const message = `Invalid value: ${shown}: invalid character U+${code.padStart(4, '0').toUpperCase()} (at position ${at})`;
  return [{ field, reason: 'FieldValueInvalid', message }];
}

export function dryRunErrors(dryRun: readonly string[]): readonly FieldError[] {
  if (dryRun.every((value) => value === 'All')) return [];
  const message = `Unsupported value: ${JSON.stringify(dryRun)}: supported values: "All"`;
  return [{ field: 'dryRun', reason: 'FieldValueNotSupported', message }];
}

function validationErrors(stated: string): readonly FieldError[] {
  if (['', 'Ignore', 'Strict', 'Warn'].includes(stated)) return [];
  const message = `Unsupported value: "${stated}": supported values: "", "Ignore", "Strict", "Warn"`;
  return [{ field: 'fieldValidation', reason: 'FieldValueNotSupported', message }];
}
