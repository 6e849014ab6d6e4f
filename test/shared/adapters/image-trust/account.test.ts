import { describe, expect, it } from 'vitest';
import { accountOf, nobody } from '#shared/adapters/image-trust/account.ts';

const pod = { namespace: 'team-a', serviceAccount: 'runner', pullSecrets: ['one', 'two'] };

describe('the key of an account', () => {
  it('is another one for whoever is shown other credentials', () => {
    const others = [
      { ...pod, namespace: 'team-b' },
      { ...pod, serviceAccount: 'other' },
      { ...pod, pullSecrets: ['two', 'one'] },
      { ...pod, pullSecrets: ['one","two'] },
      { ...pod, serviceAccount: '', pullSecrets: ['runner', 'one', 'two'] },
    ];
    const keys = [undefined, pod, ...others].map((each) => accountOf(each).key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(accountOf({ ...pod, pullSecrets: [...pod.pullSecrets] })).toEqual(accountOf(pod));
    expect(accountOf(undefined)).toBe(nobody);
  });

  it('stays short, since each of 500 images copies it, though a pod names a megabyte of Secrets', () => {
    const pullSecrets = Array.from({ length: 4_000 }, (_, at) => `${at}`.padStart(250, 's'));
    const { key } = accountOf({ ...pod, pullSecrets });
    const copies = Array.from({ length: 500 }, (_, at) => `app${at} ${key}`);
    expect(key.length).toBeLessThanOrEqual(64);
    expect(copies.join('').length).toBeLessThan(50_000);
  });
});
