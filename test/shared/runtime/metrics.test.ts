import { describe, expect, it } from 'vitest';
import requireTrustedImages from '#functions/image-trust/require-trusted-images.ts';
import verifyPod from '#functions/image-trust/verify-pod.ts';
import { openMetrics } from '#shared/runtime/metrics.ts';
import { ask, podWith, reviewOf, stage } from '#test/support/admission.ts';
import { good, judgeStated, trusted } from '#test/support/image-trust/judge-stated.ts';
import { namespaces } from '#test/support/image-trust/verifying.ts';

/** What is scraped after these reviews. */
async function scraped(dryRuns: readonly boolean[], ...images: readonly string[]) {
  const judge = judgeStated({ 'a.io/web:1': good });
  const byConfig = trusted('a.io/old:1', good, { remarks: ['config-digest'] });
  const judged: typeof judge.judge = async (images, asked) =>
    (await judge.judge(images, asked)).map((found) =>
      found.image === 'a.io/old:1' ? { ...found, judgement: byConfig } : found,
    );
  const { app, host } = await stage({
    functions: [verifyPod, requireTrustedImages],
    namespaces,
    settings: { imageTrust: { digests: 'leave' } },
    ports: { namespaces, images: { judge: judged, recall: judged } },
  });
  const { meter, text } = openMetrics({ process: false });
  Object.assign(host, { meter });
  judge.away.add('a.io/away:1');
  const object = podWith(...images);
  for (const dryRun of dryRuns) {
    const review = reviewOf({ object, namespace: 'enabled', dryRun });
    await ask(app, '/defaulting/pods', review);
    await ask(app, '/validation/pods', review);
  }
  return (await text()).split('\n').filter((line) => line.startsWith('gatehouse_audit_total{'));
}

describe('gatehouse_audit_total', () => {
  it('counts images let through by tag, and those signed by their configuration alone', async () => {
    expect(await scraped([false, false], 'a.io/web:1', 'a.io/old:1')).toEqual([
      'gatehouse_audit_total{function="verify-pod",key="images-by-config-digest"} 2',
      'gatehouse_audit_total{function="require-trusted-images",key="images-by-tag"} 4',
    ]);
  });

  it('counts what was wrong, by its reason', async () => {
    const images = ['a.io/web:1', 'a.io/none:1', 'a.io/none:2', 'a.io/away:1'];
    expect(await scraped([false], ...images)).toEqual([
      'gatehouse_audit_total{function="verify-pod",key="images-untrusted.not-signed"} 2',
      'gatehouse_audit_total{function="verify-pod",key="images-unavailable.notary"} 1',
    ]);
  });

  it('counts nothing of a dry run', async () => {
    expect(await scraped([true], 'a.io/old:1')).toEqual([]);
  });

  it('counts what is no number as one, and keys beyond fifty together', async () => {
    const { meter, text } = openMetrics({ process: false });
    for (let at = 0; at < 60; at += 1) meter.told('own', `key-${at}`, 'seen');
    meter.told('own', 'key-0', '3');
    const lines = (await text()).split('\n').filter((line) => line.includes('function="own"'));
    expect(lines).toHaveLength(51);
    expect(lines[0]).toBe('gatehouse_audit_total{function="own",key="key-0"} 4');
    expect(lines.at(-1)).toBe('gatehouse_audit_total{function="own",key="(others)"} 10');
  });
});
