import type { Kind } from '#shared/domain/kind.ts';

export const widgets: Kind = {
  group: 'chaos.example',
  version: 'v1',
  kind: 'Widget',
  resource: 'widgets',
  namespaced: true,
};
