import type { AdmissionFunction } from '#shared/define.ts';
import type { Ports } from '#shared/ports.ts';
import { pick } from '../pick.ts';
import type { Bound } from './host.ts';

/** The CEL library is loaded only where a function has conditions. */
export async function bind(definition: AdmissionFunction, ports: Ports): Promise<Bound> {
  const own = pick(ports, definition.uses);
  const { matchConditions = [] } = definition.trigger;
  if (matchConditions.length === 0) return { definition, ports: own, conditions: [], unfit: '' };

  const { compileCondition } = await import('./match-condition.ts');
  const compiled = matchConditions.map(({ name, expression }) => ({
    name,
    condition: compileCondition(expression),
  }));
  const refused = compiled.flatMap(({ name, condition }) =>
    condition.ok ? [] : [`condition ${name}: ${condition.why}`],
  );
  const conditions = compiled.flatMap(({ name, condition }) =>
    condition.ok ? [{ name, holds: condition.holds }] : [],
  );
  return { definition, ports: own, conditions, unfit: refused.join('; ') };
}
