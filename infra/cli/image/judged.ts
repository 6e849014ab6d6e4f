import type { Finding } from '#shared/domain/image-trust/judgement.ts';
import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import type { ImageTrust } from '#shared/runtime/image-trust.ts';
import type { Judged } from './report.ts';

/** Of an image that needs no signature nobody was asked. */
export async function judgedBy(
  { vouchingFor }: Pick<ImageTrust, 'vouchingFor'>,
  finding: Finding,
  rules: TrustRules,
): Promise<Judged> {
  const { image, judgement } = finding;
  const asked = judgement.kind === 'allowed' ? undefined : await vouchingFor(image, rules);
  return { ...finding, asked };
}
