import { isJsonObject } from '#shared/domain/json.ts';
import { ageColumn, at, nameColumn, text, textAt, textsAt } from './cells.ts';
import type { Columns } from './table.ts';

export const addresses: Readonly<Record<string, Columns>> = {
  'ingressclasses.networking.k8s.io': [
    nameColumn,
    text('Controller', (object) => textAt(object, 'spec.controller')),
    text('Parameters', (object) => {
      const parameters = at(object, 'spec.parameters');
      if (!isJsonObject(parameters)) return '<none>';
      const { apiGroup, kind, name } = parameters;
      const group = typeof apiGroup === 'string' ? `.${apiGroup}` : '';
      return `${String(kind)}${group}/${String(name)}`;
    }),
    ageColumn,
  ],
  'ipaddresses.networking.k8s.io': [
    nameColumn,
    text('ParentRef', (object) => {
      const parent = at(object, 'spec.parentRef');
      if (!isJsonObject(parent)) return '<none>';
      const [group, namespace] = [textAt(parent, 'group'), textAt(parent, 'namespace')];
      const resource = `${textAt(parent, 'resource')}${group && `.${group}`}`.toLowerCase();
      return `${resource}${namespace && `/${namespace}`}/${textAt(parent, 'name')}`;
    }),
  ],
  'servicecidrs.networking.k8s.io': [
    nameColumn,
    text('CIDRs', (object) => textsAt(object, 'spec.cidrs').join(',')),
    ageColumn,
  ],
};
