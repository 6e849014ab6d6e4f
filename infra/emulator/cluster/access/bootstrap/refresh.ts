import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { JsonObject } from '#shared/domain/json.ts';
import { policyKinds } from '../rbac/policy.ts';
import { captured, goldenText } from './capture.ts';

/** `node refresh.ts KUBECTL KUBECONFIG`: of a new server whose controller manager has aggregated the roles. */
const [, , kubectl = 'kubectl', kubeconfig = ''] = process.argv;

const lists = policyKinds.map((kind) => {
  const path = `/apis/rbac.authorization.k8s.io/v1/${kind.split('.')[0]}`;
  const text = execFileSync(kubectl, ['--kubeconfig', kubeconfig, 'get', '--raw', path]);
  return JSON.parse(text.toString()) as JsonObject;
});
writeFileSync(new URL('policy.golden.json', import.meta.url), goldenText(captured(lists)));
