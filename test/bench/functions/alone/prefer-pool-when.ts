import preferPool from '#functions/node-affinity/prefer-pool.ts';
import { defineAdmission } from '#shared/define.ts';

/** The same decision behind a condition in CEL that holds: what the condition costs is the difference. */
// biome-ignore lint/style/noDefaultExport: a function file
export default defineAdmission({
  ...preferPool,
  name: 'prefer-pool-when',
  trigger: {
    ...preferPool.trigger,
    matchConditions: [
      {
        name: 'not-of-the-system',
        expression:
          "!request.namespace.startsWith('kube-') && " +
          "!(has(object.metadata.labels) && 'gatehouse.io/skip' in object.metadata.labels)",
      },
    ],
  },
});
