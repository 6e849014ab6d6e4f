import type { Kind } from '#shared/domain/kind.ts';

/** The kind that a scope's name begins with: of `deployments.apps/team-a?app=web`, `deployments` of `apps`. */
export function kindOfScope(scope: string): Pick<Kind, 'group' | 'resource'> {
  const [qualified = ''] = scope.split(/[/?]/, 1);
  const dot = qualified.indexOf('.');
  return dot < 0
    ? { resource: qualified, group: '' }
    : { resource: qualified.slice(0, dot), group: qualified.slice(dot + 1) };
}
