import { openCosign } from '#shared/adapters/cosign/open-cosign.ts';
import { cosignProver } from '#shared/adapters/image-trust/cosign-prover.ts';
import { notaryProver } from '#shared/adapters/image-trust/notary-prover.ts';
import type { Prover, Provers } from '#shared/adapters/image-trust/proof.ts';
import type { KeptFiles } from '#shared/adapters/notary/kept-files.ts';
import { openNotary } from '#shared/adapters/notary/open-notary.ts';
import type { ImageTrustSettings } from '#shared/domain/image-trust/settings.ts';
import type { TrustFiles } from '#shared/domain/image-trust/trust-files.ts';
import { type Outage, unavailable } from '#shared/domain/image-trust/tuf/finding.ts';
import type { Verified } from '#shared/domain/image-trust/tuf/verify-target.ts';
import { askedIn, type CosignVerifier } from '#shared/domain/image-trust/verifiers/cosign.ts';
import type { NotaryVerifier } from '#shared/domain/image-trust/verifiers/notary.ts';
import type { Outside } from '#shared/domain/outside.ts';
import type { Registry } from '#shared/domain/registry/registry.ts';
import type { Clock } from '#shared/ports.ts';
import { notaryLogin, type OwnSecrets } from './notary-login.ts';

type Joined = OwnSecrets & {
  readonly settings: ImageTrustSettings;
  readonly door: Outside;
  readonly registry: Registry;
  readonly notaryFiles: KeptFiles;
  readonly files: TrustFiles;
  readonly clock: Clock;
};

/** Each verifier with what it asks, of one configuration. */
export function openProvers(joined: Joined): Provers {
  return { notary: openNotaries(joined), cosign: openCosigns(joined) };
}

function openNotaries(joined: Joined): Prover<NotaryVerifier> {
  const { door, notaryFiles: files } = joined;
  return notaryProver(async ({ server, wanted, trust, signal }) => {
    const url = URL.parse(server.url);
    if (url === null) return unasked('not-allowed');
    const credentials = await notaryLogin({ ...server, url, gun: trust.gun }, joined);
    if (credentials === 'unread') return unasked('login-unread');
    const options = { server: { ...server, url, credentials }, outside: door, files };
    return openNotary(options).verify(wanted, trust, signal);
  });
}

function unasked(why: Outage): Verified {
  return { verdict: unavailable('root', why).flaw, repository: undefined };
}

function openCosigns({ settings, registry, files, clock }: Joined): Prover<CosignVerifier> {
  // What is proven is proven by the very text that its verdict holds for.
  const readText = async (path: string) => textIn(files, path);
  const cosign = openCosign({ registry, readText });
  return cosignProver(({ access, digest, shown, verifier, signed, pulled }) => {
    const { signal, ...as } = access;
    const authorities = askedIn(verifier, settings);
    const image = { ...signed, digest };
    const now = clock.now();
    return cosign.verify({ image, pulled, shown, authorities, access: as, signal, now });
  });
}

function textIn(files: TrustFiles, path: string): string {
  const text = files.textOf(path);
  if (text === undefined) throw new Error(`${path} could not be read`);
  return text;
}
